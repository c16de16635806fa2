"""Lossless RoCEv2: one failing input for each rule, and values that are just inside."""

import pytest

from railyard.model.lossless import Headroom, Watchdog
from railyard.rules.lossless import check_nccl_class
from railyard.rules.routing import check_routed_switch, check_routing
from railyard.rules.thresholds import Thresholds
from tests.unit.rules.routing_factory import contract, routed_leaf, routing, small_plan
from tests.unit.rules.rules_factory import leaf

ROW = Headroom(gbps=400, cable_m=40, xoff_bytes=283_648)


def said(findings):
    return [(finding.id, finding.where.removeprefix("railyard:fabric.lossless."), finding.found) for finding in findings]


def of(findings, rule):
    return [row for row in said(findings) if row[0] == rule]


def test_a_good_contract_has_no_findings():
    assert check_routing(routing()) == []
    assert check_routed_switch(routed_leaf()) == []
    assert check_routing(None) == []
    assert check_routed_switch(leaf()) == [], "InfiniBand"


def test_no_table_for_the_asic_is_refused():
    (finding,) = [f for f in check_routing(routing(headroom=(), asic=None)) if f.id == "FABRIC-053"]
    assert finding.severity == "invariant"
    assert finding.where == "railyard:fabric.lossless.headroom"
    assert finding.found == "no headroom table of the switch's ASIC, which the catalogue doesn't know at 400 Gb/s"
    known = of(check_routing(routing(headroom=(), link_gbps=1600.0, lossless=contract(kmin_bytes=500_000))), "FABRIC-053")
    assert known == [("FABRIC-053", "headroom", "no headroom table of spectrum-4 at 1600 Gb/s")]


def test_bytes_of_the_stack_file_need_a_source():
    bare = contract(headroom=(ROW,))
    assert of(check_routing(routing(lossless=bare)), "FABRIC-053") == [
        ("FABRIC-053", "source", "headroom without a source"),
    ]
    assert check_routing(routing(lossless=contract(headroom=(ROW,), source="vendor's sheet, page 3"))) == []
    sized = routing(
        lossless=contract(shared_buffer_bytes=1_000_000), shared_buffer_bytes=158_229_504, shared_buffer_source=None
    )
    assert of(check_routing(sized), "FABRIC-054") == [("FABRIC-054", "source", "158,229,504 bytes without a source")]


def test_a_cable_that_no_row_covers():
    findings = check_routed_switch(routed_leaf(headroom_unknown=("400 Gb/s over 500 m",)))
    assert said(findings) == [("FABRIC-053", findings[0].where, "no headroom for 400 Gb/s over 500 m")]


def test_an_unknown_buffer_is_said_to_be_unknown():
    (finding,) = check_routing(routing(shared_buffer_bytes=None, shared_buffer_source=None))
    assert (finding.id, finding.severity) == ("FABRIC-054", "undecided")
    assert finding.found == "the shared buffer of spectrum-4 is unknown"
    assert check_routed_switch(routed_leaf(shared_buffer_bytes=None)) == []
    (finding,) = [f for f in check_routing(routing(shared_buffer_bytes=None, asic=None)) if f.id == "FABRIC-054"]
    assert finding.found == "the shared buffer of the switch is unknown"


def test_the_sum_of_headroom_against_the_buffer():
    shared = 2_000_000
    fits = {"shared_buffer_bytes": shared, "kmax_bytes": None}
    assert check_routed_switch(routed_leaf(headroom_bytes=1_000_000, **fits)) == []
    (finding,) = check_routed_switch(routed_leaf(headroom_bytes=1_000_100, **fits))
    assert finding.id == "FABRIC-054"
    assert finding.found == "64 ports reserve 1,000,100 of 2,000,000 bytes (50.0 %)"
    assert finding.limit == "50 %"
    assert check_routed_switch(routed_leaf(headroom_bytes=1_000_100, **fits), Thresholds(headroom_percent_max=51)) == []


@pytest.mark.parametrize(
    ("kmin", "kmax", "pmax", "where"),
    [
        (0, 10, 5.0, ["kminBytes"]),
        (-5, 10, 5.0, ["kminBytes"]),
        (200_000, 200_000, 5.0, ["kminBytes"]),
        (300_000, 200_000, 5.0, ["kminBytes"]),
        (200_000, 300_000, 0.0, ["pmaxPercent"]),
        (200_000, 300_000, 100.5, ["pmaxPercent"]),
        (0, 0, -1.0, ["kminBytes", "pmaxPercent"]),
        (200_000, 200_001, 100.0, []),
        (200_000, 300_000, 0.5, []),
    ],
)
def test_marking_is_in_order(kmin, kmax, pmax, where):
    marks = {"kmin_bytes": kmin, "kmax_bytes": kmax, "pmax_percent": pmax}
    found = of(check_routing(routing(lossless=contract(**marks))), "FABRIC-055")
    assert [row[1] for row in found] == where
    assert of(check_routing(routing(lossless=contract(**marks, congestion="receiver-driven"))), "FABRIC-055") == []


