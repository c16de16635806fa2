"""A planned site, built with faults: each is found once, with its kind and both ends."""

import pytest

from railyard.audit import audit
from railyard.audit.nouns import End
from railyard.read import ReadError
from railyard.render.audit import audit_text
from tests.built_fabric import Built
from tests.unit.audit_files import at, check, ids, planned, seen, training

pytestmark = pytest.mark.requirement("N5")


def test_as_planned(wanted, built):
    found = check(wanted, built)
    assert found.findings == ()
    assert found.totals.links_correct == 40 * 8 + 16 * 32
    assert set(found.absent_networks) == {"storage", "in-band", "oob"}
    assert "not audited" in audit_text(found)


def test_files_given_twice_or_in_parts_change_nothing(wanted, built):
    text = built.ibnetdiscover()
    assert audit(wanted, seen(text) * 2).findings == ()
    half = len(text) // 2
    cut = text.index("\n\n", half)
    assert audit(wanted, (*seen(text[:cut]), *seen(text)), units=[1, 2]).findings[0].id == "AUDIT-012"


def test_one_missing_uplink(wanted, built):
    gone = built.uplinks()[5]
    a, z, _ = built.links[gone]
    built.remove([gone])
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-003", "AUDIT-007"] if found.verdicts[0].over else ["AUDIT-003"]
    (one,) = found.differences
    assert (one.kind, one.planned[0].a, one.planned[0].z) == ("missing", str(a), str(z))
    # The work order names rack and U of both ends.
    row = one.planned[0]
    assert row.a_label.startswith("R0")
    assert all((row.a_rack, row.a_u, row.z_rack, row.z_u))
    assert {row.a_label, row.z_label} <= set(found.work[0].text.replace("(", " ").replace(")", " ").replace(".", " ").split())


def test_leaf_leaf_cable_is_two_missing_and_one_unexpected(wanted, built):
    """Two leaves joined to each other."""
    one, other = at(built, a="t-su001-leaf-r0/33"), at(built, a="t-su001-leaf-r1/33")
    a, b = built.links[one][0], built.links[other][0]
    built.remove([one, other])
    built.links.append((a, b, 400.0))
    found = check(wanted, built)
    (difference,) = found.differences
    assert (difference.kind, len(difference.planned), len(difference.found)) == ("tangled", 2, 1)
    assert "AUDIT-004" in ids(found)


def test_host_on_a_spine_is_two_missing_and_one_unexpected(wanted, built):
    host, up = at(built, a="t-su001-gpu05/mlx5_0"), at(built, a="t-su001-leaf-r0/40")
    nic = built.links[host][0]
    spine = built.links[up][1]
    built.remove([host, up])
    built.links.append((nic, spine, 400.0))
    (difference,) = check(wanted, built).differences
    assert (difference.kind, len(difference.planned), len(difference.found)) == ("tangled", 2, 1)


def test_rails_swapped_on_one_host(wanted, built):
    one, other = at(built, z="t-su001-leaf-r2/7"), at(built, z="t-su001-leaf-r3/7")
    built.exchange(one, other)
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-005"]
    (difference,) = found.differences
    assert difference.kind == "swapped"
    assert {row.z for row in difference.found} == {"t-su001-leaf-r2/7", "t-su001-leaf-r3/7"}
    assert found.work[0].text.startswith("Exchange the two plugs at t-su001-gpu07")
    assert found.work[0].effect


def test_hosts_of_two_units_swapped(wanted, built):
    built.exchange(at(built, z="t-su001-leaf-r0/3"), at(built, z="t-su002-leaf-r0/3"))
    assert ids(check(wanted, built)) == ["AUDIT-005"]


def test_two_hosts_of_one_leaf_crossed(wanted, built):
    built.exchange(at(built, z="t-su001-leaf-r0/3"), at(built, z="t-su001-leaf-r0/4"))
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-006"]
    assert not found.work[0].effect


def test_two_links_of_one_leaf_to_one_spine_crossed(wanted, built):
    """A plan counts ports exactly; bandwidth doesn't feel it."""
    pairs = {}
    for index in built.uplinks():
        a, z, _ = built.links[index]
        pairs.setdefault((a.device, z.device), []).append(index)
    built.exchange(*next(group for group in pairs.values() if len(group) > 1)[:2])
    assert ids(check(wanted, built)) == ["AUDIT-006"]


def test_three_cables_in_a_ring(wanted, built):
    one, two, three = (at(built, z=f"t-su001-leaf-r{rail}/9") for rail in (0, 1, 2))
    built.exchange(one, two)
    built.exchange(two, three)
    (difference,) = check(wanted, built).differences
    assert (difference.kind, len(difference.planned), len(difference.found)) == ("swapped", 3, 3)


def test_plug_in_a_free_port(wanted, built):
    index = at(built, z="t-su002-leaf-r5/2")
    a, z, gbps = built.links[index]
    built.links[index] = (a, End(z.device, "20"), gbps)
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-004"]
    (difference,) = found.differences
    assert (difference.kind, difference.found[0].z, difference.planned[0].z) == (
        "moved",
        "t-su002-leaf-r5/20",
        "t-su002-leaf-r5/2",
    )
    assert "P20" not in difference.planned[0].z_label


def test_missing_switch_and_host_are_told_once(wanted, built):
    built.remove(
        index
        for index, (a, z, _) in enumerate(built.links)
        if "t-su001-leaf-r4" in (a.device, z.device) or a.device == "t-su002-gpu03"
    )
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-001", "AUDIT-002"]
    assert found.differences == ()


