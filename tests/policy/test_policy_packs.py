"""The three packs: each policy passes a good resource and refuses a bad one; floats, unknowns, waivers, metadata."""

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
from pulumi_policy import EnforcementLevel

from policies import common
from policies.fabric import pack as fabric_pack
from policies.hardening import pack as hardening_pack
from policies.power import pack as power_pack
from railyard.model.lossless import Watchdog
from railyard.rules import RULES
from railyard.rules.slices import FILE_SYSTEM, MACHINE, NETWORK, PLATFORM, RACK, REPLICA, SITE, SWITCH
from tests.policy import cooling_cases, failure_cases, floor_cases, power_cases
from tests.policy.policy_harness import UNKNOWN, advisory, args, mandatory, violations
from tests.unit.rules.host_factory import hosts, rail_port, scheduler
from tests.unit.rules.infiniband_factory import infiniband, partition, subnet_facts
from tests.unit.rules.network_factory import (
    bom_line,
    cable_class,
    cable_end,
    cabling,
    layer,
    network,
    oob_network,
    storage_network,
    tray,
)
from tests.unit.rules.routing_factory import contract, routed_leaf, routing
from tests.unit.rules.rules_factory import (
    device,
    fabric,
    feed,
    file_system,
    leaf,
    machine_props,
    platform,
    rack,
    replica,
    site_props,
    supplies,
    target,
)

PACKS = {"power": power_pack, "fabric": fabric_pack, "hardening": hardening_pack}
EVERYTHING = [policy for pack in PACKS.values() for policy in pack.POLICIES]
NAMESPACE = "kubernetes:core/v1:Namespace"
ROOT = Path(common.__file__).parent


@pytest.fixture(autouse=True)
def _fresh():
    common.SEEN.reset()


def blocking(**changes):
    return leaf(links_per_peer={"s1": 15, "s2": 15}, up_gbps=12000.0, **changes).props()


def cabled(*classes, **changes):
    return site_props(cabling=cabling(*classes, **changes).props())


def subnetted(**changes):
    return args(SITE, site_props(infiniband=infiniband(**changes).props()))


def hosted(**changes):
    return args(SITE, site_props(hosts=hosts(**changes).props()))


def overloaded(name="lab-r001", kw=40.0):
    return rack(name=name, feeds=(feed("a", survivor_kw=kw), feed("b"))).props()


def routed(**changes):
    return args(SITE, site_props(routing=routing(**changes).props()))


def lossless(**changes):
    return routed(lossless=contract(**changes))


