"""FABRIC-070 to FABRIC-079: each passes on a sound site and says where, what and how to fix it on a broken one."""

import json
from datetime import date

import pytest

from railyard.model.infiniband import (
    Adapter,
    PartitionRule,
    Subnet,
    SubnetSwitch,
)
from railyard.plan.partitions import rules_of
from railyard.rules import RULES, UNKNOWN, Finding, check_infiniband, check_partition_rules, judge
from railyard.rules.infiniband import INFINIBAND_PREDICATES
from railyard.rules.slices import SITE
from tests.unit.render.test_render_infiniband import TENANT, small
from tests.unit.rules.infiniband_factory import infiniband, partition, subnet_facts

pytestmark = pytest.mark.requirement("X1", "N1", "U2")


def judged(**changes: object) -> list[Finding]:
    return check_infiniband(infiniband(**changes), "t")


def test_a_sound_site_has_no_finding():
    assert judged() == []


BROKEN: list[tuple[str, dict[str, object], str, str]] = [
    (
        "FABRIC-070",
        {"subnets": (subnet_facts(manager_leaves=("t-r0",)),)},
        "railyard:fabric.reservedPorts",
        "on t-r0 alone",
    ),
    (
        "FABRIC-070",
        {"subnets": (subnet_facts(name="storage", manager_leaves=()),)},
        "railyard:networks.storage",
        "nothing manages subnet storage",
    ),
    ("FABRIC-071", {"partitions": (partition("a", 7), partition("b", 7))}, "railyard:infiniband.partitions", "0x0007 of a, b"),
    (
        "FABRIC-071",
        {"partitions": (partition("a", 7), partition("a", 8))},
        "railyard:infiniband.partitions.a",
        "2 rows for tenant a",
    ),
    ("FABRIC-072", {"guid_clashes": ("0x01 of a and b",)}, "t", "0x01 of a and b"),
    (
        "FABRIC-073",
        {"partitions": (partition(overlap=7, also_in=("t-su001-gpu01 (production)",)),)},
        "railyard:infiniband.partitions.research",
        "7 machines are another tenant's, too: t-su001-gpu01 (production) and 6 more",
    ),
    ("FABRIC-074", {"partitions": (partition(unknown=("su009",)),)}, "railyard:infiniband.partitions.research", "su009"),
    (
        "FABRIC-074",
        {"partitions": (partition(known_tenant=False),)},
        "railyard:infiniband.partitions.research",
        "no tenant research",
    ),
    ("FABRIC-078", {"guids_unused": ("t-su001-gpu01/mlx5_33",)}, "t-su001-gpu01/mlx5_33", "no InfiniBand cable ends there"),
    ("FABRIC-078", {"guids_unused": ("t-spine999",)}, "t-spine999", "no InfiniBand switch has that name"),
    (
        "FABRIC-079",
        {"sharp": True, "subnets": (subnet_facts(manager_leaves=()),)},
        "railyard:infiniband.sharp",
        "no fabric manager's host is planned in subnet compute",
    ),
    ("FABRIC-075", {"unassigned": 3}, "railyard:infiniband.partitions", "3 machines are in no partition"),
]


@pytest.mark.parametrize(("rule", "changes", "where", "words"), BROKEN)
def test_a_broken_site_has_exactly_its_finding(rule: str, changes: dict[str, object], where: str, words: str):
    found = judged(**changes)
    assert [(finding.id, finding.where) for finding in found] == [(rule, where)]
    assert words in found[0].found
    assert found[0].limit
    assert found[0].fix


def test_a_clash_of_keys_names_one_that_is_free():
    (finding,) = judged(partitions=(partition("a", 1), partition("b", 1), partition("c", 2)))
    assert finding.fix.endswith("for example 0x0003")
    assert finding.severity == "invariant"


def test_subnets_without_manager_hosts_are_another_rules():
    assert judged(subnets=(subnet_facts(manager_leaves=()),)) == []


def test_sharp_with_a_host_passes_and_storage_needs_none():
    assert judged(sharp=True) == []
    assert "FABRIC-079" not in {
        row.id for row in judged(sharp=True, subnets=(subnet_facts(name="storage", manager_leaves=()),))
    }


