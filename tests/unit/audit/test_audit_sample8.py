"""The real fabric of sample 8 against its design: every line of the oracle, and the same fabric undamaged."""

import gzip
import json

import pytest

from railyard.audit import audit, to_json
from tests.built_fabric import Built
from tests.unit.audit_files import DATA, audited, design, ids, observed

pytestmark = pytest.mark.requirement("N5")
FILE = "ibnetdiscover_gb_576ep.txt.gz"

# Leaf: compute down, up, ratio to three places, links present per spine with fewer than two.
LEAVES = {
    "leaf-01-01": (18, 17, 1.059, {"spine-04": 1}),
    "leaf-01-02": (16, 14, 1.143, {"spine-01": 0, "spine-04": 0}),
    "leaf-01-03": (18, 16, 1.125, {"spine-04": 0}),
    "leaf-01-05": (18, 16, 1.125, {"spine-04": 1, "spine-08": 1}),
    "leaf-01-07": (17, 16, 1.063, {"spine-04": 0}),
    "leaf-01-08": (17, 17, 1.000, {"spine-06": 1}),
    "leaf-02-03": (18, 15, 1.200, {"spine-01": 1, "spine-06": 0}),
    "leaf-02-04": (17, 16, 1.063, {"spine-04": 0}),
    "leaf-02-06": (18, 16, 1.125, {"spine-07": 0}),
    "leaf-03-07": (17, 15, 1.133, {"spine-05": 0, "spine-06": 1}),
    "leaf-04-02": (16, 16, 1.000, {"spine-01": 0}),
    "leaf-04-04": (17, 16, 1.063, {"spine-01": 0}),
}
UNNAMED = {1: {2, 5, 6, 7, 8, 10, 11, 16}, 2: {6, 8, 9, 13, 17}, 6: {4, 9, 14}, 7: {15}, 8: {3, 7, 9}}
MISSING_TRAYS = {2: {5, 15}, 4: {18}, 7: {5}, 8: {2}}


@pytest.fixture(scope="module")
def result():
    """The audit as other programs read it."""
    return json.loads(to_json(audit(design(), observed(FILE))))


def by_unit(rows):
    units = {}
    for row in rows:
        units.setdefault(row["unit"], set()).add(row["slot"])
    return units


def test_counts(result):
    totals = result["totals"]
    assert (totals["leaves"], totals["leavesPlanned"]) == (31, 32)
    assert (totals["spines"], totals["spinesPlanned"]) == (9, 9)
    assert (totals["endpoints"], totals["endpointsPlanned"]) == (538, 576)
    assert (totals["uplinks"], totals["uplinksPlanned"]) == (532, 558)
    assert (totals["channelAdapters"], totals["otherHosts"], totals["aggregationNodes"]) == (582, 4, 40)
    assert result["slow"] == result["oneSided"] == result["contradictions"] == []
    assert result["cut"] == {}


def test_leaf_table(result):
    table = {
        one["switch"]: (one["down"], one["up"], one["downToUp"], {gap["peer"]: gap["present"] for gap in one["missing"]})
        for one in result["verdicts"]
        if one["missing"]
    }
    assert table.keys() == LEAVES.keys()
    for leaf, (down, up, ratio, gaps) in LEAVES.items():
        assert table[leaf][:2] == (down, up)
        assert table[leaf][2] == pytest.approx(ratio, abs=0.0006)
        assert table[leaf][3] == gaps


def test_all_other_leaves_have_18_uplinks_and_no_ratio_above_one(result):
    others = [one for one in result["verdicts"] if one["switch"] not in LEAVES]
    assert len(others) == 31 - 12
    assert {one["up"] for one in others} == {18}
    assert not any(one["over"] for one in others)


def test_leaves_over_one_to_one(result):
    over = {one["switch"]: one["downToUp"] for one in result["verdicts"] if one["over"]}
    assert len(over) == 10
    worst = sorted(over, key=lambda leaf: -over[leaf])
    assert worst[:2] == ["leaf-02-03", "leaf-01-02"]
    without = {one["switch"] for one in result["verdicts"] if any(gap["present"] == 0 for gap in one["missing"])}
    assert len(without) == 9
    assert sum(finding["id"] == "AUDIT-007" for finding in result["findings"]) == 10


def test_missing_leaf_and_trays(result):
    assert [(one["switch"], one["links"]) for one in result["missingSwitches"]] == [("leaf-03-01", 36)]
    assert by_unit(result["missingHosts"]) == MISSING_TRAYS
    assert all(len(one["ports"]) == 4 for one in result["missingHosts"])


def test_hosts_without_a_name_on_any_rail(result):
    named = result["namedByPosition"]
    assert all(one["wholly"] for one in named)
    assert by_unit(named) == UNNAMED
    assert len(named) == 20
    nics = [nic for one in named for nic in one["nics"]]
    says = [nic["says"] for nic in nics]
    assert sum(text.startswith("MT4129 ConnectX7") for text in says) == 69
    assert sum(text.startswith("localhost") for text in says) == 3


def test_guids_confirm_and_never_name(result):
    guids = result["guids"]
    assert guids["samePort"] + len(guids["otherPort"]) == 259
    assert {(pair["first"], pair["second"]) for pair in guids["otherPort"]} == {
        ("leaf-01-01/11", "leaf-02-01/12"), ("leaf-01-01/12", "leaf-02-01/11"),
        ("leaf-01-06/2", "leaf-02-06/4"), ("leaf-01-06/4", "leaf-02-06/2"),
        ("leaf-01-06/7", "leaf-02-06/8"), ("leaf-01-06/8", "leaf-02-06/7"),
    }  # fmt: skip
    # Rail 4 of unit 1, whose partner leaf is missing, and the swapped rails of unit 8's tray 1.
    assert guids["withoutPartner"] == 18 + 2
    assert guids["falsePartners"] == 7


