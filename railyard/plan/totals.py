"""The site's totals: the small slice that whole-site rules and the consequence table read."""

from collections.abc import Sequence

from railyard.model.plan import FabricSummary, FileSystemPlan, MachinePlan, RackPlan, SiteTotals
from railyard.model.power import PowerPlan
from railyard.model.site import StackFile
from railyard.plan.electrical import worst_feeds
from railyard.plan.shape import FabricShape


def sum_up(
    file: StackFile,
    shape: FabricShape,
    racks: Sequence[RackPlan],
    machines: Sequence[MachinePlan],
    fabric: FabricSummary,
    file_system: FileSystemPlan | None,
    cables: int,
    inventory_sha256: str,
    power: PowerPlan,
) -> SiteTotals:
    """Totals of what stands."""
    nodes = [machine for machine in machines if machine.role == "gpu"]
    feed, segment = worst_feeds(racks, power)
    return SiteTotals(
        site=file.site.name,
        gpus=sum(machine.gpus for machine in nodes),
        active_gpus=sum(machine.gpus for machine in nodes if machine.lifecycle == "active"),
        nodes=len(nodes),
        machines=len(machines),
        racks=len(racks),
        peak_kw=round(sum(rack.peak_kw for rack in racks), 6),
        worst_feed_percent=feed.percent if feed else 0.0,
        worst_feed=feed.name if feed else "",
        worst_segment_percent=segment.percent if segment else None,
        worst_segment=segment.name if segment else None,
        worst_segment_when=segment.when if segment else None,
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
