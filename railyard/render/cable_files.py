"""All files about cables that a plan gives, by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from railyard.plan.end_labels import end_labels
from railyard.plan.native import in_native_names, port_numbers
from railyard.render.bom import bom_csv
from railyard.render.cable_formats import ndt_csv, p2p_csv, ptm_dot, topo
from railyard.render.cables import cables_csv
from railyard.render.labels import labels_csv, labels_pdf
from railyard.render.netbox import netbox_csv

if TYPE_CHECKING:
    from railyard.plan import Plan


def cable_files(plan: Plan, filled: Mapping[str, Mapping[str, str]] | None = None) -> Iterator[tuple[str, bytes]]:
    """Path -> content. Formats of tools are written for the transport that they are for: PTM reads LLDP, others InfiniBand.

    Switch ports have the names of the switches' system (`plan.native`). `filled` are the crew's values by cable id, as the
    files have it: a schedule that is written again keeps them.
    """
    plan = in_native_names(plan)
    cables, cabling = plan.cables, plan.cabling
    yield "cables.csv", cables_csv(cables, cabling, filled, cabling.bundle_cables).encode()
    yield "bom-cables.csv", bom_csv(cabling).encode()
    labels = list(end_labels(cables, plan.racks, cabling.ports_per_cage, port_numbers(plan)))
    yield "labels.csv", labels_csv(labels).encode()
    yield "labels.pdf", labels_pdf(labels, f"Cable labels of {plan.site.site}")
    yield "netbox/cables.csv", netbox_csv(plan.site.site, cables).encode()
    if plan.fabric.transport == "infiniband":
        models = {switch.name: switch.model for switch in plan.switches}
        yield "cabling/topology.topo", topo(cables, models).encode()
        yield "cabling/ndt.csv", ndt_csv(cables, models).encode()
    else:
        yield "cabling/topology.dot", ptm_dot(cables, {port.hca: port.netdev for port in plan.hosts.ports}).encode()
    yield "cabling/p2p.csv", p2p_csv(cables).encode()
