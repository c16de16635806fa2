"""A calculated fabric for people and for tools: what `railyard fabric` prints."""

from __future__ import annotations

import json

from railyard.plan.calculator import Calculation, without_another_unit
from railyard.plan.cost import Cost, Neighbour, Prices, cheaper, cost_of
from railyard.plan.paths import paths_of

NO_PRICE = "unknown: the price list has no single switch of this radix (give --switch-price and --link-price)"


def size_json(found: Calculation, prices: Prices | None) -> str:
    """The calculation as one JSON object; whole numbers are whole, what doesn't exist is null."""
    shape, paths = found.shape, found.paths
    body: dict[str, object] = {
        "leaves": found.leaves,
        "spines": found.spines,
        "cores": found.cores,
        "nodeLeafCables": found.node_leaf.cables,
        "leafSpineCables": found.leaf_spine.cables,
        "spineCoreCables": found.spine_core.cables,
        "nodeLeafLinks": found.node_leaf.links,
        "leafSpineLinks": found.leaf_spine.links,
        "spineCoreLinks": found.spine_core.links,
        "tiers": shape.tiers,
        "linksPerPair": _number(shape.links_per_pair),
        "freePorts": found.free_leaf_ports,
        "downToUp": round(shape.down_to_up, 6) if shape.uplinks else None,
        "layout": shape.layout,
        "podBy": shape.pod_by if shape.tiers == 3 else None,
        "units": found.units,
        "plannedUnits": shape.units,
        "pods": len(shape.standing_pods(found.units)),
        "nodes": found.ask.nodes,
        "nodesPerUnit": shape.nodes_per_unit,
        "endpoints": found.endpoints,
        "uplinksPerLeaf": shape.uplinks,
        "sameRailHops": paths.same_rail_hops,
        "anyHops": paths.any_hops,
        "sameRailCoreLoad": paths.same_rail_core_load,
        "anyCoreLoad": paths.any_core_load,
        "shiftClaim": found.shape.claim(found.units),
        "separateFabrics": found.shape.separate_fabrics,
        "cost": _cost_body(found, prices),
    }
    return json.dumps(body, indent=2)


def size_text(found: Calculation, prices: Prices | None) -> str:
    """The calculation as a table, loud where something is missing on purpose."""
    shape, ask = found.shape, found.ask
    rows = [
        ("tier", "switches", "cables up", "links up"),
        ("nodes", f"{ask.nodes:,}", f"{found.node_leaf.cables:,}", f"{found.node_leaf.links:,}"),
        ("leaves", f"{found.leaves:,}", f"{found.leaf_spine.cables:,}", f"{found.leaf_spine.links:,}"),
        ("spines", f"{found.spines:,}", f"{found.spine_core.cables:,}", f"{found.spine_core.links:,}"),
        ("cores", f"{found.cores:,}", "", ""),
    ]
    tiers = f"{shape.tiers} tier{'s' if shape.tiers > 1 else ''}"
    head = f"{shape.layout}, {tiers}: {found.endpoints:,} endpoints, {found.switches:,} switches of {shape.radix} ports"
    lines = [head, *_aligned(rows), "", *(f"  {name:<18}{value}" for name, value in _facts(found)), *_cost_lines(found, prices)]
    return "\n".join([*lines, *_loud(found)])


def _facts(found: Calculation) -> list[tuple[str, str]]:
    shape, paths = found.shape, found.paths
    planned = f" of {shape.units} planned" if shape.units > found.units else ""
    facts = [("units", f"{found.units}{planned}, {shape.nodes_per_unit} nodes each")]
    if shape.uplinks:
        ratio = f"{shape.node_ports}:{shape.uplinks} = {shape.down_to_up:.3f}:1"
        facts += [("down to up", ratio), ("links per pair", f"{_number(shape.links_per_pair)} (leaf and spine)")]
    facts.append(("free leaf ports", f"{found.free_leaf_ports:,}"))
    if shape.reserved_ports:
        facts.append(("fabric managers", f"{shape.reserved_ports} ports on as many leaves, {found.manager_hosts} hosts"))
    facts.append(("switch hops", f"same rail {paths.same_rail_hops}, any {paths.any_hops or 'no path'}"))
    if shape.tiers == 3:
        pods = len(shape.standing_pods(found.units))
        size = f"{pods} of {shape.uplinks} leaves and {shape.spines_per_pod} spines"
        facts.append(("pods", f"{size}, by {shape.pod_by}: {pod_words(found)}"))
        shares = f"{paths.same_rail_core_load:.1%} of same-rail pairs, {paths.any_core_load:.1%} of all pairs of leaves"
        facts.append(("core load", shares))
    facts.append(("same-rail shifts", _claim(found)))
    return facts


