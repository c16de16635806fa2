"""Properties become nouns again: floats, missing nulls, unknown values, wrong shapes, waivers beside the slice."""

import json
from datetime import date

from railyard.rules import RULES, UNKNOWN, Thresholds, check_rack, check_switch, judge
from railyard.rules.fabric import SiteSlice
from railyard.rules.hardening import MachineAccess, MachineAccounts
from railyard.rules.slices import (
    FILE_SYSTEM,
    HALL,
    MACHINE,
    NETWORK,
    PLATFORM,
    RACK,
    REPLICA,
    SITE,
    SWITCH,
    SWITCH_CONFIG,
    VIEWS,
    Unknown,
    waivers_of,
)
from tests.unit.rules.cooling_factory import air_pool, door, hall, hot, need, rack_air
from tests.unit.rules.host_factory import hosts, rail_port, scheduler, with_nccl
from tests.unit.rules.network_factory import network, oob_network, storage_network
from tests.unit.rules.power_factory import bad_hall_power, hall_power
from tests.unit.rules.routing_factory import contract, routed_leaf, routing
from tests.unit.rules.rules_factory import (
    device,
    fabric,
    feed,
    file_system,
    ids,
    leaf,
    machine_props,
    platform,
    rack,
    replica,
    site_props,
    target,
    totals,
)

TODAY = date(2026, 6, 1)
ALL = tuple(RULES)