def test_marking_too_early_scales_with_the_speed():
    low = routing(lossless=contract(kmin_bytes=99_999))
    assert of(check_routing(low), "FABRIC-056") == [("FABRIC-056", "kminBytes", "Kmin 99,999 bytes at 400 Gb/s")]
    assert check_routing(routing(lossless=contract(kmin_bytes=100_000))) == []
    fast = routing(lossless=contract(kmin_bytes=199_999), link_gbps=800.0)
    (finding,) = [f for f in check_routing(fast) if f.id == "FABRIC-056"]
    assert finding.limit == "at least 200,000 bytes"
    assert of(check_routing(routing(lossless=contract(kmin_bytes=1, congestion="receiver-driven"))), "FABRIC-056") == []
    assert of(check_routing(routing(lossless=contract(kmin_bytes=0))), "FABRIC-056") == [], "that is FABRIC-055's"
    assert check_routing(low, Thresholds(ecn_kmin_bytes_min=99_999)) == []


def test_marking_after_the_pause():
    """Share of each of 32 congested ports: 33 x 1,520,000 / 33 = 1,520,000 = Kmax 1,500,000 + 20,000 on the cable."""
    pool = {"headroom_bytes": 1_000_000, "shared_buffer_bytes": 33 * 1_520_000 + 1_000_000}
    assert check_routed_switch(routed_leaf(**pool)) == []
    (finding,) = check_routed_switch(routed_leaf(**pool | {"kmax_bytes": 1_500_001}))
    assert (finding.id, finding.found) == ("FABRIC-056", "Kmax + cable = 1,520,001 bytes")
    assert finding.limit == "1,520,000 bytes: share of each of 32 congested ports"
    assert check_routed_switch(routed_leaf(**pool | {"kmax_bytes": None})) == [], "receiver-driven: nothing is marked"
    few = pool | {"lossless_ports": 4, "kmax_bytes": 9_000_000}
    assert check_routed_switch(routed_leaf(**few)) == [], "four ports can't be congested by more than four"
    assert check_routed_switch(routed_leaf(**pool | {"kmax_bytes": 1_500_001}), Thresholds(congested_ports=31)) == []


@pytest.mark.parametrize(
    ("changes", "where", "found"),
    [
        ({"priority": 4, "pfc_priorities": (3,)}, "priority", "RoCE (DSCP 26) on priority 4; lossless: 3"),
        ({"pfc_priorities": ()}, "priority", "RoCE (DSCP 26) on priority 3; lossless: none"),
        ({"cnp_class": 3}, "cnpClass", "notifications on class 3; lossless: 3"),
        ({"pfc_priorities": (3, 6)}, "cnpClass", "notifications on class 6; lossless: 3, 6"),
        ({"cnp_dscp": 26}, "cnpDscp", "DSCP 26 is RoCE's, too"),
        ({"pfc_priorities": (2, 3, 4)}, "pfcPriorities", "3 lossless classes"),
        # What everybody's traffic has: pausing it, or letting it go first, is no contract.
        ({"pfc_priorities": (0, 3)}, "pfcPriorities", "class 0 is lossless (of 0, 3)"),
        ({"dscp": 0}, "dscp", "RoCE on DSCP 0"),
        ({"cnp_class": 0}, "cnpClass", "notifications on class 0, which then goes before all others"),
        ({"cnp_dscp": 0}, "cnpDscp", "notifications on DSCP 0"),
        ({"dscp": 48, "cnp_dscp": 26}, "dscp", "RoCE on DSCP 48"),
        ({"dscp": 56}, "dscp", "RoCE on DSCP 56"),
    ],
)
def test_one_contract(changes, where, found):
    assert of(check_routing(routing(lossless=contract(**changes))), "FABRIC-057") == [("FABRIC-057", where, found)]


def test_roce_on_the_class_of_unmarked_traffic():
    found = of(check_routing(routing(lossless=contract(priority=0))), "FABRIC-057")
    assert [row[1] for row in found] == ["pfcPriorities", "priority"]


def test_notifications_on_a_lossy_roce_class_are_wrong_too():
    found = of(check_routing(routing(lossless=contract(priority=4, cnp_class=4, pfc_priorities=(3,)))), "FABRIC-057")
    assert [row[1] for row in found] == ["cnpClass", "priority"]


def test_two_lossless_classes_are_allowed_and_one_can_be_asked_for():
    two = routing(lossless=contract(pfc_priorities=(3, 4)))
    assert check_routing(two) == []
    assert [row[1] for row in of(check_routing(two, Thresholds(lossless_classes_max=1)), "FABRIC-057")] == ["pfcPriorities"]


