"""docs/reference/errors.md is written by hand; every id that the code has, and that is no rule, stands in it, and no other."""

import re
from pathlib import Path

from railyard.rules import RULES

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("railyard", "components", "providers", "policies", "services", "engine", "lab")
PAGE = ROOT / "docs/reference/errors.md"
ERROR_ID = re.compile(r"\b(?:LOAD|READ|PLAN|SIZE|FAIL|PEER|KIT|METAL|KUBE|SWITCH|WIRING|ENGINE|LAB|CLI|INIT)-\d{3}\b")


def in_code() -> set[str]:
    sources = [path for room in ROOMS for kind in ("*.py", "*.sh") for path in (ROOT / room).rglob(kind)]
    assert len(sources) > 100
    return {ident for path in sources for ident in ERROR_ID.findall(path.read_text(encoding="utf-8"))} - set(RULES)


def test_every_id_of_the_code_is_explained_and_none_is_left_over():
    explained = re.findall(r'^\| <a id="([a-z]+-\d{3})"></a>([A-Z]+-\d{3}) \| [^|]+ \| [^|]+ \|$', PAGE.read_text(), re.M)
    assert all(anchor == ident.lower() for anchor, ident in explained)
    idents = [ident for _, ident in explained]
    assert len(idents) == len(set(idents))
    assert set(idents) == in_code()


def test_ids_of_rules_that_the_page_mentions_exist():
    head = PAGE.read_text().partition("## LOAD")[0]
    assert set(re.findall(r"`([A-Z]+-\d{3})`", head)) <= set(RULES)