GOOD = [
    args(SITE, site_props()),
    routed(),
    args(SWITCH, routed_leaf().props()),
    args(RACK, rack().props()),
    *cooling_cases.GOOD,
    *failure_cases.GOOD,
    *power_cases.GOOD,
    *floor_cases.GOOD,
    args(SWITCH, leaf().props()),
    args(NETWORK, network().props()),
    args(NETWORK, storage_network().props()),
    args(NETWORK, oob_network().props()),
    args(PLATFORM, platform().props()),
    args(FILE_SYSTEM, file_system().props()),
    args(REPLICA, replica().props()),
    args(MACHINE, machine_props()),
    args(NAMESPACE, {}, provider="lab"),
    args("kubernetes:helm.sh/v4:Chart", {}),
    args("pulumi:pulumi:Stack", {}),
]
# (pack, policy, rule, resource): one failing case for each rule that a pack has.
BAD = [
    ("power", "rack-power", "POWER-001", args(RACK, overloaded())),
    ("power", "rack-power", "POWER-002", args(RACK, rack(feeds=(feed("a", load_kw=40.0), feed("b"))).props())),
    ("power", "rack-power", "POWER-003", args(RACK, rack(feeds=(feed("a"),)).props())),
    ("power", "rack-power", "POWER-004", args(RACK, rack(feeds=(feed("a", continuous_rating=1.0), feed("b"))).props())),
    ("power", "rack-power", "POWER-005", args(RACK, rack(supplies=(supplies(psu_kw=3.3),)).props())),
    ("power", "rack-heat-and-weight", "COOL-001", args(RACK, rack(air_kw=25.1).props())),
    *cooling_cases.BAD,
    *failure_cases.BAD,
    *power_cases.BAD,
    *floor_cases.BAD,
    ("power", "rack-heat-and-weight", "RACK-001", args(RACK, rack(weight_kg=1601.0).props())),
    ("power", "rack-heat-and-weight", "RACK-002", args(RACK, rack(devices=(device(), device("b", u=8))).props())),
    ("power", "rack-heat-and-weight", "RACK-003", args(RACK, rack(devices=(device(u=42),), reserved_u=()).props())),
    ("fabric", "switch-wiring", "FABRIC-001", args(SWITCH, blocking())),
    ("fabric", "switch-wiring", "FABRIC-002", args(SWITCH, leaf(links_per_peer={"s1": 17, "s2": 15}).props())),
    ("fabric", "switch-wiring", "FABRIC-003", args(SWITCH, leaf(ports={"1": "lab-su001-gpu01/mlx5_4"}).props())),
    ("fabric", "switch-wiring", "FABRIC-005", args(SWITCH, leaf(ports={"1": "x/1", "2": "x/1"}).props())),
    ("fabric", "switch-wiring", "FABRIC-006", args(SWITCH, leaf(port_count=3).props())),
    ("fabric", "switch-wiring", "FABRIC-009", args(SWITCH, leaf(ports={"1": "lab-su001-leaf-r4/1"}).props())),
    (
        "fabric",
        "fabric-size",
        "FABRIC-002",
        args(
            SITE,
            site_props(plannedScalableUnits=4, spinesPerPlane=12, fabric=fabric(links_per_pair=32 / 12, radix=128).props()),
        ),
    ),
    (
        "fabric",
        "fabric-size",
        "FABRIC-004",
        args(SITE, site_props(spinesPerPlane=16, fabric=fabric(links_per_pair=2.0).props())),
    ),
    ("fabric", "fabric-size", "FABRIC-006", args(SITE, site_props(fabric=fabric(node_ports_per_leaf=33).props()))),
    ("fabric", "fabric-size", "FABRIC-007", args(SITE, site_props(plannedScalableUnits=3))),
    ("fabric", "fabric-size", "FABRIC-008", args(SITE, site_props(fabric=fabric(endpoints=1023).props()))),
    ("fabric", "fabric-size", "FABRIC-010", args(SITE, site_props(fabric=fabric(layout="rail-only").props()))),
    ("fabric", "fabric-size", "FABRIC-011", args(SITE, site_props(fabric=fabric(subnet_managers={"fabric": ()}).props()))),
    ("fabric", "fabric-size", "FABRIC-012", args(SITE, site_props(nodes=64, fabric=fabric(endpoints=512).props()))),
    ("fabric", "fabric-size", "FABRIC-013", args(SITE, site_props(fabric=fabric(idle_keys=("podBy",)).props()))),
    ("fabric", "cables", "FABRIC-020", args(SITE, cabled(cable_class(medium="active-optical")))),
    ("fabric", "cables", "FABRIC-021", args(SITE, cabled(cable_class(shape="splitter", medium="single-mode-fr4")))),
    ("fabric", "cables", "FABRIC-022", args(SITE, cabled(mixed_cages=("R001-U40-P2",), mixed_cage_count=1))),
    ("fabric", "cables", "FABRIC-023", args(SITE, cabled(cable_class(a=cable_end(optic_heat_sink="flat"))))),
    ("fabric", "cables", "FABRIC-024", args(SITE, cabled(trays=(tray(percent=51.0),)))),
    ("fabric", "cables", "FABRIC-025", args(SITE, cabled(cable_class(loss_db=2.25)))),
    ("fabric", "cables", "FABRIC-026", args(SITE, cabled(cable_class(segments=2)))),
    ("fabric", "cables", "FABRIC-027", args(SITE, cabled(bom=(bom_line(spares=1),)))),
    ("fabric", "cables", "FABRIC-028", args(SITE, cabled(slack_percent=26.0))),
    ("fabric", "routed-switches", "FABRIC-051", args(SWITCH, routed_leaf(maximum_paths=31).props())),
    ("fabric", "routed-switches", "FABRIC-052", args(SWITCH, routed_leaf(subnets=()).props())),
    ("fabric", "routed-switches", "FABRIC-053", args(SWITCH, routed_leaf(headroom_unknown=("400 Gb/s over 500 m",)).props())),
    ("fabric", "routed-switches", "FABRIC-054", args(SWITCH, routed_leaf(headroom_bytes=80_000_000, kmax_bytes=None).props())),
    ("fabric", "routed-switches", "FABRIC-056", args(SWITCH, routed_leaf(kmax_bytes=9_000_000).props())),
    ("fabric", "routed-switches", "FABRIC-064", args(SWITCH, routed_leaf(router_id="0.0.0.0").props())),
    ("fabric", "lossless-fabric", "FABRIC-050", routed(leaf_asns=7)),
    ("fabric", "lossless-fabric", "FABRIC-051", routed(uplinks=129)),
    ("fabric", "lossless-fabric", "FABRIC-053", routed(headroom=())),
    ("fabric", "lossless-fabric", "FABRIC-054", routed(shared_buffer_source=None)),
    ("fabric", "lossless-fabric", "FABRIC-055", lossless(kmin_bytes=300_000, kmax_bytes=200_000)),
    ("fabric", "lossless-fabric", "FABRIC-056", lossless(kmin_bytes=99_999)),
    ("fabric", "lossless-fabric", "FABRIC-057", lossless(cnp_class=3)),
    ("fabric", "lossless-fabric", "FABRIC-059", lossless(watchdog=Watchdog(enabled=False))),
    ("fabric", "lossless-fabric", "FABRIC-060", lossless(host_mtu=1500)),
    ("fabric", "lossless-fabric", "FABRIC-061", lossless(spread="none")),
    ("fabric", "lossless-fabric", "FABRIC-062", routed(nos_version=None)),
    ("fabric", "lossless-fabric", "FABRIC-063", routed(syslog_servers=())),
    ("fabric", "lossless-fabric", "FABRIC-067", routed(nos="eos")),
    ("fabric", "infiniband", "FABRIC-070", subnetted(subnets=(subnet_facts(manager_leaves=("t-r0",)),))),
    ("fabric", "infiniband", "FABRIC-071", subnetted(partitions=(partition("a"), partition("b")))),
    ("fabric", "infiniband", "FABRIC-072", subnetted(guid_clashes=("0x01 of a and b",))),
    ("fabric", "infiniband", "FABRIC-073", subnetted(partitions=(partition(overlap=1, also_in=("n1 (a)",)),))),
    ("fabric", "infiniband", "FABRIC-074", subnetted(partitions=(partition(unknown=("su009",)),))),
    ("fabric", "infiniband", "FABRIC-075", subnetted(unassigned=1)),
    ("fabric", "infiniband", "FABRIC-078", subnetted(guids_unused=("n1/mlx5_33",))),
    ("fabric", "infiniband", "FABRIC-079", subnetted(sharp=True, subnets=(subnet_facts(manager_leaves=()),))),
    ("fabric", "other-networks", "FABRIC-040", args(NETWORK, network(shares=("compute",)).props())),
    ("fabric", "other-networks", "FABRIC-041", args(NETWORK, oob_network(uncovered=("lab-sto01/bmc",)).props())),
    ("fabric", "other-networks", "FABRIC-042", args(NETWORK, network(layers=(layer(used=63, free=1),)).props())),
    ("fabric", "other-networks", "FABRIC-043", args(NETWORK, storage_network(server_gb_per_s=239.0).props())),
    ("fabric", "other-networks", "FABRIC-044", args(NETWORK, network(peer_links=1).props())),
    ("fabric", "other-networks", "FABRIC-045", args(NETWORK, oob_network(longest_copper_m=101.0).props())),
    ("fabric", "other-networks", "FABRIC-046", args(NETWORK, network(single_homed=("lab-sto01",)).props())),
    ("fabric", "other-networks", "FABRIC-047", args(NETWORK, storage_network(links_per_pair=2.5).props())),
    ("fabric", "other-networks", "FABRIC-048", args(NETWORK, network(ports_per_node=2).props())),
    ("fabric", "other-networks", "FABRIC-049", args(NETWORK, oob_network(uplink_switches=1).props())),
    ("fabric", "hosts-and-schedulers", "FABRIC-080", hosted(ports=(rail_port(0), rail_port(1, pci="0000:18:00.0")))),
    ("fabric", "hosts-and-schedulers", "FABRIC-081", hosted(ports=(rail_port(0, pci="0000:41:00.0"), rail_port(1)))),
    ("fabric", "hosts-and-schedulers", "FABRIC-082", hosted(nic_counts=(9, 10))),
    ("fabric", "hosts-and-schedulers", "FABRIC-083", hosted(nccl={"NCCL_IB_HCA": "mlx5_0,mlx5_3"})),
    ("fabric", "hosts-and-schedulers", "FABRIC-084", hosted(nccl=hosts().nccl | {"NCCL_IB_GID_INDEX": "3"})),
    ("fabric", "hosts-and-schedulers", "FABRIC-085", args(SITE, site_props(scheduler=scheduler(switches=()).props()))),
    ("fabric", "storage-and-replication", "STORAGE-001", args(FILE_SYSTEM, file_system(usable_tib=99.0).props())),
    ("fabric", "storage-and-replication", "STORAGE-002", args(FILE_SYSTEM, file_system(targets=(target("x", "y"),)).props())),
    ("fabric", "storage-and-replication", "REPL-001", args(REPLICA, replica(wanted_rpo_min=38.0).props())),
    ("hardening", "api-server", "CIS-1.2.1", args(PLATFORM, platform(anonymous_auth=True).props())),
    ("hardening", "api-server", "CIS-1.2.16", args(PLATFORM, platform(audit_log=False).props())),
    ("hardening", "api-server", "CIS-1.2.27", args(PLATFORM, platform(encrypt_secrets=False).props())),
    ("hardening", "bmc-access", "BMC-001", args(MACHINE, machine_props(verify=False))),
    ("hardening", "bmc-access", "BMC-002", args(MACHINE, machine_props(remove=False))),
    ("hardening", "kubernetes-provider", "K8S-001", args(NAMESPACE, {}, provider="default_4_25_0")),
]


