"""`railyard fabric` as people and scripts run it."""

import csv
import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.requirement("N1", "U4")
ROWS = list(
    csv.DictReader((Path(__file__).parents[1] / "data" / "reference_topologies.csv").open(encoding="utf-8", newline=""))
)
KEYS = (
    "leaves", "spines", "cores", "nodeLeafCables", "leafSpineCables", "spineCoreCables", "nodeLeafLinks", "leafSpineLinks",
    "spineCoreLinks", "tiers", "linksPerPair", "freePorts", "downToUp",
)  # fmt: skip


def sized(railyard, *arguments):
    result = railyard("fabric", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['name']} {row['su']} SU" for row in ROWS])
def test_every_published_row(railyard, row):
    planes, radix = int(row["planes"]), int(row["radix"])
    reserved = ["--reserve-ports", "4"] if row["nodes"] in ("31", "63", "95") else []
    found = sized(
        railyard, "--nodes", row["nodes"], "--nics", "8", "--rails", row["rails"], "--unit-nodes", radix // 2, "--radix", radix,
        "--planes", planes, "--links-per-cable", planes, *reserved,
    )  # fmt: skip
    columns = ("leaf", "spine", "core", "node_leaf", "leaf_spine", "spine_core")
    assert [found[key] for key in KEYS[:6]] == [int(row[key]) for key in columns]
    assert found["units"] == int(row["su"])
    assert found["downToUp"] == 1
    assert set(KEYS) <= found.keys()


def test_the_keys_of_one_unit(railyard):
    found = sized(railyard, "--nodes", "31", "--reserve-ports", "4")
    assert {key: found[key] for key in KEYS} == {
        "leaves": 8, "spines": 4, "cores": 0, "nodeLeafCables": 252, "leafSpineCables": 256, "spineCoreCables": 0,
        "nodeLeafLinks": 252, "leafSpineLinks": 256, "spineCoreLinks": 0, "tiers": 2, "linksPerPair": 8, "freePorts": 4,
        "downToUp": 1.0,
    }  # fmt: skip
    assert isinstance(found["linksPerPair"], int)


def test_planned_units_lay_out_spines(railyard):
    """128 nodes planned for eight units: 32 spines, one link a pair, 32 leaves of today."""
    found = sized(railyard, "--nodes", "128", "--planned-units", "8")
    assert (found["leaves"], found["spines"], found["linksPerPair"]) == (32, 32, 1)
    assert (found["units"], found["plannedUnits"]) == (4, 8)


def test_pods_by_rail_have_three_hops(railyard):
    units = sized(railyard, "--nodes", "512")
    rails = sized(railyard, "--nodes", "512", "--pod-by", "rail")
    assert (units["sameRailHops"], rails["sameRailHops"]) == (5, 3)
    assert rails["sameRailCoreLoad"] == 0
    assert (units["podBy"], rails["podBy"]) == ("unit", "rail")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--nodes", "1024"), "same-rail traffic stays in its pod"),
        (("--nodes", "2048"), "a rail has 64 leaves, a pod 32: same-rail traffic crosses the core, too"),
        (("--nodes", "512", "--planned-units", "64"), "a rail has 64 leaves, a pod 32"),
    ],
)
def test_pods_by_rail_say_when_a_rail_leaves_its_pod(railyard, arguments, words):
    shown = railyard("fabric", *arguments, "--pod-by", "rail").stdout
    assert words in shown
    assert ("stays in its pod" in shown) is ("stays" in words)
    assert sized(railyard, *arguments, "--pod-by", "rail")["sameRailHops"] in ((3,) if "stays" in words else (3, 5))


def test_the_table_names_what_it_counts(railyard):
    shown = railyard("fabric", "--nodes", "257").stdout
    for text in ("3 tiers", "leaves", "down to up", "32:32 = 1.000:1", "no claim", "cheaper sizes", "256 nodes at", "USD"):
        assert text in shown


def test_what_is_missing_on_purpose_is_loud(railyard):
    assert "RAIL-ONLY: 8 separate fabrics" in railyard("fabric", "--nodes", "64", "--layout", "rail-only").stdout
    assert "OVERSUBSCRIBED 2.000:1, down to up" in railyard("fabric", "--nodes", "64", "--oversubscription", "2").stdout
    assert "--tiers 1" in railyard("fabric", "--nodes", "4", "--unit-nodes", "4").stdout


@pytest.mark.parametrize("option", [("--pod-by", "rail"), ("--full-pods",)])
def test_what_has_no_effect_is_said(railyard, option):
    assert "NO EFFECT" in railyard("fabric", "--nodes", "64", *option).stdout
    assert "NO EFFECT" not in railyard("fabric", "--nodes", "512", *option).stdout
    assert "NO EFFECT" not in railyard("fabric", "--nodes", "64").stdout


