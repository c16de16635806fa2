"""What `railyard plan` says of power: the fullest feed after a loss, also above the racks, and what is assumed or unknown."""

import pytest

from railyard import plan as planning
from railyard.render import consequences
from railyard.render.power_text import power_text
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("C3", "U1")
SUPPLY = {"volts": 415, "voltageReference": "line-line", "phases": 3}
PATHS = [
    {"name": "ups-a", "kind": "ups", "feed": "a", "ratedKva": 500, "ratedKw": 450},
    {"name": "panel-a", "kind": "panel", "from": "ups-a", "breakerA": 400, "rowsEach": 1},
    {"name": "ups-b", "kind": "ups", "feed": "b", "ratedKva": 500, "ratedKw": 450},
]


def test_the_worst_feed_is_told_with_what_is_above_it(site: SiteMaker):
    text = power_text(planning.plan(site(power={"supply": SUPPLY, "paths": PATHS, "staggerS": 2})))
    head, *lines = text.splitlines()
    assert head.startswith(
        "Power: 68.3 kW by nameplate; fullest after the loss of a feed: t-r001-pdu-a 51.4 % of 48.0 A in one line"
    )
    assert head.endswith("above the racks panel-a-01 30.7 % of 320.0 A by line (feed b lost)")
    assert any(line.startswith("  supply: ") and line.endswith("no limit is stated") for line in lines)
    assert any(line.startswith("  ups ups-a (fullest of 2): ") and line.endswith("may carry 500 kVA, 450 kW") for line in lines)
    assert any("the last outlet is on: feed a after " in line for line in lines)
    assert any(line.startswith("  assumed: power factor 0.95 for ") for line in lines)
    assert "  unknown: outlets and breakers of pdu-415v-60a-3ph" in lines


def test_without_the_section_the_path_is_said_to_be_unknown(site: SiteMaker):
    text = power_text(planning.plan(site()))
    assert "above the racks" not in text.splitlines()[0]
    assert "  unknown: what is above the racks (railyard:power)" in text.splitlines()
    assert "supply" not in text


def test_the_consequence_table_has_a_row_for_it_where_it_is_known(site: SiteMaker):
    stated = planning.plan(site(power={"supply": SUPPLY, "paths": PATHS}))
    table = consequences(stated.site, planning.plan(site()).site.props())
    (row,) = [line for line in table.splitlines() if "worst UPS, panel or busway then" in line]
    assert row.split()[-4:] == ["?", "30.7", "?", "%"]
    assert table.endswith("worst feed: t-r001-pdu-a; above the racks: panel-a-01, feed b lost")
    assert "busway" not in consequences(planning.plan(site()).site, None)


def test_the_headline_is_the_planned_load_not_the_nameplate(site: SiteMaker):
    shown = {"basis": "measured", "kw": {"dgx-h100": 8.0}, "evidence": "a year of meters", "marginPercent": 0}
    made = planning.plan(site(power={"supply": SUPPLY, "paths": PATHS, "loads": shown}))
    nodes = sum(1 for machine in made.machines if machine.role == "gpu")
    assert power_text(made).startswith(f"Power: {made.site.peak_kw - nodes * 2.2:,.1f} kW by measured;")
