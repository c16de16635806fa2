"""What the fabric of a plan promises: hops, core load, same-rail shifts, and where its subnet managers sit."""

from __future__ import annotations

from railyard.model.plan import FabricSummary

_CLAIMS = {
    "one flow per link": "one flow on a link, by slot, on full leaves or leaves filled from slot 1",
    "waived": "no claim: a pod is part-filled, so it is routed with a root file (fullPods builds its leaves)",
    "uneven": "no claim: pairs of switches have different numbers of links",
    "oversubscribed": "several flows on a link: more goes down from a leaf than up",
}
_POD_BY = {
    "unit": "units (pods are bought as units are; same-rail traffic between pods crosses the core)",
    "rail": "rails (same-rail traffic stays in its pod; all pods stand from the first unit on)",
}
_RAILS_APART = (
    "rails (a rail needs more than one pod: same-rail traffic crosses the core, too; all pods stand from the first unit on)"
)


def fabric_facts(fabric: FabricSummary) -> list[tuple[str, str]]:
    """Name and value of each promise, in a fixed order."""
    facts = [("layout", f"{fabric.layout}, {fabric.tiers} tier{'s' if fabric.tiers > 1 else ''}")]
    if fabric.pod_by is not None:
        crosses = fabric.pod_by == "rail" and fabric.same_rail_core_load > 0
        facts.append(("pods", f"{fabric.pods}, of {_RAILS_APART if crosses else _POD_BY[fabric.pod_by]}"))
    if fabric.same_rail_hops is not None:
        facts.append(("switch hops", f"same rail {fabric.same_rail_hops}, any {fabric.any_hops or 'no path: rails are apart'}"))
    if fabric.tiers == 3:
        loads = f"{fabric.same_rail_core_load:.1%} of same-rail pairs of leaves, {fabric.any_core_load:.1%} of all pairs"
        facts.append(("core load", loads))
    facts.append(("same-rail shifts", _CLAIMS[fabric.shift_claim]))
    if fabric.separate_fabrics > 1:
        facts.append(("separate fabrics", f"{fabric.separate_fabrics}"))
    facts += [(f"subnet managers of {subnet}", ", ".join(hosts) or "none") for subnet, hosts in _subnets(fabric)]
    return facts


def _subnets(fabric: FabricSummary) -> list[tuple[str, tuple[str, ...]]]:
    return [("the fabric" if name == "fabric" else name, hosts) for name, hosts in sorted(fabric.subnet_managers.items())]


def fabric_text(fabric: FabricSummary) -> str:
    """The same as aligned lines without a final newline."""
    facts = fabric_facts(fabric)
    width = max(len(name) for name, _ in facts)
    return "\n".join(["Training fabric", *(f"  {name:<{width}}  {value}" for name, value in facts)])
