"""The fabric's gate: judgements of what was read from the switches. Evidence is plain JSON; nothing here reaches out.

{unit, minimumPercent, switches: [{name, sessions: [port], neighbours: {port: "device/port"}, mtu, width, reach: [prefix],
 seen?: {established: [port], neighbours: {port: text}, mtus: {port: bytes}, widths: {prefix: links}}, reason?}]}
A switch that couldn't be read has `reason` instead of `seen`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from railyard.rules.fabric_gate_texts import GATE_010, GATE_011, GATE_012, GATE_013, GATE_014
from railyard.rules.registry import Finding, listed, ordered

Evidence = Mapping[str, Any]
_SHOWN = 6


def check_fabric(evidence: Evidence) -> list[Finding]:
    """GATE-010 to GATE-014. A gate of which nothing was measured never passes."""
    rows = [_mapping(row) for row in evidence["switches"]]
    if not rows:
        return [GATE_010.finding(str(evidence["unit"]), "no switch was read", "at least one switch")]
    found = [finding for row in rows for finding in _one(row)]
    return ordered([*_sessions(evidence, rows), *found])


def fabric_facts(evidence: Evidence) -> dict[str, Any]:
    """Outputs of the gate: how many sessions are up, and which are missing (`switch/port`)."""
    missing = [name for row in evidence["switches"] for name in _down(_mapping(row))]
    planned = sum(len(row["sessions"]) for row in evidence["switches"])
    return {"sessions": planned - len(missing), "missing": sorted(missing)}


def _down(row: Mapping[str, Any]) -> list[str]:
    up = set(_seen(row).get("established", ()))
    return [f"{row['name']}/{port}" for port in row["sessions"] if port not in up]


def _sessions(evidence: Evidence, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    down = sorted(name for row in rows for name in _down(row))
    planned = sum(len(row["sessions"]) for row in rows)
    minimum = float(evidence["minimumPercent"])
    up_percent = 100.0 * (planned - len(down)) / planned if planned else 0.0
    if up_percent < minimum:
        found = f"{planned - len(down)} of {planned} BGP sessions are established; not: {listed(down, _SHOWN)}"
        yield GATE_011.finding(str(evidence["unit"]), found, f"{minimum:g} % established (railyard:gates.fabricPercent)")


def _one(row: Mapping[str, Any]) -> Iterator[Finding]:
    name = str(row["name"])
    if row.get("reason"):
        yield GATE_010.finding(name, str(row["reason"]), "a switch that can be read")
        return
    seen = _seen(row)
    narrow = [f"{prefix} over {links}" for prefix, links in sorted(seen.get("widths", {}).items()) if links < row["width"]]
    if narrow:
        yield GATE_012.finding(name, f"reaches {listed(narrow, _SHOWN)} links", f"{int(row['width'])} links to each")
    mtus = [f"{port} {int(mtu)}" for port, mtu in sorted(seen.get("mtus", {}).items()) if mtu != row["mtu"]]
    if mtus:
        yield GATE_013.finding(name, f"MTU {listed(mtus, _SHOWN)}", f"{int(row['mtu'])} bytes on every fabric port")
    wrong = [
        f"{port} sees {seen.get('neighbours', {}).get(port) or 'nobody'} (planned {planned})"
        for port, planned in sorted(_mapping(row["neighbours"]).items())
        if seen.get("neighbours", {}).get(port) != planned
    ]
    if wrong:
        yield GATE_014.finding(name, listed(wrong, _SHOWN), "the neighbours of the cable schedule")


def _seen(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(row.get("seen") or {})


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value)
