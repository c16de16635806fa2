"""What a device is to a rack: height, power, weight, heat."""

import msgspec

from railyard.plan.managers import HOST
from railyard.plan.networks.shapes import ROLE, OtherNetworks
from railyard.plan.parts import Parts


class Body(msgspec.Struct, frozen=True, gc=False):
    """What a device is to a rack. `peak_kw` counts an unknown peak as 0 (PLAN-008). `depth_m` counts from the rails."""

    role: str
    model: str
    u_height: int
    peak_kw: float
    weight_kg: float | None
    air_fraction: float
    depth_m: float | None = None
    fluid_kg: float | None = None


def bodies(parts: Parts, nets: OtherNetworks) -> dict[str, Body]:
    """What stands in racks, by role."""
    node, switch, disk, oob = parts.node, parts.switch, parts.storage, nets.oob.model
    found = {
        "gpu": Body(
            "gpu", node.name, node.rack_units, node.peak_kw, node.weight_kg, node.air_fraction, node.depth_m, node.fluid_kg
        ),
        "oob": Body("oob", oob.name, oob.u_height, oob.peak_kw or 0.0, oob.weight_kg, 1.0, oob.depth_m),
        "management": Body("management", HOST.model, HOST.u_height, HOST.peak_kw, HOST.weight_kg, 1.0, HOST.depth_m),
    }
    if disk:
        found["storage"] = Body("storage", disk.name, disk.rack_units, disk.peak_kw, disk.weight_kg, 1.0, disk.depth_m)
    for role in ("leaf", "spine", "core"):
        found[role] = Body(role, switch.name, switch.u_height, switch.peak_kw or 0.0, switch.weight_kg, 1.0, switch.depth_m)
    for dual in nets.duals:
        model = dual.pick.model
        role, peak = ROLE[dual.kind], model.peak_kw or 0.0
        found[role] = Body(role, model.name, model.u_height, peak, model.weight_kg, 1.0, model.depth_m)
    return found
