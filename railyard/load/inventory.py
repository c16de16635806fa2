"""The inventory file: YAML for people, JSON (by its extension) for a thousand machines and more."""

import hashlib
import re
from collections import defaultdict
from pathlib import Path as FilePath
from typing import Any, cast

from railyard.load.reader import Document, Value, read_json, read_yaml
from railyard.load.shape import validate
from railyard.load.stack import read_text
from railyard.model.inventory import Inventory

MAX_YAML_BYTES = 1024 * 1024
"""About 1,400 machines: reading more as YAML takes seconds."""
MAX_JSON_BYTES = 32 * 1024 * 1024
"""About 60,000 machines."""


def read_inventory(path: FilePath, where: str, site: str | None) -> tuple[Inventory | None, str, Document]:
    """The inventory, the SHA-256 of the file's bytes, and what was wrong. `site` is the stack file's, None if that has none."""
    as_json = path.suffix == ".json"
    document = Document(where)
    read = read_text(path, document, MAX_JSON_BYTES if as_json else MAX_YAML_BYTES)
    if read is None:
        return None, "", document
    data, text = read
    digest = hashlib.sha256(data).hexdigest()
    document = read_json(text, where) if as_json else read_yaml(text, where)
    if any(problem.id in ("LOAD-002", "LOAD-004") for problem in document.problems):
        return None, digest, document
    if not isinstance(cast(object, document.value), dict):
        found = "an empty file" if document.value is None else "no mapping"
        document.add("LOAD-006", "", found, "`schemaVersion`, `site`, `machines`", "see sites/lab/inventory.yaml")
        return None, digest, document
    root = cast(dict[str, Value], cast(object, document.value))
    inventory = validate(Inventory, document, root)
    _check(document, root, site)
    return inventory, digest, document


def _check(document: Document, root: dict[str, Value], site: str | None) -> None:
    """Facts that no single machine shows: on the plain values, so that one bad key hides nothing else."""
    if site is not None and isinstance(root.get("site"), str) and root["site"] != site:
        document.add(
            "LOAD-012",
            "site",
            f"`{root['site']}`",
            f"the stack file's site.name, `{site}`",
            "this is another site's inventory",
            document.line(("site",)),
        )
    machines: list[Any] = root["machines"] if isinstance(root.get("machines"), list) else []
    rows = [(index, cast(dict[str, Value], row)) for index, row in enumerate(machines) if isinstance(row, dict)]
    name = root.get("site") if site is None else site
    for index, row in rows:
        _check_machine(document, index, row, name if isinstance(name, str) else None)
    _check_duplicates(document, "machines", rows, ("name", "serial", "bmc"))
    switches: list[Any] = root["switches"] if isinstance(root.get("switches"), list) else []
    boxes = [(index, cast(dict[str, Value], row)) for index, row in enumerate(switches) if isinstance(row, dict)]
    _check_duplicates(document, "switches", boxes, ("name", "serial", "managementAddress"))


def _check_machine(document: Document, index: int, row: dict[str, Value], site: str | None) -> None:
    name, role = row.get("name"), row.get("role")
    line = document.line(("machines", index))
    shape = {"gpu": r"-su\d{3}-gpu\d{2,3}", "storage": r"-sto\d{2}"}.get(role if isinstance(role, str) else "")
    if isinstance(name, str) and shape and site is not None and not re.fullmatch(re.escape(site) + shape, name, re.ASCII):
        want = f"{site}-su001-gpu01" if role == "gpu" else f"{site}-sto01"
        document.add(
            "LOAD-014",
            f"machines[{index}].name",
            f"`{name[:64]}`",
            f"the name of a planned position, like `{want}`",
            "names of machines are made of site, unit and slot",
            line,
        )
    if row.get("lifecycle") == "quarantined" and not row.get("reason"):
        document.add("LOAD-006", f"machines[{index}].reason", "nothing", "a quarantined machine says why", "add `reason`", line)


def _check_duplicates(document: Document, what: str, rows: list[tuple[int, dict[str, Value]]], keys: tuple[str, ...]) -> None:
    seen: dict[tuple[str, str], list[str]] = defaultdict(list)
    spelt: dict[tuple[str, str], str] = {}

    def note(key: str, value: Value, place: str) -> None:
        if isinstance(value, str):
            same = (key, value.strip().lower())
            seen[same].append(place)
            spelt[same] = value.strip()

    for index, row in rows:
        for key in keys:
            note(key, row.get(key), f"{what}[{index}].{key}")
        macs: list[Any] = row["macs"] if isinstance(row.get("macs"), list) else []
        for place, mac in enumerate(macs):
            note("MAC", mac, f"{what}[{index}].macs[{place}]")
    for (key, value), places in seen.items():
        if len(places) > 1:
            last = int(places[-1].split("[")[1].split("]")[0])
            document.add(
                "LOAD-013",
                places[-1],
                f"{key} `{spelt[key, value][:64]}` also at {', '.join(places[:-1][:5])}",
                "once in an inventory",
                "one of the two is a copy: read it off the machine again",
                document.line((what, last)),
            )
