"""What racks weigh: frame, devices, strips, rear door, cables, coolant; and how that rests on the floor.

Every device that a rack is planned with counts, whether it stands there yet or not: the floor has to bear it one day. Cables
weigh what lies inside the rack: half of its height and both side channels at each end (`SAME_RACK_ROUTE_M`); the rest hangs in
trays.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, pi

from railyard.model.cabling import CableModel
from railyard.model.cooling import RearDoors
from railyard.model.floor import Bearing, DeviceDepth, RackFloor
from railyard.model.site import StackFile
from railyard.plan.bodies import Body
from railyard.plan.floor.ground import ASSUMED, DEPTH_M
from railyard.plan.hall import RACK_PITCH_M, SAME_RACK_M, SAME_RACK_ROUTE_M
from railyard.plan.parts import Parts

PDU_KG_MAX = 30.0
"""No 0U rack strip weighs more (catalogue: vertiv-gi10022l 7.26 kg): an upper bound for those of unknown weight. Ours."""
FRAME_KG_MAX = 250.0
"""No empty frame of 600 to 800 mm weighs more (catalogue: 125 to 185 kg). Ours."""
DOOR_KG_MAX = 250.0
"""No rear door weighs more (data sheets of passive and active doors: 60 to 220 kg, unverified). Ours."""
FLUID_KG_PER_KW_MAX = 1.0
"""Coolant in a rack's own pipes, hoses and cold plates for each kW that it takes, where nobody knows it. Ours, an upper end."""
JACKET_G_CM3 = 1.5
"""Mass over volume of the jacket's cylinder: 3.0 mm of fibre weigh 11 g/m, 7.5 mm of category 6A 66 g/m. Ours, an upper end."""
KG_PER_M = {"passive-copper": 0.2, "active-copper": 0.15}
"""Copper assemblies whose diameter isn't in the catalogue (16 pairs, 9 to 11 mm). Ours, an upper end."""
OTHER_KG_PER_M = 0.05
PLUG_KG = 0.12
"""A plug or transceiver of a fabric cable (OSFP with its heat sink). Ours, an upper end; RJ45 plugs weigh nothing here."""
CORD_KG = 0.4
"""A power cord of 1.2 to 2 m, 3 x 2.5 mm2, with both connectors. Ours."""
CABLES_STEP_KG = 10
"""Network cables and cords of a rack are an estimate: full steps, rounded up, so that a few more cables change nothing."""
STRIP_PLACES, STRIP_RACK_M = 4, 0.6
"""Vertical strips at the rear of a rack of 600 mm or more, two on each side, where neither stack file nor catalogue says.
Source: Dell Metered PDU LCD Owner's Manual, Installation Configurations (one or two in each of two trays)."""
BEFORE_RAILS_M = 0.1
"""Front door, and what stands before the front rails, where the catalogue doesn't know a rack's usable depth. Ours."""

Laid = Mapping[tuple[int, int, str], int]
"""Pieces of cable by lower rack, upper rack and part (empty: unknown), as `cable_facts` counts them."""