def test_good_resources_pass_every_policy_and_leave_no_note():
    assert violations(EVERYTHING, *GOOD) == []


@pytest.mark.parametrize(("pack", "policy", "rule", "resource"), BAD, ids=lambda value: value if isinstance(value, str) else "")
def test_a_bad_resource_is_refused_by_the_right_pack_alone(pack, policy, rule, resource):
    assert mandatory(PACKS[pack].POLICIES, resource) == [(policy, rule)]
    others = [policy for name, module in PACKS.items() if name != pack for policy in module.POLICIES]
    assert violations(others, resource) == []


def test_every_rule_of_a_pack_is_enforced_there_and_has_a_failing_case():
    for name, module in PACKS.items():
        declared = {rule.id for rule in RULES.values() if rule.pack == name}
        assert {rule for topic in module.TOPICS for rule in topic.rules} == declared
        stopping = {rule for rule in declared if RULES[rule].severity != "notice"}
        assert {rule for pack, _, rule, _ in BAD if pack == name} == stopping


def test_a_notice_is_noted_and_stops_nothing():
    assert mandatory(power_pack.POLICIES, cooling_cases.NOTED) == []
    assert advisory(power_pack.POLICIES, cooling_cases.NOTED) == [("power-notes", "COOL-002", "notice")]