def test_all_rules_are_registered_with_a_predicate_or_a_file_check():
    by_predicate = {rule.id for predicate in INFINIBAND_PREDICATES for rule in predicate.rules}
    assert {f"FABRIC-{number:03d}" for number in (*range(70, 76), 78, 79)} == by_predicate
    assert {"FABRIC-076", "FABRIC-077"} <= set(RULES)
    assert all(RULES[name].pack == "fabric" for name in by_predicate)


def default(**members: bool) -> PartitionRule:
    return PartitionRule("Default", 0x7FFF, tuple(members.items()))


MANAGER, HOST, STORAGE = "0x0c42a10300000028", "0x0c42a10300000008", "0x0c42a10300000018"


@pytest.mark.parametrize("tenants", [[], [TENANT]])
def test_our_own_files_pass(tenants: list):
    assert check_partition_rules(small(), rules_of(small(), tenants)) == []


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([], ["no rule for the default partition"]),
        ([PartitionRule("a", 1, ((HOST, True),))], ["no rule for the default partition"]),
        ([default(ALL=False, SELF=False, **{MANAGER: True})], ["SELF is limited"]),
        ([default(ALL=False, **{MANAGER: True})], ["SELF is limited"]),
        ([default(ALL=False, SELF=True)], [f"{MANAGER} is limited"]),
        ([default(SELF=True, **{MANAGER: True})], ["doesn't hold ALL"]),
        ([default(**{MANAGER: True})], ["doesn't hold ALL", "SELF is not in it"]),
        ([default(SELF=False, **{MANAGER: True})], ["doesn't hold ALL", "SELF is limited"]),
    ],
)
def test_a_file_that_cuts_the_manager_off_is_named(rules: list[PartitionRule], words: list[str]):
    found = check_partition_rules(small(), rules)
    assert [finding.id for finding in found] == ["FABRIC-076"] * len(words)
    assert all(any(word in finding.found for finding in found) for word in words)


GOOD = default(ALL=False, SELF=True, **{MANAGER: True})


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ((("0x0c42a10300000000", True),), "is the node GUID of t-su001-gpu01/mlx5_0"),
        ((("0x00000000000000bb", True),), "is the node GUID of t-su001-leaf-r0"),
        ((("0x0000000000000001", True),), "research: 0x0000000000000001"),
    ],
)
def test_a_member_that_is_no_port_of_the_subnet_is_named(members: tuple, words: str):
    (finding,) = check_partition_rules(small(), [GOOD, PartitionRule("research", 2, members)])
    assert finding.id == "FABRIC-077"
    assert words in finding.found


def test_a_port_in_two_tenants_rules_is_named_and_storage_may_be():
    rules = [GOOD, *(PartitionRule(name, key, ((HOST, True), (STORAGE, True))) for key, name in enumerate("ab", 1))]
    (finding,) = check_partition_rules(small(), rules)
    assert finding.found == f"t-su001-gpu01/mlx5_0 ({HOST}) in a, b"


def test_an_empty_subnet_is_no_crash():
    nothing = Subnet("x", 0, 400, (SubnetSwitch("s", "leaf", 1, 4),), (), ())
    assert check_partition_rules(nothing, rules_of(nothing, [])) == []
    assert isinstance(small().adapters[0], Adapter)


def test_the_pack_reads_it_from_the_site_with_floats_for_numbers():
    body = json.loads(json.dumps(infiniband(unassigned=3).props()), parse_int=float)
    names = ["FABRIC-070", "FABRIC-071", "FABRIC-072", "FABRIC-073", "FABRIC-074", "FABRIC-075"]
    found = judge(SITE, "t", {"infiniband": body}, names, date(2026, 1, 1))
    assert [(finding.id, finding.found) for finding in found] == [("FABRIC-075", "3 machines are in no partition")]
    assert judge(SITE, "t", {}, names, date(2026, 1, 1)) == [], "an Ethernet site has no such part"


def test_an_unknown_partition_is_undecided_never_a_pass():
    body = infiniband().props() | {"unassigned": UNKNOWN}
    (finding,) = judge(SITE, "t", {"infiniband": body}, ["FABRIC-075"], date(2026, 1, 1))
    assert finding.severity == "undecided"