class Loads:
    """Weights of a site's racks. Racks that are alike share one RackFloor."""

    def __init__(self, file: StackFile, parts: Parts, laid: Laid) -> None:
        floor = file.floor or ASSUMED
        self.file, self.parts = file, parts
        self.bearing = floor.bearing if file.floor else Bearing(feet_per_tile=1)
        self.cables_kg = _cables_kg(laid, parts.catalog.cables)
        self.strips_kg, self.door_kg, self.unknown = _fixtures(file, parts)
        depth = parts.rack.depth_m or DEPTH_M
        self.area_m2 = (parts.rack.width_m or RACK_PITCH_M) * (depth + (floor.cold_aisle_m + floor.hot_aisle_m) / 2)
        self.made: dict[tuple[object, ...], RackFloor] = {}
        self.cords: dict[str, float] = {}

    def floor_of(self, number: int, bodies: Sequence[Body]) -> RackFloor:
        """The rack of a number with these devices in it, the lowest first."""
        laid = self.cables_kg.get(number, 0.0) + sum(self._cords_kg(body) for body in bodies)
        cables = float(ceil(round(laid / CABLES_STEP_KG, 6)) * CABLES_STEP_KG)
        compute = any(body.role == "gpu" for body in bodies)
        key = (*(body.model for body in bodies), compute, cables)
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = self._floor(bodies, cables, compute)
        return found

    def _floor(self, bodies: Sequence[Body], cables_kg: float, compute: bool) -> RackFloor:
        rack, bearing = self.parts.rack, self.bearing
        door_kg, door_unknown = self.door_kg if compute or self._doors_everywhere else (0.0, 0.0)
        devices = round(sum(body.weight_kg or 0.0 for body in bodies), 3)
        fluid = round(sum(body.fluid_kg or 0.0 for body in bodies), 3)
        mass = round((rack.own_weight_kg or 0.0) + devices + self.strips_kg + door_kg + cables_kg + fluid, 3)
        unknown = {**self.unknown, **({"the rear door": door_unknown} if door_unknown else {}), **_fluid_unknown(bodies)}
        heavy = sorted({body.model for body in bodies if body.weight_kg is None})
        usable = rack.usable_depth_m or (round(rack.depth_m - BEFORE_RAILS_M, 4) if rack.depth_m else None)
        reserved = {u for u in self.file.facility.reserved_u if u <= rack.u_height}
        return RackFloor(
            frame_kg=rack.own_weight_kg,
            devices_kg=devices,
            strips_kg=self.strips_kg,
            door_kg=door_kg,
            cables_kg=cables_kg,
            fluid_kg=fluid,
            mass_kg=mass,
            unknown=(*heavy, *unknown),
            unknown_max_kg=None if heavy else round(sum(unknown.values()), 3),
            unweighed=tuple(heavy),
            feet=rack.feet,
            feet_per_tile=bearing.feet_per_tile,
            foot_kg=round(mass / rack.feet, 3) if rack.feet else None,
            point_limit_kg=bearing.point_kg,
            kg_per_m2=round(mass / self.area_m2, 3),
            uniform_limit_kg_per_m2=bearing.uniform_kg_per_m2,
            depth_m=rack.depth_m,
            usable_depth_m=usable,
            depth_assumed=rack.usable_depth_m is None and rack.depth_m is not None,
            depths=self._depths(bodies),
            free_u=max(rack.u_height - len(reserved) - sum(body.u_height for body in bodies), 0),
            strips=sum(feed.pdus_per_rack for feed in self.file.facility.feeds),
            strip_places=self.strip_places,
            strip_places_assumed=self.file.facility.strip_places is None and rack.strip_places is None,
        )

    @property
    def strip_places(self) -> int | None:
        """Zero-U strips that fit at the rear: the stack file's figure, the catalogue's, else `STRIP_PLACES` of a wide rack."""
        rack, stated = self.parts.rack, self.file.facility.strip_places
        known = rack.strip_places if stated is None else stated
        wide = rack.width_m is not None and rack.width_m >= STRIP_RACK_M
        return STRIP_PLACES if known is None and wide else known

    @property
    def _doors_everywhere(self) -> bool:
        doors = _rear_doors(self.file)
        return doors is not None and doors.racks == "all"

    def _depths(self, bodies: Sequence[Body]) -> tuple[DeviceDepth, ...]:
        """Each model once; training NICs of a node leave it at the rear, as do the ports of nothing else."""
        fabric, found = self.file.fabric, dict[str, DeviceDepth]()
        for body in bodies:
            cables = fabric.rails * fabric.planes if body.role == "gpu" else 0
            found[body.model] = DeviceDepth(model=body.model, depth_m=body.depth_m, cables=cables)
        return tuple(found[model] for model in sorted(found))

    def _cords_kg(self, body: Body) -> float:
        """Power cords of a device; two where the catalogue doesn't know its supplies."""
        found = self.cords.get(body.model)
        if found is None:
            known = self.parts.catalog
            item = (
                known.nodes.get(body.model)
                or known.switches.get(body.model)
                or known.storage.get(body.model)
                or known.management_switches.get(body.model)
            )
            found = self.cords[body.model] = CORD_KG * ((item.psus if item else None) or 2)
        return found


