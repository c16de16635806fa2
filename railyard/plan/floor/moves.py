"""What is rolled into the hall: the heaviest load, and what bears on one wheel of it."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from railyard.model.catalog import RackModel
from railyard.model.floor import Floor, RackFloor, RackSpot
from railyard.plan.bodies import Body
from railyard.plan.racks import Filled

CART_WHEELS = 4


class Moved(TypedDict):
    """Fields of FloorSummary. None: a weight that it needs isn't known; `moved_unknown` names figures of other racks."""

    moved: Literal["empty", "filled"]
    moved_kg: float | None
    moved_what: str
    moved_unknown: tuple[str, ...]
    wheel_kg: float | None
    wheel_what: str
    contents_kg: float
    contents_at: str


def move_in(floor: Floor, rack: RackModel, spots: Sequence[RackSpot], heavy: Mapping[int, RackFloor], filled: Filled) -> Moved:
    """Filled racks come without coolant, all at once; empty ones come before their devices, which come on a cart."""
    if floor.moved == "filled" and spots:
        return _filled(rack, spots, heavy)
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
        moved_unknown=(),
        wheel_kg=wheel_kg,
        wheel_what=wheel_what,
        contents_kg=0.0,
        contents_at="",
    )


def _filled(rack: RackModel, spots: Sequence[RackSpot], heavy: Mapping[int, RackFloor]) -> Moved:
    """The rack that weighs most as far as weights are known, and the models without one: a rack with them may weigh more."""
    spot = max(spots, key=lambda item: (_dry_kg(heavy[item.number]), -item.number))
    full = heavy[spot.number]
    mass = None if rack.own_weight_kg is None else _dry_kg(full)
    models = sorted({model for floor in heavy.values() for model in floor.unweighed})
    frame = [f"ownWeightKg of {rack.name}"] if rack.own_weight_kg is None else []
    what = f"{spot.rack}, filled"
    return Moved(
        moved="filled",
        moved_kg=mass,
        moved_what=what,
        moved_unknown=(*frame, *(f"weightKg of {model}" for model in models)),
        wheel_kg=_each(mass, rack.castors),
        wheel_what=what,
        contents_kg=round(full.mass_kg - full.fluid_kg - (rack.own_weight_kg or 0.0), 3),
        contents_at=spot.rack,
    )


def _dry_kg(floor: RackFloor) -> float:
    """Kilograms of a rack without its coolant, with the most that strips and the like of unknown weight may be."""
    return round(floor.mass_kg - floor.fluid_kg + (floor.unknown_max_kg or 0.0), 3)


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
