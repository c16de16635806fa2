"""`.topo` of ibdiagnet and NVIDIA's Cable Validation Tool -> sightings.

    MQM9700 spine-01                                  a device: model and name
      P61 -4x-50G-> MQM8700 leaf-01 P39               to a switch: model, name, port
      P2 -4x-100G-> HCA_mlx5_3 host-04 mlx5_0/P1      to a host: adapter kind, name, adapter/port

Switch-to-switch links stand twice or once; both are right. Source: NVIDIA Cable Validation Tool 1.5, Topo file.
"""

import re

from railyard.model.observed import Observation, SeenDevice, Sighting
from railyard.read.rates import WIDTHS
from railyard.read.text import Notebook, numbered, whole_number

_DEVICE = re.compile(r"(?P<model>\S+)\s+(?P<name>\S+)\s*$")
_LINK = re.compile(
    r"\s+(?P<port>\S+)\s+-(?:(?P<width>\d+)x-(?P<rate>\d+(?:\.\d+)?)G)?-*>\s+(?P<model>\S+)\s+(?P<far>\S+)\s+(?P<farport>\S+)\s*$"
)
_FORM = "a device (`MQM9700 spine-01`) or, indented, a link (`P61 -4x-50G-> MQM8700 leaf-01 P39`)"


def read_topo(text: str, notebook: Notebook) -> Observation:
    """Devices and links in the order of the file."""
    devices: dict[str, SeenDevice] = {}
    links: list[Sighting] = []
    current = ""
    for number, line in numbered(text, notebook):
        if not line.strip() or line.lstrip().startswith(("#", "//")):
            continue
        if not line[0].isspace():
            found = _DEVICE.match(line)
            if found is None:
                notebook.unreadable(line, number, 1, _FORM)
                current = ""
                continue
            current = found["name"]
            kind = "host" if found["model"].startswith("HCA") else "switch"
            devices.setdefault(current, SeenDevice(current, current, kind, "", number))
        elif (link := _LINK.match(line)) is None:
            notebook.unreadable(line, number, len(line) - len(line.lstrip()) + 1, _FORM)
        elif not current:
            notebook.unreadable(line, number, 1, "a link below its device", "add the device's line above it")
        else:
            _add(links, devices[current], link, number, notebook, line)
    if not links and not notebook.problems:
        notebook.add("READ-003", "no link", "at least one", "export the topology again")
    return Observation(notebook.source, "topo", tuple(devices.values()), tuple(links), whole=True)


def _add(links: list[Sighting], device: SeenDevice, link: re.Match[str], number: int, notebook: Notebook, line: str) -> None:
    width, rate = link["width"], link["rate"]
    if width is not None and int(width) not in WIDTHS:
        notebook.unreadable(line, number, link.start("width") + 1, "a width of 1, 2, 4, 8 or 12 lanes")
        return
    host = link["model"].startswith("HCA")
    far_port = link["farport"].partition("/")[0] if host else port_text(link["farport"])
    links.append(
        Sighting(
            key=device.key,
            name=device.name,
            kind=device.kind,
            port=port_text(link["port"]) if device.kind == "switch" else link["port"],
            far_key=link["far"],
            far_name=link["far"],
            far_kind="host" if host else "switch",
            far_port=far_port,
            line=number,
            gbps=None if width is None else int(width) * float(rate),
            lanes=None if width is None else int(width),
            lane_gbps=None if width is None else float(rate),
        )
    )


def port_text(port: str) -> str:
    """`P39` -> `39`; what isn't a P and a number stays as it is."""
    number = whole_number(port[1:]) if port[:1] in ("P", "p") else None
    return port if number is None else str(number)
