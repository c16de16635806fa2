"""The same bytes from every process, whatever its hash seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SCRIPT = """
import hashlib, sys
sys.path[:0] = sys.argv[1:3]
from tests.planned_site import make_site
from railyard.plan import plan, to_json
made = make_site(nodes=70, storage_nodes=3, fabric={"scalableUnits": 3, "plannedScalableUnits": 9})
print(hashlib.sha256(to_json(plan(made))).hexdigest())
"""


def digest(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", SCRIPT, str(TESTS), str(TESTS.parent)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.requirement("U8")
def test_bytes_do_not_depend_on_the_hash_seed():
    assert len({digest(seed) for seed in ("0", "1", "4242")}) == 1