def test_every_policy_has_a_failing_case():
    enforcing = {policy.name for policy in EVERYTHING if policy.enforcement_level is EnforcementLevel.MANDATORY}
    assert {policy for _, policy, _, _ in BAD} == enforcing
    assert len(EVERYTHING) - len(enforcing) == len(PACKS)


def test_an_unknown_value_is_noted_and_the_other_rules_still_refuse():
    props = rack(air_kw=30.0).props() | {"feeds": UNKNOWN, "model": UNKNOWN}
    resource = args(RACK, props)
    assert mandatory(power_pack.POLICIES, resource) == [("rack-heat-and-weight", "COOL-001")]
    assert advisory(power_pack.POLICIES, resource) == [
        ("power-notes", f"POWER-{number:03d}", "undecided") for number in range(1, 6)
    ]


def test_a_path_that_nobody_states_is_noted_and_stops_nothing():
    assert mandatory(power_pack.POLICIES, power_cases.UNSTATED) == []
    assert advisory(power_pack.POLICIES, power_cases.UNSTATED) == [("power-notes", "POWER-020", "undecided")]


def test_an_unknown_in_one_resource_does_not_touch_another():
    unknown = args(SWITCH, leaf().props() | {"upGbps": UNKNOWN})
    assert mandatory(fabric_pack.POLICIES, unknown, args(SWITCH, blocking())) == [("switch-wiring", "FABRIC-001")]
    assert advisory(fabric_pack.POLICIES, unknown) == [("fabric-notes", "FABRIC-001", "undecided")]


def test_an_unknown_deep_inside():
    props = leaf().props()
    props["ports"]["2"] = UNKNOWN
    assert {rule for _, rule, _ in advisory(fabric_pack.POLICIES, args(SWITCH, props))} == {
        "FABRIC-003",
        "FABRIC-005",
        "FABRIC-006",
        "FABRIC-009",
    }
    machine = args(MACHINE, machine_props() | {"accounts": {"removeFactory": UNKNOWN}})
    assert advisory(hardening_pack.POLICIES, machine) == [("hardening-notes", "BMC-002", "undecided")]


