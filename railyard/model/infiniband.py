"""InfiniBand's nouns: GUIDs, one subnet with its nodes and links, partitions, and the stack file's section about them."""

from typing import Annotated, Literal

import msgspec
from pydantic import AfterValidator, BeforeValidator, Field

from railyard.model.base import ContradictionError, Name, Noun

Tier = Literal["leaf", "spine", "core"]
Role = Literal["compute", "storage", "manager"]
DEFAULT_KEY = 0x7FFF
"""The default partition, without the membership bit. Every port is in it, or it can't talk to the subnet manager."""
KEYS = range(0x0001, DEFAULT_KEY)
"""What a tenant's key may be: 15 bits, neither 0 (invalid) nor the default partition's."""


def guid_text(number: int) -> str:
    """A GUID as OpenSM, UFM and ibnetdiscover write it in files: `0x` and 16 hexadecimal digits."""
    return f"0x{number:016x}"


def _guid(value: object) -> object:
    """YAML reads a bare 0x0c42a10300abcdef as a number; labels and `ibstat` also write colons and capital letters."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"0x{value:016x}" if value > 0 else str(value)
    if not isinstance(value, str):
        return value
    digits = value.strip().lower().replace(":", "").removeprefix("0x")
    if digits in ("0" * 16, "f" * 16):
        raise ValueError("a GUID of a device, not all zeros or all ones")
    return f"0x{digits}"


Guid = Annotated[
    str, BeforeValidator(_guid), Field(pattern=r"^0x[0-9a-f]{16}$", description="GUID: 16 hexadecimal digits, 0x in front")
]
Key = Annotated[int, Field(ge=KEYS.start, le=KEYS.stop - 1, description="15-bit partition key, 0x0001 to 0x7ffe")]
NodeRange = Annotated[
    str,
    Field(
        max_length=96,
        pattern=r"^([a-z0-9][a-z0-9-]{0,31}-)?su(\d{3,}|\[\d{3,}-\d{3,}\])(-gpu(\d{2,}|\[\d{2,}-\d{2,}\]))?$",
        description="nodes by unit and slot: su003, su[001-003], su004-gpu[01-24], or with the site's name in front",
    ),
]


class Hca(Noun):
    """One port of a channel adapter as delivered. `port` is its name in the plan: `mlx5_3`, `mlx5_3p1` (the port in plane 1).

    The two GUIDs are two facts: on a ConnectX with one port they are often equal, on others the port's is another number.
    """

    port: Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[A-Za-z0-9_.-]+$")]
    node_guid: Guid
    port_guid: Guid


def _once(rows: tuple[Hca, ...]) -> tuple[Hca, ...]:
    ports = [row.port for row in rows]
    twice = sorted({port for port in ports if ports.count(port) > 1})
    if twice:
        raise ContradictionError(f"one row for each port: {', '.join(twice)} stands twice", found=f"{', '.join(twice)} twice")
    return rows


Hcas = Annotated[tuple[Hca, ...], Field(max_length=64), AfterValidator(_once)]


class PartitionChoice(Noun):
    """A tenant with machines of its own: its partition keeps others out on the wire.

    `key` (15 bits) defaults to one made of the tenant's name; `shared_storage` puts the storage servers in as well: the one
    thing that several tenants may share.
    """

    tenant: Name
    nodes: Annotated[tuple[NodeRange, ...], Field(min_length=1)]
    key: Key | None = None
    shared_storage: bool = False


class InfiniBand(Noun):
    """What only an InfiniBand fabric has. Without `partitions` everybody is full in the default one: all may talk to all.

    `sharp` needs an aggregation manager, which runs beside the subnet manager on the fabric manager's host (UFM).
    """

    partitions: tuple[PartitionChoice, ...] = ()
    adaptive_routing: Annotated[bool, Field(description="adaptive routing in the production rendering of opensm.conf")] = True
    sharp: Annotated[bool, Field(description="reduction in the switches (SHARP); needs UFM hosts: fabric.reservedPorts")] = (
        False
    )


class GuidRow(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """GUIDs of one adapter port (`port` is the NIC's name) or of one switch (`port` is empty).

    `planned` is true where the inventory doesn't have them yet: made of the device's identity, locally administered.
    """

    device: str
    port: str
    node_guid: str
    port_guid: str
    planned: bool


class SubnetSwitch(msgspec.Struct, frozen=True, gc=False):
    """A switch of a subnet. The GUID of its management port 0 is its node GUID."""

    name: str
    tier: Tier
    guid: int
    ports: int


class Adapter(msgspec.Struct, frozen=True, gc=False):
    """One adapter port in a subnet: port 1 of an adapter of its own, as each port of a ConnectX (a PCI function) shows."""

    device: str
    hca: str
    role: Role
    node_guid: int
    port_guid: int

    @property
    def key(self) -> str:
        """Name of the adapter within the subnet."""
        return f"{self.device}/{self.hca}"

    @property
    def description(self) -> str:
        """Node description that a host with its driver shows: `lab-su001-gpu01 mlx5_3`."""
        return f"{self.device} {self.hca}"


class SubnetLink(msgspec.Struct, frozen=True, gc=False):
    """One link. Ends are a switch's name or an adapter's key, with the port number."""

    a: str
    a_port: int
    z: str
    z_port: int


class Subnet(msgspec.Struct, frozen=True):
    """All that one subnet manager sees: one plane, or one separate fabric. Rows by name; links in the plan's order.

    `planned_guids` is how many of its nodes have no delivered GUID yet.
    """

    name: str
    prefix: int
    link_gbps: float
    switches: tuple[SubnetSwitch, ...]
    adapters: tuple[Adapter, ...]
    links: tuple[SubnetLink, ...]
    planned_guids: int = 0

    @property
    def tiers(self) -> int:
        """Tiers of switches; one is a single switch (a rail of a rail-only fabric), which no fat-tree routing takes."""
        return len({switch.tier for switch in self.switches})

    def roots(self) -> tuple[SubnetSwitch, ...]:
        """Switches of the top tier: cores, or spines, or the one tier that there is."""
        tiers = {switch.tier for switch in self.switches}
        top = next((tier for tier in ("core", "spine", "leaf") if tier in tiers), None)
        return tuple(switch for switch in self.switches if switch.tier == top)


class PartitionPlan(Noun):
    """One tenant's partition: name, 15-bit key, and the installed machines whose ports are full members.

    `storage` are the storage servers in it, if the stack file says that the tenant shares them.
    """

    name: str
    key: int
    nodes: tuple[str, ...]
    storage: tuple[str, ...] = ()


class PartitionRule(msgspec.Struct, frozen=True):
    """One rule of a partitions file, the file's own nouns: `members` are `ALL`, `SELF` or port GUIDs with their membership."""

    name: str
    key: int
    members: tuple[tuple[str, bool], ...]
    index0: bool = False
    ipoib: bool = False


class SubnetFacts(Noun):
    """One subnet in numbers. `manager_leaves` are the leaves that a fabric manager's host hangs on, `own_managers` is true
    where the switches have a subnet manager of their own.
    """

    name: str
    prefix: str
    switches: int
    adapters: int
    links: int
    manager_leaves: tuple[str, ...] = ()
    own_managers: bool = False


class PartitionFacts(Noun):
    """One tenant's partition in numbers. `unknown` are its ranges that name no planned slot, `also_in` its machines that
    another tenant has, too, each with that tenant (the first few), `overlap` how many there are.
    """

    name: str
    key: int
    nodes: int
    known_tenant: bool = True
    shared_storage: bool = False
    unknown: tuple[str, ...] = ()
    overlap: int = 0
    also_in: tuple[str, ...] = ()


class InfiniBandPlan(Noun):
    """What the rules read of an InfiniBand site: subnets, partitions, GUIDs that two things have (`guid_clashes`).

    `unassigned` are machines in no partition where there are partitions; `guids_planned` of `guids` rows wait for delivery;
    `guids_unused` are ports and switches that the inventory has a GUID for and no InfiniBand cable or switch of the plan.
    """

    subnets: tuple[SubnetFacts, ...]
    adaptive_routing: bool = True
    sharp: bool = False
    partitions: tuple[PartitionFacts, ...] = ()
    unassigned: int = 0
    guids: int = 0
    guids_planned: int = 0
    guid_clashes: tuple[str, ...] = ()
    guids_unused: tuple[str, ...] = ()
