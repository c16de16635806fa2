"""Which switch a network gets: the one that the stack file names, or the smallest of a ladder that is large enough."""

from collections.abc import Callable, Iterator

from railyard.model.catalog import SwitchModel
from railyard.model.errors import Problem
from railyard.model.networks import ManagementSwitchModel, StorageNetwork
from railyard.model.site import StackFile, Transport
from railyard.plan.cages import nic_end, storage_end, switch_end
from railyard.plan.media import Need, choose
from railyard.plan.networks.dual import DualShape, Medium, Pick, Section
from railyard.plan.parts import Parts
from railyard.plan.problems import PlanError

LADDER: dict[tuple[Medium, float], tuple[str, ...]] = {
    ("infiniband", 200): ("qm8700", "qm9700"),
    ("infiniband", 400): ("qm9700",),
    ("infiniband", 800): ("q3400",),
    ("ethernet", 100): ("sn4600c", "sn5600"),
    ("ethernet", 200): ("sn4600", "sn5600"),
    ("ethernet", 400): ("sn5600",),
}
"""Switches that are tried in turn where the stack file names none. Sources: DGX BasePOD RA, SuperPOD H100 RA."""
ACROSS_M = 30.0
"""Across some racks: what copper alone joins is no network of a hall. Every fibre and active optical cable reaches as far."""
IN_BAND_GBPS = 100.0
"""In-band speed where the stack file says nothing (DGX BasePOD RA: SN4600C)."""


def size_best(file: StackFile, parts: Parts, section: Section, size: Callable[[Pick], DualShape]) -> DualShape:
    """The first shape of the picks that needs no third tier; else the last one. Picks that no cable joins come last."""
    found = picks(file, parts, section)
    found = [pick for pick in found if can_be_cabled(pick, parts, file.cabling.multimode)] or found
    shapes = [size(pick) for pick in found]
    return next((shape for shape in shapes if shape.clos is None or shape.clos.tiers < 3), shapes[-1])


def can_be_cabled(pick: Pick, parts: Parts, multimode: str) -> bool:
    """Whether the catalogue has cables of `ACROSS_M` metres from a machine to this switch and from switch to switch."""
    transport = "infiniband" if pick.transport == "infiniband" else "roce"
    upper = switch_end(pick.model, pick.link_gbps)
    needs = [
        Need(transport, pick.link_gbps, lower, upper, multimode)
        for lower in (
            storage_end(parts.node, pick.link_gbps, upper.lane_gbps),
            nic_end(1, pick.link_gbps, upper.lane_gbps),
            upper,
        )
    ]
    return all(choose(parts.catalog.cables, parts.catalog.optics, need, ACROSS_M) for need in needs)


def picks(file: StackFile, parts: Parts, section: Section) -> list[Pick]:
    """Switches at the network's speed, at least one. Raises PlanError (PLAN-001) for a model or speed that there is not."""
    where = "storage" if isinstance(section, StorageNetwork) else "inBand"
    storage, switches = isinstance(section, StorageNetwork), parts.catalog.switches
    medium: Medium = "ethernet"
    if storage and not file.networks.converged and file.fabric.transport is Transport.INFINIBAND:
        medium = "infiniband"
    if section.switch_model is None:
        speed = section.link_gbps or _speed(parts, medium, None if storage else IN_BAND_GBPS)
        models = [switches[name] for name in LADDER.get((medium, speed), ()) if name in switches]
        if not models:
            speeds = ", ".join(f"{known:g}" for kind, known in sorted(LADDER) if kind == medium)
            raise _problem(f"{where}.linkGbps", f"{speed:g} Gb/s", f"one of {speeds}, or name a switchModel")
        return list(_at(models, speed, medium))
    model = switches.get(section.switch_model)
    if model is None:
        raise _problem(f"{where}.switchModel", section.switch_model, f"one of {', '.join(sorted(switches))}")
    medium = "infiniband" if model.transports == ("infiniband",) else "ethernet"
    limit = parts.node.storage_nic_gbps or max(model.ports)
    speed = section.link_gbps or max((float(known) for known in model.ports if known <= limit), default=float(min(model.ports)))
    found = list(_at([model], speed, medium))
    if not found:
        speeds = ", ".join(str(known) for known in sorted(model.ports))
        raise _problem(f"{where}.linkGbps", f"{speed:g} Gb/s on {model.name}", f"one of {speeds}")
    return found


def pick_oob(file: StackFile, parts: Parts) -> ManagementSwitchModel:
    """The out-of-band switch. Raises PlanError (PLAN-001) where the catalogue has none of that name."""
    models = parts.catalog.management_switches
    name = file.networks.oob.switch_model
    if name not in models:
        raise _problem("oob.switchModel", name, f"one of {', '.join(sorted(models))}")
    return models[name]


def _speed(parts: Parts, medium: Medium, most: float | None) -> float:
    """The ladder's highest speed that the nodes' adapters have (unknown: any), at most `most`; the lowest where none is."""
    nic = parts.node.storage_nic_gbps
    speeds = sorted(speed for kind, speed in LADDER if kind == medium)
    fitting = [speed for speed in speeds if speed <= min(nic or max(speeds), most or max(speeds))]
    return fitting[-1] if fitting else speeds[0]


def _at(models: list[SwitchModel], speed: float, medium: Medium) -> Iterator[Pick]:
    for model in models:
        radix = model.radix(speed)
        if radix is not None:
            yield Pick(model, speed, radix, medium)


def _problem(key: str, found: str, limit: str) -> PlanError:
    fix = "use a name of the catalogue and a speed that the switch runs at"
    return PlanError([Problem("PLAN-001", f"railyard:networks.{key}", found, limit, fix)])
