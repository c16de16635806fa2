"""Which NIC port of a node is on which rail and plane.

The number of an RDMA device is not its rail: storage adapters take numbers in between (DGX H100: mlx5_0, 3, 4, 5, 6, 9, 10, 11
are GPU 0 to 7). The catalogue knows it per node model (`railHcas`); where it doesn't, `mlx5_{rail}` is assumed and said to be.
"""

import msgspec

from railyard.model.catalog import NodeModel
from railyard.model.site import Fabric
from railyard.plan import names


class RailNics(msgspec.Struct, frozen=True):
    """Port names by rail, then plane; `assumed` where they are not from the catalogue."""

    ports: tuple[tuple[str, ...], ...]
    assumed: bool

    def port(self, rail: int, plane: int) -> str:
        """NIC port of a rail and plane, both from 0."""
        return self.ports[rail][plane]

    def listed(self) -> tuple[str, ...]:
        """All ports, rail by rail and in it plane by plane."""
        return tuple(port for rail in self.ports for port in rail)


def name_nics(fabric: Fabric, node: NodeModel) -> RailNics:
    """The ports of a site's nodes.

    One device per rail, with a port in every plane; or, where a node has as many NICs as rails * planes, one for each of them.
    More rails than NICs is a finding of the rules; names are then assumed, so that a plan can be shown all the same.
    """
    known, rails, planes = node.rail_hcas or (), fabric.rails, fabric.planes
    apart = planes > 1 and node.backend_nics == rails * planes
    count = rails * planes if apart else rails
    assumed = count > len(known)
    hcas = tuple(names.assumed_hca(number) for number in range(count)) if assumed else known[:count]
    if apart:
        return RailNics(tuple(hcas[rail * planes : (rail + 1) * planes] for rail in range(rails)), assumed)
    return RailNics(tuple(tuple(names.nic(hca, plane, planes) for plane in range(planes)) for hca in hcas), assumed)
