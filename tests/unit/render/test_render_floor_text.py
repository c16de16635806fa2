"""What the command line says about racks and floor."""

import pytest
from msgspec import structs

from railyard.plan import plan
from railyard.render.floor_text import floor_text
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("C3")


def test_a_drawn_hall_says_what_rests_on_it_and_how_it_gets_in(site: SiteMaker):
    floor = {
        "lengthM": 12.0,
        "widthM": 9.5,
        "bearing": {"pointKg": 567, "uniformKgPerM2": 1224, "feetPerTile": 2},
        "route": [{"name": "D1", "kind": "door", "widthM": 1.8, "heightM": 2.5}],
    }
    made = plan(site(floor=floor)).floor
    text = floor_text(made)
    assert made is not None
    assert text.startswith("Floor: 8 planned racks in 1 row, 2 of them stand; the hall of 12 x 9.5 m is drawn\n")
    heaviest = max(made.loads, key=lambda load: load.floor.mass_kg)
    assert f"{heaviest.racks[0]} weighs {heaviest.floor.mass_kg:,.0f} kg without 4 x pdu-415v-60a-3ph: " in text
    assert f"{heaviest.floor.mass_kg / 2:,.0f} of 567 kg on a tile" in text
    assert "1 steps of the way in; racks come empty: 280 kg at once (a dgx-h100 on its cart)" in text
    assert f"{made.summary.blanking_u} U of blanking panels" in text
    assert "% of the top tier's switches are in t-r001" in text


def test_what_nobody_said_is_said(site: SiteMaker):
    text = floor_text(plan(site()).floor)
    assert "nobody has drawn the hall (railyard:floor); rows are 3 m apart" in text
    assert "of not stated kg on a tile" in text
    assert "the way in is not stated (railyard:floor.route)" in text
    assert floor_text(None) == "Floor: not planned"


def test_one_rack_above_the_units_is_named(site: SiteMaker):
    text = floor_text(plan(site(facility={"switchRacks": "dedicated", "storageRacks": "dedicated"})).floor)
    assert "all of the top tier's switches are in t-r010" in text


def test_a_rack_of_unknown_weight_comes_before_a_lighter_one_that_is_known(site: SiteMaker):
    """Eighteen trays of unknown weight: the network rack's 320 kg are the most that is known, not the most that there is."""
    made = plan(site(facility={"switchRacks": "dedicated", "storageRacks": "dedicated"})).floor
    assert made is not None
    compute, *others = sorted(made.loads, key=lambda load: -load.floor.mass_kg)
    light = structs.replace(
        compute,
        floor=compute.floor.model_copy(update={"mass_kg": 202.0, "unknown": ("tray",), "unknown_max_kg": None}),
    )
    lines = floor_text(structs.replace(made, loads=(*others, light))).splitlines()
    heavy = max(others, key=lambda load: load.floor.mass_kg)
    assert lines[1].lstrip().startswith(compute.racks[0])
    assert "weighs at least 202 kg, weight of tray unknown: " in lines[1]
    assert lines[2].lstrip().startswith(heavy.racks[0])
    assert f" weighs {heavy.floor.mass_kg:,.0f} kg" in lines[2]
    lighter = floor_text(
        structs.replace(
            made,
            loads=(light, *(structs.replace(load, floor=load.floor.model_copy(update={"mass_kg": 200.0})) for load in others)),
        )
    )
    assert sum("weigh" in line for line in lighter.splitlines()) == 1