def test_nccl_writes_the_class_that_is_lossless():
    planned = routing()
    assert check_nccl_class(planned, {"NCCL_IB_TC": "104"}) == []
    assert check_nccl_class(None, {}) == []
    (finding,) = check_nccl_class(planned, {})
    assert (finding.id, finding.found, finding.limit) == (
        "FABRIC-058",
        "NCCL_IB_TC isn't set",
        "NCCL_IB_TC=104 (DSCP 26 * 4)",
    )
    assert check_nccl_class(planned, {"NCCL_IB_TC": "26"})[0].found == "NCCL_IB_TC=26"
    other = routing(lossless=contract(dscp=34))
    assert check_nccl_class(other, {"NCCL_IB_TC": "136"}) == []


def test_the_plans_own_environment_keeps_the_contract():
    planned = small_plan()
    assert check_nccl_class(planned.routing, planned.nccl) == []


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"enabled": False}, ["enabled"]),
        ({"enabled": False, "detection_ms": 1}, ["enabled"]),
        ({"detection_ms": 99, "poll_ms": 99}, ["detectionMs", "pollMs"]),
        ({"detection_ms": 5001}, ["detectionMs"]),
        ({"restoration_ms": 99}, ["restorationMs", "restorationMs"]),
        ({"restoration_ms": 199}, ["restorationMs"]),
        ({"restoration_ms": 200}, []),
        ({"restoration_ms": 60_001}, ["restorationMs"]),
        ({"detection_ms": 1001, "restoration_ms": 1001, "poll_ms": 1001}, ["pollMs"]),
        ({"detection_ms": 199}, ["detectionMs"]),
        ({"detection_ms": 100, "restoration_ms": 100, "poll_ms": 100}, []),
        ({"detection_ms": 5000, "restoration_ms": 60_000, "poll_ms": 1000}, []),
        ({"detection_ms": 200, "poll_ms": 200}, []),
    ],
)
def test_the_watchdog(changes, where):
    found = of(check_routing(routing(nos="sonic", lossless=contract(watchdog=Watchdog(**changes)))), "FABRIC-059")
    assert [row[1] for row in found] == [f"watchdog.{name}" for name in where]


@pytest.mark.parametrize(
    ("nos", "changes", "where"),
    [
        ("cumulus", {"action": "forward"}, ["action"]),
        ("cumulus", {"action": "alert"}, ["action"]),
        ("cumulus", {"restoration_ms": 400, "poll_ms": 100}, ["restorationMs"]),
        ("cumulus", {"restoration_ms": 100, "poll_ms": 100}, []),
        ("cumulus", {"action": "alert", "restoration_ms": 1, "enabled": False}, ["enabled"]),
        ("cumulus", {}, []),
        ("eos", {"action": "forward"}, ["action"]),
        ("eos", {"action": "alert", "restoration_ms": 5000}, []),
        ("sonic", {"action": "forward", "restoration_ms": 5000}, []),
    ],
)
def test_what_the_system_cannot_be_told_is_said(nos, changes, where):
    """Cumulus' watchdog has no action and no restoration time: a stack file that asks for them gets something else."""
    found = of(check_routing(routing(nos=nos, lossless=contract(watchdog=Watchdog(**changes)))), "FABRIC-059")
    assert [row[1] for row in found] == [f"watchdog.{name}" for name in where]


def test_a_restoration_that_nobody_asked_for_is_twice_the_detection():
    assert Watchdog().restores_ms == 400
    assert Watchdog(detection_ms=300, restoration_ms=700).restores_ms == 700


@pytest.mark.parametrize(
    ("host", "switch", "where"),
    [
        (1500, 9216, ["hostMtu"]),
        (4199, 9216, ["hostMtu"]),
        (4200, 4299, ["switchMtu"]),
        (9000, 9099, ["switchMtu"]),
        (9216, 9216, ["switchMtu"]),
        (9000, 9217, ["switchMtu"]),
        (4200, 4300, []),
        (9000, 9100, []),
        (9116, 9216, []),
    ],
)
def test_the_mtu_chain(host, switch, where):
    """Cases 32 and 33: below 4200 a RoCE MTU of 4096 doesn't fit, at 1500 it falls to 1024."""
    found = of(check_routing(routing(lossless=contract(host_mtu=host, switch_mtu=switch))), "FABRIC-060")
    assert [row[1] for row in found] == where


def test_mtu_limits_are_tunable():
    small = routing(lossless=contract(host_mtu=4000, switch_mtu=4040))
    assert [row[1] for row in of(check_routing(small), "FABRIC-060")] == ["hostMtu", "switchMtu"]
    assert of(check_routing(small, Thresholds(host_mtu_min=4000, header_bytes_min=40)), "FABRIC-060") == []
