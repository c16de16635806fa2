"""The report's pages of the fabric: networks, lossless contract, cables in sum, subnets, files and who has read such files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING
from urllib.parse import quote

from railyard.model.infiniband import SubnetFacts
from railyard.model.networks import NetworkPlan
from railyard.model.plan import Cable
from railyard.model.switch_intent import RoutingPlan
from railyard.plan.growth import Work
from railyard.plan.pulls import pull_order
from railyard.plan.subnets import leaf_subnets, subnet_use
from railyard.render.cable_columns import packed
from railyard.render.cables import alike
from railyard.render.coverage import FORMATS

if TYPE_CHECKING:
    from railyard.plan import Plan

WORK_MAX = 400
BUNDLES_SHOWN = 12
_BRACES = re.compile(r"\{([^{}]*)\}")
_TIERS = {"pair": "pair", "leaf": "leaf", "service-leaf": "service leaf", "spine": "spine", "core": "core", "access": "access"}


@dataclass(frozen=True)
class FileKind:
    """Files of one kind that lie beside the report, and who has read such files in railyard's own tests."""

    name: str
    href: str
    count: int
    proved: bool
    proof: str


@dataclass(frozen=True)
class Bundles:
    """Bundles in sum: between how many rack pairs, of how many cables at most, and the largest pairs."""

    pairs: int
    bundles: int
    largest: int
    pairs_by_cables: list[tuple[str, int]]


@dataclass(frozen=True)
class CableSum:
    """Cables of one kind, part and speed: how many, and how many of each length (m)."""

    kind: str
    sku: str
    medium: str
    link_gbps: float
    count: int
    lengths: list[tuple[float, int]]


def fabric_rows(plan: Plan, files: Sequence[str], work: Sequence[Work]) -> dict[str, object]:
    """What the fabric's sections of the template read."""
    return {
        "other_networks": [(network, network_name(network), network_notes(network)) for network in plan.networks],
        "tier_names": _TIERS,
        "routing": plan.routing,
        "lossless": lossless_facts(plan.routing) if plan.routing else [],
        "subnets_ib": ib_subnets(plan),
        "partitions": plan.partitions,
        "cabling": plan.cabling,
        "bundles": bundles(plan.cables, plan.cabling.bundle_cables),
        "cable_sums": cable_sums(plan.cables),
        "cable_data": packed(plan.cables, plan.cabling.bundle_cables),
        "subnet_use": subnet_use(plan.addresses),
        "leaf_subnets": leaf_subnets(plan.switches, plan.addresses),
        "files": file_kinds(files),
        "work": work[:WORK_MAX],
        "work_left": max(0, len(work) - WORK_MAX),
        "work_counts": sorted(Counter(step.action for step in work).items()),
    }


def network_name(network: NetworkPlan) -> str:
    """What the network carries, in words."""
    return "out of band" if network.kind == "oob" else " and ".join(network.carries)


def network_notes(network: NetworkPlan) -> list[str]:
    """What sizes the network, in a fixed order."""
    attach = {"mlag": "two ports of a machine as a LAG (MLAG)", "esi": "two ports of a machine as a LAG (EVPN ESI)",
              "routed": "two routed ports of a machine", "independent": "two independent ports of a machine"}  # fmt: skip
    notes = [f"{network.switch_model} at {network.link_gbps:g} Gb/s, {network.transport}"]
    if network.attach is not None:
        notes.append(f"{attach[network.attach.value]}, one to each switch of a pair")
    if network.tiers > 1:
        ratio = f"at most {network.oversubscription:g}:1 down to up"
        many = f"{network.links_per_pair:g} link{'s' if network.links_per_pair != 1 else ''} between a leaf and a spine"
        notes.append(f"{ratio}, {many}")
    if network.node_to_server is not None:
        sides = f"{network.node_gb_per_s:,.0f} : {network.server_gb_per_s:,.0f} GB/s"
        notes.append(f"node side : server side = {network.node_to_server:.4g}:1 ({sides})")
    if network.target_gb_per_s is not None:
        notes.append(f"{network.target_gb_per_s:,.0f} GB/s must get through, {network.copies} copies of a written byte")
    if network.endpoints:
        notes.append("ends: " + ", ".join(f"{count:,} {kind}" for kind, count in sorted(network.endpoints.items())))
    if network.longest_copper_m:
        notes.append(f"longest copper {network.longest_copper_m:g} m")
    if network.uncovered:
        notes.append(f"without a cable: {', '.join(network.uncovered[:6])}")
    return notes


