"""`railyard netbox` as people and scripts run it."""

import shutil
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from railyard import catalog
from railyard.cli.init import init
from railyard.load import stack_names
from railyard.read.netbox import read_netbox_files
from railyard.rules.netbox import check_import

pytestmark = pytest.mark.requirement("U5", "U4", "C3")
ROOT = Path(__file__).parents[2]
SAMPLES = Path(__file__).parents[1] / "data" / "netbox"


def exported(railyard, stack, folder):
    result = railyard("netbox", "export", stack, "--out", folder)
    assert result.exit_code == 0, result.stdout + result.stderr
    return result


def csv_of(folder):
    """The files of an export that NetBox gets: tables as CSV alone, and the device types."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix == ".csv" or path.parent.name.endswith("device-types"))
    return [(str(path.relative_to(folder)), path.read_bytes()) for path in paths if path.parent.name != "instead-of-types"]


def test_the_samples_are_read_judged_and_written_as_rows(railyard, tmp_path):
    out = tmp_path / "rows.yaml"
    result = railyard("netbox", "import", SAMPLES, "--out", out)
    assert result.exit_code == 1
    for part in (
        "62 interfaces of 400 Gb/s; P22.1, P23.0 missing from the numbering",
        "1071 + 1071 = 2142 W",
        "module-bay `SXM5` 8 times",
        "2 names without quotes (`08`, `09`)",
        "no power port; 2 supplies are bays (PSU1, PSU2)",
        "quarantined: nvidia-dgx-a100-640gb",
        "5 device types; 15 findings; written:",
    ):
        assert part in result.stdout, part
    rows = YAML(typ="safe", pure=True).load(out.read_text())
    assert set(rows) == {"switches", "pdus", "unplaced"}
    assert "ports" not in rows["switches"]["qm9700"]  # it contradicts itself
    assert rows["switches"]["sn5600"]["ports"] == {800: 64}
    assert rows["pdus"]["vertiv-gi10022l"]["outlets"] == 24
    assert "# nvidia-dgx-a100-640gb: quarantined, no row" in out.read_text()


def test_one_file_is_enough(railyard):
    result = railyard("netbox", "import", SAMPLES / "sn5600.yaml")
    assert result.exit_code == 1
    assert "NETBOX-003 nvidia-sn5600" in result.stdout


@pytest.mark.parametrize("stack", stack_names(ROOT))
def test_an_export_has_no_finding_of_its_own(railyard, checkout, tmp_path, stack):
    """What is left is what nobody knows, and NetBox doesn't either: outlets of a strip, supplies of a server."""
    known = catalog.load()
    result = exported(railyard, stack, tmp_path / "nb")
    data, _ = read_netbox_files(csv_of(tmp_path / "nb"))
    found = {(finding.id, finding.severity, finding.where.partition(" ")[0]) for finding in check_import(data, known)[1]}
    bare = {kind.slug for kind in data.device_types if kind.u_height and not kind.of("power-port")}
    blind = {
        device.name for device in data.devices if device.device_type in known.pdus and not known.pdus[device.device_type].banks
    }
    assert {one for one in found if one[0] != "NETBOX-025"} == {("NETBOX-003", "limit", slug) for slug in bare}
    assert {one for one in found if one[0] == "NETBOX-025"} == {
        ("NETBOX-025", "undecided", f"{feed.panel}/{feed.name}")
        for feed in data.feeds
        if feed.name.removesuffix("-feed") in blind
    }
    assert all(known.nodes[kind.model].psus is None for kind in data.device_types if kind.slug in bare)
    assert ("0 W in NetBox" in result.stdout) == bool(bare)


def test_a_grown_roce_site_goes_out_and_comes_back(railyard, checkout, tmp_path):
    """32 nodes on SN5600 at 400 Gb/s: leaves that split cages, and storage switches of that model whose ports are counted."""
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    stack, _ = init("grown", "starter-roce", tmp_path)
    text = stack.read_text()
    assert "nodes: 4 #" in text
    stack.write_text(text.replace("nodes: 4 #", "nodes: 32 #"))
    out = tmp_path / "nb"
    result = railyard("netbox", "export", "grown", "--out", out, "--root", tmp_path)
    assert result.exit_code == 0, result.stdout + result.stderr
    result = railyard("netbox", "import", out)
    assert result.stdout.endswith("; 0 findings\n"), result.stdout
    result = railyard("netbox", "check", "grown", out, "--root", tmp_path)
    assert result.stdout.endswith(": 0 differences\n"), result.stdout


@pytest.mark.parametrize("stack", ["prod-site-a", "starter", "lab-roce"])
def test_the_export_of_a_stack_comes_back_as_its_plan(railyard, checkout, tmp_path, stack):
    exported(railyard, stack, tmp_path / "nb")
    result = railyard("netbox", "check", stack, tmp_path / "nb")
    assert result.stdout.endswith(": 0 differences\n"), result.stdout
    assert result.exit_code == 0


def test_an_edit_is_found_with_both_values(railyard, checkout, tmp_path):
    exported(railyard, "lab", tmp_path / "nb")
    shutil.rmtree(tmp_path / "nb" / "instead-of-types")
    for path in (tmp_path / "nb").glob("*.yaml"):
        path.unlink()
    feeds = tmp_path / "nb" / "10-power-feeds.csv"
    feeds.write_text(feeds.read_text().replace("three-phase,415,60,80", "three-phase,230,60,80", 1))
    result = railyard("netbox", "check", "lab", tmp_path / "nb")
    assert result.exit_code == 1
    assert "found: voltage 230\n  limit: voltage 415\n" in result.stdout
    assert "(10-power-feeds.csv:2)" in result.stdout
    assert result.stdout.endswith(": 1 difference\n")


def test_another_stacks_files_are_not_this_one(railyard, checkout, tmp_path):
    exported(railyard, "starter", tmp_path / "nb")
    result = railyard("netbox", "check", "lab", tmp_path / "nb")
    assert result.exit_code == 1
    assert "found: racks and devices of `starter` only" in result.stdout


def test_bad_input_ends_with_two_and_every_problem(railyard, tmp_path):
    (tmp_path / "a.yaml").write_text("manufacturer: A\nmodel: [B\n")
    (tmp_path / "b.csv").write_text("colour,shape\nred,round\n")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    result = railyard("netbox", "import", tmp_path)
    assert result.exit_code == 2
    assert "READ-002 a.yaml:" in result.stderr
    assert "READ-004 b.csv:1" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("command", [("import",), ("check", "lab")])
def test_a_folder_that_is_not_there(railyard, checkout, command):
    result = railyard("netbox", *command, "nowhere")
    assert result.exit_code == 2
    assert "found: no such file or folder" in result.stderr


def test_an_empty_folder_is_said(railyard, tmp_path):
    result = railyard("netbox", "import", tmp_path)
    assert result.exit_code == 2
    assert "no NetBox object" in result.stderr


def test_an_unknown_stack_and_an_output_that_is_a_file(railyard, checkout, tmp_path):
    result = railyard("netbox", "export", "labb", "--out", tmp_path / "x")
    assert result.exit_code == 2
    assert not (tmp_path / "x").exists()
    (tmp_path / "file").write_text("")
    result = railyard("netbox", "export", "lab", "--out", tmp_path / "file")
    assert result.exit_code == 2
    assert "a folder" in result.stderr


def test_rules_are_explained(railyard):
    result = railyard("rules", "NETBOX-004")
    assert result.exit_code == 0
    assert "quarantined" in result.stdout
