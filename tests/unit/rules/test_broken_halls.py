"""prod-site-a's hall passes; with one key changed, it fails with the rules that know what is wrong, and no others."""

from datetime import date
from pathlib import Path

import pytest

from railyard import load
from railyard.plan import plan
from railyard.rules import check

pytestmark = pytest.mark.requirement("C3")

ROOT = Path(__file__).parents[3]
STACK = ROOT / "stacks" / "Pulumi.prod-site-a.yaml"
TODAY = date(2026, 12, 1)
STRIP = "strip-415v-60a-12x20a"
FEED_A = f"- name: a\n        pduModel: {STRIP}"
HALLS = [
    ("busway-too-small", "from: panel-a, breakerA: 800", "from: panel-a, breakerA: 400", {"POWER-009", "POWER-031"}),
    ("strip-of-another-voltage", FEED_A, FEED_A.replace(STRIP, "pdu-208v-60a-3ph"), {"POWER-007"}),
    ("breakers-not-derated", "continuousRating: 0.8", "continuousRating: 0.9", {"POWER-004"}),
    ("hall-for-25-kw-racks", "airLimitKw: 40", "airLimitKw: 25", {"COOL-001"}),
    ("no-spare-fan-wall", "units: 6", "units: 5", {"COOL-016"}),
    ("warm-inlet", "inletC: 24", "inletC: 32", {"COOL-006"}),
    ("rack-too-shallow", "rackModel: rack-48u-1200", "rackModel: apc-ar3100", {"RACK-004"}),
    ("reserved-u-above-the-rack", "reservedU: [1]", 'reservedU: [1, "49-50"]', {"RACK-005"}),
    ("floor-for-600-kg", "weightLimitKg: 1400", "weightLimitKg: 500", {"RACK-001"}),
    ("tiles-of-2-kn", "pointKg: 567", "pointKg: 200", {"RACK-006"}),
    ("office-floor", "uniformKgPerM2: 1224", "uniformKgPerM2: 200", {"RACK-007"}),
    ("door-beyond-the-wall", "wall: south, atM: 5.4", "wall: south, atM: 12.4", {"RACK-009"}),
    ("column-in-a-row", "name: column-w1, xM: 1.2", "name: column-w1, xM: 4.2", {"RACK-010"}),
    ("hall-too-small", "widthM: 34.8", "widthM: 27.9", {"RACK-010", "RACK-012"}),
    ("eight-rows", "rows: 10", "rows: 8", {"RACK-011"}),
    ("narrow-cold-aisles", "coldAisleM: 2.4", "coldAisleM: 1.0", {"RACK-012"}),
    ("row-before-the-door", "yM: 3.6", "yM: 0.9", {"RACK-012", "RACK-013"}),
    ("low-door", "kind: door, widthM: 2.4, heightM: 2.6", "kind: door, widthM: 2.4, heightM: 2.1", {"RACK-014"}),
    ("small-lift", "heightM: 2.5, kg: 2000", "heightM: 2.5, kg: 250", {"RACK-015"}),
    ("steep-ramp", "slopeDeg: 4.5", "slopeDeg: 7", {"RACK-016"}),
    ("low-ceiling", "clearHeightM: 3.2", "clearHeightM: 2.6", {"RACK-017"}),
    ("mirrors-in-one-rack", "mirrorsApart: true", "mirrorsApart: false", {"RACK-023"}),
    ("managers-in-one-rack", "spineRacks: 2", "spineRacks: 1", {"RACK-022"}),
]
STOPPING = ("invariant", "limit")


def failed(tmp_path: Path, text: str) -> set[str]:
    path = tmp_path / "Pulumi.prod-site-a.yaml"
    path.write_text(text, encoding="utf-8")
    config = load.site_config(ROOT, "prod-site-a", config_file=path)
    return {finding.id for finding in check(config, plan(config), TODAY) if finding.severity in STOPPING}


def test_the_hall_itself_passes(tmp_path: Path):
    assert failed(tmp_path, STACK.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(("old", "new", "rules"), [hall[1:] for hall in HALLS], ids=[hall[0] for hall in HALLS])
def test_a_broken_hall_fails_with_the_right_id(tmp_path: Path, old: str, new: str, rules: set[str]):
    text = STACK.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old} must stand once in the stack file"
    found = failed(tmp_path, text.replace(old, new))
    assert rules <= found
    assert families(found) == families(rules), "what is wrong with one thing is no finding about another"


def families(rules: set[str]) -> set[str]:
    return {rule.partition("-")[0] for rule in rules}


def test_ten_halls_and_more_of_all_kinds():
    assert len(HALLS) >= 10
    assert families({rule for *_, expected in HALLS for rule in expected}) == {"POWER", "COOL", "RACK"}
