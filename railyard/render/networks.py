"""The networks beside the training fabric in a few lines: what the command line says after the totals."""

from __future__ import annotations

from collections.abc import Iterable

from railyard.model.networks import NetworkPlan


def networks_text(networks: Iterable[NetworkPlan]) -> str:
    """One line per network: switches, speed, free ports, and for storage the ratio of node side to server side."""
    return "\n".join(["Other networks", *(f"  {_line(network)}" for network in networks)])


def _line(network: NetworkPlan) -> str:
    switches = sum(layer.switches for layer in network.layers)
    free = min(layer.free for layer in network.layers)
    name = " and ".join(network.carries) if network.kind != "oob" else "out of band"
    parts = [f"{name}: {switches} x {network.switch_model} at {network.link_gbps:g} Gb/s"]
    if network.attach is not None:
        tiers = "one pair" if network.tiers == 1 else f"{network.tiers} tiers"
        parts.append(f"{tiers}, {network.attach.value}")
    parts.append(f"at least {free} ports free on each")
    parts += _cliff(network)
    if network.node_to_server is not None:
        sides = f"{network.node_gb_per_s:,.0f} : {network.server_gb_per_s:,.0f} GB/s"
        parts.append(f"node side : server side = {network.node_to_server:.4g}:1 ({sides})")
    if network.endpoints:
        parts.append(", ".join(f"{count:,} {kind}" for kind, count in sorted(network.endpoints.items())))
    return "; ".join(parts)


CLIFF = 8
"""A pair that misses at most one port in so many is nearly enough. Ours."""


def _cliff(network: NetworkPlan) -> list[str]:
    """What one planned port too many costs, and the count at which a single pair of these switches would do."""
    ports = network.layers[0].ports
    over = network.pair_needs - ports
    if not 0 < over * CLIFF <= ports or not network.pair_slots:
        return []
    few = f"{network.pair_slots} planned node slots, or {over} fewer kept port{'s' if over > 1 else ''}"
    return [f"{over} of {ports} ports too many for a single pair: it would do with {few}"]