def pod_words(found: Calculation) -> str:
    """What its pods mean for traffic between two units: as planned, so that growth makes no word of it untrue."""
    shape = found.shape
    if shape.pod_by == "unit":
        return "bought as units are, the default; same-rail traffic between pods crosses the core"
    if paths_of(shape, shape.units).same_rail_core_load == 0:
        return "same-rail traffic stays in its pod; all pods stand from the first unit on"
    has = f"a rail has {shape.leaf_units(shape.units)} leaves, a pod {shape.uplinks}"
    return f"{has}: same-rail traffic crosses the core, too; all pods stand from the first unit on"


def _claim(found: Calculation) -> str:
    if found.shape.claim(found.units) == "waived":
        return "no claim: the last pod is part-filled (root file needed); --full-pods builds its leaves"
    if found.shape.claim(found.units) == "oversubscribed":
        return f"up to {found.shape.down_to_up:.3f} times the uplinks"
    return "one flow on a link, by slot, on full leaves or leaves filled from slot 1"


def _loud(found: Calculation) -> list[str]:
    shape = found.shape
    lines: list[str] = []
    if shape.layout == "rail-only":
        fabrics = found.shape.separate_fabrics
        lines.append(
            f"RAIL-ONLY: {fabrics} separate fabrics, no spine joins them. Traffic between rails must go through a node."
        )
    if shape.down_to_up > 1:
        lines.append(f"OVERSUBSCRIBED {shape.down_to_up:.3f}:1, down to up: more bandwidth goes down from a leaf than up.")
    fewer = without_another_unit(found)
    if fewer:
        takes = f"{shape.reserved_ports} reserved ports take node ports: {found.ask.nodes:,} nodes need {found.units} units."
        saved = f"{fewer.ask.nodes:,} nodes do with {fewer.units} unit{'' if fewer.units == 1 else 's'}"
        less = f"{found.leaves - fewer.leaves} leaves and {found.spines + found.cores - fewer.spines - fewer.cores} spines less"
        lines.append(f"{takes} {saved}: {less}.")
    if shape.tiers < 3 and (found.ask.pod_by == "rail" or found.ask.full_pods):
        lines.append("NO EFFECT: --pod-by and --full-pods are for three tiers; there are no pods here.")
    if shape.tiers == 2 and found.units == shape.units == 1 and _one_switch(found):
        lines.append("One switch per plane would hold these nodes: --tiers 1 (the rails then share it).")
    return ["", *lines] if lines else []


def _one_switch(found: Calculation) -> bool:
    return found.ask.nodes * found.ask.nics + found.shape.reserved_ports <= found.shape.radix


def _cost_body(found: Calculation, prices: Prices | None) -> dict[str, object] | None:
    if prices is None:
        return None
    total = cost_of(found, prices)
    down, up = cheaper(found, prices)
    return {
        "currency": "USD",
        "prices": prices.source,
        "total": _range(total),
        "perEndpoint": _range(total.per(found.endpoints)),
        "cheaperDown": down and {"nodes": down.nodes, "perEndpoint": _range(down.per_endpoint)},
        "cheaperUp": up and {"nodes": up.nodes, "perEndpoint": _range(up.per_endpoint)},
    }


def _range(cost: Cost) -> dict[str, float]:
    return {"low": round(cost.low, 2), "high": round(cost.high, 2)}


def _cost_lines(found: Calculation, prices: Prices | None) -> list[str]:
    if prices is None:
        return [f"  {'cost':<18}{NO_PRICE}"]
    total = cost_of(found, prices)
    down, up = cheaper(found, prices)
    each = total.per(found.endpoints)
    return [
        f"  {'cost':<18}{_money(total)}, {_money(each)} per endpoint ({prices.source})",
        f"  {'cheaper sizes':<18}down: {_neighbour(down)}; up: {_neighbour(up)}",
    ]


def _neighbour(size: Neighbour | None) -> str:
    return f"{size.nodes:,} nodes at {_money(size.per_endpoint)} per endpoint" if size else "none is cheaper per endpoint"


def _money(cost: Cost) -> str:
    low, high = f"{cost.low:,.0f}", f"{cost.high:,.0f}"
    return f"{low} USD" if low == high else f"{low} to {high} USD"


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() else round(value, 6)


def _aligned(rows: list[tuple[str, str, str, str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "  "
        + "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]
