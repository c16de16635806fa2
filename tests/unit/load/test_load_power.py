"""`railyard:power` and its feeds: what is wrong has its id, place, limit and what to type instead; nothing is a traceback."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from railyard.cli.init import init
from railyard.load import site_config
from railyard.load.stack import from_config
from railyard.model.errors import LoadError
from railyard.model.power import PowerSection
from railyard.plan import plan
from railyard.render.power_text import power_text
from railyard.rules import check
from tests.unit.load.load_site import ROOT, Yard, make

pytestmark = pytest.mark.requirement("C3", "C4")

GOOD = """\
  railyard:power:
    supply: {volts: 415, voltageReference: line-line, phases: 3}
    loads: {basis: measured, evidence: meters of May, marginPercent: 10, kw: {dgx-h100: 9.1}}
    paths:
      - {name: ups-a, kind: ups, feed: a, ratedKva: 2000, ratedKw: 1800}
      - {name: bus-a, kind: busway, from: ups-a, breakerA: 800, rowsEach: 1}
      - {name: ups-b, kind: ups, feed: b, rows: [1, 4]}
"""

CASES = [
    # old, new, id, path, part of the limit or the fix
    (", voltageReference: line-line", "", "LOAD-006", "power.supply.voltageReference", "`: line-line or line-neutral"),
    ("line-line", "line", "LOAD-009", "power.supply.voltageReference", "did you mean `line-line`"),
    ("volts: 415", "volts: 415 V", "LOAD-007", "power.supply.volts", "number"),
    ("volts: 415", "volts: 41500", "LOAD-008", "power.supply.volts", "less than or equal to 1000"),
    ("volts: 415", "volts: -415", "LOAD-008", "power.supply.volts", "greater than 0"),
    ("phases: 3", "phases: 2", "LOAD-009", "power.supply.phases", ""),
    ("breakerA: 800", 'breakerA: "800 A"', "LOAD-007", "power.paths[1].breakerA", "unit is ampere"),
    ("breakerA: 800", "breakerA: 800 A", "LOAD-007", "power.paths[1].breakerA", "unit is ampere"),
    ("breakerA: 800", "breakerA: eight hundred", "LOAD-007", "power.paths[1].breakerA", "in ampere"),
    ("breakerA: 800", "breakerA: -1", "LOAD-008", "power.paths[1].breakerA", "in ampere"),
    ("breakerA: 800", "breakerA: 0", "LOAD-008", "power.paths[1].breakerA", "greater than 0"),
    ("breakerA: 800", "breakerA: 1e300", "LOAD-008", "power.paths[1].breakerA", "in ampere"),
    ("breakerA: 800", "breakerA: .inf", "LOAD-008", "power.paths[1].breakerA", "finite"),
    ("ratedKva: 2000", "ratedKva: 1500000", "LOAD-007", "power.paths[0].ratedKva", "1.5e+06 W are 1500 kW"),
    ("ratedKw: 1800", "ratedKw: -5", "LOAD-008", "power.paths[0].ratedKw", "in kW"),
    ("ratedKw: 1800", "ratedKw: 1800 kW", "LOAD-007", "power.paths[0].ratedKw", "unit is kW"),
    ("feed: a", "feed: x", "LOAD-009", "power.paths[0].feed", ""),
    ("feed: a", "feed: А", "LOAD-010", "power.paths[0].feed", "type `A` by hand"),
    ("kind: busway", "kind: busways", "LOAD-009", "power.paths[1].kind", "did you mean `busway`"),
    ("name: ups-b", "name: ups-a", "LOAD-013", "power.paths[2].name", "another name"),
    ("name: ups-b", "name: UPS_B", "LOAD-007", "power.paths[2].name", ""),
    ("rowsEach: 1", "rowsEach: 0", "LOAD-008", "power.paths[1].rowsEach", ""),
    ("rowsEach: 1", "rowEach: 1", "LOAD-005", "power.paths[1].rowEach", "did you mean `rowsEach`"),
    ("rows: [1, 4]", "rows: [4, 1]", "LOAD-007", "power.paths[2]", "[first, last]"),
    ("rows: [1, 4]", "rows: [1, 4], rowsEach: 1", "LOAD-007", "power.paths[2]", "not both"),
    ("rows: [1, 4]", "rows: [1, 1000000]", "LOAD-008", "power.paths[2].rows[1]", "range"),
    ("rows: [1, 4]", "volts: 208", "LOAD-007", "power.paths[2]", "`volts` and `voltageReference` together"),
    ("evidence: meters of May, ", "", "LOAD-007", "power.loads", "`evidence` and `marginPercent` beside basis measured"),
    (", kw: {dgx-h100: 9.1}", "", "LOAD-007", "power.loads", "`kw` by model"),
    ("basis: measured", "basis: nameplate", "LOAD-007", "power.loads", "no `kw` beside basis nameplate"),
    ("dgx-h100: 9.1", "dgx-h100: 9.1 kW", "LOAD-007", "power.loads.kw.dgx-h100", "digits"),
    ("ratedKw: 1800", "ratedKw: 1800, efficiency: 0.01", "LOAD-007", "power.paths[0].efficiency", "is an efficiency of 0.99"),
    ("ratedKw: 1800", "ratedKw: 1800, efficiency: 0.499", "LOAD-007", "power.paths[0].efficiency", "at least 0.5"),
    ("ratedKw: 1800", "ratedKw: 1800, efficiency: 97", "LOAD-008", "power.paths[0].efficiency", "less than or equal to 1"),
    ("ratedKw: 1800", "ratedKw: 1800, efficiency: 0", "LOAD-008", "power.paths[0].efficiency", "greater than 0"),
    ("ratedKw: 1800", "ratedKw: 1800, efficiency: true", "LOAD-007", "power.paths[0].efficiency", "number"),
    ("dgx-h100: 9.1", "dgx-h100: 0", "LOAD-008", "power.loads.kw.dgx-h100", "greater than 0"),
    ("paths:", "path:", "LOAD-005", "power.path", "did you mean `paths`"),
]


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = make(tmp_path)
    made.add(GOOD)
    return made


def test_the_section_loads(yard: Yard):
    power = yard.load().file.power
    assert power is not None
    assert [segment.parent for segment in power.paths] == [None, "ups-a", None]


@pytest.mark.parametrize(("old", "new", "number", "where", "text"), CASES)
def test_bad_power_is_named(yard: Yard, old: str, new: str, number: str, where: str, text: str):
    yard.edit(old, new)
    problem = yard.only()
    assert problem.id == number
    assert problem.where == f"stacks/Pulumi.lab.yaml:railyard:{where}"
    assert text in f"{problem.limit} {problem.fix}"
    assert problem.found
    assert problem.line


CONTRADICTIONS = [
    ("rows: [1, 4]", "rows: [4, 1]", "rows [4, 1]"),
    ("rows: [1, 4]", "rows: [1, 4], rowsEach: 1", "rows [1, 4], rowsEach 1"),
    ("rows: [1, 4]", "volts: 208", "volts 208, voltageReference nothing"),
    ("rows: [1, 4]", "voltageReference: line-line", 'volts nothing, voltageReference "line-line"'),
    ("evidence: meters of May, ", "", 'basis "measured", evidence nothing, marginPercent 10'),
    (", kw: {dgx-h100: 9.1}", "", 'basis "measured", kw nothing'),
    ("basis: measured", "basis: typical", 'basis "typical", kw {"dgx-h100": 9.1}'),
]


@pytest.mark.parametrize(("old", "new", "found"), CONTRADICTIONS)
def test_what_contradicts_is_shown(yard: Yard, old: str, new: str, found: str):
    yard.edit(old, new)
    assert yard.only().found == found


def test_half_is_an_efficiency(yard: Yard):
    yard.edit("ratedKw: 1800", "ratedKw: 1800, efficiency: 0.5")
    power = yard.load().file.power
    assert power is not None
    assert power.paths[0].efficiency == 0.5


@pytest.mark.parametrize(
    ("new", "number", "text"),
    [
        ("pdusPerRack: 2\n        breakerA: 60 A", "LOAD-007", "unit is ampere"),
        ("pdusPerRack: 2\n        breakerA: 99999", "LOAD-008", "in ampere"),
        ("pdusPerRack: 2\n        continuousRating: 80", "LOAD-008", "less than or equal to 1"),
    ],
)
def test_a_feeds_own_breaker(yard: Yard, new: str, number: str, text: str):
    yard.edit("pdusPerRack: 2", new)
    problem = yard.only()
    assert problem.id == number
    assert text in f"{problem.limit} {problem.fix}"


def test_all_of_it_is_named_at_once(yard: Yard):
    yard.edit("volts: 415", "volts: 415 V")
    yard.edit("breakerA: 800", "breakerA: -1")
    yard.edit("ratedKva: 2000", "ratedKva: 2000000")
    yard.edit("kind: busway", "kind: bus")
    assert {problem.id for problem in yard.problems()} == {"LOAD-007", "LOAD-008", "LOAD-009"}
    assert len(yard.problems()) == 4


def test_a_truncated_section_is_no_traceback(yard: Yard):
    text = yard.stack.read_text(encoding="utf-8")
    cut = text.index("voltageReference: line-line") + 20
    yard.stack.write_text(text[:cut], encoding="utf-8")
    assert yard.problems()


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from([field.alias for field in PowerSection.model_fields.values()])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(KEYS, ANY, max_size=4))
def test_nothing_that_can_be_written_there_is_a_traceback(section: dict[str, Any]):
    import json

    _, document = from_config({"railyard:power": json.dumps(section)}, "x")
    assert document.problems
    assert str(LoadError(document.problems))


def test_the_documented_hall_that_transforms(tmp_path: Path):
    """docs/hall.md: 480 V above, 208 V at the strips; without the panels' volts the strips get 480 V and are refused."""
    text = (ROOT / "docs" / "hall.md").read_text(encoding="utf-8")
    (example,) = [block for block in text.split("```") if block.startswith("yaml\n  railyard:power:") and "volts: 480" in block]
    stack, _ = init("demo", "starter", tmp_path, "8")
    begun = stack.read_text(encoding="utf-8")
    for lines, refused in ((example, False), (example.replace("volts: 208, voltageReference: line-line, ", ""), True)):
        stack.write_text(begun.replace("config:\n", f"config:\n{lines.removeprefix('yaml')}", 1), encoding="utf-8")
        config = site_config(tmp_path, "demo")
        planned = plan(config)
        assert ("POWER-007" in {finding.id for finding in check(config, planned, date(2026, 12, 1))}) == refused
        if not refused:
            said = [line for line in text.splitlines() if line.startswith(("  ups ups-a (", "  panel pdu-a ("))]
            assert [line for line in power_text(planned).splitlines() if line.startswith(("  ups", "  panel"))] == said
