"""What the switches and links of a size cost, and which sizes near it are cheaper per endpoint.

Cost per endpoint is a saw-tooth: a unit, a tier and a step to the next divisor are bought whole.

cost = switches * price of a switch + links * price of a link (optics of both ends). NICs, racks, power and work are not in it.
"""

from collections.abc import Iterable, Mapping

import msgspec

from railyard.model.catalog import SwitchModel
from railyard.model.prices import PriceModel
from railyard.plan.calculator import Ask, Calculation, calculate
from railyard.plan.problems import PlanError

LINK = "link"
STEPS = 512
"""Units that are looked at in each direction for a cheaper size."""


class Prices(msgspec.Struct, frozen=True):
    """Prices of one switch and one link in US dollars, least and most, and where they come from."""

    switch_low: float
    switch_high: float
    link_low: float
    link_high: float
    source: str


class Cost(msgspec.Struct, frozen=True):
    """A range in US dollars."""

    low: float
    high: float

    def per(self, endpoints: int) -> "Cost":
        """The same for each endpoint."""
        return Cost(self.low / endpoints, self.high / endpoints)


class Neighbour(msgspec.Struct, frozen=True):
    """A size of full units that is cheaper per endpoint."""

    nodes: int
    per_endpoint: Cost


def prices_for(
    radix: int, listed: Mapping[str, PriceModel], switches: Mapping[str, SwitchModel], model: str | None = None
) -> Prices | None:
    """The list's prices for a switch model, or for the only model of this radix that has one. None where they are unknown."""
    names = [model] if model else [name for name, switch in sorted(switches.items()) if radix in switch.ports.values()]
    priced = [listed[name] for name in names if name in listed]
    if len(priced) != 1 or LINK not in listed:
        return None
    switch, link = priced[0], listed[LINK]
    source = f"{switch.name} of {switch.date}, {link.title} of {link.date}: {_quality([switch, link])}"
    return Prices(switch.low_usd, switch.high_usd, link.low_usd, link.high_usd, source)


def _quality(rows: Iterable[PriceModel]) -> str:
    checked = all(row.verified("lowUsd") and row.verified("highUsd") for row in rows)
    return "checked" if checked else "unverified, an order of magnitude"


def cost_of(found: Calculation, prices: Prices) -> Cost:
    """Switches and links of a size."""
    return Cost(
        found.switches * prices.switch_low + found.links * prices.link_low,
        found.switches * prices.switch_high + found.links * prices.link_high,
    )


def cheaper(found: Calculation, prices: Prices) -> tuple[Neighbour | None, Neighbour | None]:
    """The next size of full units down and up that costs less per endpoint, by the middle of the range.

    None where no size within reach is cheaper; the unit that is begun, filled, counts as a size up.
    """
    mine = _middle(cost_of(found, prices).per(found.endpoints))
    first = found.units
    below = (_full(found.ask, units, prices) for units in range(first, max(0, first - STEPS), -1))
    above = (_full(found.ask, units, prices) for units in range(first, first + STEPS))
    down = (size for size in below if size and size.nodes < found.ask.nodes)
    up = (size for size in above if size and size.nodes > found.ask.nodes)
    return (
        next((size for size in down if _middle(size.per_endpoint) < mine), None),
        next((size for size in up if _middle(size.per_endpoint) < mine), None),
    )


def _full(ask: Ask, units: int, prices: Prices) -> Neighbour | None:
    """The size of so many full units; None where there is none."""
    try:
        one = calculate(msgspec.structs.replace(ask, nodes=1, planned_units=max(units, ask.planned_units or 0)))
        nodes = units * one.shape.nodes_per_unit - len(one.shape.lost_slots())
        full = calculate(msgspec.structs.replace(ask, nodes=nodes, planned_units=max(units, ask.planned_units or 0)))
    except PlanError:
        return None
    return Neighbour(nodes, cost_of(full, prices).per(full.endpoints))


def _middle(cost: Cost) -> float:
    return (cost.low + cost.high) / 2
