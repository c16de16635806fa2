"""One proof: a subnet is simulated, discovered, routed twice by the real OpenSM, and its tables are walked.

Rates are simulated as HDR: Debian's ibsim knows neither NDR nor XDR; wiring, routing and partitions don't depend on it. What a
switch does by itself (adaptive routing, congestion control, SHARP) can't be simulated and is not claimed.
"""

import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from railyard.model.infiniband import DEFAULT_KEY, Adapter, PartitionPlan, Subnet
from railyard.plan.partitions import member_ports
from railyard.render.infiniband import subnet_files
from tests.proof.infiniband.designs import Design
from tests.proof.infiniband.differences import Differences, Found, compare, read_discovered
from tests.proof.infiniband.forwarding import (
    ForwardingError,
    cycle,
    endpoints_per_uplink,
    read_lids,
    read_tables,
    shift_loads,
    walk,
)
from tests.proof.infiniband.simulator import Simulator, SimulatorError

STRICT = ("-F", "/dev/null", "-R", "ftree,no_fallback")
"""No roots, no way out: the wiring itself must be a fat tree. The template's defaults for all else."""
COMPLAINTS = ("Unrecognized", "PARSE ERROR", "in error", "ERR ")
"""OpenSM says these and comes up with defaults all the same, rc 0."""
ROUTED_BY = re.compile(r"osm_ucast_mgr_process: (\w+) tables configured on all switches")
UP = "SUBNET UP"
GAVE_UP = ("No routing engine able to successfully configure", "SM port is down")
TABLES, LIDS = "opensm-lfts.dump", "guid2lid"
"""Files that OpenSM leaves: forwarding tables, and the LID of each port."""
FULL = 0x8000
"""The membership bit of a key in a port's table."""
ALL_KEYS = 128
"""Ports up to which all partition tables are read: a smpquery takes some milliseconds."""
_KEYS = re.compile(r"0x[0-9a-f]{4}")


class ProofError(AssertionError):
    """The subnet isn't proved; every reason is a line."""


@dataclass(frozen=True)
class Routed:
    """What OpenSM said of one run: engine (None: none fitted), whether the subnet came up, complaints word by word."""

    engine: str | None
    up: bool
    complaints: tuple[str, ...]
    seconds: float


@dataclass
class Report:
    """What was measured on a subnet that is proved (of two routings, the rendered one).

    `shifts`: most flows on one link over all shifts, one rail at a time; `shifts_together`: all rails at once, where `crowded`
    shifts have more than one. `hops`: leaf-endpoint pairs by number of switches on their path, `rail_hops` those of one rail.
    `uplink_load`, `core_load`: fewest and most endpoints that a leaf-spine and a spine-core link carry.
    """

    name: str
    switches: int = 0
    adapters: int = 0
    links: int = 0
    engine: str = ""
    hops: dict[int, int] = field(default_factory=dict)
    rail_hops: dict[int, int] = field(default_factory=dict)
    shifts: int = 0
    shifts_together: int = 0
    crowded: int = 0
    waived: str = ""
    uplink_load: tuple[int, int] = (0, 0)
    core_load: tuple[int, int] = (0, 0)
    seconds: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        pairs = {over: f"{self.rail_hops.get(over, 0)} of {count}" for over, count in sorted(self.hops.items())}
        hops = ", ".join(f"{number} over {over}" for over, number in pairs.items())
        text = f"{self.name}: {self.switches} switches, {self.adapters} endpoints, {self.links} links, {self.engine}"
        text += f"; same-rail pairs {hops} switches"
        text += f"; flows on a link {self.shifts}{f' ({self.waived})' if self.waived else ''}, all rails at once"
        text += f" {self.shifts_together}{f' on {self.crowded} shifts' if self.crowded else ''}"
        text += f"; endpoints on an uplink {self.uplink_load[0]}-{self.uplink_load[1]}"
        if self.core_load != (0, 0):
            text += f", on a core link {self.core_load[0]}-{self.core_load[1]}"
        return text + "; s: " + ", ".join(f"{name} {value:.2f}" for name, value in self.seconds.items())


