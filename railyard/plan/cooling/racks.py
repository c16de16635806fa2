"""Heat of the distinct kinds of racks: what goes to air, to a rear door, to coolant, and which air each device takes in."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from railyard.model.catalog import NodeModel, StorageNodeModel, SwitchModel
from railyard.model.cooling import (
    AirConditions,
    Cooling,
    CoolingModel,
    Direction,
    Face,
    HotModel,
    Intake,
    LiquidNeed,
    RackAir,
    RackAirKind,
    RackDoor,
)
from railyard.model.networks import ManagementSwitchModel
from railyard.model.plan import RackDevice, RackPlan
from railyard.plan.cooling.air import airflow_m3_s, inlet_max_c, rise_k
from railyard.plan.cooling.exchangers import exchange
from railyard.plan.cooling.fluids import kw_per_k
from railyard.plan.parts import Parts

Takes = Literal["cold", "hot", "side", "none"]
_SERVERS = frozenset({"gpu", "storage", "management"})


@dataclass(frozen=True)
class Airs:
    """What the air of all racks is made from."""

    stated: Cooling | None
    air: AirConditions
    parts: Parts


def rack_kinds(racks: Iterable[RackPlan], airs: Airs) -> tuple[RackAirKind, ...]:
    """Each distinct rack with the names of those that are alike, in the order of the first of each."""
    alike: defaultdict[tuple[object, ...], list[RackPlan]] = defaultdict(list)
    for rack in racks:
        alike[_key(rack)].append(rack)
    return tuple(RackAirKind(_air(same[0], airs), tuple(rack.name for rack in same)) for same in alike.values())


def _key(rack: RackPlan) -> tuple[object, ...]:
    """Everything of a rack that its air depends on."""
    devices = tuple((device.role, device.model, device.u, device.installed, device.peak_kw) for device in rack.devices)
    return devices, rack.peak_kw, rack.air_kw, rack.air_limit_kw


def face_of(role: str, stated: Cooling | None) -> Face:
    """Side of the rack that a device's front stands at: servers' at the cold aisle, switches' ports where the stack says."""
    return "front" if role in _SERVERS else (stated.switch_face if stated else "rear")


def takes(direction: Direction | None, face: Face) -> Takes | None:
    """Which air a device takes in. Air of a switch that goes rear to front comes from the cold aisle if its ports look rear."""
    if direction is None:
        return None
    if direction == "passive":
        return "none"
    if direction not in ("front-to-rear", "rear-to-front"):
        return "side"
    return "cold" if (direction == "front-to-rear") == (face == "front") else "hot"


def _air(rack: RackPlan, airs: Airs) -> RackAir:
    stated, air = airs.stated, airs.air
    live = [device for device in rack.devices if device.installed]
    door = _door(live, airs)
    taken = _taken(door, rack.air_kw, air.delta_k) if door else 0.0
    if door and door.capacity_kw is not None:
        door = door.model_copy(update={"water_out_c": _warmed(door, taken, stated)})
    cdus = stated.cdus if stated else ()
    return RackAir(
        peak_kw=rack.peak_kw,
        air_kw=rack.air_kw,
        liquid_kw=round(rack.peak_kw - rack.air_kw, 6),
        door_kw=round(taken, 6),
        room_kw=round(rack.air_kw - taken, 6),
        limit_kw=rack.air_limit_kw,
        airflow_m3_s=round(airflow_m3_s(rack.air_kw, air.density_kg_m3, air.delta_k), 4),
        conditions=air,
        intakes=tuple(_intakes(live, airs)),
        hot=tuple(_hot(live, airs.parts)),
        liquid=tuple(_liquid(live, airs.parts)),
        loop="+".join(unit.name for unit in cdus) or None,
        loop_c=max((unit.loop_c for unit in cdus), default=None),
        dew_point_c=stated.dew_point_c if stated else None,
        door=door,
    )


def _by_model(devices: Iterable[RackDevice]) -> Iterator[tuple[tuple[str, str], list[RackDevice]]]:
    found: defaultdict[tuple[str, str], list[RackDevice]] = defaultdict(list)
    for device in devices:
        found[device.role, device.model].append(device)
    yield from sorted(found.items())


