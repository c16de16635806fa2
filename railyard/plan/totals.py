"""The site's totals: the small slice that whole-site rules and the consequence table read."""

from collections.abc import Iterable, Sequence

from railyard.model.plan import FabricSummary, FileSystemPlan, MachinePlan, RackPlan, SiteTotals
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.shape import FabricShape


def worst_feed(racks: Iterable[RackPlan]) -> tuple[str, float]:
    """(PDU name, percent) of the fullest feed when the other one of its rack is lost: survivor kW / capacity kW * 100."""
    loads = (
        (round(feed.survivor_kw / feed.capacity_kw * 100, 6), names.pdu(rack.name, feed.name))
        for rack in racks
        for feed in rack.feeds
        if feed.capacity_kw > 0
    )
    # The fullest; among equals the first by name, so that the answer doesn't depend on the order of racks.
    percent, name = min(loads, key=lambda item: (-item[0], names.sort_key(item[1])), default=(0.0, ""))
    return name, percent


def sum_up(
    file: StackFile,
    shape: FabricShape,
    racks: Sequence[RackPlan],
    machines: Sequence[MachinePlan],
    fabric: FabricSummary,
    file_system: FileSystemPlan | None,
    cables: int,
    inventory_sha256: str,
) -> SiteTotals:
    """Totals of what stands."""
    nodes = [machine for machine in machines if machine.role == "gpu"]
    name, percent = worst_feed(racks)
    return SiteTotals(
        site=file.site.name,
        gpus=sum(machine.gpus for machine in nodes),
        active_gpus=sum(machine.gpus for machine in nodes if machine.lifecycle == "active"),
        nodes=len(nodes),
        machines=len(machines),
        racks=len(racks),
        peak_kw=round(sum(rack.peak_kw for rack in racks), 6),
        worst_feed_percent=percent,
        worst_feed=name,
        bisection_gb_per_s=fabric.bisection_gb_per_s,
        cables=cables,
        usable_storage_tib=file_system.usable_tib if file_system else 0.0,
        spare_leaf_ports=fabric.free_leaf_ports,
        planned_scalable_units=file.fabric.planned_scalable_units or file.fabric.scalable_units,
        built_scalable_units=file.fabric.scalable_units,
        nodes_per_unit=shape.nodes_per_unit,
        spines_per_plane=shape.spines_per_plane,
        inventory_sha256=inventory_sha256,
    )
