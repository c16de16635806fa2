"""What NetBox can't hold of a plan: fractions in whole-number columns, texts that are too long (NETBOX-036)."""

from collections.abc import Iterator
from typing import Any

from railyard.model.netbox import NetBoxData
from railyard.rules.netbox import site_texts as texts
from railyard.rules.registry import Finding, ordered

WHOLE: dict[str, dict[str, int]] = {
    "feeds": {"voltage": 32767, "amperage": 32767, "max_utilization": 100},
    "racks": {"u_height": 100, "outer_width_mm": 32767, "outer_depth_mm": 32767},
}
"""Columns that are whole numbers in NetBox, with their largest (SmallIntegerField; a rack's height has a limit of its own)."""
LONGEST: dict[str, dict[str, int]] = {
    "sites": {"name": 100, "slug": 100},
    "locations": {"name": 100, "slug": 100},
    "racks": {"name": 100, "facility_id": 50, "description": 200},
    "devices": {"name": 64, "serial": 50, "description": 200},
    "panels": {"name": 100, "description": 200},
    "feeds": {"name": 100, "description": 200},
    "cables": {"label": 100, "description": 200},
    "reservations": {"description": 200},
    "device_types": {"model": 100, "slug": 100, "description": 200},
}
"""Longest texts (max_length in netbox/dcim/models)."""
COMPONENT_LONGEST = 64


def check_holdable(data: NetBoxData) -> list[Finding]:
    """Every value that NetBox would refuse or round."""
    found = [finding for table in WHOLE for one in getattr(data, table) for finding in _numbers(table, one)]
    found += [finding for table in LONGEST for one in getattr(data, table) for finding in _texts(table, one)]
    for kind in data.device_types:
        for part in kind.components:
            if len(part.name) > COMPONENT_LONGEST:
                said = f"{part.kind} name of {len(part.name)} characters"
                found.append(
                    texts.NETBOX_036.finding(f"{kind.model} {part.name[:20]}…", said, f"{COMPONENT_LONGEST} characters")
                )
    return ordered(found)


def _numbers(table: str, one: Any) -> Iterator[Finding]:
    for field, most in WHOLE[table].items():
        value = getattr(one, field)
        if value is not None and not (float(value).is_integer() and 1 <= value <= most):
            yield texts.NETBOX_036.finding(one.name, f"{field} {value:g}", f"a whole number from 1 to {most}")


def _texts(table: str, one: Any) -> Iterator[Finding]:
    for field, most in LONGEST[table].items():
        value = getattr(one, field)
        if len(value) > most:
            name = getattr(one, "name", None) or getattr(one, "label", None) or getattr(one, "model", "")
            yield texts.NETBOX_036.finding(f"{name[:40]}", f"{field} of {len(value)} characters", f"{most} characters")