def wire(value):
    """As a policy pack gets properties: numbers are floats, nulls are left out."""
    if isinstance(value, dict):
        return {key: wire(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [wire(inner) for inner in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def judged(token, props, rules=ALL, waivers=(), limits=None):
    return judge(token, "thing", props, rules, TODAY, limits or Thresholds(), waivers)


GOOD = {
    RACK: rack().props(),
    SWITCH: leaf().props(),
    SITE: site_props(),
    PLATFORM: platform().props(),
    FILE_SYSTEM: file_system().props(),
    REPLICA: replica().props(),
    MACHINE: machine_props(),
    NETWORK: oob_network().props(),
    HALL: {"name": "thing", "power": hall_power().props()},
}


def test_good_slices_have_no_findings_as_json_and_as_wire():
    for token, props in GOOD.items():
        assert judged(token, props) == []
        assert judged(token, wire(props)) == []
    assert judged("other:index:Thing", {}) == []


def test_floats_and_missing_nulls_give_the_findings_of_the_noun():
    bad = rack(
        name="thing",
        devices=(device(weight_kg=None), device("lab-su001-gpu02", u=8), device("lab-su001-gpu03", u=44)),
        feeds=(feed("a", survivor_kw=40.0), feed("b")),
        air_kw=30.0,
    )
    assert judged(RACK, wire(bad.props())) == check_rack(bad)
    assert set(ids(check_rack(bad))) == {"POWER-001", "COOL-001", "RACK-001", "RACK-002", "RACK-003"}
    no_limit = rack(name="thing", weight_limit_kg=None)
    assert judged(RACK, wire(no_limit.props())) == check_rack(no_limit)
    assert ids(check_rack(no_limit)) == ["RACK-001"]
    blocking = leaf(name="thing", up_gbps=12000.0, ports={"1": "lab-su001-gpu01/mlx5_4"})
    assert judged(SWITCH, wire(blocking.props())) == check_switch(blocking)
    grown = ["FABRIC-004", "FABRIC-006", "FABRIC-007", "FABRIC-012"]
    assert ids(judged(SITE, wire(site_props(builtScalableUnits=9)))) == grown
    assert ids(judged(PLATFORM, wire(platform(audit_log=False).props()))) == ["CIS-1.2.16"]
    assert ids(judged(MACHINE, wire(machine_props(False, False)))) == ["BMC-001", "BMC-002"]


def test_only_the_rules_that_were_asked_for():
    bad = rack(air_kw=30.0, weight_kg=9000.0).props()
    assert ids(judged(RACK, bad, ["COOL-001"])) == ["COOL-001"]
    assert judged(RACK, bad, ["POWER-001"]) == []
    too_much = leaf(port_count=1, ports={"1": "x/1", "2": "x/1"}).props()
    assert ids(judged(SWITCH, too_much, ["FABRIC-006"])) == ["FABRIC-006"]


def test_sections_that_are_left_out_count_as_off():
    assert ids(judged(MACHINE, {"bmc": "x"})) == ["BMC-001", "BMC-002"]
    assert ids(judged(MACHINE, {"verifyTls": True, "accounts": {}})) == ["BMC-002"]


def test_an_unknown_value_leaves_its_rules_undecided_and_the_others_run():
    props = rack(air_kw=30.0).props() | {"feeds": UNKNOWN}
    findings = judged(RACK, props)
    assert [(f.id, f.severity) for f in findings] == [
        ("COOL-001", "limit"),
        ("POWER-001", "undecided"),
        ("POWER-002", "undecided"),
        ("POWER-003", "undecided"),
        ("POWER-004", "undecided"),
        ("POWER-005", "undecided"),
    ]
    assert findings[1].found == "feeds is not known yet"


def test_an_unknown_deep_inside_is_named_by_its_path():
    props = rack().props()
    props["devices"][1]["weightKg"] = UNKNOWN
    assert {(f.id, f.found) for f in judged(RACK, props)} == {
        (rule, "devices.1.weightKg is not known yet") for rule in ("RACK-001", "RACK-002", "RACK-003")
    }
    props = leaf().props()
    props["ports"]["2"] = UNKNOWN
    assert ids(judged(SWITCH, props)) == ["FABRIC-003", "FABRIC-005", "FABRIC-006", "FABRIC-009"]


def test_an_unknown_that_no_rule_reads_changes_nothing():
    assert judged(RACK, rack().props() | {"model": UNKNOWN, "waivers": UNKNOWN}) == []
    assert judged(MACHINE, machine_props() | {"accounts": {"name": UNKNOWN, "removeFactory": True}}) == []


def test_unknown_sections():
    assert [(f.id, f.severity, f.found) for f in judged(MACHINE, machine_props() | {"accounts": UNKNOWN})] == [
        ("BMC-002", "undecided", "accounts is not known yet")
    ]
    inside = machine_props() | {"accounts": {"removeFactory": UNKNOWN}}
    assert [f.found for f in judged(MACHINE, inside)] == ["accounts.removeFactory is not known yet"]
    assert {f.severity for f in judged(RACK, UNKNOWN_RACK)} == {"undecided"}
    assert repr(UNKNOWN) == "(unknown)"
    assert isinstance(UNKNOWN, Unknown)


UNKNOWN_RACK = dict.fromkeys(rack().props(), UNKNOWN)


def test_a_slice_that_does_not_read_is_a_finding_never_a_pass():
    props = rack().props()
    del props["airKw"]
    finding, *rest = judged(RACK, props)
    assert rest == []
    assert (finding.id, finding.severity, finding.limit) == ("SLICE-001", "limit", "RackPlan, for COOL-001")
    assert finding.found.startswith("airKw: ")
    props = rack().props()
    props["devices"][1]["u"] = "high"
    assert [f.found.partition(":")[0] for f in judged(RACK, props)] == ["devices.1.u"] * 3
    half = rack().props()
    half["devices"][0]["u"] = 1.5
    assert {f.id for f in judged(RACK, half)} == {"SLICE-001"}
    assert ids(judged(MACHINE, {"verifyTls": "perhaps", "accounts": {"removeFactory": True}}, ["BMC-001"])) == ["SLICE-001"]


def test_waivers_beside_the_slice_and_from_outside():
    row = {"rule": "COOL-001", "where": "thing", "reason": "winter test run", "expires": "2026-12-31"}
    bad = rack(air_kw=30.0).props()
    assert [f.severity for f in judged(RACK, bad | {"waivers": [row]})] == ["waived"]
    assert [f.severity for f in judged(RACK, bad | {"waivers": [row | {"expires": "2026-01-01"}]})] == ["limit"]
    assert [f.severity for f in judged(RACK, bad, waivers=waivers_of({"waivers": [row]}))] == ["waived"]
    assert [f.severity for f in judged(RACK, bad | {"waivers": [{"rule": "COOL-001"}]})] == ["limit"]
    assert waivers_of({}) == []


def test_thresholds_come_from_pack_configuration():
    limits = Thresholds.of_config({"airPercentMax": 200.0, "enforcementLevel": "mandatory"})
    assert judged(RACK, rack(air_kw=30.0).props(), limits=limits) == []
    schema = Thresholds.schema_of(["air_percent_max", "spare_leaf_ports_min"])
    assert set(schema) == {"airPercentMax", "spareLeafPortsMin"}
    assert schema["airPercentMax"]["default"] == 100
    assert "title" not in schema["airPercentMax"]
    json.dumps(schema)


def test_predicates_read_no_more_than_they_declare():
    """Each gets a noun with its declared fields only: reading another one raises AttributeError."""
    nouns = {
        HALL: [hall(), hall(air_pool(load_kw=999.0, airflow_needed_m3_s=99.0)), hall_power(), bad_hall_power()],
        RACK: [
            rack(),
            rack(air_kw=99.0, cooling=rack_air(air_kw=99.0, hot=(hot(),), liquid=(need(),), door=door(water_c=40.0))),
            rack(weight_limit_kg=1.0, air_kw=99.0, feeds=(feed("a", survivor_kw=99, load_kw=99, continuous_rating=1),)),
        ],
        SWITCH: [
            leaf(),
            leaf(up_gbps=1.0, links_per_peer={"a": 1, "b": 2}, port_count=1, ports={"1": "x-su9-/mlx5_0"}),
            routed_leaf(),
            routed_leaf(maximum_paths=1, subnets=(), headroom_unknown=("x",), router_id="0.0.0.0"),
        ],
        SITE: [
            SiteSlice(**totals().model_dump(), fabric=fabric()),
            SiteSlice(**totals(built_scalable_units=99).model_dump(), fabric=fabric(links_per_pair=2.5)),
            SiteSlice(
                **totals().model_dump(), fabric=fabric(tiers=3, layout="rail-only", endpoints=1, subnet_managers={"p0": ()})
            ),
            hosts(models=("a", "b"), nic_counts=(1, 2), layout="rail-only", transport="roce"),
            hosts(ports=(rail_port(1), rail_port(0), rail_port(0, pci=None))),
            with_nccl(hosts(hcas_assumed=True), NCCL_IB_TC="104"),
            scheduler(nodes=5),
            routing(),
            routing(lossless=contract(spread="none", kmin_bytes=0, cnp_class=3, host_mtu=1500), headroom=(), leaf_asns=1),
        ],
        FILE_SYSTEM: [file_system(), file_system(usable_tib=1.0, targets=(target("x", "y"),))],
        REPLICA: [replica(), replica(wanted_rpo_min=1.0)],
        NETWORK: [
            network(),
            storage_network(
                links_per_pair=2.5, single_homed=("a",), same_rack=("a and b",), server_gb_per_s=1.0, shares=("compute",)
            ),
            oob_network(uncovered=("a/bmc",), longest_copper_m=101.0, uplinks_per_switch=1),
        ],
        PLATFORM: [platform(), platform(encrypt_secrets=False, anonymous_auth=True, audit_log=False)],
        MACHINE: [MachineAccess(verify_tls=False), MachineAccounts(remove_factory=False)],
    }
    nouns[SWITCH_CONFIG] = nouns[SWITCH]
    for token, views in VIEWS.items():
        for view in views:
            for noun in nouns[token]:
                for predicate in view.predicates if isinstance(noun, view.noun) else ():
                    bare = view.noun.model_construct(**{name: getattr(noun, name) for name in predicate.reads})
                    found = list(predicate.judge(bare, "thing", Thresholds()))
                    assert {finding.id for finding in found} <= {rule.id for rule in predicate.rules}
