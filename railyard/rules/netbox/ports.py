"""Names of switch ports as NetBox's types have them: speeds, gaps in their numbering, and which port of ours each one is."""

import re
from collections import Counter
from collections.abc import Iterable

import msgspec

from railyard.model.netbox import Component

_SPEED = re.compile(r"(?P<value>\d+(\.\d+)?)(?P<unit>g|t)?base", re.ASCII)
_LANES = {"sdr": 10, "ddr": 20, "qdr": 40, "fdr10": 40, "fdr": 56, "edr": 100, "hdr": 200, "ndr": 400, "xdr": 800}
"""Four lanes of each InfiniBand generation, in Gb/s of data."""
_TWO = re.compile(r"(?P<prefix>.*?)(?P<cage>\d{1,3})(?P<mark>[./s:_-])(?P<part>\d{1,2})\Z", re.ASCII)
_ONE = re.compile(r"(?P<prefix>.*?)(?P<cage>\d{1,3})\Z", re.ASCII)
FEWEST = 8
"""Fewer names show no numbering."""


def speed_gbps(kind: str | None) -> float | None:
    """Gb/s of an interface type; None where it has none (`other`, `virtual`)."""
    if kind is None:
        return None
    if kind.startswith("infiniband-"):
        return _LANES.get(kind.removeprefix("infiniband-").removesuffix("-4x"))
    found = _SPEED.match(kind)
    if found is None:
        return None
    scale = {"g": 1.0, "t": 1000.0, None: 0.001}[found["unit"]]
    return float(found["value"]) * scale


def is_infiniband(kind: str | None) -> bool | None:
    """Whether an interface type is InfiniBand's; None where it says nothing."""
    return None if speed_gbps(kind) is None else str(kind).startswith("infiniband-")


class Numbering(msgspec.Struct, frozen=True):
    """How ports are named: `prefix`, cage, and (`mark` not empty) a part of it, each counted from its first."""

    prefix: str
    mark: str
    first_cage: int
    last_cage: int
    first_part: int
    last_part: int
    missing: tuple[str, ...]

    @property
    def parts(self) -> int:
        """Ports of a cage."""
        return self.last_part - self.first_part + 1

    def number(self, name: str) -> int | None:
        """Our port number, from 1, of a name; None where it is none of these."""
        found = (_TWO if self.mark else _ONE).match(name)
        if found is None or found["prefix"] != self.prefix or (self.mark and found["mark"] != self.mark):
            return None
        part = int(found["part"]) if self.mark else self.first_part
        cage = int(found["cage"])
        if not (self.first_cage <= cage <= self.last_cage and self.first_part <= part <= self.last_part):
            return None
        return (cage - self.first_cage) * self.parts + part - self.first_part + 1


def numbering(names: Iterable[str]) -> Numbering | None:
    """The numbering that most of the names have, with the names that it lacks. None where there is none."""
    listed = list(dict.fromkeys(names))
    split = {name: found for name in listed if (found := _TWO.match(name))}
    heads = Counter((found["prefix"], found["mark"]) for found in split.values())
    if heads and heads.most_common(1)[0][1] >= FEWEST and heads.most_common(1)[0][1] * 2 > len(listed):
        prefix, mark = heads.most_common(1)[0][0]
        pairs = {(int(f["cage"]), int(f["part"])) for f in split.values() if (f["prefix"], f["mark"]) == (prefix, mark)}
    else:
        ones = [found for name in listed if (found := _ONE.match(name))]
        plain = Counter(found["prefix"] for found in ones)
        if not plain or plain.most_common(1)[0][1] < FEWEST:
            return None
        prefix, mark = plain.most_common(1)[0][0], ""
        pairs = {(int(found["cage"]), 0) for found in ones if found["prefix"] == prefix}
    cages, parts = sorted({cage for cage, _ in pairs}), sorted({part for _, part in pairs})
    grid = ((cage, part) for cage in range(cages[0], cages[-1] + 1) for part in range(parts[0], parts[-1] + 1))
    missing = tuple(
        f"{prefix}{cage}{mark}{part}" if mark else f"{prefix}{cage}" for cage, part in grid if (cage, part) not in pairs
    )
    return Numbering(prefix, mark, cages[0], cages[-1], parts[0], parts[-1], missing)


def data_ports(interfaces: Iterable[Component]) -> list[Component]:
    """Interfaces that carry data: not for management alone, and of a speed."""
    return [one for one in interfaces if not one.mgmt_only and speed_gbps(one.type) is not None]