def test_one_missing_node_cable_is_no_missing_host(wanted, built):
    built.remove([at(built, a="t-su002-gpu03/mlx5_0")])
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-003"]
    assert found.missing_hosts == ()


def test_half_speed_link(wanted, built):
    index = at(built, z="t-su001-leaf-r0/3")
    built.slow(index)
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-009"]
    (slow,) = found.slow
    assert (slow.gbps, slow.gb_per_s, slow.percent, slow.lanes) == (200.0, 25.0, 50.0, 4)
    assert check(wanted, built, speeds=False).findings == ()


def test_cut_file(wanted, built):
    text = built.ibnetdiscover()
    cut = text[: text.index("\nCa\t", len(text) * 3 // 4)]
    found = audit(wanted, seen(cut))
    assert ids(found) == ["AUDIT-012"]


def test_link_that_one_end_tells(wanted, built):
    text = built.ibnetdiscover()
    start = text.index('[33]\t"S-')
    found = audit(wanted, seen(text[:start] + text[text.index("\n", start) + 1 :]))
    assert ids(found) == ["AUDIT-012"]


def test_contradicting_files(wanted, built):
    first = built.ibnetdiscover()
    built.exchange(at(built, z="t-su001-leaf-r2/7"), at(built, z="t-su001-leaf-r3/7"))
    found = audit(wanted, (*seen(first), *seen(built.ibnetdiscover())))
    assert set(ids(found)) == {"AUDIT-011"}
    assert len(found.contradictions) == 2


def test_one_unit_of_two(wanted, built):
    built.remove([at(built, a="t-su002-gpu03/mlx5_0")])
    assert check(wanted, built, units=[1]).findings == ()
    assert ids(check(wanted, built, units=[2])) == ["AUDIT-003"]


def test_files_of_another_site(wanted):
    other = planned(nodes=4, fabric={"scalableUnits": 1})[1]
    text = training(other).ibnetdiscover().replace("t-su", "x-su").replace("t-spine", "x-spine")
    with pytest.raises(ReadError) as error:
        audit(wanted, seen(text))
    assert [problem.id for problem in error.value.problems] == ["READ-007"]
    with pytest.raises(ReadError):
        audit(wanted, seen(training(wanted).ibnetdiscover()), units=[99])


def test_planes_one_file_each():
    wanted = planned(nodes=4, fabric={"planes": 2, "nodesPerUnit": 4})[1]
    built = Built(wanted)
    planes = {(link.a, link.z): link.plane for link in wanted.links}
    files = []
    for plane in (0, 1):
        half = Built(wanted)
        half.links = [link for link in built.links if planes[link[0], link[1]] == plane and link[1].device in wanted.switches]
        half.links = [link for link in half.links if wanted.switches[link[1].device].network == "training"]
        files.append(half.ibnetdiscover())
    assert audit(wanted, seen(files[0]) + seen(files[1])).findings == ()
    found = audit(wanted, seen(files[0]))
    assert ids(found) == ["AUDIT-013"]
    assert found.absent_planes == ("plane 1 of network training",)


def test_storage_switch_stays_out():
    """Case 19: six hosts on two leaves and all on one storage switch: two groups, the storage switch in neither."""
    _, wanted = planned(nodes=4)
    built = training(wanted)
    built.links += [(End(f"t-su001-gpu0{slot}", "mlx5_2"), End("sto-sw", str(slot)), 200.0) for slot in (1, 2, 3)]
    found = audit(wanted, seen(built.ibnetdiscover()))
    assert {one.role for one in found.verdicts} == {"leaf"}
    assert found.strange_switches == ()
    assert found.findings == ()


def test_two_fabrics_stay_two(built):
    """Case 21: unconnected fabrics have a verdict each; a cable between their planes is a fault."""
    wanted = planned(nodes=4, fabric={"planes": 2, "nodesPerUnit": 4})[1]
    both = training(wanted)
    one = next(i for i in both.uplinks() if both.links[i][0].device.endswith("-p0"))
    other = next(i for i in both.uplinks() if both.links[i][0].device.endswith("-p1"))
    assert audit(wanted, seen(both.ibnetdiscover())).findings == ()
    both.exchange(one, other)
    found = audit(wanted, seen(both.ibnetdiscover()))
    assert "AUDIT-005" in ids(found)
    assert {one.plane for one in found.verdicts} == {0, 1}


def test_an_oversubscribed_leaf_is_judged_by_its_design():
    wanted = planned(nodes=8, fabric={"nodesPerUnit": 8, "uplinksPerLeaf": 4, "oversubscription": 2})[1]
    built = training(wanted)
    assert audit(wanted, seen(built.ibnetdiscover())).findings == ()
    built.remove([built.uplinks()[0]])
    found = audit(wanted, seen(built.ibnetdiscover()))
    over = [finding for finding in found.findings if finding.id == "AUDIT-007"]
    assert [(one.found, one.limit) for one in over] == [("8 down, 3 up: 2.667 : 1", "2 : 1")]


def test_a_cable_that_carries_two_links_is_missing_once():
    made, wanted = planned(nodes=4, fabric={"planes": 2, "nodesPerUnit": 4, "linksPerCable": 2})
    built = training(wanted)
    assert audit(wanted, seen(built.ibnetdiscover())).findings == ()
    twin = next(cable for cable in made.cables if cable.a_second and cable.kind == "leaf-spine")
    ends = {twin.a, twin.a_second}
    built.remove([index for index, (a, _, _) in enumerate(built.links) if str(a) in ends])
    found = audit(wanted, seen(built.ibnetdiscover()))
    (difference,) = found.differences
    assert (difference.kind, len(difference.planned)) == ("missing", 2)
    assert sum(step.action == "connect" for step in found.work) == 1
