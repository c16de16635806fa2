"""GATE-010 to GATE-014 on plain evidence."""

import pytest

from railyard.rules.fabric_gate import check_fabric, fabric_facts


def row(**change):
    base = {
        "name": "leaf1",
        "sessions": ["swp1", "swp2"],
        "neighbours": {"swp1": "spine1/swp1", "swp2": "spine2/swp1"},
        "mtu": 9216,
        "width": 2,
        "reach": ["10.0.0.2/32"],
        "seen": {
            "established": ["swp1", "swp2"],
            "neighbours": {"swp1": "spine1/swp1", "swp2": "spine2/swp1"},
            "mtus": {"swp1": 9216, "swp2": 9216},
            "widths": {"10.0.0.2/32": 2},
        },
    }
    seen = {**base["seen"], **change.pop("seen", {})}
    return {**base, "seen": seen, **change}


def evidence(*rows, percent=100.0):
    return {"unit": "su001", "minimumPercent": percent, "switches": list(rows)}


def ids(*rows, percent=100.0):
    return [finding.id for finding in check_fabric(evidence(*rows, percent=percent))]


def test_as_planned_passes():
    assert ids(row()) == []
    assert fabric_facts(evidence(row())) == {"sessions": 2, "missing": [], "unread": []}


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        ({"established": ["swp1"]}, ["GATE-011"]),
        ({"established": []}, ["GATE-011"]),
        ({"widths": {"10.0.0.2/32": 1}}, ["GATE-012"]),
        ({"widths": {"10.0.0.2/32": 0}}, ["GATE-012"]),
        ({"mtus": {"swp1": 9216, "swp2": 1500}}, ["GATE-013"]),
        ({"mtus": {"swp1": 9216, "swp2": 0}}, ["GATE-013"]),
        ({"neighbours": {"swp1": "spine1/swp1", "swp2": "spine2/swp9"}}, ["GATE-014"]),
        ({"neighbours": {"swp1": "spine1/swp1", "swp2": ""}}, ["GATE-014"]),
        ({"neighbours": {}}, ["GATE-014"]),
        ({"neighbours": {"swp1": "a/1, spine1/swp1", "swp2": "spine2/swp1"}}, ["GATE-014"]),
    ],
)
def test_each_thing_that_is_wrong_is_found(seen, wanted):
    assert ids(row(seen=seen)) == wanted


def test_more_paths_than_planned_are_no_finding():
    assert ids(row(seen={"widths": {"10.0.0.2/32": 4}})) == []


def test_a_share_of_sessions_can_be_enough():
    assert ids(row(seen={"established": ["swp1"]}), percent=50.0) == []
    assert ids(row(seen={"established": ["swp1"]}), percent=50.1) == ["GATE-011"]


def test_an_unread_switch_is_named_and_its_sessions_count_as_down():
    unread = {key: value for key, value in row(name="leaf2").items() if key != "seen"} | {"reason": "SWITCH-010 no answer"}
    found = check_fabric(evidence(row(), unread))
    assert [finding.id for finding in found] == ["GATE-010", "GATE-011"]
    assert "SWITCH-010" in found[0].found
    assert "2 of 4" in found[1].found


def silent(reason="SWITCH-010 no answer: timed out", **change):
    return {key: value for key, value in row(**change).items() if key != "seen"} | {"reason": reason}


def leaves(**seen):
    """Two leaves on spines 1 and 2, as seen from leaf 1; leaf 2 and spine 2 as the tests want them."""
    return row(loopback="10.0.0.1/32", seen=seen)


def test_where_a_share_is_enough_a_silent_leaf_is_its_sessions():
    """Leaf 2 doesn't answer: leaf 1 no longer reaches it. 2 of 4 sessions."""
    dead = silent(name="leaf2", loopback="10.0.0.2/32", reach=["10.0.0.1/32"])
    seen = leaves(widths={"10.0.0.2/32": 0})
    assert ids(seen, dead, percent=50.0) == []
    assert ids(seen, dead, percent=51.0) == ["GATE-011"]
    assert fabric_facts(evidence(seen, dead))["unread"] == ["leaf2"]
    assert ids(seen, dead) == ["GATE-010", "GATE-011", "GATE-012"], "100 %: all of it is said"
    assert ids(seen, row(name="leaf2", loopback="10.0.0.2/32"), percent=50.0) == ["GATE-012"], "it answers, and isn't reached"


def test_where_a_share_is_enough_a_silent_spine_is_its_sessions():
    """Spine 2 doesn't answer: its session at the leaf is down, nobody is seen there, paths are one link."""
    dead = silent(name="spine2", sessions=["swp1"], neighbours={"swp1": "leaf1/swp2"}, reach=[], width=0)
    seen = {"established": ["swp1"], "neighbours": {"swp1": "spine1/swp1", "swp2": ""}, "widths": {"10.0.0.2/32": 1}}
    assert ids(row(seen=seen), dead, percent=30.0) == []
    assert ids(row(seen=seen), dead, percent=34.0) == ["GATE-011"]
    assert ids(row(seen={**seen, "widths": {"10.0.0.2/32": 0}}), dead, percent=30.0) == ["GATE-012"]
    assert ids(row(seen={**seen, "neighbours": {"swp1": "spine1/swp1", "swp2": "spine3/swp1"}}), dead, percent=30.0) == [
        "GATE-014"
    ]
    assert ids(row(seen={**seen, "established": ["swp1", "swp2"]}), dead, percent=30.0) == ["GATE-012", "GATE-014"]


def test_a_path_lacks_what_is_down_at_its_other_end_too():
    far = row(name="leaf2", loopback="10.0.0.2/32", reach=[], seen={"established": ["swp1"]})
    assert ids(leaves(widths={"10.0.0.2/32": 1}), far, percent=75.0) == []
    assert ids(leaves(widths={"10.0.0.2/32": 1}), row(name="leaf2", loopback="10.0.0.2/32", reach=[]), percent=75.0) == [
        "GATE-012"
    ]


@pytest.mark.parametrize("reason", ["SWITCH-001 serial X", "SWITCH-011 login refused for admin", "SWITCH-014 host key", "GATE"])
def test_a_switch_that_is_another_one_is_never_forgiven(reason):
    assert ids(leaves(), silent(reason, name="leaf2", sessions=[]), percent=10.0) == ["GATE-010"]


def test_nothing_measured_never_passes():
    assert ids() == ["GATE-010"]
    assert ids(row(sessions=[], neighbours={}, reach=[])) == ["GATE-011"]


def test_long_lists_are_shortened_with_their_count():
    ports = [f"swp{number}" for number in range(1, 41)]
    found = check_fabric(evidence(row(sessions=ports, neighbours={}, seen={"established": [], "mtus": {}})))
    assert "and 34 more" in found[0].found