def prove(
    design: Design,
    folder: Path,
    *,
    partitions: Sequence[PartitionPlan] = (),
    waived: str = "",
    keys: int = 12,
    other_files: Mapping[str, str] | None = None,
    patience_s: float = 180,
) -> Report:
    """Everything that the proof asks of one subnet; ProofError with all reasons.

    `waived` says why one flow per link isn't promised (holes, a part-filled pod); the worst load is measured all the same.
    `keys` is how many ports' partition tables are read back of a large fabric, spread over the partitions and those outside;
    `other_files` stand in for rendered ones (to show that wrong ones fail); `patience_s` is for one run of OpenSM.
    """
    subnet, report = design.subnet, Report(design.subnet.name)
    configured = folder / "opensm"
    files = subnet_files(subnet, partitions, folder=str(configured))
    configured.mkdir(parents=True)
    for name, text in (files | dict(other_files or {})).items():
        (configured / name).write_text(text, encoding="utf-8")
    reasons: list[str] = []
    with Simulator(files["fabric.net"], folder / "sim", host=host_of(subnet)) as simulator:
        found = discover(simulator, report)
        reasons += _counted(subnet, found, report)
        if subnet.tiers > 1:
            reasons += _strict(design, simulator, report, waived, patience_s)
        rendered = route(simulator, "-F", str(configured / "opensm-proof.conf"), timeout_s=patience_s)
        report.seconds["rendered"] = rendered.seconds
        reasons += _well_routed(rendered, "rendered opensm.conf", "ftree" if subnet.tiers > 1 else "updn")
        if rendered.up and rendered.engine:
            report.engine, report.waived = rendered.engine, waived
            _walked(design, simulator.folder, report, reasons, waived, "rendered")
            began = time.monotonic()
            reasons += wrong_keys(simulator, subnet, partitions, keys)
            report.seconds["pkeys"] = time.monotonic() - began
    if reasons:
        raise ProofError(f"{subnet.name}:\n" + "\n".join(reasons))
    return report


def discover(simulator: Simulator, report: Report | None = None) -> Found:
    """What ibnetdiscover finds, by our own reader."""
    ran = simulator.run("ibnetdiscover", timeout_s=120)
    if report is not None:
        report.seconds["ibnetdiscover"] = ran.seconds
    if ran.code:
        raise SimulatorError(f"ibnetdiscover ended with {ran.code}:\n{ran.output[-1000:]}")
    return read_discovered(ran.output)


def differences(subnet: Subnet, simulator: Simulator) -> Differences:
    """The plan against what is there."""
    return compare(subnet, discover(simulator))


def route(simulator: Simulator, *options: str, timeout_s: float = 180) -> Routed:
    """OpenSM once. It never ends by itself where no engine fits (it sweeps again): it is ended as soon as its log says so."""
    log = simulator.folder / "opensm.log"
    # What an earlier run left would be walked in place of tables that this one never wrote.
    for name in (log.name, TABLES, LIDS):
        (simulator.folder / name).unlink(missing_ok=True)
    argv = ("opensm", "-o", "-e", "-f", str(log), "-D", "0x43", "--maxsmps", "64")
    ran = simulator.run(*argv, *options, timeout_s=timeout_s, done=lambda: _gave_up(log))
    text = _text(log)
    engine = ROUTED_BY.search(text)
    lines = [line.strip() for line in (ran.output + text).splitlines()]
    complaints = [line[:300] for line in lines if any(word in line for word in COMPLAINTS)]
    return Routed(engine[1] if engine else None, UP in text, tuple(complaints), ran.seconds)


def _gave_up(log: Path) -> str:
    text = _text(log)
    return next((words for words in GAVE_UP if words in text), "")


