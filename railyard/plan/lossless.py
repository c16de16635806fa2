"""PFC headroom of a link: the table row of the next larger cable length (as SONiC takes it from pg_profile_lookup.ini).

A table is bytes by link speed and cable length. It comes from the catalogue's ASIC; where that has none, from the stack file
with its source. A cable that is longer than the last row, or a speed that the table lacks, has no answer: a rule refuses it,
nothing is extrapolated (the slope is known, 1.5 kB/m at 400 Gb/s and 3 kB/m at 800, the far end's reaction time is not).
"""

from collections.abc import Iterable
from math import inf

from railyard.model.asics import AsicModel
from railyard.model.lossless import Headroom, Lossless

METRES_PER_NANOSECOND = 0.2
"""Light in fibre: 5 ns per metre."""


def asic_of(asics: Iterable[AsicModel], switch_model: str) -> AsicModel | None:
    """The ASIC of a switch of the catalogue, None where nobody has said it."""
    return next((asic for asic in asics if asic.runs(switch_model)), None)


def table_of(asic: AsicModel | None, contract: Lossless) -> tuple[tuple[Headroom, ...], str | None]:
    """(rows, where they come from): the stack file's where it gives some, else the ASIC's; empty where there are none."""
    if contract.headroom:
        return contract.headroom, contract.source
    if asic is None or asic.headroom is None:
        return (), None
    return asic.headroom, asic.source("headroom")


def buffer_of(asic: AsicModel | None, contract: Lossless) -> tuple[int | None, str | None]:
    """(bytes of the buffer that all ports share, source); None where it is unknown."""
    if contract.shared_buffer_bytes is not None:
        return contract.shared_buffer_bytes, contract.source
    if asic is None or asic.shared_buffer_bytes is None:
        return None, None
    return asic.shared_buffer_bytes, asic.source("sharedBufferBytes")


def headroom_of(table: Iterable[Headroom], gbps: float, cable_m: float) -> Headroom | None:
    """Row of the next larger length at a speed; None where the table has no answer."""
    fitting = (row for row in table if row.gbps == gbps and row.cable_m >= cable_m)
    return min(fitting, key=lambda row: row.cable_m, default=None)


def reserve_bytes(row: Headroom) -> int:
    """What one priority group of a port takes out of the buffer: the whole size, or the headroom where only that is known."""
    return row.size_bytes if row.size_bytes is not None else row.xoff_bytes


def mark_percent(contract: Lossless) -> int:
    """Marking probability as switches take it: whole percent, and never none (below one it would mark nothing)."""
    return max(1, round(contract.pmax_percent))


def cable_bytes(gbps: float, cable_m: float) -> int:
    """Bandwidth x delay of the cable, both ways: what is under way when a pause is sent. Gb/s x ns / 8 = bytes."""
    return round(gbps * 2 * cable_m / METRES_PER_NANOSECOND / 8) if cable_m < inf else 0
