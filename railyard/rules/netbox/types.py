"""Device types against the catalogue and against themselves. Every finding names both values and the lines that say so."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import isclose

from railyard.model.catalog import Catalog, NodeModel, PduModel, SwitchModel
from railyard.model.netbox import Component, DeviceType
from railyard.model.networks import ManagementSwitchModel
from railyard.plan.netbox.types import inlet_w
from railyard.rules.netbox import texts
from railyard.rules.netbox.components import check_components, supplies
from railyard.rules.netbox.match import Match, matches
from railyard.rules.netbox.ports import data_ports, is_infiniband, numbering, speed_gbps
from railyard.rules.registry import Finding, exceeds

KG_PER_LB = 0.45359237
_KG_STEP = 0.005
_U_MAX = 60
_FAST_GBPS = 100
_GPU_BAYS = ("sxm", "oam", "gpu")
_SHOWN = 6


def check_type(kind: DeviceType, catalog: Catalog) -> tuple[Match | None, list[Finding]]:
    """The row of the catalogue that a type is (None: not exactly one), and everything that is to be said about it."""
    found = matches(kind, catalog)
    match = found[0] if len(found) == 1 else None
    findings = [*_own(kind), *check_components(kind.components, kind.slug)]
    if match is None:
        findings += [*_unknown(kind, found), *_without_power(kind, None)]
        findings += _bays_without_nics(kind)
        return None, findings
    findings += [*_facts(kind, match), *_without_power(kind, match), *_draws(kind, match)]
    if isinstance(match.item, SwitchModel):
        findings += [*_ports(kind, match.item), *_transport(kind, match.item)]
    if isinstance(match.item, ManagementSwitchModel):
        findings += _copper(kind, match.item)
    if isinstance(match.item, NodeModel):
        findings += _nics(kind, match.item)
    findings += _airflow(kind, match)
    return match, findings


def quarantined(findings: Iterable[Finding]) -> bool:
    """Whether a type is worth nothing: power or NICs that can't be its own."""
    return any(one.severity == "invariant" and one.id in (texts.NETBOX_004.id, texts.NETBOX_007.id) for one in findings)


def _at(kind: DeviceType, key: str) -> str:
    return f"{kind.slug} ({kind.place(key)})"


def _source(match: Match, fact: str) -> str:
    """`catalogue qm9700 (source)`: where a fact stands."""
    try:
        return f"catalogue {match.item.name}, {match.item.source(fact)}"
    except KeyError:
        return f"catalogue {match.item.name}"


def _own(kind: DeviceType) -> Iterator[Finding]:
    """What is wrong without any catalogue."""
    rule = texts.NETBOX_011
    if kind.u_height is not None and not (0 <= kind.u_height <= _U_MAX and kind.u_height.is_integer()):
        yield rule.finding(_at(kind, "u_height"), f"u_height {kind.u_height:g}", f"whole U from 0 to {_U_MAX}")
    if kind.weight_kg is not None and kind.weight_kg < 0:
        yield rule.finding(_at(kind, "weight"), f"weight {kind.weight_said}", "0 or more")
    for key, text in (("model", kind.model), ("slug", kind.slug), ("part_number", kind.part_number or "")):
        if not text and key != "part_number":
            yield texts.NETBOX_010.undecided(_at(kind, key), f"an empty `{key}`", "a name", "fill it")


def _unknown(kind: DeviceType, found: Sequence[Match]) -> Iterator[Finding]:
    if found:
        names = ", ".join(f"{one.kind} {one.item.name}" for one in found)
        fix = "give the type its vendor's model name, so that it is one of them"
        yield texts.NETBOX_010.undecided(_at(kind, "model"), f"`{kind.model}` is {names}", "one row of the catalogue", fix)
        return
    said = f"`{kind.manufacturer} {kind.model}`"
    yield texts.NETBOX_010.finding(_at(kind, "model"), f"{said}: no row has this name", "a row of the catalogue")


def _facts(kind: DeviceType, match: Match) -> Iterator[Finding]:
    """NETBOX-001: every value that both state."""
    rule, item = texts.NETBOX_001, match.item
    height = "rackUnits" if match.kind in ("nodes", "storage") else "uHeight"
    if kind.u_height is not None and kind.u_height != match.u_height:
        limit = "0U: a vertical strip" if match.kind == "pdus" else f"{match.u_height}U ({_source(match, height)})"
        yield rule.finding(_at(kind, "u_height"), f"u_height {kind.u_height:g}", limit)
    if kind.weight_kg is not None and item.weight_kg is not None and exceeds(abs(kind.weight_kg - item.weight_kg), _KG_STEP):
        yield _weight(kind, match, item.weight_kg)
    count = len(supplies(kind))
    if count and match.psus is not None and count != match.psus:
        limit = f"{match.psus} ({_source(match, 'psus')})"
        yield rule.finding(_at(kind, supplies(kind)[0][0]), f"{count} power supplies", limit)
    if isinstance(item, PduModel):
        yield from _strip(kind, match, item)


