"""The three networks beside the training fabric, with the switches of each by where they stand."""

from collections.abc import Iterator

import msgspec

from railyard.plan.networks.dual import DualShape
from railyard.plan.networks.oob import OobShape

ROLE = {"storage": "storage-switch", "in-band": "in-band-switch"}
"""What a switch of a network is to a rack."""


class OtherNetworks(msgspec.Struct, frozen=True):
    """Storage (None: no servers), in-band (None: converged, on the storage network's switches) and out-of-band network."""

    site: str
    storage: DualShape | None
    in_band: DualShape | None
    oob: OobShape

    @property
    def duals(self) -> tuple[DualShape, ...]:
        """Storage and in-band as far as they have switches of their own."""
        return tuple(dual for dual in (self.storage, self.in_band) if dual)

    @property
    def carrier(self) -> DualShape:
        """The network that carries in-band traffic, and the uplinks of out-of-band switches. There is always one."""
        return self.duals[-1]

    def unit_pairs(self, unit: int) -> Iterator[tuple[DualShape, int]]:
        """(network, pair) of the node pairs that stand in the racks of a scalable unit."""
        for dual in self.duals:
            if dual.clos is None:
                continue
            if dual.pairs_per_unit > 1:
                first = (unit - 1) * dual.pairs_per_unit
                yield from ((dual, pair) for pair in range(first, first + dual.pairs_per_unit))
            elif (unit - 1) % dual.units_per_pair == 0:
                yield dual, (unit - 1) // dual.units_per_pair

    def upper_pairs(self) -> Iterator[tuple[DualShape, int]]:
        """(network, pair) of the pairs that stand with the spines."""
        for dual in self.duals:
            for pair in range(dual.node_pairs if dual.clos else 0, dual.pairs):
                yield dual, pair

    def spines(self) -> Iterator[tuple[DualShape, str]]:
        """(network, name) of the spines, then of the cores, of each network."""
        for dual in self.duals:
            if dual.clos:
                yield from ((dual, dual.upper_name(self.site, "spine", index)) for index in range(dual.clos.spines))
                yield from ((dual, dual.upper_name(self.site, "core", index)) for index in range(dual.clos.cores))