def test_a_slice_that_does_not_read_is_refused():
    props = platform().props()
    del props["encryptSecrets"]
    assert mandatory(hardening_pack.POLICIES, args(PLATFORM, props)) == [("api-server", "SLICE-001")]


def test_an_unknown_weight_is_noted():
    resource = args(RACK, rack(devices=(device(weight_kg=None),)).props())
    assert mandatory(power_pack.POLICIES, resource) == []
    assert advisory(power_pack.POLICIES, resource) == [("power-notes", "RACK-001", "undecided")]


NEXT = (date.today() + timedelta(days=200)).isoformat()  # noqa: DTZ011 - packs judge by the day on which they run


def waiver(rule, where="*", expires=NEXT):
    return {"rule": rule, "where": where, "reason": "accepted by the security officer", "expires": expires}


def test_a_waiver_beside_the_slice_turns_a_refusal_into_a_note():
    resource = args(RACK, overloaded() | {"waivers": [waiver("POWER-001", "lab-r001")]}, name="lab-r001")
    assert mandatory(power_pack.POLICIES, resource) == []
    assert advisory(power_pack.POLICIES, resource) == [("power-notes", "POWER-001", "waived")]


def test_a_lapsed_waiver_refuses_again_and_says_so():
    resource = args(RACK, overloaded() | {"waivers": [waiver("POWER-001", expires="2020-01-01")]})
    ((_, _, text),) = violations(power_pack.POLICIES, resource)
    assert "[waiver lapsed on 2020-01-01: accepted by the security officer]" in text


def test_a_waiver_of_more_than_a_year_refuses():
    resource = args(RACK, overloaded() | {"waivers": [waiver("POWER-001", expires="9999-12-31")]})
    ((_, level, text),) = violations(power_pack.POLICIES, resource)
    assert level is EnforcementLevel.MANDATORY
    assert "[waiver until 9999-12-31 is over a year, so not in force]" in text


def test_waivers_of_the_site_reach_resources_that_can_not_carry_any():
    site = args(SITE, site_props(waivers=[waiver("BMC-001")]))
    machine = args(MACHINE, machine_props(verify=False))
    other = args(NAMESPACE, {}, provider="default")
    assert mandatory(hardening_pack.POLICIES, site, machine, other) == [("kubernetes-provider", "K8S-001")]
    common.SEEN.reset()
    assert mandatory(hardening_pack.POLICIES, machine) == [("bmc-access", "BMC-001")], "no Site seen: nothing is waived"


def test_thresholds_come_from_the_pack_configuration():
    strict = {"survivorPercentMax": 50.0}
    assert mandatory(power_pack.POLICIES, args(RACK, rack().props(), config=strict)) == [("rack-power", "POWER-001")] * 2
    lax = {"downToUpMax": 2.0}
    assert mandatory(fabric_pack.POLICIES, args(SWITCH, blocking(), config=lax)) == []
    spare = {"spareLeafPortsMin": 1.0}
    assert mandatory(fabric_pack.POLICIES, args(SITE, site_props(), config=spare)) == [("fabric-size", "FABRIC-004")]


def test_policies_carry_their_metadata():
    names = [policy.name for policy in EVERYTHING]
    assert len(names) == len(set(names))
    for policy in EVERYTHING:
        assert policy.severity
        assert policy.framework.name
        assert policy.framework.version
        assert policy.remediation_steps
        assert policy.url.startswith("https://")
        assert "docs/reference/rules.md" in policy.url
    api_server = next(policy for policy in EVERYTHING if policy.name == "api-server")
    assert (api_server.framework.name, api_server.framework.version) == ("CIS Kubernetes Benchmark", "1.12")
    schema = next(policy for policy in EVERYTHING if policy.name == "rack-power").config_schema
    assert set(schema.properties) == {"survivorPercentMax", "feedPercentMax", "continuousRatingMax"}


@pytest.mark.parametrize("name", sorted(PACKS))
def test_pack_folders_start_the_right_pack_with_the_shared_environment(name):
    folder = ROOT / name
    manifest = (folder / "PulumiPolicy.yaml").read_text()
    assert re.search(
        r"^runtime:\n  name: python\n  options:\n    toolchain: pip\n    virtualenv: \.\./\.\./\.venv$", manifest, re.M
    )
    assert f"from policies.{name}.pack import POLICIES" in (folder / "__main__.py").read_text()
    assert not (folder / "policies.py").exists(), "it would hide the package `policies` when the engine runs this folder"