def _fixtures(file: StackFile, parts: Parts) -> tuple[float, tuple[float, float], dict[str, float]]:
    """(kilograms of strips, (of a rear door, its most where unknown), what else has no weight with its most)."""
    unknown = dict(unweighed_strips(file, parts))
    if parts.rack.own_weight_kg is None:
        unknown[f"the frame of {parts.rack.name}"] = FRAME_KG_MAX
    return strips_kg(file, parts), _door_kg(file, parts), unknown


def strips_kg(file: StackFile, parts: Parts) -> float:
    """Weight of a rack's power strips as far as it is known; the others are in `unweighed_strips`."""
    return sum((parts.pdus[feed.name].weight_kg or 0.0) * feed.pdus_per_rack for feed in file.facility.feeds)


def unweighed_strips(file: StackFile, parts: Parts) -> Iterator[tuple[str, float]]:
    """(name, most kilograms) of the strips that have no weight in the catalogue."""
    counts: dict[str, int] = {}
    for feed in file.facility.feeds:
        if parts.pdus[feed.name].weight_kg is None:
            counts[feed.pdu_model] = counts.get(feed.pdu_model, 0) + feed.pdus_per_rack
    yield from ((f"{count} x {model}", count * PDU_KG_MAX) for model, count in sorted(counts.items()))


def _rear_doors(file: StackFile) -> RearDoors | None:
    return file.cooling.rear_doors if file.cooling else None


def _door_kg(file: StackFile, parts: Parts) -> tuple[float, float]:
    doors = _rear_doors(file)
    if doors is None:
        return 0.0, 0.0
    model = parts.catalog.cooling.get(doors.model)
    weight = model.weight_kg if model else None
    return (0.0, DOOR_KG_MAX) if weight is None else (weight, 0.0)


def _fluid_unknown(bodies: Sequence[Body]) -> dict[str, float]:
    """Coolant of liquid-cooled models that the catalogue has no figure for, with the most that it may weigh."""
    found: defaultdict[str, float] = defaultdict(float)
    for body in bodies:
        if body.fluid_kg is None and body.air_fraction < 1:
            found[f"coolant of {body.model}"] += body.peak_kw * (1 - body.air_fraction) * FLUID_KG_PER_KW_MAX
    return dict(sorted(found.items()))


def _cables_kg(laid: Laid, models: Mapping[str, CableModel]) -> dict[int, float]:
    """Kilograms of network cable inside of each rack, by its number."""
    found: defaultdict[int, float] = defaultdict(float)
    weights: dict[str, tuple[float, float]] = {}
    for (a, z, sku), count in laid.items():
        if sku not in weights:
            weights[sku] = _weight(models.get(sku))
        per_m, plug = weights[sku]
        if a == z:
            found[a] += count * (SAME_RACK_M * per_m + 2 * plug)
        else:
            end = count * (SAME_RACK_ROUTE_M * per_m + plug)
            found[a] += end
            found[z] += end
    return dict(found)


def _weight(model: CableModel | None) -> tuple[float, float]:
    """(kilograms per metre, of one plug) of a piece of cable. mm2 x g/cm3 = g/m."""
    if model is None:
        return OTHER_KG_PER_M, PLUG_KG
    plug = 0.0 if model.medium == "cat6a" else PLUG_KG
    if model.diameter_mm is not None:
        return pi * model.diameter_mm**2 / 4 * JACKET_G_CM3 / 1000, plug
    return KG_PER_M.get(model.medium, OTHER_KG_PER_M), plug