def _intakes(devices: Iterable[RackDevice], airs: Airs) -> Iterator[Intake]:
    stated, air = airs.stated, airs.air
    for (role, model), same in _by_model(devices):
        facts, face = _facts(airs.parts, role, model), face_of(role, stated)
        ordered: Mapping[str, Direction] = stated.airflow if stated else {}
        direction = ordered.get(model) or (facts.airflow if facts else None)
        heat = same[0].peak_kw * (facts.air_fraction if isinstance(facts, NodeModel) else 1.0)
        moved = facts.airflow_m3_s if isinstance(facts, NodeModel) else None
        # Where switches' ports look is known only if it is stated; a server's front is its front.
        known = stated is not None or role in _SERVERS
        yield Intake(
            model=model,
            role=role,
            us=tuple(device.u for device in same),
            direction=direction,
            face=face,
            takes=takes(direction, face) if known else None,
            both_ways=bool(facts.airflow_both_ways) if isinstance(facts, SwitchModel | ManagementSwitchModel) else False,
            air_kw=round(heat, 6),
            airflow_m3_s=moved,
            rise_k=None if moved is None else round(rise_k(heat, air.density_kg_m3, moved), 3),
            inlet_c_max=inlet_max_c(facts.inlet_c_max if facts else None, air.altitude_m),
        )


def _facts(parts: Parts, role: str, model: str) -> NodeModel | StorageNodeModel | SwitchModel | ManagementSwitchModel | None:
    known = parts.catalog
    if role == "gpu":
        return known.nodes.get(model)
    if role == "storage":
        return known.storage.get(model)
    return known.management_switches.get(model) if role == "oob" else known.switches.get(model)


def _nodes(devices: Iterable[RackDevice], parts: Parts) -> Iterator[tuple[NodeModel, list[RackDevice]]]:
    for (role, model), same in _by_model(devices):
        if role == "gpu" and model in parts.catalog.nodes:
            yield parts.catalog.nodes[model], same


def _hot(devices: Iterable[RackDevice], parts: Parts) -> Iterator[HotModel]:
    for node, same in _nodes(devices, parts):
        if node.liquid_fraction == 0:
            gpu = parts.catalog.gpus[node.gpu_model]
            yield HotModel(
                model=node.name,
                gpu_model=gpu.name,
                gpu_w=gpu.tdp_w,
                devices=len(same),
                liquid_skus=gpu.liquid_skus or (),
            )


def _liquid(devices: Iterable[RackDevice], parts: Parts) -> Iterator[LiquidNeed]:
    for node, same in _nodes(devices, parts):
        if node.liquid_fraction > 0:
            yield LiquidNeed(
                model=node.name,
                devices=len(same),
                liquid_kw=round(sum(device.peak_kw for device in same) * node.liquid_fraction, 6),
                only=bool(node.liquid_only),
                loop_c_max=node.loop_c_max,
            )


def door_model(stated: Cooling | None, parts: Parts) -> CoolingModel | None:
    """Catalogue row of the rear doors. None without doors, or where the catalogue has no door of that name."""
    row = parts.catalog.cooling.get(stated.rear_doors.model) if stated and stated.rear_doors else None
    return row if row and row.kind == "rear-door" else None


def _door(live: list[RackDevice], airs: Airs) -> RackDoor | None:
    stated, model = airs.stated, door_model(airs.stated, airs.parts)
    if stated is None or stated.rear_doors is None or model is None:
        return None
    doors = stated.rear_doors
    if doors.racks == "compute" and not any(device.role == "gpu" for device in live):
        return None
    hot_c = stated.inlet_c + stated.delta_k
    found = exchange(model, hot_c - doors.water_c, hot_c - doors.water_c, doors.water_c, doors.water_flow_l_min, doors.fluid)
    return RackDoor(
        model=model.name,
        capacity_kw=found.capacity_kw,
        hot_c=hot_c,
        water_c=doors.water_c,
        water_out_c=None,
        pressure_kpa=found.pressure_kpa,
        pressure_limit_kpa=doors.water_pressure_kpa,
        air_max_m3_s=model.air_max_m3_s,
        fluid=doors.fluid,
        fluids=model.fluids,
        unknown=found.unknown,
    )


def _taken(door: RackDoor, air_kw: float, delta_k: float) -> float:
    """Heat that a door takes: no more than it carries, and no air leaves it colder than its water comes in."""
    if door.capacity_kw is None:
        return 0.0
    return min(door.capacity_kw, air_kw * min(1.0, max(door.hot_c - door.water_c, 0.0) / delta_k))


def _warmed(door: RackDoor, taken_kw: float, stated: Cooling | None) -> float | None:
    """Temperature of the water that leaves a door: entering + heat / (m cp)."""
    if stated is None or stated.rear_doors is None:
        return None
    return round(door.water_c + taken_kw / kw_per_k(door.fluid, door.water_c, stated.rear_doors.water_flow_l_min), 3)
