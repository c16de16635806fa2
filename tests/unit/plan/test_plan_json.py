"""plan.json piece by piece: the same text whatever the pieces' size, and sorted JSON all the way down."""

import json

import pytest

from railyard.plan import as_json, json_parts, plan, to_json
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N1")


@pytest.mark.parametrize("rows", [1, 2, 7, 10_000])
def test_the_pieces_size_does_not_show(monkeypatch, rows):
    made = plan(make_site())
    whole = to_json(made)
    monkeypatch.setattr(as_json, "ROWS", rows)
    assert b"".join(json_parts(made)) == to_json(made) == whole


def test_it_is_json_with_sorted_keys_and_one_blank_of_indent():
    text = to_json(plan(make_site()))
    assert text.decode() == json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def test_a_piece_stays_small():
    made = plan(make_site())
    most = max(len(part) for part in json_parts(made))
    assert most < len(to_json(made))
