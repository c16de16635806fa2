"""The cable schedule, the power bars and the consequence table."""

import csv
import io
import xml.etree.ElementTree as ET

import msgspec
import pytest

from railyard.plan import Move
from railyard.render.cables import COLUMNS, alike, cables_csv
from railyard.render.consequences import cable_moves, consequences
from railyard.render.power import names_of, power_svg
from railyard.render.runs import runs

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.requirement("C5", "U4")
def test_the_schedule_reads_back_as_the_plan_s_cables(plan_of):
    cables = plan_of(units=2, planned=2).cables
    rows = list(csv.DictReader(io.StringIO(cables_csv(cables))))
    assert tuple(rows[0]) == COLUMNS
    for row, cable in zip(rows, cables, strict=True):
        assert f"{row['a_device']}/{row['a_port']}" == cable.a
        assert f"{row['z_device']}/{row['z_port']}" == cable.z
        assert (row["id"], row["a_label"], row["z_label"]) == (cable.id, cable.a_label, cable.z_label)
        assert (int(row["rail"]), float(row["length_m"]), float(row["link_gbps"])) == (
            cable.rail,
            cable.length_m,
            cable.link_gbps,
        )


def test_a_cell_is_never_a_formula(plan_of):
    cable = msgspec.structs.replace(plan_of().cables[0], id='=cmd|" /C calc"!A0', color='a,"b\nc', rail=None)
    row = next(csv.DictReader(io.StringIO(cables_csv([cable]))))
    assert row["id"].startswith("'=")
    assert row["color"] == 'a,"b\nc'
    assert row["rail"] == ""


def test_cables_are_counted_by_what_is_ordered(plan_of):
    cables = plan_of().cables
    longer = msgspec.structs.replace(cables[0], length_m=5.0)
    assert [(row.length_m, row.count) for row in alike([*cables, longer, longer])] == [(3.0, 32), (5.0, 2)]


@pytest.mark.requirement("C3", "U4")
def test_bars_carry_the_plan_s_kilowatts_on_one_scale(plan_of):
    racks = plan_of().racks[:1]
    bars = [group for group in ET.fromstring(power_svg(racks)).iter(f"{SVG}g") if group.get("data-feed")]
    drawn = {(bar.get("data-feed"), bar.get("data-case")): float(bar.get("data-kw")) for bar in bars}
    assert drawn == {(feed.name, "load"): feed.load_kw for feed in racks[0].feeds} | {
        (feed.name, "survivor"): feed.survivor_kw for feed in racks[0].feeds
    }
    scale = {round(float(next(bar.iter(f"{SVG}rect")).get("width")) / float(bar.get("data-kw")), 2) for bar in bars}
    assert len(scale) == 1


@pytest.mark.parametrize(("kw", "over"), [(34.6, False), (34.7, True)])
def test_a_bar_over_capacity_is_marked(plan_of, kw, over):
    rack = plan_of().racks[0]
    feed = rack.feeds[0].model_copy(update={"survivor_kw": kw})
    assert ('class="over"' in power_svg([rack.model_copy(update={"feeds": (feed,)})])) is over


def test_bars_of_no_racks_are_an_empty_picture():
    assert ET.fromstring(power_svg([])).tag == f"{SVG}svg"


def test_runs_of_names():
    names = ["lab-r001", "lab-r002", "lab-r003", "lab-r007", "lab-r008", "core"]
    assert runs(names) == "lab-r001–lab-r003, lab-r007, lab-r008, core"
    assert runs([]) == ""


def test_rack_names_beside_the_bars(plan_of):
    racks = plan_of(units=4).racks
    assert names_of(racks[:1]) == "r001"
    assert names_of(racks) == "8 racks like r001"


@pytest.mark.requirement("U1")
def test_consequences_of_a_first_plan(plan_of):
    assert consequences(plan_of().site, None).splitlines() == [
        "What lab will be",
        "                                     planned  unit",
        "  GPUs                                    32",
        "  GPUs in active machines                 32",
        "  peak power                            54.4  kW",
        "  worst feed when the other is lost     78.6  %",
        "  bisection                            6,400  GB/s",
        "  cables (all networks)                   32",
        "  usable storage                       512.5  TiB",
        "  spare leaf ports                       224",
        "  worst feed: lab-r001 feed a",
    ]


@pytest.mark.requirement("U1")
def test_consequences_of_a_change(plan_of):
    old = plan_of().site
    now = old.model_copy(
        update={
            "gpus": 40,
            "active_gpus": 24,
            "peak_kw": 64.6,
            "cables": 30,
            "worst_feed_percent": 78.64,
            "worst_feed": "lab-r002 feed b",
        }
    )
    assert consequences(now, old.props()).splitlines() == [
        "What changes in lab against the earlier plan",
        "                                       was  planned  change  unit",
        "  GPUs                                  32       40      +8",
        "  GPUs in active machines               32       24      -8",
        "  peak power                          54.4     64.6   +10.2  kW",
        "  worst feed when the other is lost   78.6     78.6       =  %",
        "  bisection                          6,400    6,400       =  GB/s",
        "  cables (all networks)                 32       30      -2",
        "  usable storage                     512.5    512.5       =  TiB",
        "  spare leaf ports                     224      224       =",
        "  worst feed: lab-r002 feed b (was lab-r001 feed a)",
    ]


def test_a_number_that_the_earlier_plan_lacks_is_not_zero(plan_of):
    site = plan_of().site
    lines = consequences(site, {"gpus": 32}).splitlines()
    assert "  GPUs                                32       32       =" in lines
    assert "  cables (all networks)                ?       32       ?" in lines


@pytest.mark.requirement("C4")
def test_each_cable_that_moves_is_listed_with_its_ends():
    found = [
        Move("C1", "move", ("leaf/33", "spine1/1"), ("leaf/33", "spine2/1")),
        Move("C2", "add", None, ("a/1", "b/1")),
        Move("C3", "remove", ("a/2", "b/2"), None),
    ]
    assert cable_moves(found).splitlines() == [
        "Cables against the earlier plan: 1 moves, 1 new, 1 gone",
        "  C1: leaf/33 – spine1/1  →  leaf/33 – spine2/1",
    ]
    many = [Move(f"C{n}", "move", ("a", "b"), ("a", "c")) for n in range(5)]
    assert cable_moves(many, limit=2).splitlines()[-1] == "  … and 3 more"


def test_numbers_that_gain_a_digit_go_on_in_a_run():
    assert runs(["B8", "B9", "B10", "B11"]) == "B8–B11"
    assert runs(["r009", "r010", "r011"]) == "r009–r011"
    assert runs(["B9", "B010", "B011"]) == "B9, B010, B011"
