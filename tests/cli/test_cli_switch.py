"""`railyard check-switch`: a file as planned, a file that isn't, and what can't be judged."""

import pytest

from railyard import load
from railyard.cli.console import project_root
from railyard.plan import plan
from railyard.plan.switch_intent import switch_intents
from railyard.render.switches import switch_file

pytestmark = pytest.mark.requirement("N4")

LEAF = "roce-su001-leaf-r0"


def content(nos):
    return switch_file(next(switch_intents(plan(load.site_config(project_root(None), "roce")), nos)), nos)


@pytest.mark.parametrize("nos", ["frr", "sonic"])
def test_a_planned_file_has_no_findings(railyard, tmp_path, nos):
    file = tmp_path / "switch"
    file.write_bytes(content(nos))
    done = railyard("check-switch", "roce", LEAF, file)
    assert done.exit_code == 0
    assert f"{LEAF} ({nos}): no findings; planned: AS 4200010000, 32 neighbours, 36 ports" in done.stdout


@pytest.mark.parametrize(
    ("nos", "old", "new", "rule"),
    [
        ("frr", b"router bgp 4200010000", b"router bgp 4200010001", "FABRIC-065"),
        ("sonic", b'"26": "3"', b'"26": "1"', "FABRIC-066"),
        ("sonic", b'"bgp_asn": "4200010000"', b'"bgp_asn": "65100"', "DEVICE_METADATA bgp_asn 65100"),
        (
            "sonic",
            b'"hostname": "roce-su001-leaf-r0"',
            b'"hostname": "roce-su001-leaf-r1"',
            "DEVICE_METADATA hostname roce-su001-leaf-r1",
        ),
    ],
)
def test_a_changed_file_has(railyard, tmp_path, nos, old, new, rule):
    file = tmp_path / "switch"
    file.write_bytes(content(nos).replace(old, new))
    done = railyard("check-switch", "roce", LEAF, file)
    assert done.exit_code == 1
    assert rule in done.stdout


@pytest.mark.parametrize("data", [500, -3, b"[]", b"[" * 5000, b"\xef\xbb\xbf{", b"{'a': 1}"], ids=lambda data: str(data)[:12])
def test_json_that_is_cut_or_broken_is_bad_input_and_not_frr(railyard, tmp_path, data):
    file = tmp_path / "config"
    file.write_bytes(content("sonic")[:data] if isinstance(data, int) else data)
    done = railyard("check-switch", "roce", LEAF, file)
    assert done.exit_code == 2
    assert "READ-002" in done.stderr
    assert "JSON" in done.stderr
    assert "(frr)" not in done.stdout


def test_a_json_file_without_json_is_bad_input(railyard, tmp_path):
    file = tmp_path / "config_db.JSON"
    file.write_bytes(b"")
    assert railyard("check-switch", "roce", LEAF, file).exit_code == 2


@pytest.mark.parametrize("data", [b"", b"\x00\xff", b"{}"])
def test_files_that_are_none_are_findings_and_no_tracebacks(railyard, tmp_path, data):
    file = tmp_path / "switch"
    file.write_bytes(data)
    done = railyard("check-switch", "roce", LEAF, file)
    assert done.exit_code == 1
    assert "FABRIC-06" in done.stdout


def test_what_is_not_planned(railyard, tmp_path):
    file = tmp_path / "switch"
    file.write_bytes(b"x")
    for stack, switch in (("roce", "roce-leaf"), ("lab", "lab-su001-leaf-r0")):
        done = railyard("check-switch", stack, switch, file)
        assert done.exit_code == 2
        assert "CLI-008" in done.stderr
    assert railyard("check-switch", "roce", LEAF, tmp_path / "missing").exit_code == 2
