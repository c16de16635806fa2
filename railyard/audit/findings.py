"""The audit's result -> findings: one per fact, by the rules of railyard/rules/audit_texts.py."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

from railyard.audit.nouns import Difference, LinkRow, NamedByPosition, SwitchVerdict
from railyard.audit.result import Audit
from railyard.audit.rows import said
from railyard.plan.names import listed
from railyard.rules import audit_texts as rules
from railyard.rules.registry import Finding, ordered

_SHOWN = 8
_EXCHANGED = "check names and places of the two switches first: if they are exchanged, no cable has to move"


def findings_of(audit: Audit) -> tuple[Finding, ...]:
    """All of them, in stable order; none means that what is built is what was designed, as far as the files tell."""
    return tuple(ordered([*_absent(audit), *_cables(audit), *_switches(audit), *_names(audit), *_files(audit), *_sheet(audit)]))


def _absent(audit: Audit) -> Iterator[Finding]:
    for switch in audit.missing_switches:
        yield rules.AUDIT_001.finding(switch.switch, "not seen", f"{switch.links} planned links")
    for host in audit.missing_hosts:
        found = f"nothing in {listed(host.ports, _SHOWN)}"
        yield rules.AUDIT_002.finding(host.host, found, f"{len(host.ports)} NICs on leaves that are there")


def _cables(audit: Audit) -> Iterator[Finding]:
    gaps = {(one.switch, gap.peer) for one in audit.verdicts for gap in one.missing}
    for one in audit.differences:
        if one.kind == "missing" and all(_pair(row) in gaps for row in one.planned):
            continue  # told per pair of switches, below
        yield _difference(one)
    for verdict in audit.verdicts:
        for gap in verdict.missing:
            where = f"{verdict.switch} to {gap.peer}"
            rule = rules.AUDIT_008 if gap.present == 0 else rules.AUDIT_003
            yield rule.finding(where, f"{gap.present} links", f"{gap.planned} links")
    for pair in audit.exchanged_switches:
        found = f"{pair.moved} of {pair.planned} planned cables of {pair.one} are on {pair.other}, and the other way round"
        yield rules.AUDIT_005.finding(f"{pair.one} and {pair.other}", found, "each switch with its own cables", _EXCHANGED)
    for slow in audit.slow:
        lanes = f" on {slow.lanes} lanes" if slow.lanes is not None else ""
        found = f"{slow.gbps:g} Gb/s of data{lanes} = {slow.gb_per_s:g} GB/s ({slow.percent:g} % of the design)"
        limit = f"{slow.planned_gbps:g} Gb/s = {slow.planned_gbps / 8:g} GB/s"
        yield rules.AUDIT_009.finding(f"{slow.a} to {slow.z}", found, limit)


def _pair(row: LinkRow) -> tuple[str, str]:
    return row.a.partition("/")[0], row.z.partition("/")[0]


def _difference(one: Difference) -> Finding:
    """The rule that a difference falls under; `where` is its first planned (or found) lower end."""
    rule = {
        "missing": rules.AUDIT_003,
        "swapped": rules.AUDIT_005,
        "crossed": rules.AUDIT_006,
    }.get(one.kind, rules.AUDIT_004)
    where = " and ".join(row.a for row in (one.planned or one.found)[:2])
    found = "; ".join(said(row) for row in one.found[:_SHOWN]) or "nothing in these ports"
    limit = "; ".join(said(row) for row in one.planned[:_SHOWN]) or "no cable is planned there"
    return rule.finding(where, f"{found}{f' ({one.how})' if one.how else ''}", limit)


def _switches(audit: Audit) -> Iterator[Finding]:
    for one in audit.verdicts:
        if one.over:
            yield _over(one)
    for name in audit.strange_switches:
        yield rules.AUDIT_015.finding(name, "a switch that no plan has, and no neighbour identifies", "planned switches only")


def _over(one: SwitchVerdict) -> Finding:
    ratio = "no uplink" if one.down_to_up is None else f"{rounded(one.down_to_up)} : 1"
    limit = f"{rounded(one.down_to_up_max).rstrip('0').rstrip('.')} : 1"
    return rules.AUDIT_007.finding(one.switch, f"{one.down} down, {one.up} up: {ratio}", limit)


def rounded(ratio: float) -> str:
    """Three decimals, halves up, as people round: 1.0625 is 1.063."""
    return str(Decimal(str(ratio)).quantize(Decimal("0.001"), ROUND_HALF_UP))


def _names(audit: Audit) -> Iterator[Finding]:
    for one in audit.named_by_position:
        yield rules.AUDIT_010.finding(one.host, _said(one), "the host's name on every NIC")
    for name, says in audit.renamed_switches.items():
        yield rules.AUDIT_010.finding(name, f"says `{says}`; most of its neighbours are {name}'s", "its planned name")
    for one in audit.contradictions:
        yield rules.AUDIT_011.finding(one.where, f"{one.one}; {one.other}", "agreement")
    if audit.unknown_nics:
        names = ", ".join(sorted(audit.unknown_nics)[:_SHOWN])
        found = f"{sum(audit.unknown_nics.values())} times {names}: rails of these NICs are not checked"
        yield rules.AUDIT_011.finding("names of NICs", found, "the plan's names of NICs")


def _said(one: NamedByPosition) -> str:
    texts = sorted({f"`{nic.says}`" for nic in one.nics if nic.says})
    places = [f"{nic.switch} port {nic.port}{'' if nic.how == 'position' else f' (by {nic.how})'}" for nic in one.nics]
    confirmed = sum(nic.guid_confirms for nic in one.nics)
    part = "no name on any rail" if one.wholly else "no name on some rails"
    return f"{part}: {', '.join(texts) or 'nothing'} in {listed(places, _SHOWN)}; a neighbouring GUID confirms {confirmed}"


def _files(audit: Audit) -> Iterator[Finding]:
    for source, count in audit.cut.items():
        yield rules.AUDIT_012.finding(source, f"{count} links to devices without a record", "a record for each device")
    if audit.one_sided:
        yield rules.AUDIT_012.finding("links", f"told by one end only: {listed(audit.one_sided, _SHOWN)}", "told by both ends")
    for name in audit.absent_planes:
        yield rules.AUDIT_013.finding(name, "no file tells of it", "every plane of a network that is audited")
    if audit.untold:
        yield rules.AUDIT_013.finding("switches", f"no file of {listed(audit.untold, _SHOWN)}", "one file per switch")


def _sheet(audit: Audit) -> Iterator[Finding]:
    cables: defaultdict[str, list[str]] = defaultdict(list)
    for one in audit.sheet:
        cables[one.problem].append(f"{one.cable} ({one.place})" if one.place and one.urgent else one.cable or "schedule")
    for problem, names in cables.items():
        found = problem if len(names) == 1 else f"{len(names):,} cables: each {problem}"
        yield rules.AUDIT_014.finding(listed(names, _SHOWN), found, "a serial of its own and a passed test")
