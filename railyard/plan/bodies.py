"""What a device is to a rack: height, power, weight, heat."""

import msgspec

from railyard.plan.managers import HOST
from railyard.plan.networks.shapes import ROLE, OtherNetworks
from railyard.plan.parts import Parts


class Body(msgspec.Struct, frozen=True, gc=False):
    """What a device is to a rack. `peak_kw` counts an unknown peak as 0 (PLAN-008)."""

    role: str
    model: str
    u_height: int
    peak_kw: float
    weight_kg: float | None
    air_fraction: float


def bodies(parts: Parts, nets: OtherNetworks) -> dict[str, Body]:
    """What stands in racks, by role."""
    node, switch, disk, oob = parts.node, parts.switch, parts.storage, nets.oob.model
    found = {
        "gpu": Body("gpu", node.name, node.rack_units, node.peak_kw, node.weight_kg, node.air_fraction),
        "oob": Body("oob", oob.name, oob.u_height, oob.peak_kw or 0.0, oob.weight_kg, 1.0),
        "management": Body("management", HOST.model, HOST.u_height, HOST.peak_kw, HOST.weight_kg, 1.0),
    }
    if disk:
        found["storage"] = Body("storage", disk.name, disk.rack_units, disk.peak_kw, disk.weight_kg, 1.0)
    for role in ("leaf", "spine", "core"):
        found[role] = Body(role, switch.name, switch.u_height, switch.peak_kw or 0.0, switch.weight_kg, 1.0)
    for dual in nets.duals:
        model = dual.pick.model
        found[ROLE[dual.kind]] = Body(ROLE[dual.kind], model.name, model.u_height, model.peak_kw or 0.0, model.weight_kg, 1.0)
    return found
