"""DMTF's Redfish Protocol Validator against an emulated BMC: it must find nothing."""

import csv
import os
import subprocess
import sys
from pathlib import Path

from tests.lab.emulated import Lab, inventory_text

KNOWN_FAILURES = 0
PASSED_AT_LEAST = 350


def test_protocol_validator_finds_nothing(tmp_path: Path) -> None:
    with Lab.run(tmp_path, inventory_text(1), provision=False) as lab:
        machine = lab.machines[0]
        user, password = lab.instance.credential("bmc-factory")
        program = Path(sys.executable).with_name("rf_protocol_validator")
        # The password on a command line: this one dies with the test.
        argv = [program, "-u", user, "-p", password, "-r", f"https://{machine.host}:{machine.port}", "--ca-bundle",
                lab.instance.ca, "--report-dir", tmp_path, "--report-type", "tsv", "--avoid-http-redirect"]  # fmt: skip
        env = {key: value for key, value in os.environ.items() if key not in {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}}
        done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240, check=False)
    (report,) = tmp_path.glob("*.tsv")
    with report.open(newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t"))
    failures = [row for row in rows if "FAIL" in row]
    assert len(failures) <= KNOWN_FAILURES, failures
    assert sum("PASS" in row for row in rows) >= PASSED_AT_LEAST, done.stdout
