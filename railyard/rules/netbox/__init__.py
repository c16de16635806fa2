"""NetBox's files against the catalogue, against themselves and against a plan. Rules NETBOX-001 to -036.

`check_import` judges what a site brings, `check_against` compares it with a plan, `check_export` says what NetBox can't hold.
"""

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from railyard.model.catalog import Catalog
from railyard.model.netbox import DeviceType, NetBoxData
from railyard.rules.netbox import texts
from railyard.rules.netbox.differences import differences, twins
from railyard.rules.netbox.holdable import check_holdable
from railyard.rules.netbox.match import Match
from railyard.rules.netbox.site import check_site_tables
from railyard.rules.netbox.types import check_type, quarantined
from railyard.rules.registry import Finding, ordered

__all__ = ["Imported", "check_against", "check_export", "check_import"]


class Imported(msgspec.Struct, frozen=True):
    """One device type with its row of the catalogue (None: not exactly one). Of a quarantined one no row is written."""

    kind: DeviceType
    match: Match | None
    quarantined: bool
    findings: tuple[Finding, ...]


def check_import(
    data: NetBoxData, catalog: Catalog, unread: Iterable[tuple[str, str]] = (), limit_percent: float = 100.0
) -> tuple[tuple[Imported, ...], list[Finding]]:
    """Each device type as judged, and all findings of types and tables."""
    single, found = twins(data)
    made: list[Imported] = []
    mounted = _mounted_right(single)
    for kind in single.device_types:
        match, findings = check_type(kind, catalog)
        findings = [one for one in findings if one.id != texts.NETBOX_008.id or kind.model not in mounted]
        made.append(Imported(kind, match, quarantined(findings), tuple(ordered(findings))))
        found += findings
    found += check_site_tables(single, limit_percent)
    for place, key in unread:
        found.append(texts.NETBOX_012.finding(place, f"key `{key}`", "a key that is read", "correct its spelling, or leave it"))
    return tuple(made), ordered(found)


def _mounted_right(data: NetBoxData) -> set[str]:
    """Types that blow from rear to front, all of whose devices have their front at the rack's rear: they take in cold air."""
    faces: defaultdict[str, set[str]] = defaultdict(set)
    for device in data.devices:
        faces[device.device_type].add(device.face)
    blown = {kind.model for kind in data.device_types if kind.airflow == "rear-to-front"}
    return {model for model in blown if faces.get(model) == {"rear"}}


def check_against(wanted: NetBoxData, there: NetBoxData) -> list[Finding]:
    """What NetBox (`there`) says otherwise than the plan (`wanted`)."""
    single, found = twins(there)
    return ordered([*found, *differences(wanted, single)])


def check_export(data: NetBoxData) -> list[Finding]:
    """What of a plan NetBox can't hold."""
    return check_holdable(data)