def _text(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""


def _counted(subnet: Subnet, found: Found, report: Report) -> list[str]:
    """Switches, adapters and links against the plan; then cable by cable."""
    report.switches, report.adapters, report.links = found.count("Switch"), found.count("Ca"), len(found.links)
    wanted = (len(subnet.switches), len({adapter.key for adapter in subnet.adapters}), len(subnet.links))
    seen = (report.switches, report.adapters, report.links)
    reasons = []
    if seen != wanted:
        reasons.append("found {} switches, {} adapters, {} links; planned {}, {}, {}".format(*seen, *wanted))
    different = compare(subnet, found)
    return [*reasons, *([str(different)] if different else [])]


def _strict(design: Design, simulator: Simulator, report: Report, waived: str, patience_s: float) -> list[str]:
    """The run without roots: it must take the wiring, or refuse what is known to be no whole tree."""
    routed = route(simulator, *STRICT, timeout_s=patience_s)
    report.seconds["strict"] = routed.seconds
    if design.refused:
        refused = not routed.up and any("ERR AB" in line for line in routed.complaints)
        return [] if refused else [f"strict ftree takes what it should refuse: {routed}"]
    reasons = _well_routed(routed, "strict")
    if not reasons:
        _walked(design, simulator.folder, report, reasons, waived, "strict")
    return reasons


def _well_routed(routed: Routed, name: str, engine: str = "ftree") -> list[str]:
    reasons = [f"{name}: OpenSM says: {line}" for line in routed.complaints]
    if not routed.up:
        reasons.append(f"{name}: the subnet didn't come up")
    if routed.engine != engine:
        reasons.append(f"{name}: routed by {routed.engine or 'no engine'}, not by {engine}")
    return reasons


def _walked(design: Design, folder: Path, report: Report, reasons: list[str], waived: str, name: str) -> None:
    """Walk all pairs, look for cycles, count shifts. Reasons are added to, the report is filled in."""
    began = time.monotonic()
    try:
        paths = walk(design.subnet, read_tables(folder / TABLES), read_lids(folder / LIDS))
    except ForwardingError as error:
        reasons.append(f"{name}: {error}")
        return
    loop = cycle(paths)
    if loop:
        reasons.append(f"{name}: the channel graph has a cycle over {len(loop)} channels, among them {', '.join(loop[:4])}")
    loads = shift_loads(paths, design.rings)
    report.shifts = max((load.alone for load in loads.values()), default=0)
    report.shifts_together = max((load.together for load in loads.values()), default=0)
    report.crowded = sum(1 for load in loads.values() if load.together > 1)
    if not report.shifts and not waived:
        reasons.append(f"{name}: no same-rail shift has a flow: no ring holds two endpoints")
    if report.shifts > 1 and not waived:
        bad = [shift for shift, load in loads.items() if load.alone > 1]
        reasons.append(f"{name}: {report.shifts} flows on one link, on {len(bad)} of {len(loads)} shifts, e.g. shift {bad[0]}")
    report.hops, report.rail_hops = paths.hop_counts(design.rings)
    report.uplink_load = endpoints_per_uplink(design.subnet, paths, "leaf", "spine")
    report.core_load = endpoints_per_uplink(design.subnet, paths, "spine", "core")
    report.seconds[f"walk {name}"] = time.monotonic() - began


def wrong_keys(simulator: Simulator, subnet: Subnet, partitions: Sequence[PartitionPlan], limit: int) -> list[str]:
    """Partition tables read by smpquery against the tenant plan: the tenant's key first, full; then default.

    Of every port where the fabric is small (`ALL_KEYS`), else of `limit` ports.

    In the default partition everybody is full without tenants; else only fabric managers and the host that runs the manager.
    """
    lids = read_lids(simulator.folder / LIDS)
    keys = {port: partition.key for partition, ports in member_ports(subnet, partitions) for port in ports}
    reasons: list[str] = []
    small = len(subnet.adapters) <= ALL_KEYS
    for adapter in subnet.adapters if small else _spread(subnet, keys, limit):
        full = not partitions or adapter.role == "manager" or adapter.key == simulator.host.key
        wanted = [keys[adapter.port_guid] | FULL] if adapter.port_guid in keys else []
        wanted.append(DEFAULT_KEY | (FULL if full else 0))
        lid = lids.get(adapter.port_guid)
        found = [] if lid is None else read_keys(simulator, lid)
        if found != wanted:
            shown = [" ".join(f"0x{key:04x}" for key in row) or "none" for row in (found, wanted)]
            reasons.append(f"{adapter.key}: partition keys {shown[0]}, planned {shown[1]}")
    return reasons


def read_keys(simulator: Simulator, lid: int) -> list[int]:
    """The partition table of port 1 of an adapter, in its order, without empty entries."""
    ran = simulator.run("smpquery", "pkeys", str(lid), "1")
    table = [int(key, 16) for line in ran.output.splitlines() if ":" in line for key in _KEYS.findall(line)]
    return [key for key in table if key]


def host_of(subnet: Subnet) -> Adapter:
    """Where the subnet manager runs: the first fabric manager, else the first adapter."""
    return next((adapter for adapter in subnet.adapters if adapter.role == "manager"), subnet.adapters[0])


def _spread(subnet: Subnet, keys: Mapping[int, int], limit: int) -> list[Adapter]:
    """Ports of every partition and of none, the first and last of each among them."""
    groups: defaultdict[tuple[str, int | None], list[Adapter]] = defaultdict(list)
    for adapter in subnet.adapters:
        groups[adapter.role, keys.get(adapter.port_guid)].append(adapter)
    share = max(2, limit // max(1, len(groups)))
    picked: dict[str, Adapter] = {}
    for rows in groups.values():
        spread = {round(at * (len(rows) - 1) / (share - 1)) for at in range(share)}
        picked |= {rows[at].key: rows[at] for at in sorted(spread)}
    return list(picked.values())