def test_swapped_rails(result):
    (swap,) = [one for one in result["differences"] if one["kind"] == "swapped"]
    assert {(row["a"], row["z"]) for row in swap["found"]} == {
        ("su08-tray01/HCA-6", "leaf-03-08/1"),
        ("su08-tray01/HCA-5", "leaf-04-08/1"),
    }
    assert {(row["a"], row["z"]) for row in swap["planned"]} == {
        ("su08-tray01/HCA-5", "leaf-03-08/1"),
        ("su08-tray01/HCA-6", "leaf-04-08/1"),
    }
    step = next(step for step in result["work"] if step["action"] == "exchange")
    assert step["text"].startswith("Exchange the two plugs at su08-tray01, HCA-5 and HCA-6:")


def test_port_crossings(result):
    crossed = {
        frozenset((row["a"], row["z"]) for row in one["found"]): one["how"]
        for one in result["differences"]
        if one["kind"] == "crossed"
    }
    assert crossed.keys() == {
        frozenset({("su06-tray02/HCA-1", "leaf-01-06/4"), ("su06-tray04/HCA-1", "leaf-01-06/2")}),
        frozenset({("su06-tray07/HCA-2", "leaf-02-06/8"), ("su06-tray08/HCA-2", "leaf-02-06/7")}),
        frozenset({("su01-tray11/HCA-2", "leaf-02-01/12"), ("su01-tray12/HCA-2", "leaf-02-01/11")}),
        frozenset({("su01-tray11/HCA-6", "leaf-04-01/14"), ("su01-tray14/HCA-6", "leaf-04-01/11")}),
    }
    assert crossed[frozenset({("su01-tray11/HCA-6", "leaf-04-01/14"), ("su01-tray14/HCA-6", "leaf-04-01/11")})] == (
        "without a name: su01-tray11/HCA-6 by elimination"
    )
    assert sorted(one["kind"] for one in result["differences"] if one["kind"] != "missing") == ["crossed"] * 4 + ["swapped"]


def test_missing_uplinks_are_26(result):
    assert sum(one["kind"] == "missing" for one in result["differences"]) == 558 - 532


def test_the_undamaged_fabric_gives_no_finding():
    built = Built(design(), describe=described)
    found = audited(built.ibnetdiscover(radix=65))
    assert found.findings == ()
    assert found.work == ()
    assert (found.totals.endpoints, found.totals.uplinks, found.totals.links_correct) == (576, 576, 1152)


def test_the_undamaged_fabric_is_not_clean_by_accident():
    """The same text with one cable less."""
    built = Built(design(), describe=described)
    built.remove([built.uplinks()[0]])
    assert ids(audited(built.ibnetdiscover(radix=65))) == ["AUDIT-003", "AUDIT-007"]


def described(name):
    kind, *numbers = name.split("-")
    return f"MF0;RK1-IB{kind.upper()}-{'-'.join(numbers)}:MQM9701/U1"


def test_subset_of_unit_8():
    found = audit(design(), observed("ibnetdiscover_su08_subset.txt"), units=[8])
    totals = found.totals
    assert totals.switches == 13
    assert totals.channel_adapters == 76 == totals.endpoints + totals.other_hosts + 4
    assert (totals.endpoints, totals.other_hosts, totals.uplinks, totals.uplinks_planned) == (68, 4, 71, 72)
    assert {(one.unit, one.slot) for one in found.named_by_position} == {(8, 3), (8, 7), (8, 9)}
    assert sum(len(one.nics) for one in found.named_by_position) == 12
    assert [one.host for one in found.missing_hosts] == ["su08-tray02"]
    assert [one.kind for one in found.differences] == ["swapped", "missing"]
    gaps = [(one.switch, gap.peer, gap.present) for one in found.verdicts for gap in one.missing]
    assert gaps == [("leaf-01-08", "spine-06", 1)]


def test_subset_without_unit_names_the_other_leaves_as_missing():
    found = audit(design(), observed("ibnetdiscover_su08_subset.txt"))
    assert len(found.missing_switches) == 28


def test_unit_of_the_whole_file_is_the_subset():
    """A unit of the full file says the same as the file cut to it: nothing of other units leaks in."""
    whole = audit(design(), observed(FILE), units=[8])
    part = audit(design(), observed("ibnetdiscover_su08_subset.txt"), units=[8])
    assert whole.findings == part.findings


def test_two_nameless_hosts_exchanged_on_one_rail_contradict_their_guids():
    """No name tells of it; the adapters' other ports do. Nothing is renamed by that: people must look."""
    text = gzip.decompress((DATA / FILE).read_bytes()).decode()
    one, other = "02aa00000000bb7c", "02aa00000000b534"  # rail 1 of unit 8, trays 3 and 7
    changed = text.replace(one, "@").replace(other, one).replace("@", other)
    before, after = audited(text), audited(changed)
    assert before.contradictions == ()
    assert {one.where for one in after.contradictions} == {"leaf-01-08/3", "leaf-01-08/7"}
    assert ids(after).count("AUDIT-011") == 2
    assert [one.host for one in after.named_by_position] == [one.host for one in before.named_by_position]