def _weight(kind: DeviceType, match: Match, known_kg: float) -> Finding:
    found = f"{kind.weight_said} = {kind.weight_kg:g} kg"
    pounds = isclose((kind.weight_kg or 0) * KG_PER_LB, known_kg, rel_tol=0.02)
    fix = "pounds written as kilograms: set weight_unit to lb" if pounds else None
    return texts.NETBOX_001.finding(_at(kind, "weight"), found, f"{known_kg:g} kg ({_source(match, 'weightKg')})", fix)


def _strip(kind: DeviceType, match: Match, item: PduModel) -> Iterator[Finding]:
    outlets = kind.of("power-outlet")
    if item.outlets is not None and len(outlets) != item.outlets:
        limit = f"{item.outlets} ({_source(match, 'outlets')})"
        yield texts.NETBOX_001.finding(_at(kind, "power-outlets"), f"{len(outlets)} outlets", limit)
    watts = sum(port.maximum_draw_w or 0 for port in kind.of("power-port"))
    rated = inlet_w(item)
    if watts and abs(watts - rated) > 1:
        said = f"{rated:.0f} W of {item.volts:g} V {item.voltage_reference}, {item.breaker_a:g} A"
        limit = f"{said} ({_source(match, 'breakerA')})"
        yield texts.NETBOX_001.finding(_at(kind, "power-ports"), f"inlet of {watts:g} W", limit)


def _without_power(kind: DeviceType, match: Match | None) -> Iterator[Finding]:
    """NETBOX-003: nothing says what it draws. Passive gear (patch panels, shelves) without supplies is no case of it."""
    ports = kind.of("power-port")
    if any(port.maximum_draw_w for port in ports):
        return
    bays = [part for _, part in supplies(kind) if part.kind != "power-port"]
    if match is None and not ports and not bays:
        return
    if not ports:
        found = f"no power port; {len(bays)} supplies are bays ({', '.join(bay.name for bay in bays[:_SHOWN])})"
        found = found if bays else "no power port"
    else:
        found = f"{len(ports)} power ports without maximum_draw"
    watts = match.peak_w if match else None
    known = f"{watts:g} W ({_source(match, 'peakKw')})" if match and watts else "a draw: nobody knows one"
    until = "plan with the catalogue's figure" if watts else "read the nameplate"
    fix = f"{until}; add power ports with maximum_draw to the type"
    yield texts.NETBOX_003.finding(_at(kind, "power-ports" if ports else "module-bays"), found, known, fix)


def _draws(kind: DeviceType, match: Match) -> Iterator[Finding]:
    """NETBOX-004: the supplies together can't carry the device."""
    ports, peak = kind.of("power-port"), match.peak_w
    draws = [port.maximum_draw_w for port in ports]
    if peak is None or not draws or None in draws or not all(draws):
        return
    total = sum(draw for draw in draws if draw)
    if exceeds(peak, total):
        found = f"{' + '.join(f'{draw:g}' for draw in draws)} = {total:g} W"
        limit = f"{peak:g} W or more ({_source(match, 'peakKw')})"
        yield texts.NETBOX_004.finding(f"{kind.slug} ({ports[0].at})", found, limit)


def _ports(kind: DeviceType, item: SwitchModel) -> Iterator[Finding]:
    """NETBOX-002: as many ports at their speed as the catalogue has, and none missing from the numbering."""
    listed = data_ports(kind.of("interface"))
    speeds: defaultdict[float, list[Component]] = defaultdict(list)
    for port in listed:
        speeds[speed_gbps(port.type) or 0].append(port)
    shape = numbering(port.name for port in listed)
    gaps = f"; {', '.join(shape.missing)} missing from the numbering" if shape and shape.missing else ""
    for speed, ports in sorted(speeds.items()):
        known = item.radix(speed)
        if known is None:
            continue
        if len(ports) != known:
            of = f" in {item.cages} cages" if item.cages else ""
            limit = f"{known} ports at {speed:g} Gb/s{of} (catalogue {item.name}, {item.source('ports')})"
            yield texts.NETBOX_002.finding(_at(kind, "interfaces"), f"{len(ports)} interfaces of {speed:g} Gb/s{gaps}", limit)
            gaps = ""
    if listed and not any(item.radix(speed) for speed in speeds):
        found = f"interfaces of {', '.join(f'{speed:g}' for speed in sorted(speeds))} Gb/s"
        limit = f"one of {', '.join(map(str, sorted(item.ports)))} Gb/s (catalogue {item.name})"
        yield texts.NETBOX_002.finding(_at(kind, "interfaces"), found, limit)
    elif gaps:
        yield texts.NETBOX_002.finding(_at(kind, "interfaces"), gaps.removeprefix("; "), "a numbering without gaps")


