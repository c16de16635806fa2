"""What a rear door or a CDU carries at other conditions than its data sheet's. Never more than it is rated for.

One rated point is all that a data sheet gives, so the unit is taken as a heat exchanger of constant effectiveness: its heat
goes with the difference of the temperatures that enter it. Less water than rated is taken to carry less in proportion (in truth
a little more, as it warms more); more water, a greater difference or a better fluid are not credited. The bound of nature holds
besides: no water leaves warmer than what it cools came in.
"""

from dataclasses import dataclass

from railyard.model.cooling import CoolingModel, Fluid
from railyard.plan.cooling.fluids import kw_per_k


@dataclass(frozen=True)
class Exchange:
    """What a unit carries at stated conditions. None is unknown, and `unknown` says which figures are missing for it."""

    capacity_kw: float | None
    pressure_kpa: float | None
    unknown: tuple[str, ...]


def exchange(model: CoolingModel, difference_k: float, reach_k: float, water_c: float, flow: float, fluid: Fluid) -> Exchange:
    """Capacity and pressure drop of a unit. `flow` in l/min of `fluid` that enters at `water_c`.

    capacity = rated x min(1, difference / rated difference) x min(1, m cp / rated m cp), at most m cp x `reach_k`, where
    `reach_k` is the most that the water can warm: to the air that enters a door, to the coolant that comes back to a CDU. A
    difference of 0 or less carries nothing. drop = rated x (flow / rated flow)^2, known for the rated fluid only: another one's
    viscosity differs.
    """
    unknown: list[str] = []
    capacity = pressure = None
    if difference_k <= 0:
        capacity = 0.0
    elif model.rated_difference_k is None or model.rated_flow_l_min is None:
        unknown += [
            name
            for name, fact in (("ratedDifferenceK", model.rated_difference_k), ("ratedFlowLMin", model.rated_flow_l_min))
            if fact is None
        ]
    else:
        carried = kw_per_k(fluid, water_c, flow)
        rated = kw_per_k(model.rated_fluid or "water", water_c, model.rated_flow_l_min)
        shares = min(1.0, difference_k / model.rated_difference_k) * min(1.0, carried / rated)
        capacity = round(min(model.rated_kw * shares, carried * max(reach_k, 0.0)), 3)
    if model.rated_pressure_kpa is None or model.rated_flow_l_min is None:
        unknown.append("ratedPressureKpa" if model.rated_pressure_kpa is None else "ratedFlowLMin")
    elif fluid != (model.rated_fluid or "water"):
        unknown.append(f"pressure drop with {fluid}")
    else:
        pressure = round(model.rated_pressure_kpa * (flow / model.rated_flow_l_min) ** 2, 3)
    return Exchange(capacity, pressure, tuple(dict.fromkeys(unknown)))
