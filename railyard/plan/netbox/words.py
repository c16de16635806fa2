"""Names and words of NetBox for what is in a plan: makers, types of interfaces, names of rack strips."""

import re
from collections.abc import Iterable

from railyard.model.catalog import SwitchModel
from railyard.model.lossless import Nos
from railyard.model.plan import RackPlan
from railyard.plan import names
from railyard.plan.electrical import strip_name

GENERIC = "Generic"
"""Maker of rows of the catalogue that are a size or a design, and no product. NetBox wants one for each type."""
MAKERS = frozenset({
    "AMD", "APC", "Cisco", "Dell", "Eaton", "Gigabyte", "HPE", "Lenovo", "Legrand", "Motivair", "Nvidia", "NVIDIA", "CoolIT",
    "Raritan", "Rittal", "Schneider", "Server", "Supermicro", "Vertiv",
})  # fmt: skip
"""First words of titles in the catalogue that are companies."""
ROLES = {
    "gpu": ("GPU node", "4caf50"), "storage": ("Storage server", "ff9800"), "leaf": ("Leaf", "2196f3"),
    "spine": ("Spine", "3f51b5"), "core": ("Core switch", "673ab7"), "management": ("Fabric manager", "009688"),
    "storage-switch": ("Storage switch", "ffc107"), "in-band-switch": ("In-band switch", "00bcd4"),
    "oob": ("Out-of-band switch", "9e9e9e"), "pdu": ("Rack PDU", "f44336"),
}  # fmt: skip
"""Our role -> name and colour (RGB) of NetBox's device role. The slug is our word."""
INFINIBAND = {25: "infiniband-edr", 50: "infiniband-hdr", 100: "infiniband-ndr", 200: "infiniband-xdr"}
"""Speed of a lane in Gb/s -> interface type. NetBox 4.7 has `-4x` beside each; these are known to older ones, too."""
LINKS = {56: "infiniband-fdr", 100: "infiniband-edr", 200: "infiniband-hdr", 400: "infiniband-ndr", 800: "infiniband-xdr"}
ETHERNET = {
    1: "1000base-t", 10: "10gbase-x-sfpp", 25: "25gbase-x-sfp28", 50: "50gbase-x-sfp56", 100: "100gbase-x-qsfp28",
    200: "200gbase-x-qsfp56", 400: "400gbase-x-osfp", 800: "800gbase-x-osfp",
}  # fmt: skip
FORMS = {(400, "qsfp112"): "400gbase-x-qsfp112", (100, "sfp28"): "other"}
LEGS = {"L1": "A", "L2": "B", "L3": "C", "L1-L2": "A", "L2-L3": "B", "L3-L1": "C"}
"""What an outlet stands between -> NetBox's one letter: for two lines the first of them, as the device type library has it."""
INLETS = {"c14": "iec-60320-c14", "c20": "iec-60320-c20", "hardwired": "hardwired"}
OUTLETS = {"c13": "iec-60320-c13", "c19": "iec-60320-c19", "c39": "eaton-c39"}
_SLUG = re.compile(r"[^a-z0-9]+")


def type_slug(maker: str, name: str) -> str:
    """Slug of a type, with its maker before it once: `vertiv-gi10022l`."""
    made, first = slug(name), slug(maker)
    return made if made.startswith(f"{first}-") else slug(f"{first}-{made}")


def slug(text: str) -> str:
    """A slug of at most 100 characters."""
    return _SLUG.sub("-", text.lower()).strip("-")[:100]


def row_name(row: int) -> str:
    """A row of racks as a location."""
    return f"row-{row:02d}"


def maker_of(title: str) -> str:
    """The company that a title begins with; `Generic` where it begins with none."""
    first = title.partition(" ")[0]
    return first if first in MAKERS else GENERIC


def interface_type(infiniband: bool, gbps: float, form: str | None = None, lane_gbps: int | None = None) -> str:
    """NetBox's type of an interface; `other` where it has none."""
    if infiniband:
        return INFINIBAND.get(lane_gbps or 0) or LINKS.get(int(gbps), "other")
    return FORMS.get((int(gbps), form or "")) or ETHERNET.get(int(gbps), "other")


def port_label(number: int, port_count: int, cages: int | None) -> str:
    """What is printed at port `number` (from 1): `17/1` where a cage has several ports, else its cage."""
    if not cages or port_count % cages:
        return str(number)
    each = port_count // cages
    cage, part = divmod(number - 1, each)
    return f"{cage + 1}/{part + 1}" if each > 1 else str(cage + 1)


def type_model(model: SwitchModel, gbps: int, nos: Nos | None) -> str:
    """Name of a switch's device type, one for each layout of its ports: `sn5600-400g-sonic`.

    At another speed than its fastest its cages are split otherwise; `nos` is the system whose port names it has, if not counted
    ones. So a type of one name has the same ports in each site.
    """
    speed = "" if gbps == max(model.ports) else f"-{gbps}g"
    return f"{model.name}{speed}{f'-{nos}' if nos else ''}"


def strips(rack: RackPlan) -> Iterable[tuple[str, str, int, str, str]]:
    """(name of the device, feed letter, number from 0, PDU model, the plan's name) of each strip of a rack."""
    for feed in rack.feeds:
        for number in range(feed.pdus):
            yield (
                strip_name(rack.name, feed.name, number + 1, feed.pdus),
                feed.name,
                number,
                feed.pdu_model,
                names.pdu(rack.name, feed.name),
            )


def netbox_volts(volts: float, reference: str, phases: int) -> int:
    """The voltage as NetBox wants it, in whole volts, rounded down; of three phases always line-to-line (V x sqrt 3).

    NetBox multiplies a three-phase voltage by 1.732 whatever it is (netbox/dcim/models/power.py, `available_power`).
    """
    return int(volts * 3**0.5) if phases == 3 and reference == "line-neutral" else int(volts)
