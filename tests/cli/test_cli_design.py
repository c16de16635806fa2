"""`railyard plan`, `report`, `rules` and `init`, from files to files."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

FILES = {"plan.json", "report.html", "cables.csv", "findings.json", "topology.svg"}


def written(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.requirement("U4")
def test_plan_writes_its_files_and_says_what_it_means(checkout, railyard):
    result = railyard("plan", "lab")
    assert result.exit_code == 0, result.stderr
    assert "What lab will be" in result.stdout
    assert re.search(r"GPUs +32$", result.stdout, re.M)
    files = written(checkout / "out" / "lab")
    assert files.keys() >= FILES | {"racks/lab-r001.svg", "racks/lab-r002.svg", "slurm/topology.conf", "hosts/su001.json"}
    assert json.loads(files["plan.json"])["site"]["gpus"] == 32
    for name, content in files.items():
        if name.endswith(".svg"):
            ET.fromstring(content)


def test_the_same_stack_gives_the_same_bytes(checkout, railyard, tmp_path):
    railyard("plan", "lab", "--out", tmp_path / "one")
    railyard("plan", "lab", "--out", tmp_path / "two")
    assert written(tmp_path / "one") == written(tmp_path / "two")


@pytest.mark.requirement("U4")
def test_cable_ends_and_positions_of_the_real_plan_are_in_the_report(checkout, railyard):
    railyard("report", "lab")
    plan = json.loads((checkout / "out/lab/plan.json").read_bytes())
    page = (checkout / "out/lab/report.html").read_text()
    rows = set(re.findall(r'<tr data-cable="[^"]+" data-a="([^"]+)" data-z="([^"]+)"', page))
    assert rows == {(cable["a"], cable["z"]) for cable in plan["cables"]}
    positions = re.findall(r'data-device="([^"]+)" [^>]*data-u="(\d+)" data-u-height="(\d+)"', page)
    drawn = {name: (int(u), int(height)) for name, u, height in positions}
    assert drawn == {device["name"]: (device["u"], device["uHeight"]) for rack in plan["racks"] for device in rack["devices"]}


def test_report_prints_the_path_of_what_it_wrote(checkout, railyard):
    result = railyard("report", "lab")
    assert result.stdout.strip() == str(checkout / "out/lab/report.html")


def test_an_elevation_of_a_rack_that_is_gone_is_removed_and_others_files_stay(checkout, railyard):
    railyard("plan", "lab")
    racks = checkout / "out/lab/racks"
    (racks / "lab-r099.svg").write_bytes((racks / "lab-r001.svg").read_bytes())
    (racks / "mine.svg").write_text("<svg/>")
    railyard("plan", "lab")
    assert {path.name for path in racks.iterdir()} == {"lab-r001.svg", "lab-r002.svg", "mine.svg"}


@pytest.mark.requirement("U1", "C4")
def test_against_an_earlier_plan_shows_what_changes(checkout, railyard):
    railyard("plan", "lab")
    result = railyard("plan", "lab", "--against", "out/lab/plan.json")
    assert result.exit_code == 0, result.stderr
    assert "What changes in lab against the earlier plan" in result.stdout
    assert re.search(r"GPUs +32 +32 +=$", result.stdout, re.M)
    assert "0 moves, 0 new, 0 gone" in result.stdout


@pytest.mark.parametrize("content", [b"{}", b"not json", b"[]", b'{"site": 1, "cables": []}'])
def test_against_something_else_is_bad_input(checkout, railyard, content):
    (checkout / "old.json").write_bytes(content)
    result = railyard("plan", "lab", "--against", "old.json")
    assert result.exit_code == 2
    assert "CLI-001 old.json" in result.stderr


def test_an_unknown_key_is_a_block_on_stderr_and_exit_2(checkout, railyard):
    file = checkout / "stacks/Pulumi.lab.yaml"
    file.write_text(file.read_text().replace("    rails: 8", "    rials: 8"))
    result = railyard("plan", "lab")
    assert result.exit_code == 2
    assert re.search(r"^LOAD-\d+ .*rials", result.stderr, re.M)
    assert all(f"  {word}: " in result.stderr for word in ("found", "limit"))
    assert "rails" in result.stderr
    assert "Traceback" not in result.stderr + result.stdout
    assert not (checkout / "out").exists()


def test_an_unknown_stack_is_bad_input(checkout, railyard):
    result = railyard("plan", "lba")
    assert result.exit_code == 2
    assert "lab" in result.stderr


def test_an_impossible_plan_is_written_shown_and_exit_1(checkout, railyard):
    """One machine fewer than the stack file says: a plan can be drawn, and may not be built."""
    file = checkout / "stacks/Pulumi.lab.yaml"
    file.write_text(file.read_text().replace("    nodes: 4 ", "    nodes: 5 "))
    result = railyard("plan", "lab")
    assert result.exit_code == 1, result.stderr
    assert "(invariant)" in result.stdout
    findings = json.loads((checkout / "out/lab/findings.json").read_bytes())
    assert "invariant" in {finding["severity"] for finding in findings}


def test_outside_a_checkout_says_what_to_do(tmp_path, railyard, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = railyard("plan", "lab")
    assert result.exit_code == 2
    assert "CLI-002" in result.stderr
    assert "--root" in result.stderr


def test_a_folder_that_cannot_be_written_is_a_block(checkout, railyard):
    (checkout / "taken").write_text("a file")
    result = railyard("plan", "lab", "--out", "taken")
    assert result.exit_code == 2
    assert "CLI-001" in result.stderr


def test_from_a_folder_below_and_with_root(checkout, railyard, monkeypatch, tmp_path):
    monkeypatch.chdir(checkout / "sites")
    assert railyard("report", "lab").exit_code == 0
    monkeypatch.chdir(tmp_path)
    assert railyard("report", "lab", "--root", checkout).exit_code == 0


def test_init_writes_files_that_plan(checkout, railyard):
    result = railyard("init", "my-site", "--from", "starter")
    assert result.exit_code == 0, result.stderr
    assert "stacks/Pulumi.my-site.yaml" in result.stdout
    assert railyard("plan", "my-site").exit_code == 0
    again = railyard("init", "my-site", "--from", "starter")
    assert again.exit_code == 2
    assert "INIT-003" in again.stderr


def test_init_with_a_number_of_nodes(checkout, railyard):
    assert railyard("init", "grown", "--from", "starter-roce", "--nodes", "8").exit_code == 0
    assert railyard("plan", "grown").exit_code == 0
    wrong = railyard("init", "b", "--nodes", "-1")
    assert wrong.exit_code == 2
    assert "INIT-005 --nodes\n  found: '-1'" in wrong.stderr


def test_rules_are_listed_and_explained(railyard):
    listed = railyard("rules")
    assert listed.exit_code == 0
    first = listed.stdout.split()[0]
    explained = railyard("rules", first.lower())
    assert explained.exit_code == 0
    assert explained.stdout.startswith(first)
    unknown = railyard("rules", "NOPE-1")
    assert unknown.exit_code == 2
    assert "CLI-003" in unknown.stderr
    assert "errors.md" not in unknown.stderr


def test_an_errors_id_is_no_rule_but_explained_elsewhere(railyard):
    asked = railyard("rules", "load-007")
    assert asked.exit_code == 2
    assert "docs/reference/errors.md#load-007" in asked.stderr
    page = Path(__file__).parents[2] / "docs/reference/errors.md"
    assert '<a id="load-007"></a>' in page.read_text()


def test_version(railyard):
    result = railyard("--version")
    assert result.exit_code == 0
    assert re.fullmatch(r"railyard \d+\.\d+\.\d+\n", result.stdout)


COMMANDS = ("init", "plan", "report", "fabric", "topology", "host", "rules", "doctor", "unlock", "docs")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(railyard, command):
    assert railyard(command, "--help").exit_code == 0


def test_control_codes_never_reach_the_terminal(railyard):
    result = railyard("rules", "\x1b[31mred")
    assert "\x1b" not in result.stderr


def test_the_command_line_starts_without_engine_lab_and_pulumi():
    code = "import sys, railyard.cli.main; print([n for n in ('engine', 'lab', 'pulumi', 'providers') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.requirement("N3")
def test_a_fabric_that_no_part_can_cable_is_no_success_until_somebody_waives_it(checkout, railyard):
    """200G links between cages of 800G ports: nothing can be ordered, and exit code 0 would say that the plan can be built."""
    stack = checkout / "stacks/Pulumi.roce.yaml"
    text = stack.read_text()
    assert railyard("plan", "roce").exit_code == 0
    assert "    linkGbps: 800" in text
    stack.write_text(text.replace("    linkGbps: 800", "    linkGbps: 200", 1))
    done = railyard("plan", "roce")
    assert "no part of the catalogue fits" in done.stdout
    assert "(invariant)" not in done.stdout
    assert done.exit_code == 1
    waiver = {
        "rule": "FABRIC-020",
        "where": "roce/cables/*",
        "reason": "a part of our own",
        "expires": "2027-03-01",
    }
    listed = "".join(f"      {key}: {value!r}\n" for key, value in waiver.items())
    stack.write_text(stack.read_text().replace("config:\n", f"config:\n  railyard:waivers:\n    -{listed[5:]}", 1))
    assert railyard("plan", "roce").exit_code == 0
