"""`railyard docs` writes what is generated, and `--check` names what is stale."""

import json
import shutil
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]

PAGES = {
    "docs/reference/config.md",
    "docs/reference/coverage.md",
    "docs/reference/outputs.md",
    "docs/reference/outputs.schema.json",
    "docs/reference/rules.md",
    "stacks/schema.json",
}


@pytest.fixture
def documented(checkout):
    (checkout / "docs/reference").mkdir(parents=True)
    shutil.copy(CHECKOUT / "docs/reference/requirements.csv", checkout / "docs/reference")
    (checkout / "tests").mkdir()
    (checkout / "tests/test_a.py").write_text('import pytest\n\n\n@pytest.mark.requirement("U4")\ndef test_a(): ...\n')
    return checkout


def test_docs_writes_all_pages_and_then_all_is_fresh(documented, railyard):
    assert railyard("docs", "--check").exit_code == 1
    assert railyard("docs").exit_code == 0
    assert all((documented / page).is_file() for page in PAGES)
    json.loads((documented / "stacks/schema.json").read_text())
    assert "test_a" in (documented / "docs/reference/coverage.md").read_text()
    assert railyard("docs", "--check").exit_code == 0
    assert railyard("docs").stdout == "all fresh\n"


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_stale_page_is_named(documented, railyard, page):
    railyard("docs")
    (documented / page).write_text("old")
    result = railyard("docs", "--check")
    assert result.exit_code == 1
    assert result.stderr.strip() == f"stale: {page} (run `railyard docs`)"
    assert (documented / page).read_text() == "old"


def test_a_mark_with_an_unknown_requirement_is_bad_input(documented, railyard):
    (documented / "tests/test_b.py").write_text('import pytest\n\n\n@pytest.mark.requirement("Z9")\ndef test_b(): ...\n')
    result = railyard("docs")
    assert result.exit_code == 2
    assert "CLI-004" in result.stderr
    assert "Z9" in result.stderr
