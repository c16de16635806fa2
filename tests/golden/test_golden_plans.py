"""Golden cases: a folder with stack.yaml and inventory.yaml in, expected/plan.json out. `--update-golden` writes it again."""

from pathlib import Path

import pytest

from railyard import load
from railyard.plan import plan, to_json

HERE = Path(__file__).parent
CASES = sorted(path.parent for path in HERE.glob("*/stack.yaml"))


def test_cases_are_found():
    assert len(CASES) >= 2


@pytest.mark.requirement("N1", "C5", "U8")
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_plan_is_as_reviewed(case: Path, update_golden: bool):
    config = load.site_config(case, case.name, config_file=case / "stack.yaml")
    expected, found = case / "expected" / "plan.json", to_json(plan(config))
    if update_golden:
        expected.parent.mkdir(exist_ok=True)
        expected.write_bytes(found)
    assert expected.is_file(), "no expectation yet: run pytest --update-golden, review and commit it"
    # Line by line: a difference is then one line of the message, not one of two blobs.
    assert found.decode().splitlines() == expected.read_text(encoding="utf-8").splitlines()
