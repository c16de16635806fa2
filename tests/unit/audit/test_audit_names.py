"""Who is who: nameless hosts and switches, cloned names, GUIDs and MACs, strangers."""

import re

import msgspec
import pytest

from railyard.audit import audit, design_of
from railyard.audit.nouns import End
from railyard.model.inventory import Inventory
from railyard.plan import plan
from tests.built_fabric import ident
from tests.planned_site import make_site
from tests.unit.audit_files import at, check, ids, seen, training

pytestmark = pytest.mark.requirement("N5")


def test_nameless_host(wanted, built):
    for end, _, _ in built.links:
        if end.device == "t-su001-gpu09":
            built.says[str(end)] = "MT4129 ConnectX7   Mellanox Technologies"
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-010"]
    (one,) = found.named_by_position
    assert (one.host, one.wholly, len(one.nics)) == ("t-su001-gpu09", True, 8)
    assert [step.action for step in found.work] == ["name"]


def test_two_nameless_hosts_crossed_with_named_ones_on_one_leaf(wanted, built):
    """Two exchanges on one leaf, one nameless side each: the chains keep them apart."""
    for pair in ((1, 2), (3, 4)):
        built.exchange(*(at(built, z=f"t-su001-leaf-r0/{slot}") for slot in pair))
    for host in ("t-su001-gpu02", "t-su001-gpu04"):
        for end, _, _ in built.links:
            if end.device == host:
                built.says[str(end)] = "localhost mlx5_0"
    found = check(wanted, built)
    assert sorted(ids(found)) == ["AUDIT-006"] * 2 + ["AUDIT-010"] * 2
    assert {nic.how for one in found.named_by_position for nic in one.nics} == {"position", "elimination"}


def test_one_name_on_two_hosts(wanted, built):
    """A cloned host: the one in its own port keeps the name, the other is known by position."""
    for end, _, _ in built.links:
        if end.device == "t-su001-gpu09":
            built.says[str(end)] = f"t-su001-gpu08 {end.port}"
    found = check(wanted, built)
    assert set(ids(found)) == {"AUDIT-010", "AUDIT-011"}
    assert [one.host for one in found.named_by_position] == ["t-su001-gpu09"]
    assert found.differences == ()


def test_nameless_switch_is_known_by_its_neighbours(wanted, built):
    built.says["t-su001-leaf-r6"] = "MF0;switch:MQM9700/U1"
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-010"]
    assert found.renamed_switches == {"t-su001-leaf-r6": "MF0;switch:MQM9700/U1"}


def test_two_switches_with_one_name_are_told_apart_by_their_neighbours(wanted, built):
    """A cloned configuration. `Power and cable leaf-r6` would send somebody to a switch that runs."""
    built.says["t-su001-leaf-r6"] = "t-su001-leaf-r5"
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-010"]
    assert found.renamed_switches == {"t-su001-leaf-r6": "t-su001-leaf-r5"}
    assert not found.missing_switches
    assert not found.contradictions


def test_two_spines_with_one_name_are_told_apart_too(wanted, built):
    one, two = sorted({built.links[index][1].device for index in built.uplinks()})[:2]
    built.says[two] = one
    assert check(wanted, built).renamed_switches == {two: one}


def test_strange_switch(wanted, built):
    built.links.append((End("t-su001-leaf-r0", "64"), End("lab-switch", "1"), 400.0))
    built.remove([at(built, a="t-su001-leaf-r0/64")])
    found = check(wanted, built)
    assert "AUDIT-015" in ids(found)
    assert [name.partition(" [")[0] for name in found.strange_switches] == ["lab-switch"]
    assert [one.kind for one in found.differences] == ["moved"]


def test_names_of_nics_that_the_plan_does_not_know(wanted, built):
    """Hosts say HCA-n: they are found, but whether their rails are right can't be said, and isn't."""
    for end, _, _ in built.links:
        if end.device == "t-su001-gpu01":
            built.says[str(end)] = f"{end.device} HCA-{end.port[-1]}"
    found = check(wanted, built)
    assert ids(found) == ["AUDIT-011"]
    assert sum(found.unknown_nics.values()) == 8


