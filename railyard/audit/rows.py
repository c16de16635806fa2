"""Links and ends for people: labels, racks and U where the design or the device's own description knows them."""

from railyard.audit.nouns import Design, DesignLink, End, Found, LinkRow, Place
from railyard.audit.position import STRANGER

NOWHERE = Place("")


class Rows:
    """Makes rows of links of one design."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.labels = {end: label for link in design.links for end, label in _labels(link) if label}

    def planned(self, link: DesignLink) -> LinkRow:
        """A link as it should be; an interchangeable upper port is left out."""
        z = link.z.device if link.any_port else str(link.z)
        return self._row(link.cable, str(link.a), z, link.a_label, link.z_label, link.a.device, link.z.device)

    def found(self, one: Found) -> LinkRow:
        """A link as it is."""
        z = one.z_told or one.z
        a = one.a.device if one.a.port.startswith(STRANGER) else str(one.a)
        return self._row("", a, str(z), self.label(one.a), self.label(z), one.a.device, z.device)

    def label(self, end: End) -> str:
        """The label of a port: planned, or made of its device's place; empty where nobody knows the place."""
        known = self.labels.get(end)
        tag = self.place(end.device).tag
        return known or (f"{tag}{self.design.naming.label(*end) or end.port}" if tag else "")

    def place(self, device: str) -> Place:
        """Where a device stands, as far as known."""
        return self.design.places.get(device) or self.design.naming.place(device) or NOWHERE

    def _row(self, cable: str, a: str, z: str, a_label: str, z_label: str, a_device: str, z_device: str) -> LinkRow:
        here, there = self.place(a_device), self.place(z_device)
        return LinkRow(cable, a, z, a_label, z_label, here.rack, here.u, there.rack, there.u)


def _labels(link: DesignLink) -> tuple[tuple[End, str], tuple[End, str]]:
    return (link.a, link.a_label), (link.z, link.z_label)


def said(row: LinkRow) -> str:
    """A link in words: both ends, each with its label, or its rack and U."""
    z = row.z if "/" in row.z else f"{row.z}, any free port"
    return f"{_end(row.a, row.a_label, row.a_rack, row.a_u)} to {_end(z, row.z_label, row.z_rack, row.z_u)}"


def _end(text: str, label: str, rack: str, u: int | None) -> str:
    place = label or (f"{rack} U{u}" if rack and u is not None else rack)
    return f"{text} ({place})" if place else text
