"""The design file of an audit: what a fabric that railyard didn't plan should look like. See docs/audit.md."""

from typing import Annotated

from pydantic import Field, model_validator

from railyard.model.base import ContradictionError, Gbps, Noun

Count = Annotated[int, Field(ge=1, le=4096)]
Pattern = Annotated[
    str, Field(min_length=1, max_length=200, description="text with {unit}, {rail}, {slot}, {spine}, {hca}, {rack}, *")
]


class NamePatterns(Noun):
    """How devices are called, and by which description the files know them (default: by that name).

    `{unit:02}` is a number of at least two digits, `{hca}` the adapter, `{rack}` any text without separators, `*` anything.
    """

    leaf: Pattern
    spine: Pattern = "spine-{spine}"
    host: Pattern
    leaf_description: Pattern | None = None
    spine_description: Pattern | None = None
    host_description: Pattern | None = None


class PortMap(Noun):
    """Ports of a leaf. Slots follow from `first_down`; uplinks from `first_up`, all links to a spine side by side.

    `spare` are ports where something else may be (management, storage), by ranges: `19-32`.
    """

    first_down: Count = 1
    first_up: Count
    spare: tuple[Annotated[str, Field(pattern=r"^\d{1,4}(-\d{1,4})?$")], ...] = ()


class GuidNeighbours(Noun):
    """Pairs of rails that are the two ports of one adapter, and by how much their GUIDs differ."""

    offset: Annotated[int, Field(ge=1, le=4096)]
    rails: tuple[tuple[Count, Count], ...]


class AuditDesign(Noun):
    """One rail-optimised fabric of two tiers (or of leaves alone: `spines: 0`). Rails, units, slots and spines count from 1.

    `hcas` names the adapter of each rail; `unit_hcas` those of units that differ. `not_built` lists slots that are empty by
    design, as `unit/slot`.
    """

    schema_version: Annotated[int, Field(ge=1, le=1)]
    name: Annotated[str, Field(min_length=1, max_length=64)]
    rails: Annotated[int, Field(ge=1, le=64)]
    units: Count
    nodes_per_unit: Count
    spines: Annotated[int, Field(ge=0, le=4096)]
    links_per_pair: Annotated[int, Field(ge=0, le=64)]
    link_gbps: Gbps
    names: NamePatterns
    hcas: Annotated[tuple[str, ...], Field(min_length=1)]
    unit_hcas: Annotated[dict[str, tuple[str, ...]], Field(default_factory=dict)]
    ports: PortMap
    other_hosts: tuple[Pattern, ...] = ()
    guid_neighbours: GuidNeighbours | None = None
    not_built: tuple[Annotated[str, Field(pattern=r"^\d{1,4}/\d{1,4}$")], ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> "AuditDesign":
        for unit, hcas in {"": self.hcas, **self.unit_hcas}.items():
            if len(hcas) != self.rails or len(set(hcas)) != len(hcas):
                wanted = f"{self.rails} different adapters, one per rail{f', in unit {unit}' if unit else ''}"
                raise ContradictionError(wanted, found=f"{', '.join(hcas)}; rails {self.rails}")
        if any(not unit.isdigit() or not 1 <= int(unit) <= self.units for unit in self.unit_hcas):
            found = f"unitHcas of {', '.join(self.unit_hcas)}"
            raise ContradictionError(f"units from 1 to {self.units} in unitHcas", found=found)
        if self.ports.first_up <= self.ports.first_down + self.nodes_per_unit - 1 and self.spines:
            last = self.ports.first_down + self.nodes_per_unit - 1
            found = f"ports.firstUp {self.ports.first_up}; slots end at port {last}"
            raise ContradictionError("ports.firstUp above the ports of all slots", found=found)
        if self.guid_neighbours and any(not 1 <= rail <= self.rails for pair in self.guid_neighbours.rails for rail in pair):
            found = f"guidNeighbours.rails {', '.join(f'{a}-{z}' for a, z in self.guid_neighbours.rails)}"
            raise ContradictionError(f"rails from 1 to {self.rails} in guidNeighbours", found=found)
        return self
