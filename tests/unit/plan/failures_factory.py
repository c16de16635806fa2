"""Synthetic halls for the failure engine: small enough to check by hand."""

from railyard.plan.electrical.phases import complex_kva
from railyard.plan.failures.tree import ALL_LINES, Bank, Hall, Kind, Machine, Outlets, Segment, Spot, Strip, Wire

VOLTS = 230.0
"""To neutral: 10 kW at a power factor of 1 are 14.49 A in each of three lines."""


def node(kw=10.2, psus=6, full=4, run=None, psu_kw=3.3, gpus=8, model="dgx", factor=1.0, banks=None):
    """A machine as it is told to `kind`; `banks` is the bank of each supply."""
    return {
        "kw": kw, "psus": psus, "full": full, "run": run, "psu_kw": psu_kw, "gpus": gpus, "model": model, "factor": factor,
        "banks": banks,
    }  # fmt: skip


def switch(**changes):
    return node(**({"kw": 1.0, "psus": 2, "full": 1, "psu_kw": None, "gpus": 0, "model": "leaf"} | changes))


def kind(*machines, feeds="ab", rating=63.0, share=0.8, banks=(), ats=False, key="k"):
    """A rack kind. Supplies go to the feeds in turn; `banks` are (name, strip, leg volts, rating)."""
    made, supplies = [], []
    for number, one in enumerate(machines):
        first = len(supplies)
        count = one["psus"] if one["psus"] is not None else len(feeds)
        for psu in range(count):
            bank = -1 if one["banks"] is None else one["banks"][psu]
            wires = [Wire(psu % len(feeds), bank, ALL_LINES)]
            if ats and count == 1:
                wires.append(Wire(1, -1, ALL_LINES))
            supplies.append(Outlets(number, 0 if one["psus"] is None else psu + 1, tuple(wires)))
        made.append(
            Machine(
                u=1 + 10 * number,
                model=one["model"],
                kw=one["kw"],
                kva_per_kw=complex_kva(1.0, one["factor"]),
                gpus=one["gpus"],
                psus=one["psus"],
                psus_for_full=one["full"],
                psus_to_run=one["run"],
                psu_kw=one["psu_kw"],
                supplies=tuple(range(first, len(supplies))),
            )
        )
    return Kind(
        key=key,
        machines=tuple(made),
        supplies=tuple(supplies),
        banks=tuple(Bank(name, strip, volts, amps, amps and amps * share) for name, strip, volts, amps in banks),
        strips=tuple(Strip(f"pdu-{feed}", feed, VOLTS, rating, rating * share) for feed in feeds),
    )


def segment(name, parent=-1, rating=None, what="panel", **changes):
    return Segment(name, what, parent, VOLTS, rating, None if rating is None else rating * 0.8, **changes)


def two_rows(racks=10, panel=600.0, bus_a=400.0, bus_b=600.0, ups=2000.0):
    """Two rows of racks of 30 kW under a UPS, a panel and two busways on each feed."""
    segments = (
        segment("ups-a", rating=ups, what="ups"), segment("panel-a", 0, panel), segment("bus-a-01", 1, bus_a, "busway"),
        segment("bus-a-02", 1, bus_a, "busway"), segment("ups-b", rating=ups, what="ups"), segment("panel-b", 4, panel),
        segment("bus-b-01", 5, bus_b, "busway"), segment("bus-b-02", 5, bus_b, "busway"),
    )  # fmt: skip
    whole = kind(*(node(kw=10.0, full=3, psu_kw=None) for _ in range(3)))
    spots = tuple(Spot(0, (2 + row, 6 + row), tuple(f"r{row * racks + n + 1:03d}" for n in range(racks))) for row in range(2))
    return Hall((whole,), spots, segments)