def test_prices_are_the_lists_yours_or_unknown(railyard):
    listed = sized(railyard, "--nodes", "32")["cost"]
    assert listed["total"] == {"low": 12 * 35_000 + 512 * 500, "high": 12 * 35_000 + 512 * 2000}
    assert sized(railyard, "--nodes", "72", "--radix", "144")["cost"] is None
    assert "unknown" in railyard("fabric", "--nodes", "72", "--radix", "144").stdout
    yours = sized(railyard, "--nodes", "72", "--radix", "144", "--switch-price", "100000", "--link-price", "1000")["cost"]
    assert yours["total"]["low"] == yours["total"]["high"] == 12 * 100_000 + 1152 * 1000
    assert yours["prices"] == "yours"
    assert sized(railyard, "--nodes", "72", "--radix", "144", "--link-price", "1000")["cost"] is None
    mixed = sized(railyard, "--nodes", "32", "--link-price", "1000")["cost"]
    assert mixed["total"]["low"] == 12 * 35_000 + 512 * 1000
    assert sized(railyard, "--nodes", "32", "--switch-model", "sn5600")["cost"] is None


@pytest.mark.parametrize(
    ("arguments", "where", "fix"),
    [
        (["--nodes", "0"], "--nodes", "set --nodes to 1"),
        (["--nodes", "-1"], "--nodes", "set --nodes to 1"),
        (["--nodes", "nan"], "--nodes", "set --nodes to 1"),
        (["--nodes", "inf"], "--nodes", "set --nodes to 1"),
        (["--nodes", "3.7"], "--nodes", "set --nodes to 3"),
        (["--nodes", "1e3"], "--nodes", "set --nodes to 1000"),
        (["--nodes", "1e999"], "--nodes", "set --nodes to 1000000000000000000"),
        (["--nodes", ""], "--nodes", "set --nodes to 1"),
        (["--nodes", "three"], "--nodes", "set --nodes to 1"),
        (["--nodes", "64k"], "--nodes", "set --nodes to 64000"),
        (["--nodes", "1,024"], "--nodes", "set --nodes to 1024"),
        (["--nodes", "64 nodes"], "--nodes", "set --nodes to 64"),
        (["--nodes", "٣٢"], "--nodes", "set --nodes to 1"),
        (["--nodes", "1000000000000"], "--nodes", "set --nodes to at most 8192"),
        (["--nodes", "9" * 400], "--nodes", "set --nodes to at most 8192"),
        (["--nodes", "9" * 5000], "--nodes", "set --nodes to 1"),
        (["--nodes", "16384"], "--nodes", "set --nodes to at most 8192"),
        (["--nodes", "4", "--radix", "63"], "--radix", "set --radix to 62 or 64"),
        (["--nodes", "4", "--radix", "1000000000000"], "--radix", "set --radix to 1024"),
        (["--nodes", "4", "--nics", "8", "--rails", "3"], "--rails", "set --rails to 4"),
        (["--nodes", "4", "--planes", "x"], "--planes", "set --planes to 1"),
        (["--nodes", "4", "--nics", "", "--rails", "1"], "--nics", "set --nics to 1"),
        (["--nodes", "4", "--unit-nodes", "1.5"], "--unit-nodes", "set --unit-nodes to 1"),
        (["--nodes", "4", "--tiers", "4"], "--tiers", "set --tiers to 3"),
        (["--nodes", "4", "--tiers", "0"], "--tiers", "set --tiers to 1"),
        (["--nodes", "4", "--tiers", "two"], "--tiers", "set --tiers to auto"),
        (["--nodes", "4", "--oversubscription", "nan"], "--oversubscription", "set --oversubscription to 1"),
        (["--nodes", "4", "--oversubscription", "-2"], "--oversubscription", "set --oversubscription to 1"),
        (["--nodes", "4", "--oversubscription", "1.5"], "--oversubscription", "set --oversubscription to 1.455 (32:22)"),
        (["--nodes", "4", "--layout", "fattree"], "--layout", "set --layout to fat-tree"),
        (["--nodes", "4", "--switch-model", "qm97"], "--switch-model", "set --switch-model to qm9700"),
        (["--nodes", "4", "--switch-price", "free"], "--switch-price", "set --switch-price to 0"),
        (["--nodes", "4", "--reserve-ports", "99"], "--reserve-ports", "set --reserve-ports to at most 8"),
        (["--nodes", "4", "--radix", "2"], "--nodes", "take a switch with more ports"),
        (["--nodes", "4", "--radix", "4", "--tiers", "2"], "--nodes", "set --tiers to 3, or take a switch with more ports"),
        (["--nodes", "4", "--switch-price", "9" * 400], "--switch-price", "set --switch-price to 1000000000"),
        (["--nodes", "4", "--link-price", "1000000001"], "--link-price", "set --link-price to 1000000000"),
    ],
)
def test_impossible_input_is_exit_2_with_id_and_nearest_value(railyard, arguments, where, fix):
    result = railyard("fabric", *arguments, "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0].startswith("no such fabric: 1 problem")
    assert lines[1].split()[0].startswith(("SIZE-", "PLAN-"))
    assert lines[1].split()[1] == where
    assert lines[4].startswith(f"  fix:   {fix}")
    assert "Traceback" not in result.stderr


def test_everything_that_is_wrong_is_said_at_once(railyard):
    result = railyard("fabric", "--nodes", "x", "--radix", "63", "--tiers", "9", "--rails", "5")
    assert result.exit_code == 2
    assert result.stderr.startswith("no such fabric: 4 problems")


def test_without_nodes_there_is_no_question(railyard):
    assert railyard("fabric").exit_code == 2


@pytest.mark.parametrize(
    ("planned", "spines", "ratio"), [("", 15, "32:30 = 1.067:1"), ("    plannedScalableUnits: 8\n", 31, "32:31 = 1.032:1")]
)
def test_a_spine_too_few_by_stack_key(checkout, railyard, planned, spines, ratio):
    """16 -> 15 on the published 4-unit row, 32 -> 31 on prod-site-a: both block, and don't divide."""
    file = checkout / "stacks/Pulumi.prod-site-a.yaml"
    text = file.read_text()
    assert "    plannedScalableUnits: 8\n" in text
    file.write_text(text.replace("    plannedScalableUnits: 8\n", f"{planned}    spines: {spines}\n"))
    railyard("plan", "prod-site-a", "--out", checkout / "out")
    findings = json.loads((checkout / "out/findings.json").read_bytes())
    said = {(finding["id"], finding["found"]) for finding in findings}
    assert ("FABRIC-001", ratio) in said
    assert [found for id_, found in said if id_ == "FABRIC-002"] == [
        f"{spines} spines do not divide 32 uplinks ({32 / spines:.2f} links per pair)"
    ]


def test_growth_beyond_the_plan_writes_a_work_order(checkout, railyard):
    """lab: one unit planned, two built: 4 spines become 8, and all but the first link of each leaf move."""
    railyard("plan", "lab")
    old = (checkout / "out/lab/plan.json").read_bytes()
    (checkout / "old.json").write_bytes(old)
    assert not (checkout / "out/lab/work-order.csv").exists()
    file = checkout / "stacks/Pulumi.lab.yaml"
    text = file.read_text()
    assert "    scalableUnits: 1 " in text
    file.write_text(text.replace("    scalableUnits: 1 ", "    plannedScalableUnits: 1\n    scalableUnits: 2 "))
    result = railyard("plan", "lab", "--against", "old.json")
    assert "Work order: " in result.stdout
    rows = list(csv.DictReader((checkout / "out/lab/work-order.csv").open(encoding="utf-8", newline="")))
    new = json.loads((checkout / "out/lab/plan.json").read_bytes())
    ends = {cable["id"]: (cable["a"], cable["z"]) for cable in new["cables"]}
    before = {cable["id"]: (cable["a"], cable["z"]) for cable in json.loads(old)["cables"]}
    moved = {name for name, pair in before.items() if ends.get(name) not in (pair, None)}
    assert len(moved) > 200
    assert moved <= {row["cable"] for row in rows if row["action"] in ("move", "replace")}
    assert "FABRIC-007" in result.stdout
    assert 'data-step="1"' in (checkout / "out/lab/report.html").read_text(), "the report shows it, too"
    railyard("plan", "lab")
    assert "data-step" not in (checkout / "out/lab/report.html").read_text()
    assert not (checkout / "out/lab/work-order.csv").exists(), "one of an earlier comparison would be taken for this plan's"


def test_a_negative_price_is_told_what_an_amount_is(railyard):
    said = railyard("fabric", "--nodes", "64", "--switch-price", "-1").stderr
    assert "limit: an amount in USD from 0 to 1000000000" in said
    assert "a number of at least" not in said


def test_reserved_ports_that_cost_a_unit_say_how_many_nodes_would_not(railyard):
    """64 nodes and 3 managers are a third unit: 8 leaves and 8 spines. 63 nodes leave a slot."""
    said = railyard("fabric", "--nodes", "64", "--unit-nodes", "32", "--reserve-ports", "3").stdout
    assert "63 nodes do with 2 units: 8 leaves and 8 spines less." in said
    for nodes, ports in ((63, 3), (64, 0), (70, 3)):
        said = railyard("fabric", "--nodes", nodes, "--unit-nodes", "32", "--reserve-ports", ports).stdout
        assert "reserved ports take" not in said