def lossless_facts(routing: RoutingPlan) -> list[tuple[str, str]]:
    """The contract of NIC, switch and NCCL, then routing and management, as name and value."""
    contract = routing.lossless
    watchdog = contract.watchdog
    ecn = f"{contract.kmin_bytes:,} to {contract.kmax_bytes:,} bytes, up to {contract.pmax_percent:g} % marked"
    # What Cumulus does, whatever it is told: railyard.render.switches.nvue.
    restores = "one poll without pauses" if routing.nos == "cumulus" else f"{watchdog.restores_ms} ms"
    dog = f"{watchdog.action} after {watchdog.detection_ms} ms, restored after {restores}"
    numbers = f"{routing.asn_base}–{routing.asn_last}: {routing.leaf_asns} of leaves, {routing.spine_asns} of spines"
    bfd = f"{routing.bfd.interval_ms} ms × {routing.bfd.multiplier}" if routing.bfd.enabled else "off"
    return [
        ("RoCE", f"DSCP {contract.dscp} → priority {contract.priority} (NCCL traffic class {contract.traffic_class})"),
        ("priorities with PFC", ", ".join(str(priority) for priority in contract.lossless_priorities) or "none"),
        ("congestion notification", f"DSCP {contract.cnp_dscp} → class {contract.cnp_class}, strict"),
        ("ECN marking", ecn if contract.congestion == "ecn" else "none: receiver-driven"),
        ("PFC watchdog", dog if watchdog.enabled else "off"),
        ("MTU", f"host {contract.host_mtu}, switch {contract.switch_mtu}"),
        ("spreading", f"{contract.spread}, {contract.qps_per_connection} queue pairs per connection"),
        ("switch system", " ".join(part for part in (routing.nos, routing.nos_version) if part)),
        ("ASIC", routing.asic or "unknown to the catalogue"),
        ("shared buffer", _bytes(routing.shared_buffer_bytes)),
        ("AS numbers", numbers),
        ("ECMP width of a leaf", f"{routing.uplinks}"),
        ("BFD", bfd),
        ("NTP · syslog", f"{_or_none(routing.ntp_servers)} · {_or_none(routing.syslog_servers)}"),
        ("may manage", _or_none(routing.management)),
    ]


def _bytes(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,} bytes"


def _or_none(values: Iterable[str]) -> str:
    return ", ".join(values) or "none"


def ib_subnets(plan: Plan) -> tuple[SubnetFacts, ...]:
    """InfiniBand subnets; empty on Ethernet."""
    return plan.infiniband.subnets if plan.infiniband else ()


def bundles(cables: Sequence[Cable], bundle_cables: int) -> Bundles:
    """Bundles as the crew pulls them, counted."""
    pairs = Counter(cable.bundle for cable in cables if cable.bundle)
    pulled = Counter(pull.bundle for pull in pull_order(cables, bundle_cables) if pull.bundle)
    largest = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return Bundles(len(pairs), len(pulled), max(pulled.values(), default=0), largest[:BUNDLES_SHOWN])


def cable_sums(cables: Iterable[Cable]) -> list[CableSum]:
    """What has to be ordered, in few rows, sorted."""
    found: dict[tuple[str, str, str, float], list[tuple[float, int]]] = {}
    for row in alike(cables):
        found.setdefault((row.kind, row.sku, row.medium, row.link_gbps), []).append((row.length_m, row.count))
    return [CableSum(*key, sum(count for _, count in lengths), lengths) for key, lengths in found.items()]


def file_kinds(files: Sequence[str]) -> list[FileKind]:
    """The kinds of files that lie there, those that nobody has read in CI last; each file is of one kind only."""
    left, found = sorted(files), list[FileKind]()
    for kind in FORMATS:
        patterns = [one for name in kind.name.split(", ") for one in _expanded(name)]
        mine = [name for name in left if any(_matches(name, pattern) for pattern in patterns)]
        left = [name for name in left if name not in set(mine)]
        if mine:
            found.append(FileKind(kind.name, quote(mine[0]), len(mine), kind.proved, kind.proof))
    return sorted(found, key=lambda kind: (not kind.proved, kind.name))


def _matches(name: str, pattern: str) -> bool:
    """Part by part: a star doesn't reach over a slash."""
    parts, wanted = name.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _expanded(pattern: str) -> list[str]:
    """`a/{b,c}` as `a/b` and `a/c`."""
    found = _BRACES.search(pattern)
    if not found:
        return [pattern]
    before, after = pattern[: found.start()], pattern[found.end() :]
    return [whole for word in found[1].split(",") for whole in _expanded(f"{before}{word}{after}")]
