"""Every block of a site by name, as real networks, and where a free one is."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network

from railyard.model.site import Addresses

Network = IPv4Network | IPv6Network
_OWN = {"oob": "oob", "in_band": "inBand", "storage": "storage", "rails": "rails", "pods": "pods", "services": "services"}
_VIRTUAL = ("pods", "services")
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fd00::/8")
"""Where a free range is looked for: RFC 1918 and RFC 4193."""


@dataclass(frozen=True)
class BlockText:
    """A block as it is written. `key` is its path below `railyard:addresses`, `name` what people call it."""

    key: str
    name: str
    text: str
    reserved: bool = False

    @property
    def network(self) -> Network:
        """The real network, host bits cut off."""
        return ip_network(self.text, strict=False)

    @property
    def where(self) -> str:
        """Its place in the stack file."""
        return f"railyard:addresses.{self.key}"

    @property
    def virtual(self) -> bool:
        """Whether it exists inside of the cluster only: cheaper to move than what is cabled."""
        return self.key.removeprefix("ipv6.") in _VIRTUAL

    def overlaps(self, other: "BlockText") -> bool:
        """Whether both share an address. IPv4 and IPv6 never do, and ipaddress refuses to compare them."""
        mine, others = self.network, other.network
        if isinstance(mine, IPv4Network):
            return isinstance(others, IPv4Network) and mine.overlaps(others)
        return isinstance(others, IPv6Network) and mine.overlaps(others)


def blocks_of(addresses: Addresses) -> list[BlockText]:
    """All blocks: the six of every site, loopbacks, IPv6, reserved ones."""
    rows = [BlockText(name, name, str(getattr(addresses, field))) for field, name in _OWN.items()]
    if addresses.loopbacks:
        rows.append(BlockText("loopbacks", "loopbacks", addresses.loopbacks))
    for field, name in (*_OWN.items(), ("loopbacks", "loopbacks")):
        text = getattr(addresses.ipv6, field)
        if text:
            rows.append(BlockText(f"ipv6.{name}", f"ipv6.{name}", str(text)))
    for index, block in enumerate(addresses.reserved):
        rows.append(BlockText(f"reserved[{index}].cidr", f"reserved {block.name}", block.cidr, reserved=True))
    return rows


def key_of(network: str) -> str:
    """Key of the block that a planned network is cut from: `rail-3-p1` is `rails`."""
    if network.startswith("rail-"):
        return "rails"
    return {"in-band": "inBand", "loopback": "loopbacks"}.get(network, network)


def proposal(one: BlockText, two: BlockText, blocks: Iterable[BlockText]) -> str | None:
    """Which of two blocks to move where: what is virtual first, never what is reserved; None where nothing is free."""
    choice = sorted((block for block in (two, one) if not block.reserved), key=lambda block: not block.virtual)
    moving = choice[0]
    others = [block.network for block in blocks if block is not moving and block.key != moving.key]
    free = free_range(moving.network, others)
    return None if free is None else f"move {moving.name}, e.g. to {free}, which is free"


def free_range(wanted: Network, taken: Iterable[Network]) -> str | None:
    """First private network of the size of `wanted` that shares no address with `taken`; None where there is none."""
    size = wanted.num_addresses
    spans = sorted((int(net.network_address), int(net.broadcast_address)) for net in taken if net.version == wanted.version)
    for text in _PRIVATE:
        space = ip_network(text)
        if space.version != wanted.version or space.num_addresses < size:
            continue
        start, last = int(space.network_address), int(space.broadcast_address)
        for low, high in spans:
            if low < start + size and high >= start:
                start = -(-(high + 1) // size) * size
        if start + size - 1 <= last:
            return f"{type(space.network_address)(start)}/{wanted.prefixlen}"
    return None
