"""What the bench says about its figures: ratios, limits, and the file that others read."""

import json
import subprocess
import sys

import pytest

from bench.__main__ import ITEMS, main
from bench.raw_client import steps_of
from bench.rows import Row, missed, peak_mib, table, write
from engine.paths import ROOT


@pytest.mark.parametrize(
    ("row", "ok"),
    [
        (Row("a", 0.9, "s", limit=1.0), True),
        (Row("a", 1.1, "s", limit=1.0), False),
        (Row("a", 12.0, "s", 10.0, 1.25, of_ratio=True), True),
        (Row("a", 13.0, "s", 10.0, 1.25, of_ratio=True), False),
        (Row("a", 0.5, "s", 10.0, 1.25), True),
        (Row("a", 0.5, "s", None, 1.25, of_ratio=True), False),
        (Row("a", 99.0, "s"), None),
    ],
)
def test_a_limit_bounds_the_value_or_the_ratio(row, ok):
    assert row.ok is ok
    assert bool(missed([row])) is (ok is False)


def test_the_file_has_the_promised_keys_and_unrounded_verdicts(tmp_path):
    out = tmp_path / "bench.json"
    write([Row("up", 2.0, "s", 1.6, 1.3, of_ratio=True), Row("unit", 3.0, "s")], out)
    first, second = json.loads(out.read_text())
    assert first == {"name": "up", "value": 2.0, "unit": "s", "baseline": 1.6, "ratio": 1.25, "limit": 1.3, "ok": True}
    assert (second["baseline"], second["ratio"], second["limit"], second["ok"]) == (None, None, None, None)


def test_the_table_names_what_was_missed():
    lines = table([Row("fast", 1.0, "s", limit=2.0), Row("slow", 3.0, "s", 1.0, 1.5, of_ratio=True, note="why")]).splitlines()
    assert len(lines) == 3
    assert lines[1].endswith("ok")
    assert "MISSED" in lines[2]
    assert lines[2].endswith("why")


def test_list_names_every_item(capsys):
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(ITEMS)


def test_a_missed_limit_is_exit_code_1_and_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(ITEMS, "unit", type(ITEMS["unit"])("text", lambda _: [Row("too slow", 2.0, "s", limit=1.0)]))
    assert main(["unit", "--out", str(tmp_path / "bench.json")]) == 1
    assert "MISSED: too slow" in capsys.readouterr().err


def test_the_replay_takes_each_machines_requests_in_their_order():
    log = [
        {"t": 2.0, "serial": "A", "method": "POST", "path": "/b", "status": 201},
        {"t": 1.0, "serial": "A", "method": "GET", "path": "/a", "status": 200},
        {"t": 1.5, "serial": "B", "method": "GET", "path": "/a", "status": 200},
        {"t": 3.0, "serial": "B", "error": "no request"},
    ]
    assert steps_of(log) == {"A": (("GET", "/a", 200), ("POST", "/b", 201)), "B": (("GET", "/a", 200),)}


def test_peak_memory_is_this_process_own_and_not_its_parents():
    ballast = bytearray(b"x") * (200 * 1024 * 1024)
    program = "from bench.rows import peak_mib; print(peak_mib())"
    child = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert len(ballast) < peak_mib() * 1024 * 1024
    assert 5 < float(child.stdout) < 150
