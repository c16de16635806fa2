"""A plan for NetBox: files of bulk import, numbered in the order in which NetBox must get them, each as CSV and as YAML.

`netbox_csv` is the one table of cables that every plan writes (`netbox/cables.csv`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from railyard.model.netbox import Component, ComponentKind, DeviceType, NetBoxData
from railyard.plan.netbox.cables import RGB, TYPES
from railyard.render.cables import safe_rows
from railyard.render.netbox.cables import COLUMNS, netbox_csv
from railyard.render.netbox.columns import TEMPLATES, VERSION, WRITTEN
from railyard.render.netbox.tables import Row, component, device_type, group, in_order
from railyard.render.netbox.yaml_text import Value, block, table

__all__ = ["COLUMNS", "RGB", "TYPES", "netbox_csv", "netbox_files"]
EXISTING = "instead-of-types"
"""Folder of the tables for devices that NetBox has already, under types of somebody else's."""
_LISTS: dict[ComponentKind, str] = {"power-port": "power-ports", "power-outlet": "power-outlets", "interface": "interfaces"}


def netbox_files(data: NetBoxData) -> dict[str, bytes]:
    """Path -> content. Tables without rows are left out; the same plan gives the same bytes."""
    texts: dict[str, str] = {}
    number = _add(texts, 1, "manufacturers", [group(noun) for noun in data.manufacturers])
    for kind in data.device_types:
        texts[f"{number:02d}-device-types/{kind.slug}.yaml"] = type_yaml(kind)
    number += 1
    for name, rows in in_order(data):
        number = _add(texts, number, name, rows)
    for name, rows in _of_devices(data).items():
        if rows:
            texts[f"{EXISTING}/{name}.csv"] = _csv(name, rows)
    texts["README.md"] = _readme(sorted(texts))
    return {path: text.encode() for path, text in sorted(texts.items())}


def _add(texts: dict[str, str], number: int, name: str, rows: list[Row]) -> int:
    """Put a table into both forms; the next number."""
    if rows:
        texts[f"{number:02d}-{name}.csv"] = _csv(name, rows)
        texts[f"{number:02d}-{name}.yaml"] = table(_only(name, rows))
    return number + 1


def _csv(name: str, rows: list[Row]) -> str:
    return safe_rows(WRITTEN[name], ([_cell(row.get(column)) for column in WRITTEN[name]] for row in rows))


def _only(name: str, rows: list[Row]) -> Iterable[Mapping[str, Value]]:
    return ({column: row.get(column) for column in WRITTEN[name]} for row in rows)


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def type_yaml(kind: DeviceType) -> str:
    """A device type as the device type library writes it."""
    lists = {name: [_template(name, part) for part in kind.of(of)] for of, name in _LISTS.items()}
    return block(device_type(kind), lists)


def _template(name: str, part: Component) -> Row:
    row = component(part)
    return {field: row[field] for field in TEMPLATES[name] if row.get(field) not in (None, "")}


def _of_devices(data: NetBoxData) -> dict[str, list[Row]]:
    """Components of every device, by table."""
    kinds = {(kind.manufacturer, kind.model): kind for kind in data.device_types}
    found: dict[str, list[Row]] = {name: [] for name in _LISTS.values()}
    for device in data.devices:
        kind = kinds.get((device.manufacturer, device.device_type))
        for of, name in _LISTS.items():
            found[name] += [{**component(part), "device": device.name} for part in (kind.of(of) if kind else ())]
    return found


def _readme(paths: list[str]) -> str:
    listed = sorted(
        {path.removesuffix(".csv").removesuffix(".yaml") for path in paths if path[0].isdigit() and "/" not in path}
    )
    folders = sorted({path.partition("/")[0] for path in paths if path[0].isdigit() and "/" in path})
    steps = "\n".join(f"{index}. `{name}`" for index, name in enumerate(sorted([*listed, *folders]), 1))
    return f"""# Files for NetBox's bulk import

Written by `railyard netbox export`. Columns are those of NetBox {VERSION}; no NetBox has read these files in our tests.

Import in this order; of each table either the CSV or the YAML, not both. Device types are one file each.

{steps}

NetBox makes interfaces, power ports and outlets from the device type. `{EXISTING}/` has the same by device, for devices that
are in NetBox already under other types: import that instead, never both.
"""
