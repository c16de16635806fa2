"""What is rolled into the hall: the heaviest load, and what bears on one wheel of it."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from railyard.model.catalog import RackModel
from railyard.model.floor import Floor, RackFloor, RackSpot
from railyard.plan.bodies import Body
from railyard.plan.racks import Filled

CART_WHEELS = 4


class Moved(TypedDict):
    """Fields of FloorSummary. None: a weight that it needs isn't known."""

    moved: Literal["empty", "filled"]
    moved_kg: float | None
    moved_what: str
    wheel_kg: float | None
    wheel_what: str
    contents_kg: float
    contents_at: str


def move_in(floor: Floor, rack: RackModel, spots: Sequence[RackSpot], heavy: Mapping[int, RackFloor], filled: Filled) -> Moved:
    """Filled racks come without coolant, all at once; empty ones come before their devices, which come on a cart."""
    spot = max(spots, key=lambda item: (heavy[item.number].mass_kg - heavy[item.number].fluid_kg, -item.number), default=None)
    full = heavy[spot.number] if spot else None
    if floor.moved == "filled" and spot and full:
        known = rack.own_weight_kg is not None and full.unknown_max_kg is not None
        mass = round(full.mass_kg - full.fluid_kg + (full.unknown_max_kg or 0.0), 3) if known else None
        what = f"{spot.rack}, filled"
        return Moved(
            moved="filled",
            moved_kg=mass,
            moved_what=what,
            wheel_kg=_each(mass, rack.castors),
            wheel_what=what,
            contents_kg=round(full.mass_kg - full.fluid_kg - (rack.own_weight_kg or 0.0), 3),
            contents_at=spot.rack,
        )
    loads = [(rack.own_weight_kg, rack.castors, f"an empty {rack.name}")]
    body = _heaviest(filled)
    if body and body.weight_kg is not None:
        loads.append((round(body.weight_kg + floor.cart_kg, 3), CART_WHEELS, f"a {body.model} on its cart"))
    elif body:
        loads.append((None, CART_WHEELS, f"a {body.model} on its cart"))
    wheels = [(_each(kg, wheels), what) for kg, wheels, what in loads]
    moved_kg, moved_what = _most([(kg, what) for kg, _, what in loads])
    wheel_kg, wheel_what = _most(wheels)
    return Moved(
        moved="empty",
        moved_kg=moved_kg,
        moved_what=moved_what,
        wheel_kg=wheel_kg,
        wheel_what=wheel_what,
        contents_kg=0.0,
        contents_at="",
    )


def _heaviest(filled: Filled) -> Body | None:
    """The heaviest device; one of unknown weight only where it is taller than every one that is known."""
    bodies = {place.body.model: place.body for placed in filled.values() for _, place in placed}
    known = max(
        (body for body in bodies.values() if body.weight_kg is not None), key=lambda body: body.weight_kg or 0, default=None
    )
    unknown = max((body for body in bodies.values() if body.weight_kg is None), key=lambda body: body.u_height, default=None)
    return unknown if unknown and (known is None or unknown.u_height > known.u_height) else known


def _each(kg: float | None, wheels: int | None) -> float | None:
    return round(kg / wheels, 3) if kg is not None and wheels else None


def _most(loads: Sequence[tuple[float | None, str]]) -> tuple[float | None, str]:
    """The largest; unknown, and which, where one isn't known."""
    missing = next((what for kg, what in loads if kg is None), None)
    if missing is not None:
        return None, missing
    kg, what = max(loads, key=lambda item: item[0] or 0.0)
    return kg, what
