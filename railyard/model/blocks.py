"""Address blocks beyond the six that every site has: IPv6, and ranges that belong to somebody else."""

from ipaddress import ip_network
from typing import Annotated

from pydantic import AfterValidator, Field

from railyard.model.base import Cidr, Name, Noun


def _six(text: str) -> str:
    """An IPv6 network: an IPv4 one here would be given out twice."""
    if ip_network(text, strict=False).version != 6:
        raise ValueError("an IPv6 network, like fd00:16::/48")
    return text


Cidr6 = Annotated[Cidr, AfterValidator(_six)]


class Ipv6Blocks(Noun):
    """A second address of each interface, cut like the IPv4 block of the same name. What is left out stays IPv4 only.

    `rails` holds one /64 per rail, plane and unit where the fabric is routed; a /48 is plenty.
    """

    oob: Cidr6 | None = None
    in_band: Cidr6 | None = None
    storage: Cidr6 | None = None
    rails: Cidr6 | None = None
    loopbacks: Cidr6 | None = None
    pods: Cidr6 | None = None
    services: Cidr6 | None = None


class ReservedBlock(Noun):
    """A range that nothing here may use: a VPN, an office, another site, rails that exist already.

    `needs` is the number of addresses that its owner wants to give out of it (hosts, gateway, virtual addresses, spares).
    """

    name: Name
    cidr: Cidr
    needs: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None
