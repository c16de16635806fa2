"""What a device does with the supplies that it has left: the one judgement that power plan and failure matrix share.

With fewer than `psusForFull` live supplies it is throttled to what they give, down below `psusToRun`; where the catalogue
doesn't say, capacity is compared with load, and the state is marked as assumed. No supply gives more than its rating, so none
draws more either, whatever the device would like.
"""

from typing import Protocol

import msgspec

FULL, THROTTLED, DOWN, UNKNOWN = 0, 1, 2, 3
EPSILON = 1e-6
"""Ampere and kilowatt: less is the rounding of binary fractions."""


class Fed(Protocol):
    """A device as this judgement needs it: `kw` is its planned load, `cords` what it hangs on; None is what nobody knows."""

    @property
    def model(self) -> str: ...
    @property
    def kw(self) -> float: ...
    @property
    def nameplate_kw(self) -> float: ...
    @property
    def gpus(self) -> int: ...
    @property
    def cords(self) -> int: ...
    @property
    def psus(self) -> int | None: ...
    @property
    def psus_for_full(self) -> int | None: ...
    @property
    def psus_to_run(self) -> int | None: ...
    @property
    def psu_kw(self) -> float | None: ...


class Live(msgspec.Struct, frozen=True, gc=False):
    """What a machine does with the supplies that it has left. `note` says what is assumed, or missing where that is unknown."""

    state: int
    kw: float
    note: str = ""


def judge(machine: Fed, live: int) -> Live:
    """What a machine does with `live` of its supplies, and the kW that they draw together."""
    if live == 0:
        return Live(DOWN, 0.0)
    if machine.psus is None:
        # The planner dealt one cord to each feed; as long as all of them live, nothing has been lost.
        whole = live >= machine.cords
        return Live(FULL if whole else UNKNOWN, machine.kw, "" if whole else f"psus of {machine.model} is unknown")
    if machine.psus_to_run is not None and live < machine.psus_to_run:
        return Live(DOWN, 0.0)
    enough = machine.psu_kw is None or live * machine.psu_kw >= machine.kw - EPSILON
    if machine.psus_for_full is not None:
        return _by_count(machine, live, machine.psus_for_full, enough=enough)
    if live >= machine.psus and enough:
        return Live(FULL, machine.kw)
    if machine.psu_kw is None:
        return Live(UNKNOWN, machine.kw, f"psusForFull and psuKw of {machine.model} are unknown")
    if enough:
        return Live(FULL, machine.kw, f"psusForFull of {machine.model} is unknown: capacity against load")
    return _below(machine, live)


def _by_count(machine: Fed, live: int, wanted: int, *, enough: bool) -> Live:
    """`psusForFull` is a figure for the nameplate: less than that, planned with evidence, is held against supplies."""
    if live >= wanted and enough:
        return Live(FULL, machine.kw)
    if enough and machine.psu_kw is not None and machine.kw < machine.nameplate_kw - EPSILON:
        note = f"psusForFull of {machine.model} is for its nameplate: {live} supplies give {live * machine.psu_kw:g} kW"
        return Live(FULL, machine.kw, f"{note} for {machine.kw:g} kW planned")
    return _below(machine, live)


def _below(machine: Fed, live: int) -> Live:
    """With fewer supplies than full power takes: throttled if that is known to go, assumed where only the capacity is known.

    Gear without GPUs has no less to give: unless the catalogue says that it runs on so few, nobody knows what it does. More
    than its supplies give it doesn't draw.
    """
    most = machine.kw if machine.psu_kw is None else min(machine.kw, live * machine.psu_kw)
    if machine.psus_to_run is None and (machine.psu_kw is None or not machine.gpus):
        return Live(UNKNOWN, most, f"psusToRun of {machine.model} is unknown")
    note = "" if machine.psus_to_run is not None else f"psusToRun of {machine.model} is unknown: it runs on what is left"
    if machine.psu_kw is not None:
        return Live(THROTTLED, most, note)
    share = live / (machine.psus_for_full or machine.psus or live)
    return Live(THROTTLED, machine.kw * share, f"psuKw of {machine.model} is unknown: its share of psusForFull")
