"""A small hall that passes every rule of the power path, to be changed one field at a time."""

from railyard.model.power import (
    Circuit,
    HallPower,
    PhaseLoad,
    PowerPlan,
    PowerSegment,
    RackFeedPower,
    RackKind,
    RackPower,
    WorstCord,
)


def amps(l1=60.0, l2=60.0, l3=60.0, neutral=None):
    return PhaseLoad(l1_a=l1, l2_a=l2, l3_a=l3, neutral_a=neutral)


def segment(name="panel-a", **changes):
    """A panel of 100 A at 80 %: 60 A in each line live, 79 A after the loss of feed b."""
    fields = {
        "kind": "panel",
        "parent": "ups-a",
        "feed": "a",
        "rows": (1, 1),
        "racks": 2,
        "volts": 415.0,
        "voltage_reference": "line-line",
        "phases": 3,
        "breaker_a": 100.0,
        "continuous_rating": 0.8,
        "evidence": None,
        "rated_kva": None,
        "rated_kw": None,
        "load_kw": 40.0,
        "load_kva": 43.1,
        "load_a": amps(),
        "worst_kw": 52.0,
        "worst_kva": 56.8,
        "worst_a": amps(79.0, 79.0, 79.0),
        "worst_when": "feed b lost",
        "limit_a": 80.0,
        "limit_kva": 57.5,
    }
    return PowerSegment(name=name, **fields | changes)


def ups(name="ups-a", **changes):
    fields = {"kind": "ups", "parent": "supply", "breaker_a": None, "limit_a": None, "rated_kva": 100.0, "rated_kw": 90.0}
    return segment(name, **fields | changes)


def rack_feed(letter="a", **changes):
    fields = {
        "pdu_model": "strip",
        "pdus": 1,
        "volts": 415.0,
        "voltage_reference": "line-line",
        "phases": 3,
        "breaker_a": 60.0,
        "continuous_rating": 0.8,
        "limit_a": 48.0,
        "capacity_kva": 34.5,
        "load_kw": 15.3,
        "load_kva": 16.1,
        "load_a": amps(22.4, 22.4, 22.4),
        "survivor_kw": 30.6,
        "survivor_kva": 32.2,
        "survivor_a": amps(44.8, 44.8, 44.8),
        "survivor_when": "feed b lost",
    }
    return RackFeedPower(feed=letter, **fields | changes)


def circuit(name="B1", **changes):
    fields = {"feed": "a", "pdu": 1, "legs": "L1", "load_a": 8.0, "survivor_a": 15.9, "psu_a": 15.9, "cords": 1}
    return Circuit(name=name, **fields | {"breaker_a": 20.0, "limit_a": 16.0} | changes)


def cord(**changes):
    fields = {"feed": "a", "outlet_type": "c19", "u": 2, "psu": 1, "model": "dgx-h100", "amps": 14.9, "limit_a": 16.0}
    return WorstCord(**fields | changes)


def kind(**changes):
    fields = {
        "key": "lab-r001",
        "count": 1,
        "feeds": (rack_feed("a"), rack_feed("b")),
        "circuits": (circuit(), circuit("B2", legs="L2")),
        "worst_cords": (cord(), cord(feed="b", psu=2)),
    }
    return RackKind(**fields | changes)


def hall_power(**changes):
    fields = {"stated": True, "segments": (ups(), segment()), "racks": (kind(),)}
    return HallPower(**fields | changes)


def bad_hall_power():
    """One of everything that the rules of the power path find."""
    segments = (
        ups(rated_kva=None, rated_kw=None),
        segment(load_a=amps(99.0, 9.0, 9.0, 90.0), worst_a=amps(120.0, 9.0, 9.0)),
        segment("bus-a", kind="busway", breaker_a=None, limit_a=None),
        ups("ups-b", worst_kva=101.0, worst_kw=91.0),
        segment("panel-b", continuous_rating=1.0),
    )
    broken = kind(
        circuits=(circuit(survivor_a=16.1, psu_a=20.1), circuit("B2", breaker_a=None, limit_a=None)),
        worst_cords=(cord(amps=60.1),),
        plugs_short={"a/c19": 2},
        single_cord=("sn1000",),
        unknown=("inlet of sn1000",),
        feeds=(rack_feed("a", load_a=amps(30.0, 3.0, 3.0)),),
    )
    return HallPower(stated=True, segments=segments, racks=(broken,))


def power_plan(**changes):
    """A plan of the same hall; `stated` is false so that nobody computes failures of a hall that has no devices."""
    hall = hall_power(**changes)
    racks = tuple(RackPower(row.key, (row.key,), (), (), row) for row in hall.racks)
    return PowerPlan(segments=hall.segments, racks=racks, unknown=hall.unknown)
