"""SWITCH-002 to SWITCH-004, and which switches are managed at all: on the stack `lab-roce`."""

from dataclasses import replace
from functools import cache
from ipaddress import ip_address
from pathlib import Path

import pytest
from pydantic import ValidationError

from railyard import load
from railyard import plan as planning
from railyard.model.config import SiteConfig
from railyard.model.inventory import Switch
from railyard.plan.managed import gate_groups, managed_switches
from railyard.plan.switch_intent import switch_intents
from railyard.render.switches import switch_file
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


@cache
def dual(management: tuple[str, ...] = ()) -> planning.Plan:
    """The same site with IPv6 beside IPv4 on the management ports; by default its own networks may log in."""
    file = site().file
    six = file.addresses.ipv6.model_copy(update={"oob": "fd00:48::/64"})
    addresses = file.addresses.model_copy(update={"ipv6": six, "management": management})
    return planning.plan(replace(site(), file=file.model_copy(update={"addresses": addresses})))


def test_either_address_of_a_management_port_by_value():
    first = site().inventory.switches[0].name
    (intent,) = [intent for intent in switch_intents(dual()) if intent.hostname == first]
    four, six = (text.partition("/")[0] for text in intent.management_addresses)
    long = ip_address(six).exploded
    for address in (four, f"{four}:8765", six, f"[{six}]:8765", long, f"[{long.upper()}]"):
        assert found(changed(management_address=address), dual()) == [], address
    (other,) = found(changed(management_address="[fd00:48::1234]:8765"), dual())
    assert other[2] == f"{four} or {six}, the plan's addresses of its management port"
    assert found(changed(management_address="leaf-1.example"), dual())[0][0] == "SWITCH-004"


def test_an_access_list_that_would_shut_us_out():
    first = site().inventory.switches[0].name
    made = dual(("127.79.0.0/18",))
    (intent,) = [intent for intent in switch_intents(made) if intent.hostname == first]
    six = intent.management_addresses[1].partition("/")[0]
    ((rule, said, limit),) = found(changed(management_address=six), made)
    assert (rule, said, limit) == ("SWITCH-004", f"{six}, and no IPv6 network may log in", "an IPv6 management network")
    assert found(site().inventory.switches, made) == []


@pytest.mark.parametrize("nos", ["cumulus", "sonic", "eos"])
def test_files_set_both_addresses_and_let_both_versions_log_in(nos):
    """Else the first change of a dual-stack switch would shut out who came by IPv6."""
    intent = next(switch_intents(dual(), nos))
    text = switch_file(intent, nos).decode()
    assert len(intent.management_addresses) == 2
    for address in intent.management_addresses:
        assert address in text
    assert "fd00:48::/64" in text, "the management network of its access list"
    assert "fd00:48::1" in text, "its gateway"


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
