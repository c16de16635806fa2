"""`railyard audit`: exit codes, formats, and errors of files, design file and arguments at once."""

import csv
import io
import json

import pytest

from railyard.audit import design_of
from railyard.load import site_config
from railyard.plan import plan
from tests.built_fabric import Built
from tests.unit.audit_files import DATA

pytestmark = pytest.mark.requirement("N5")
DESIGN = DATA / "gb-576.yaml"
SAMPLE = DATA / "ibnetdiscover_gb_576ep.txt.gz"


@pytest.fixture
def swept(checkout, tmp_path):
    """(built fabric of the stack `lab`, function that writes its ibnetdiscover text and gives the path)."""
    config = site_config(checkout, "lab")
    design = design_of(plan(config), config.catalog)
    built = Built(design)
    built.remove([index for index, link in enumerate(design.links) if link.network != "training"])

    def write(name="nd.txt"):
        path = tmp_path / name
        path.write_text(built.ibnetdiscover())
        return path

    return built, write


def test_a_stack_as_planned_is_clean(swept, railyard):
    _, write = swept
    result = railyard("audit", "lab", write())
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "No finding" in result.stdout


def test_a_stack_with_a_fault_exits_1_and_names_both_ends(swept, railyard):
    built, write = swept
    a, z, _ = built.links[0]
    built.remove([0])
    result = railyard("audit", "lab", write())
    assert result.exit_code == 1
    assert str(a) in result.stdout
    assert str(z) in result.stdout
    assert "R0" in result.stdout


def test_sample_8_as_json_and_as_csv(railyard):
    result = railyard("audit", "--design", DESIGN, SAMPLE, "--format", "json")
    assert result.exit_code == 1
    body = json.loads(result.stdout)
    assert (body["totals"]["uplinks"], body["totals"]["endpoints"], body["clean"]) == (532, 538, False)
    rows = list(csv.DictReader(io.StringIO(railyard("audit", "--design", DESIGN, SAMPLE, "--format", "csv").stdout)))
    assert len({row["step"] for row in rows}) == len(body["work"])
    swap = [row for row in rows if row["action"] == "exchange" and row["effect"] == "yes"]
    assert {(row["role"], row["a"], row["z"]) for row in swap} == {
        ("found", "su08-tray01/HCA-6", "leaf-03-08/1"),
        ("found", "su08-tray01/HCA-5", "leaf-04-08/1"),
        ("planned", "su08-tray01/HCA-5", "leaf-03-08/1"),
        ("planned", "su08-tray01/HCA-6", "leaf-04-08/1"),
    }


def test_html_into_a_file(railyard, tmp_path):
    target = tmp_path / "audit.html"
    result = railyard("audit", "--design", DESIGN, SAMPLE, "--format", "html", "--out", target)
    assert result.exit_code == 1
    assert "written:" in result.stdout
    page = target.read_text()
    assert page.count("data-step=") == page.count('class="box"') > 30
    assert "leaf-03-01" in page


def test_one_unit(railyard):
    result = railyard("audit", "--design", DESIGN, SAMPLE, "--unit", "3", "--format", "json")
    body = json.loads(result.stdout)
    assert body["totals"]["leavesPlanned"] == 4
    assert {one["unit"] for one in body["verdicts"]} == {3}


def test_sample_11_is_half_of_its_design(railyard):
    """Case 29: 100 Gb/s = 12.5 GB/s a host, half of the design."""
    result = railyard(
        "audit", "--design", DATA / "edr-hosts.yaml", DATA / "iblinkinfo_edr_hosts_hdr_switch.txt", "--format", "json"
    )
    body = json.loads(result.stdout)
    assert [(one["gbps"], one["gbPerS"], one["percent"]) for one in body["slow"]] == [(100.0, 12.5, 50.0)] * 3
    assert body["totals"]["aggregationNodes"] == 1
    clean = railyard("audit", "--design", DATA / "edr-hosts.yaml", "--no-speeds", DATA / "iblinkinfo_edr_hosts_hdr_switch.txt")
    assert "AUDIT-009" not in clean.stdout


def test_truncated_file_is_an_error(railyard):
    result = railyard("audit", "--design", DESIGN, DATA / "ibnetdiscover_truncated.txt")
    assert result.exit_code == 2
    assert "no switch records" in result.stderr


def test_folder_of_files(swept, railyard, tmp_path):
    _, write = swept
    folder = tmp_path / "files"
    folder.mkdir()
    write("files/one.txt")
    (folder / ".hidden").write_text("not read")
    assert railyard("audit", "lab", folder).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lab"], "no file to audit"),
        (["nosuch", SAMPLE], "LOAD-0"),
        (["lab", "nosuch.txt"], "No such file"),
        (["lab", SAMPLE], "READ-007"),
        (["--design", SAMPLE, SAMPLE], "LOAD-0"),
        (["--design", "nosuch.yaml", SAMPLE], "LOAD-001"),
        (["--design", DESIGN, DESIGN], "READ-004"),
    ],
)
def test_bad_input_ends_with_2_and_a_block(checkout, railyard, arguments, said):
    result = railyard("audit", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_problems_of_stack_and_files_come_together(checkout, railyard):
    result = railyard("audit", "nosuch", DATA / "ibnetdiscover_truncated.txt")
    assert result.exit_code == 2
    assert "READ-003" in result.stderr
    assert "LOAD-0" in result.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("spines: 9", "spines: nine"), "spines"),
        (("rails: 4\n", "rails: 5\n"), "5 different adapters"),
        (("linksPerPair", "linksPerPare"), "linksPerPair"),
        (('{rail:02}-{unit:02}"\n  spine', '{rial:02}"\n  spine'), "{rial:02}"),
        (('leaf: "leaf-{rail:02}-{unit:02}"', 'leaf: "leaf-{unit:02}"'), "two switches get one name"),
        (("firstUp: 33", "firstUp: 18"), "firstUp"),
        (("rails: [[1, 2], [3, 4]]", "rails: [[1, 9]]"), "guidNeighbours"),
        (('"4": [', '"9": ['), "unitHcas"),
    ],
)
def test_bad_design_file(railyard, tmp_path, change, said):
    old, new = change
    text = DESIGN.read_text()
    assert old in text
    path = tmp_path / "design.yaml"
    path.write_text(text.replace(old, new, 1))
    result = railyard("audit", "--design", path, SAMPLE)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_error_leaves_the_last_good_file(railyard, tmp_path):
    """Case 21: zero switches are refused, and what was written before stays."""
    target = tmp_path / "audit.json"
    target.write_text("good")
    arguments = ("--format", "json", "--out", target)
    assert railyard("audit", "--design", DESIGN, DATA / "ibnetdiscover_truncated.txt", *arguments).exit_code == 2
    assert target.read_text() == "good"
    assert railyard("audit", "--design", DESIGN, SAMPLE, *arguments).exit_code == 1
    assert json.loads(target.read_text())["title"] == "gb-576"
