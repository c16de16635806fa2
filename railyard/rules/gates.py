"""Gates and identity: judgements of evidence that a provider measured, and whether a gate's threshold can be met at all.

Evidence is plain JSON; nothing here reaches out.

Facility evidence:  {unit, minimumReady, machines: [{name, ready, reason?}], quarantined: [{name, reason?} | name]}
Admission evidence: {job, admitted, gpus, gpusPerNode, topologyLevel, planned: {node: rack}, assigned: [{name, labels: {}}],
                    message?}
Identity:           {name, serial, gpus, nics, macs}; `found` may lack what a BMC doesn't tell (without a serial it's refused)
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from typing import Any, cast

from railyard.model.plan import MachinePlan
from railyard.rules.gate_texts import GATE_001, GATE_002, GATE_003, METAL_001, METAL_002, METAL_003, METAL_004
from railyard.rules.registry import Finding, Rule, ordered

Evidence = Mapping[str, Any]


def check_thresholds(
    machines: Iterable[MachinePlan], minimum_ready: int | None, probe_gpus: int | None, storage_ready: int | None = None
) -> list[Finding]:
    """GATE-003, before anything is installed. None: every machine, those set aside too (probe: there is none)."""
    units, gpus = dict[int | None, list[bool]](), Counter[str]()
    for machine in machines:
        active = machine.lifecycle == "active"
        units.setdefault(machine.unit, []).append(active)
        gpus[machine.rack] += machine.gpus if active else 0
    findings = list(_too_few(units, minimum_ready, storage_ready))
    rack, most = max(gpus.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    if probe_gpus is not None and probe_gpus > most:
        limit = f"{most} GPUs of {rack or 'no rack'}, the most in one rack: the probe must fit into one"
        findings.append(GATE_003.finding("railyard:platform.probeGpus", f"a probe of {probe_gpus} GPUs", limit))
    return ordered(findings)


def _too_few(units: Mapping[int | None, list[bool]], minimum_ready: int | None, storage_ready: int | None) -> Iterator[Finding]:
    """`units`: whether each machine of a unit (None: the storage machines) is active."""
    for unit, active in units.items():
        where, who = ("minimumReady", f"unit {unit}") if unit is not None else ("storageMinimumReady", "storage")
        wanted = (minimum_ready if unit is not None else storage_ready) or len(active)
        if wanted > sum(active):
            limit = f"{sum(active)}, all that are active"
            yield GATE_003.finding(f"railyard:gates.{where}", f"{wanted} machines of {who}", limit)


def check_facility(evidence: Evidence) -> list[Finding]:
    """GATE-001: at least `minimumReady` of a unit's machines are ready; the others are named, those set aside too.

    A unit of which nothing was measured never passes, whatever the number says: that would be a digest of nothing.
    """
    missing = missing_machines(evidence)
    ready = len(evidence["machines"]) - len(missing)
    minimum = int(evidence["minimumReady"])
    if ready >= minimum and evidence["machines"]:
        return []
    others = [_because(row) for row in evidence["machines"] if not row["ready"]]
    aside = [f"{_because(row)} [set aside]" for row in evidence.get("quarantined", ())]
    found = f"{ready} of {len(evidence['machines'])} machines are ready; missing: {'; '.join([*others, *aside]) or 'none'}"
    limit = f"{max(1, minimum)} ready (railyard:gates.minimumReady, storageMinimumReady)"
    return [GATE_001.finding(str(evidence["unit"]), found, limit)]


def missing_machines(evidence: Evidence) -> list[str]:
    """Names of the machines that are not ready, in order: an output of the gate."""
    return sorted(str(row["name"]) for row in evidence["machines"] if not row["ready"])


def check_admission(evidence: Evidence) -> list[Finding]:
    """GATE-002: the probe was admitted onto as many planned nodes as it needs, all in one rack, with labels as planned."""
    where = str(evidence.get("job", "probe"))
    if not evidence["admitted"]:
        message = evidence.get("message") or "no reason given"
        return [GATE_002.finding(where, f"the probe was not admitted: {message}", f"{int(evidence['gpus'])} GPUs admitted")]
    return ordered([*_placement(evidence, where), *_labels(evidence, where)])


def check_identity(planned: Evidence, found: Evidence) -> list[Finding]:
    """METAL-001 to METAL-004: what the BMC says against the plan. What it doesn't say is not compared, except the serial:
    a machine that doesn't show one may be any machine.
    """
    where = str(planned.get("name") or planned["serial"])
    return ordered(
        [
            *_differs(METAL_001, where, "serial", planned, {"serial": found.get("serial") or "(none shown)"}),
            *_differs(METAL_002, where, "gpus", planned, found),
            *_differs(METAL_004, where, "nics", planned, found),
            *_macs(where, planned, found),
        ]
    )


def _placement(evidence: Evidence, where: str) -> Iterator[Finding]:
    planned, assigned = _mapping(evidence["planned"]), [str(node["name"]) for node in evidence["assigned"]]
    needed = ceil(int(evidence["gpus"]) / int(evidence["gpusPerNode"]))
    strangers = sorted(name for name in assigned if name not in planned)
    racks = sorted({str(planned[name]) for name in assigned if name in planned})
    if strangers:
        yield GATE_002.finding(where, f"assigned to {', '.join(strangers)}, which the plan doesn't have", "nodes of the plan")
    if len(set(assigned)) != needed:
        found = f"assigned to {len(set(assigned))} nodes: {', '.join(sorted(assigned)) or 'none'}"
        yield GATE_002.finding(where, found, f"{needed} nodes of {int(evidence['gpusPerNode'])} GPUs")
    if len(racks) > 1:
        yield GATE_002.finding(where, f"assigned across {len(racks)} racks: {', '.join(racks)}", "one rack")


def _labels(evidence: Evidence, where: str) -> Iterator[Finding]:
    planned, level = _mapping(evidence["planned"]), str(evidence["topologyLevel"])
    for node in evidence["assigned"]:
        name, label = str(node["name"]), _mapping(node["labels"]).get(level)
        if name in planned and label != planned[name]:
            found = f"{name} has {level}={label if label is not None else '(none)'}"
            yield GATE_002.finding(f"{where}/{name}", found, f"{level}={planned[name]}")


def _differs(rule: Rule, where: str, key: str, planned: Evidence, found: Evidence) -> Iterator[Finding]:
    wanted, seen = planned.get(key), found.get(key)
    if wanted is not None and seen is not None and wanted != seen:
        yield rule.finding(where, f"{key} {_plain(seen)}", f"{key} {_plain(wanted)} (planned)")


def _macs(where: str, planned: Evidence, found: Evidence) -> Iterator[Finding]:
    if found.get("macs") is None:
        return
    seen = {str(mac).lower() for mac in cast("Iterable[object]", found["macs"])}
    missing = [str(mac) for mac in cast("Iterable[object]", planned.get("macs") or ()) if str(mac).lower() not in seen]
    if missing:
        found_text = f"no NIC with {', '.join(missing)}; found {', '.join(sorted(seen)) or 'none'}"
        yield METAL_003.finding(where, found_text, f"{', '.join(missing)} (planned)")


def _because(row: object) -> str:
    """`name (reason)`; a quarantined machine may be a bare name."""
    if isinstance(row, str):
        return row
    fields = _mapping(row)
    return f"{fields['name']} ({fields['reason']})" if fields.get("reason") else str(fields["name"])


def _plain(value: object) -> str:
    """Numbers come as floats over the wire; people read whole ones."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value)