def _copper(kind: DeviceType, item: ManagementSwitchModel) -> Iterator[Finding]:
    """NETBOX-002 of an out-of-band switch: its copper ports and its uplinks."""
    speeds = Counter(speed_gbps(port.type) for port in data_ports(kind.of("interface")))
    for fact, known, gbps in (
        ("copperPorts", item.copper_ports, item.copper_gbps),
        ("uplinkPorts", item.uplink_ports, item.uplink_gbps),
    ):
        if speeds[gbps] != known:
            limit = f"{known} ports at {gbps:g} Gb/s (catalogue {item.name}, {item.source(fact)})"
            yield texts.NETBOX_002.finding(_at(kind, "interfaces"), f"{speeds[gbps]} interfaces of {gbps:g} Gb/s", limit)


def _transport(kind: DeviceType, item: SwitchModel) -> Iterator[Finding]:
    """NETBOX-009."""
    wrong = [
        port
        for port in data_ports(kind.of("interface"))
        if is_infiniband(port.type) is not None
        and ("infiniband" if is_infiniband(port.type) else "roce") not in item.transports
    ]
    if wrong:
        found = f"{len(wrong)} interfaces of type {wrong[0].type} (first {wrong[0].at})"
        limit = f"{' or '.join(item.transports)} (catalogue {item.name}, {item.source('transports')})"
        yield texts.NETBOX_009.finding(_at(kind, "interfaces"), found, limit)


def _nics(kind: DeviceType, item: NodeModel) -> Iterator[Finding]:
    """NETBOX-007 against the catalogue."""
    listed = data_ports(kind.of("interface"))
    fits = [port for port in listed if speed_gbps(port.type) == item.nic_gbps]
    if len(fits) < item.backend_nics:
        others = sorted({f"{speed_gbps(port.type):g}" for port in listed}, key=float)
        found = f"{len(fits)} interfaces of {item.nic_gbps:g} Gb/s; {len(listed)} of {', '.join(others) or 'no'} Gb/s"
        limit = (
            f"{item.backend_nics} training NICs of {item.nic_gbps:g} Gb/s (catalogue {item.name}, {item.source('backendNics')})"
        )
        yield texts.NETBOX_007.finding(_at(kind, "interfaces"), found, limit, severity="invariant")


def _bays_without_nics(kind: DeviceType) -> Iterator[Finding]:
    """NETBOX-007 without a catalogue: bays for GPUs, and nothing fast to cable."""
    bays = [bay for bay in kind.of("module-bay") if (bay.position or bay.name).lower().startswith(_GPU_BAYS)]
    fast = [port for port in kind.of("interface") if (speed_gbps(port.type) or 0) >= _FAST_GBPS]
    if bays and not fast:
        found = f"{len(bays)} GPU bays ({bays[0].at}) and no interface of {_FAST_GBPS} Gb/s or more"
        yield texts.NETBOX_007.finding(_at(kind, "interfaces"), found, "one NIC for each GPU: 0 rails can be cabled")


def _airflow(kind: DeviceType, match: Match) -> Iterator[Finding]:
    """NETBOX-008: not front to rear, whatever the catalogue says: which side its ports look at must then be chosen."""
    if kind.airflow in (None, "front-to-rear", "passive"):
        return
    known = getattr(match.item, "airflow", None)
    if known is None:
        said = f"the catalogue doesn't say how {match.item.name} blows"
    else:
        both = ", and sold the other way, too" if getattr(match.item, "airflow_both_ways", None) else ""
        said = f"catalogue {match.item.name}: {known}{both}"
    yield texts.NETBOX_008.finding(_at(kind, "airflow"), f"airflow {kind.airflow}", f"front-to-rear, as servers ({said})")
