"""SWITCH-002 to SWITCH-004, and which switches are managed at all: on the stack `lab-roce`."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from pydantic import ValidationError

from railyard import load
from railyard import plan as planning
from railyard.model.config import SiteConfig
from railyard.model.inventory import Switch
from railyard.plan.managed import gate_groups, managed_switches
from railyard.rules.managed import _host, check_managed

ROOT = Path(__file__).resolve().parents[3]


@cache
def site() -> SiteConfig:
    return load.site_config(ROOT, "lab-roce")


@cache
def plan() -> planning.Plan:
    return planning.plan(site())


def other(nos: str | None) -> planning.Plan:
    routing = plan().routing
    return replace(plan(), routing=routing.model_copy(update={"nos": nos}) if routing and nos else None)


def changed(**change):
    first, *others = site().inventory.switches
    return (first.model_copy(update=change), *others)


def found(switches, of=None):
    return [(finding.id, finding.found, finding.limit) for finding in check_managed(switches, of or plan())]


def test_the_example_passes_and_all_of_its_switches_are_managed():
    assert found(site().inventory.switches) == []
    assert len(managed_switches(site().inventory.switches, plan())) == 12


def test_an_inventory_without_switches_manages_none():
    assert found(()) == []
    assert managed_switches((), plan()) == []
    assert gate_groups("x", []) == {}


@pytest.mark.parametrize("name", ["lab-roce-su001-leaf-r8", "lab-roce-spine005", "lab-roce-su001-gpu01", "lab-spine001"])
def test_a_name_that_is_not_planned(name):
    (first, *_) = found(changed(name=name))
    assert first[:2] == ("SWITCH-002", name)
    assert "lab-roce-spine001" in first[2]


@pytest.mark.parametrize("address", ["127.79.15.252:8765", "127.79.15.252", "10.0.0.1:8765"])
def test_an_address_that_would_be_changed_under_our_feet(address):
    assert found(changed(management_address=address)) == [
        ("SWITCH-004", address.partition(":")[0], "127.79.15.251, the plan's address of its management port")
    ]


@pytest.mark.parametrize(
    ("address", "host"),
    [("10.0.0.1:8765", "10.0.0.1"), ("fd00::1", "fd00::1"), ("[fd00::1]:8765", "fd00::1"), ("[FD00::1]", "fd00::1")],
)
def test_the_host_of_an_address(address, host):
    assert _host(address) == host


@pytest.mark.parametrize("address", ["127.79.15.251", "127.79.15.251:443"])
def test_the_planned_address_with_any_port(address):
    assert found(changed(management_address=address)) == []


@pytest.mark.parametrize("nos", ["eos", "frr", None])
def test_a_system_that_nobody_speaks(nos):
    rows = found(site().inventory.switches, other(nos))
    assert [row[0] for row in rows] == ["SWITCH-003"] * 12
    assert managed_switches(site().inventory.switches, other(nos)) == []


def test_trust_of_the_other_system_is_none():
    rows = found(site().inventory.switches, other("sonic"))
    assert ("SWITCH-003", "no hostKeySha256", "hostKeySha256: what sonic is trusted by") in rows
    keyed = changed(ca_file=None, host_key_sha256="SHA256:" + "A" * 43)
    assert ("SWITCH-003", "no caFile", "caFile: what cumulus is trusted by") in found(keyed)


def test_a_switch_without_management_address_is_only_planned():
    switches = changed(management_address=None)
    assert found(switches) == []
    assert len(managed_switches(switches, plan())) == 11


def test_gates_expect_both_ends_of_every_cable_and_all_paths():
    groups = gate_groups("lab-roce", managed_switches(site().inventory.switches, plan()))
    assert {name: len(rows) for name, rows in groups.items()} == {"lab-roce-su001-fabric": 8, "lab-roce-top-fabric": 4}
    leaf, spine = groups["lab-roce-su001-fabric"][0], groups["lab-roce-top-fabric"][0]
    assert (len(leaf.sessions), leaf.width, len(leaf.reach), leaf.mtu) == (32, 32, 7, 9216)
    assert (len(spine.sessions), spine.reach) == (64, ())
    ends = {
        (one.switch.planned.name, port): far for rows in groups.values() for one in rows for port, far in one.neighbours.items()
    }
    assert len(ends) == 512
    for (name, port), far in ends.items():
        device, _, there = far.partition("/")
        assert ends[device, there] == f"{name}/{port}"


@pytest.mark.parametrize(
    "change",
    [
        {"credentialRef": None},
        {"caFile": None},
        {"managementAddress": "http://x/"},
        {"managementAddress": ""},
        {"hostKeySha256": "SHA256:short"},
        {"hostKeySha256": "MD5:00:11"},
        {"credentialRef": "hunter2"},
        {"serial": ""},
        {"serial": "x" * 65},
        {"name": "Leaf_1"},
        {"name": "léaf"},
        {"password": "hunter2"},
    ],
)
def test_shape_errors_of_an_entry(change):
    row = {"name": "l1", "serial": "S1", "managementAddress": "10.0.0.1:8765", "caFile": "ca.crt", "credentialRef": "file:x"}
    Switch.model_validate(row)
    with pytest.raises(ValidationError):
        Switch.model_validate({**row, **change})
