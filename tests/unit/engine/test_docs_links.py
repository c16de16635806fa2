"""What the hand-written pages point to is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{path.relative_to(ROOT / 'docs')}" for path in (ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_relative_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text()
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) + re.findall(r'src="([^"]+)"', text)
    local = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in local if not ((ROOT / page).parent / link).exists()] == []


def test_files_that_the_architecture_names_exist() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|yaml|md))[`: ]", text))
    assert len(named) > 8
    assert {name for name in named if not any((ROOT / base / name).exists() for base in (".", "railyard"))} == set()
