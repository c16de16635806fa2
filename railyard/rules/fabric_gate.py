"""The fabric's gate: judgements of what was read from the switches. Evidence is plain JSON; nothing here reaches out.

{unit, minimumPercent, switches: [{name, sessions: [port], neighbours: {port: "device/port"}, mtu, width, reach: [prefix],
 loopback?: prefix, reason?,
 seen?: {established: [port], neighbours: {port: text}, mtus: {port: bytes}, widths: {prefix: links}}}]}
A switch that couldn't be read has `reason` instead of `seen`.

Where fewer than all sessions are enough, what is missing is judged once, by that share: a switch that doesn't answer, what
others therefore don't see of it, and paths over sessions that are down. What is there and is wrong is found all the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from railyard.plan.names import listed
from railyard.rules.fabric_gate_texts import GATE_010, GATE_011, GATE_012, GATE_013, GATE_014
from railyard.rules.registry import Finding, ordered

Evidence = Mapping[str, Any]
_SHOWN = 6
_SILENT = "SWITCH-010 "


def check_fabric(evidence: Evidence) -> list[Finding]:
    """GATE-010 to GATE-014. A gate of which nothing was measured never passes."""
    rows = [_mapping(row) for row in evidence["switches"]]
    if not rows:
        return [GATE_010.finding(str(evidence["unit"]), "no switch was read", "at least one switch")]
    spared = _Spared(rows, tolerant=float(evidence["minimumPercent"]) < 100.0)
    found = [finding for row in rows for finding in _one(row, spared)]
    return ordered([*_sessions(evidence, rows), *found])


def fabric_facts(evidence: Evidence) -> dict[str, Any]:
    """Outputs of the gate: how many sessions are up, which are missing (`switch/port`), and who couldn't be read."""
    missing = [name for row in evidence["switches"] for name in _down(_mapping(row))]
    planned = sum(len(row["sessions"]) for row in evidence["switches"])
    unread = sorted(str(row["name"]) for row in evidence["switches"] if row.get("reason"))
    return {"sessions": planned - len(missing), "missing": sorted(missing), "unread": unread}


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


class _Spared:
    """What the share of sessions answers for; nothing where it is 100 %."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], *, tolerant: bool) -> None:
        self._tolerant = tolerant
        self._down = {str(row["name"]): {name.rpartition("/")[2] for name in _down(row)} for row in rows}
        self._owner = {str(row["loopback"]): str(row["name"]) for row in rows if row.get("loopback")}

    def silent(self, row: Mapping[str, Any]) -> bool:
        """A switch that doesn't answer. One that is another one, or that refuses us, is never spared."""
        return self._tolerant and str(row["reason"]).startswith(_SILENT)

    def links(self, row: Mapping[str, Any], prefix: str) -> int:
        """Links that a path to a prefix must have: without those whose session is down, here or at its other end."""
        if not self._tolerant:
            return int(row["width"])
        lost = len(self._down[str(row["name"])]) + len(self._down.get(self._owner.get(prefix, ""), ()))
        return max(0, int(row["width"]) - lost)

    def unseen(self, row: Mapping[str, Any], port: str) -> bool:
        """Nobody is seen at a port whose session is down."""
        nobody = not _seen(row).get("neighbours", {}).get(port)
        return self._tolerant and nobody and port in self._down[str(row["name"])]


def _one(row: Mapping[str, Any], spared: _Spared) -> Iterator[Finding]:
    name = str(row["name"])
    if row.get("reason"):
        if spared.silent(row):
            return
        yield GATE_010.finding(name, str(row["reason"]), "a switch that can be read")
        return
    seen = _seen(row)
    widths = sorted(seen.get("widths", {}).items())
    narrow = [f"{prefix} over {links}" for prefix, links in widths if links < spared.links(row, prefix)]
    if narrow:
        yield GATE_012.finding(name, f"reaches {listed(narrow, _SHOWN)} links", f"{int(row['width'])} links to each")
    mtus = [f"{port} {int(mtu)}" for port, mtu in sorted(seen.get("mtus", {}).items()) if mtu != row["mtu"]]
    if mtus:
        yield GATE_013.finding(name, f"MTU {listed(mtus, _SHOWN)}", f"{int(row['mtu'])} bytes on every fabric port")
    wrong = [
        f"{port} sees {seen.get('neighbours', {}).get(port) or 'nobody'} (planned {planned})"
        for port, planned in sorted(_mapping(row["neighbours"]).items())
        if seen.get("neighbours", {}).get(port) != planned and not spared.unseen(row, port)
    ]
    if wrong:
        yield GATE_014.finding(name, listed(wrong, _SHOWN), "the neighbours of the cable schedule")


def _seen(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(row.get("seen") or {})


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value)