def test_guid_of_the_inventory_names_a_nameless_host(wanted, built):
    """Facts beat descriptions: the host is named, wherever it is, and what it says wrongly is a contradiction."""
    for end, _, _ in built.links:
        if end.device in ("t-su001-gpu09", "t-su001-gpu10"):
            built.says[str(end)] = "MT4129 ConnectX7   Mellanox Technologies"
    guids = {f"0x{ident(str(end))}": end for end, _, _ in built.links if end.device in ("t-su001-gpu09", "t-su001-gpu10")}
    known = msgspec.structs.replace(wanted, guids=guids)
    assert audit(known, seen(built.ibnetdiscover())).findings == ()
    built.exchange(at(built, z="t-su001-leaf-r0/9"), at(built, z="t-su001-leaf-r0/10"))
    assert ids(audit(known, seen(built.ibnetdiscover()))) == ["AUDIT-006"]
    built.says["t-su001-gpu09/mlx5_0"] = "t-su002-gpu01 mlx5_0"
    assert "AUDIT-011" in ids(audit(known, seen(built.ibnetdiscover())))


def test_port_guid_and_node_guid_are_two_facts(wanted, built):
    """Adapters whose port GUID isn't the node's: the switch's line has one, the host's record the other."""
    text = re.sub(r'"(H-[0-9a-f]{15})(.)"\[1\]\((\w{15})\w\)', r'"\1\2"[1](\3e)', built.ibnetdiscover())
    assert text != built.ibnetdiscover()
    assert audit(wanted, seen(text)).findings == ()


def test_unknown_hosts_are_no_children_of_a_leaf(wanted, built):
    """Case 20: a label without a worker. What no plan has is named, and counts as nobody's endpoint."""
    built.links.append((End("visitor", "mlx5_0"), End("t-su002-leaf-r0", "20"), 400.0))
    before = next(one for one in check(wanted, training(wanted)).verdicts if one.switch == "t-su002-leaf-r0")
    found = check(wanted, built)
    assert next(one for one in found.verdicts if one.switch == "t-su002-leaf-r0") == before
    assert [one.kind for one in found.differences] == ["unexpected"]
    assert "visitor mlx5_0" in str(found.differences[0].found)
    assert found.named_by_position == ()


def test_two_leaves_with_each_others_cables_are_looked_at_first(wanted, built):
    """32 swapped cables are more likely two exchanged names."""
    names = {"t-su001-leaf-r0": "t-su001-leaf-r1", "t-su001-leaf-r1": "t-su001-leaf-r0"}
    built.says |= names
    found = check(wanted, built)
    (pair,) = found.exchanged_switches
    assert (pair.one, pair.other, pair.moved, pair.planned) == ("t-su001-leaf-r0", "t-su001-leaf-r1", 32, 32)
    assert found.work[0].action == "look"
    assert check(wanted, training(wanted)).exchanged_switches == ()


def test_guids_come_from_the_inventory():
    """One per port; a node GUID that two ports share names neither; switches by their own."""
    config = make_site(nodes=2)
    machines = [machine.model_dump(by_alias=True, mode="json") for machine in config.inventory.machines]
    machines[0]["hcas"] = [
        {"port": port, "nodeGuid": "0x0c42a10300000001", "portGuid": f"0x0c42a1030000000{number}"}
        for number, port in ((2, "mlx5_0"), (3, "mlx5_3"))
    ]
    switch = {"name": "t-su001-leaf-r0", "serial": "X1", "nodeGuid": "0xfc6a1c0300000001"}
    body = {"schemaVersion": 1, "site": "t", "machines": machines, "switches": [switch]}
    inventory = Inventory.model_validate(body | {"switchGuids": {"t-spine001": "0xfc6a1c0300000002"}})
    design = design_of(plan(config), config.catalog, inventory)
    assert design.guids == {
        "0x0c42a10300000002": End("t-su001-gpu01", "mlx5_0"),
        "0x0c42a10300000003": End("t-su001-gpu01", "mlx5_3"),
        "0xfc6a1c0300000001": End("t-su001-leaf-r0", ""),
        "0xfc6a1c0300000002": End("t-spine001", ""),
    }


def test_guid_of_the_inventory_names_a_nameless_switch(wanted, built):
    """Facts first: the switch is known, and says a name that isn't its own."""
    built.says["t-su001-leaf-r6"] = "MF0;switch:MQM9700/U1"
    known = msgspec.structs.replace(wanted, guids={f"0x{ident('t-su001-leaf-r6')}": End("t-su001-leaf-r6", "")})
    found = audit(known, seen(built.ibnetdiscover()))
    assert found.missing_switches == found.differences == ()
    assert found.totals.links_correct == found.totals.links_planned
    assert set(ids(found)) <= {"AUDIT-010"}
