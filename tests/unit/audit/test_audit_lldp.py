"""Ethernet fabrics by LLDP: neighbours per port against the plan's ports."""

import json

import pytest

from railyard.audit import audit
from railyard.audit.nouns import End
from railyard.read import ReadError
from tests.built_fabric import Built
from tests.unit.audit_files import at, ids, planned, seen

pytestmark = pytest.mark.requirement("N5")


def ethernet():
    """Two 400 Gb/s ports in each cage."""
    return planned(nodes=4, fabric={"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 8, "nos": "cumulus"})


def test_lldp_of_all_switches_and_hosts():
    _, wanted = ethernet()
    built = Built(wanted)
    names = [name for name, one in wanted.switches.items() if one.network == "training"]
    files = tuple(file for name in names for file in seen(built.lldp(name), f"{name}.json"))
    found = audit(wanted, files)
    assert found.findings == ()
    assert found.totals.links_correct == sum(link.network == "training" for link in wanted.links)


def test_lldp_of_one_leaf_judges_its_ports_only():
    _, wanted = ethernet()
    built = Built(wanted)
    built.exchange(at(built, z="t-su001-leaf-r0/swp1s0"), at(built, z="t-su001-leaf-r0/swp1s1"))
    found = audit(wanted, seen(built.lldp("t-su001-leaf-r0"), "t-su001-leaf-r0.json"))
    assert ids(found) == ["AUDIT-006", "AUDIT-013"]
    found = audit(wanted, seen(built.lldp("t-su001-leaf-r1"), "t-su001-leaf-r1.json"))
    assert ids(found) == ["AUDIT-013"]
    assert found.totals.switches_planned == 1


def test_lldp_pair_swapped_on_purpose_between_two_spines():
    _, wanted = ethernet()
    built = Built(wanted)
    one, other = (at(built, a=f"t-su001-leaf-r0/swp5s{part}") for part in (0, 1))
    built.exchange(one, other)
    names = [name for name, one in wanted.switches.items() if one.network == "training"]
    found = audit(wanted, tuple(file for name in names for file in seen(built.lldp(name), f"{name}.json")))
    assert [one.kind for one in found.differences] in (["crossed"], ["swapped"])
    assert {row.a for row in found.differences[0].found} == {"t-su001-leaf-r0/swp5s0", "t-su001-leaf-r0/swp5s1"}


@pytest.mark.parametrize(
    "name", [lambda n: f"swp{n}", lambda n: f"Ethernet{4 * (n - 1)}", lambda n: f"Ethernet{(n + 1) // 2}/{1 + 4 * (1 - n % 2)}"]
)
def test_ports_by_the_names_of_other_systems(name):
    """As the plan counts them (files of older releases), as SONiC and as EOS call them."""
    _, wanted = ethernet()
    text = Built(wanted).lldp("t-su001-leaf-r0")
    for number in range(1, 65):
        cage, part = divmod(number - 1, 2)
        text = text.replace(f'"swp{cage + 1}s{part}": {{', f'"{name(number)}": {{')
    assert 's0": {' not in text
    found = audit(wanted, seen(text, "t-su001-leaf-r0.json"))
    assert ids(found) == ["AUDIT-013"]


def test_mac_names_the_nic_of_a_host_that_sends_no_name():
    made, wanted = ethernet()
    built = Built(wanted)
    machine = next(one for one in made.machines if one.name == "t-su001-gpu02")
    text = built.lldp("t-su001-leaf-r3")
    nic = next(link.a.port for link in wanted.links if link.z == End("t-su001-leaf-r3", "swp1s1"))
    mac = machine.macs[made.fabric.node_nics.index(nic)]
    nameless = text.replace('"t-su001-gpu02": {', '"localhost": {')
    assert nameless != text
    assert "AUDIT-010" in ids(audit(wanted, seen(nameless, "t-su001-leaf-r3.json")))
    tree = json.loads(text)
    for row in tree["lldp"]["interface"]:
        if "swp1s1" in row:
            row["swp1s1"]["chassis"] = {"localhost": {}}
            row["swp1s1"]["port"]["id"] = {"type": "mac", "value": mac.upper()}
    found = audit(wanted, seen(json.dumps(tree), "t-su001-leaf-r3.json"))
    assert ids(found) == ["AUDIT-013"]


def test_lldp_of_a_host():
    _, wanted = ethernet()
    built = Built(wanted)
    found = audit(wanted, seen(built.lldp("t-su001-gpu02"), "t-su001-gpu02.json"))
    assert set(ids(found)) <= {"AUDIT-013"}
    assert found.totals.links_correct >= 8
    built.exchange(at(built, z="t-su001-leaf-r0/swp1s1"), at(built, z="t-su001-leaf-r1/swp1s1"))
    found = audit(wanted, seen(built.lldp("t-su001-gpu02"), "t-su001-gpu02.json"))
    assert "AUDIT-005" in ids(found)


def test_a_file_named_after_nobody_is_refused():
    """The output doesn't say whose it is; another device's ports must not get its neighbours."""
    _, wanted = ethernet()
    text = Built(wanted).lldp("t-su001-leaf-r0")
    with pytest.raises(ReadError) as error:
        audit(wanted, seen(text, "neighbors.json"))
    assert [(problem.id, problem.where) for problem in error.value.problems] == [("READ-008", "neighbors.json")]
