"""All names of a site (house rule 10): fixed width, DNS labels, Slurm ranges, sorted by one key.

Units and slots count from 1, rails and planes from 0. A name is an identity: it depends on a device's place in the plan and on
nothing else.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

Upper = Callable[[str, int, int, int], str]
"""A function that names a switch above the leaves: (site, number, plane, planes)."""

_DIGITS = re.compile(r"(\d+)")
_GPU = re.compile(r"^(?P<site>[a-z0-9-]+)-su(?P<unit>\d{3,})-gpu(?P<slot>\d{2,})$")
_LEAF = re.compile(r"-leaf-[rg](?P<index>\d+)(?:-p\d+)?$")
_STORAGE = re.compile(r"^(?P<site>[a-z0-9-]+)-sto(?P<index>\d{2,})$")


def sort_key(name: str) -> tuple[str | int, ...]:
    """The one sort key of names and ends: text and numbers in turn, so that `r2` comes before `r10` where widths differ."""
    parts = _DIGITS.split(name)
    return tuple(int(part) if index % 2 else part for index, part in enumerate(parts))


def listed(names: Iterable[str], most: int = 3) -> str:
    """For people: the first few names and how many more there are."""
    rows = list(names)
    rest = len(rows) - most
    return ", ".join(rows[:most]) + (f" and {rest} more" if rest > 0 else "")


def unit(site: str, number: int) -> str:
    """Scalable unit `number` (from 1), e.g. `lab-su001`."""
    return f"{site}-su{number:03d}"


def pod(site: str, number: int) -> str:
    """Pod of units `number` (from 1), as schedulers see it."""
    return f"{site}-pod{number:03d}"


def compute_fabric(site: str) -> str:
    """The training fabric as schedulers see it: the root of its nodes."""
    return f"{site}-compute"


def gpu(site: str, unit_number: int, slot: int, nodes_per_unit: int) -> str:
    """GPU node in `slot` (from 1); three digits where a unit has more than 99 slots."""
    return f"{site}-su{unit_number:03d}-gpu{slot:0{slot_width(nodes_per_unit)}d}"


def slot_width(nodes_per_unit: int) -> int:
    """Digits of a slot number, fixed for a whole site so that names sort and Slurm ranges hold."""
    return 3 if nodes_per_unit > 99 else 2


def storage(site: str, index: int) -> str:
    """Storage server `index` (from 1)."""
    return f"{site}-sto{index:02d}"


def rack(site: str, number: int) -> str:
    """Rack `number` (from 1)."""
    return f"{site}-r{number:03d}"


def pdu(rack_name: str, feed: str) -> str:
    """The PDUs of feed `a` or `b` in a rack."""
    return f"{rack_name}-pdu-{feed}"


def leaf(site: str, unit_number: int, rail: int, plane: int, planes: int) -> str:
    """Leaf of a rail in a unit; the plane is named only where there is more than one."""
    return f"{site}-su{unit_number:03d}-leaf-r{rail}{_plane(plane, planes)}"


def leaf_group(site: str, unit_number: int, group: int, plane: int, planes: int) -> str:
    """Leaf of a group of nodes (from 0) in a unit, where all NICs of a node hang on one leaf."""
    return f"{site}-su{unit_number:03d}-leaf-g{group:02d}{_plane(plane, planes)}"


def leaf_index(name: str) -> int:
    """Number (from 0) of a leaf in its unit: its rail's, or its group's. Raises ValueError where the name is no leaf's."""
    found = _LEAF.search(name)
    if found is None:
        raise ValueError(f"{name} is no leaf")
    return int(found["index"])


def spine(site: str, number: int, plane: int, planes: int) -> str:
    """Spine `number` (from 1) of a plane."""
    return f"{site}-spine{number:03d}{_plane(plane, planes)}"


def core(site: str, number: int, plane: int, planes: int) -> str:
    """Core switch `number` (from 1) of a plane."""
    return f"{site}-core{number:03d}{_plane(plane, planes)}"


def oob(site: str, number: int) -> str:
    """Out-of-band switch `number` (from 1)."""
    return f"{site}-oob-sw{number:02d}"


def network_switch(site: str, tag: str, number: int) -> str:
    """Switch `number` (from 1) of the storage (`sto`), in-band (`mgmt`) or out-of-band (`oob`) network."""
    return f"{site}-{tag}-sw{number:02d}"


def nic(hca: str, plane: int, planes: int) -> str:
    """Host port of an RDMA device: `mlx5_3`, or `mlx5_3p1` where one device has a port in every plane."""
    return hca if planes == 1 else f"{hca}p{plane}"


def assumed_hca(rail: int) -> str:
    """The RDMA device of a rail where the catalogue doesn't know it. Right only if nothing else has a number in between."""
    return f"mlx5_{rail}"


def manager(site: str, number: int) -> str:
    """Fabric manager host (UFM) `number` (from 1)."""
    return f"{site}-ufm{number:02d}"


def rail_network(rail: int, plane: int, planes: int) -> str:
    """Name of a rail's subnet: `rail-3` or `rail-3-p1`."""
    return f"rail-{rail}{_plane(plane, planes)}"


def label(rack_number: int, u: int, port: int | str) -> str:
    """Physical label of an end: `R004-U12-P8`."""
    return f"R{rack_number:03d}-U{u:02d}-P{port}"


def port_prefix(transport: str) -> str:
    """What stands before a switch port's number: nothing on InfiniBand (`dev/12`), `swp` on Ethernet (`dev/swp12`)."""
    return "" if transport == "infiniband" else "swp"


def _plane(plane: int, planes: int) -> str:
    return "" if planes == 1 else f"-p{plane}"


@lru_cache(maxsize=65_536)
def parse_gpu(name: str) -> tuple[str, int, int] | None:
    """(site, unit, slot) of a GPU node's name, None where it is none."""
    found = _GPU.match(name)
    return (found["site"], int(found["unit"]), int(found["slot"])) if found else None


def parse_storage(name: str) -> tuple[str, int] | None:
    """(site, index) of a storage server's name, None where it is none."""
    found = _STORAGE.match(name)
    return (found["site"], int(found["index"])) if found else None
