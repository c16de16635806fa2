"""`railyard failures` as people and scripts run it."""

import json
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

pytestmark = pytest.mark.requirement("C3", "U4")

SECTION = {
    "supply": {"volts": 415, "voltageReference": "line-line"},
    "paths": [
        row
        for feed in "ab"
        for row in (
            {"name": f"ups-{feed}", "kind": "ups", "feed": feed, "ratedKva": 2000},
            {"name": f"panel-{feed}", "kind": "panel", "from": f"ups-{feed}", "breakerA": 3000},
        )
    ],
}


@pytest.fixture
def hall(checkout):
    """prod-site-a with this power path; `hall(breakerA=...)` sets both panels' breakers and returns the file."""

    def write(breaker=3000):
        path = checkout / "stacks" / "Pulumi.prod-site-a.yaml"
        yaml = YAML()
        stack = yaml.load(path)
        paths = [dict(row) | ({"breakerA": breaker} if "breakerA" in row else {}) for row in SECTION["paths"]]
        stack["config"]["railyard:power"] = SECTION | {"paths": paths}
        target = checkout / "Pulumi.hall.yaml"
        yaml.dump(stack, target)
        return target

    return write


def test_the_table_counts_what_can_fail_and_names_the_worst(railyard, hall):
    result = railyard("failures", "prod-site-a", "--config-file", hall())
    assert result.exit_code == 0, result.stdout
    rows = {line.split("  ")[0]: line for line in result.stdout.splitlines()}
    assert re.search(r"^UPS +2 +0 +0 +0 +0 +1,024 +0 +100\.0 % +ups-a$", rows["UPS"])
    assert "1,024 GPUs throttled to 1,267.2 of 1,305.6 kW" in result.stdout
    assert "Not in the matrix:" in result.stdout
    assert "leaf prod-site-a-su001-leaf-r0 (and 31 alike): 32 GPUs cut off from their rail" in result.stdout


def test_a_cascade_is_exit_1_and_a_finding(railyard, hall):
    result = railyard("failures", "prod-site-a", "--config-file", hall(1700))
    assert result.exit_code == 1
    assert "POWER-031 prod-site-a-hall/ups (limit)" in result.stdout
    assert "panel-b trips; 1,024 GPUs down" in result.stdout


def test_an_event_is_told_step_by_step(railyard, hall):
    result = railyard("failures", "prod-site-a", "--config-file", hall(1700), "--event", "ups-a")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "ups-a (UPS) fails"
    assert re.match(r"step 0: in the affected racks \d+ devices at full power, 128 throttled; they draw [\d,.]+ kW", lines[1])
    trips = next(line for line in lines if line.startswith("  trips"))
    assert re.match(r"  trips panel-b: 2,[\d.]+ A, rating 1,700\.0 A, for hours 1,360\.0 A", trips)
    assert any(re.match(r"step 1: .* down; they draw 0\.00 kW", line) for line in lines)
    assert "  nothing trips: stable" in lines
    assert any(line.startswith("in the end: panel-b trips; 1,024 GPUs down") for line in lines)


def test_json_is_the_matrix_or_the_event(railyard, hall):
    path = hall()
    matrix = json.loads(railyard("failures", "prod-site-a", "--config-file", path, "--json").stdout)
    assert matrix["gpus"] == 1024
    assert matrix["count"] == sum(row["events"] for row in matrix["byKind"])
    event = json.loads(railyard("failures", "prod-site-a", "--config-file", path, "--event", "ups-b", "--json").stdout)
    assert (event["kind"], event["lost"], event["gpusThrottled"]) == ("ups", ["ups-b"], 1024)


def test_pairs_of_a_rack(railyard, hall):
    result = railyard("failures", "prod-site-a", "--config-file", hall(), "--pairs", "prod-site-a-r001")
    assert result.exit_code == 0
    assert re.search(r"UPS ups-a \+ ups-b \(and 1 alike\): 1,024 GPUs down", result.stdout)
    pairs = json.loads(railyard("failures", "prod-site-a", "--pairs", "prod-site-a-r001", "--json").stdout)
    assert all(len(event["lost"]) == 2 for event in pairs["events"])


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("--event", "ups-c"), 2, "FAIL-001 --event\n  found: 'ups-c'"),
        (("--pairs", "prod-site-a-r999"), 2, "FAIL-001 --pairs"),
        (("--pairs", "prod-site-a-r001", "--event", "ups-a"), 2, "CLI-001 --event, --pairs"),
        (("--event", "\x1b[2J"), 2, "FAIL-001 --event"),
    ],
)
def test_bad_input_is_a_block_and_exit_2(railyard, checkout, arguments, code, text):
    result = railyard("failures", "prod-site-a", *arguments)
    assert result.exit_code == code
    assert text in result.stderr
    assert "\x1b" not in result.stderr


def test_the_small_stacks_have_a_matrix_too(railyard, checkout):
    for stack in ("lab", "prod-site-b", "roce"):
        result = railyard("failures", stack, "--json")
        assert result.exit_code in (0, 1), result.stderr
        matrix = json.loads(result.stdout)
        assert matrix["count"] > 0
        assert {
            sum(event[f"gpus{state}"] for state in ("Full", "Throttled", "Down", "Unknown")) for event in matrix["events"]
        } == {matrix["gpus"]}


DOC = (Path(__file__).parents[2] / "docs" / "hall.md").read_text(encoding="utf-8").partition("## What survives")[2]


def test_the_documentation_shows_what_the_command_says(railyard, checkout):
    """Both blocks of docs/hall.md; the second with the smaller breakers that its text names."""
    table, cascade = (block.strip("\n").splitlines() for block in DOC.split("```")[3:6:2])
    said = railyard("failures", "prod-site-a").stdout.splitlines()
    assert [line for line in table if line and line not in said] == []
    path = checkout / "stacks" / "Pulumi.prod-site-a.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in {
        "kind: busway, from: panel-a, breakerA: 800": "kind: busway, from: panel-a, breakerA: 450",
        "kind: panel, from: ups-b, breakerA: 1600": "kind: panel, from: ups-b, breakerA: 720",
    }.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    assert railyard("failures", "prod-site-a", "--event", "bus-a-01").stdout.splitlines()[: len(cascade)] == cascade
