"""`lldpcli -f json show neighbors` -> sightings. The output doesn't say whose it is: the file's name does (`leaf01.json`).

`lldp.interface` is an object for one neighbour and a list for many; a chassis is keyed by its name, or has no name at all.
`-f json0` (lists everywhere, `{"value": …}` for scalars) is read too, and a file that maps devices to such outputs.
Source: output of lldpd 1.0.16.
"""

import json
from collections.abc import Iterator
from typing import Any, cast

from railyard.model.observed import Observation, SeenDevice, Sighting
from railyard.read.text import Notebook

_FIX = "give the output of `lldpcli -f json show neighbors`, in a file named after the switch"


def read_lldp(text: str, notebook: Notebook, device: str) -> Observation:
    """Neighbours of one device, or of several: `{"leaf01": {"lldp": …}, …}`. `device` is the file's name without extension."""
    devices: list[SeenDevice] = []
    links: list[Sighting] = []
    try:
        tree = json.loads(text, object_pairs_hook=_Object)
    except json.JSONDecodeError as error:
        notebook.add("READ-002", error.msg, "JSON", _FIX, error.lineno, error.colno)
        tree = None
    except RecursionError:
        notebook.add("READ-002", "brackets nested too deep", "the output of lldpcli", _FIX)
        tree = None
    if tree is not None:
        for name, one in _outputs(tree, device, notebook):
            devices.append(SeenDevice(name, name, "", "", 1))
            links += _neighbours(name, one, notebook)
    return Observation(notebook.source, "lldp", tuple(devices), tuple(links), whole=False)


class _Object:
    """A JSON object with all its pairs: a key may stand twice, and Python's dict would drop one neighbour silently."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs

    def get(self, key: str) -> Any:
        return next((value for name, value in self.pairs if name == key), None)


def _outputs(tree: Any, device: str, notebook: Notebook) -> Iterator[tuple[str, _Object]]:
    if isinstance(tree, _Object):
        inner = tree.get("lldp")
        if inner is not None:
            for one in _objects(inner):
                yield device, one
            return
        pairs = [(name, value.get("lldp")) for name, value in tree.pairs if isinstance(value, _Object)]
        if pairs and len(pairs) == len(tree.pairs) and all(value is not None for _, value in pairs):
            for name, value in pairs:
                for one in _objects(value):
                    yield name, one
            return
    notebook.add("READ-003", "no `lldp` object", "LLDP neighbours", _FIX)


def _objects(value: Any) -> list[_Object]:
    """One object or a list of them, as lldpcli has it both ways."""
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, _Object)]


def _neighbours(device: str, output: _Object, notebook: Notebook) -> Iterator[Sighting]:
    for key, value in output.pairs:
        if key != "interface":
            continue
        for entry in _objects(value):
            # json0 names the interface inside, json makes the name the key.
            named = entry.get("name")
            pairs = [(str(_scalar(named)), entry)] if named is not None else entry.pairs
            for port, neighbour in pairs:
                for one in _objects(neighbour):
                    yield from _sighting(device, port, one, notebook)


def _sighting(device: str, port: str, neighbour: _Object, notebook: Notebook) -> Iterator[Sighting]:
    name = _chassis_name(neighbour.get("chassis"))
    far = next(iter(_objects(neighbour.get("port"))), None)
    ident = next(iter(_objects(far.get("id"))), None) if far else None
    kind, value = (str(_scalar(ident.get(key)) or "") for key in ("type", "value")) if ident else ("", "")
    if not value:
        limit = "`port.id` with type and value"
        notebook.add("READ-002", f"neighbour of {device} {port} without a port id", limit, _FIX)
        return
    described = str(_scalar(far.get("descr")) or "") if far else ""
    mac = value.lower() if kind == "mac" else ""
    yield Sighting(
        key=device,
        name=device,
        kind="",
        port=port,
        far_key=name,
        far_name=name,
        far_kind="",
        # A host's agent often sends the MAC as its port's id and the interface's name as its description.
        far_port=described if mac and described else value,
        line=0,
        far_mac=mac,
    )


def _chassis_name(chassis: Any) -> str:
    """The system name of a neighbour; empty where it sends none."""
    for one in _objects(chassis):
        named = one.get("name")
        if named is not None:
            return str(_scalar(named) or "")
        if one.get("id") is None and one.pairs:
            return one.pairs[0][0]
    return ""


def _scalar(value: Any) -> Any:
    """`"swp1"` and json0's `[{"value": "swp1"}]` alike."""
    first = next(iter(_objects(value)), None)
    return first.get("value") if first is not None else None if isinstance(value, list) else value
