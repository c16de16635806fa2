"""Which row of the catalogue a device type is: by equal names, never by likeness."""

import re
from collections.abc import Iterator
from typing import Literal, get_args

import msgspec

from railyard.model.catalog import Catalog, NodeModel, PduModel, StorageNodeModel, SwitchModel
from railyard.model.lossless import Nos
from railyard.model.netbox import DeviceType
from railyard.model.networks import ManagementSwitchModel

Item = NodeModel | SwitchModel | PduModel | StorageNodeModel | ManagementSwitchModel
Kind = Literal["nodes", "switches", "pdus", "storage", "management_switches"]
KINDS: tuple[Kind, ...] = ("nodes", "switches", "pdus", "storage", "management_switches")
_FOLD = re.compile(r"[^a-z0-9]+")
_LAYOUT = re.compile(rf"(-\d{{1,4}}g)?(-({'|'.join(get_args(Nos))}))?\Z")
"""What our export puts behind a switch's name: the speed of its ports, and the system whose names they have."""


class Match(msgspec.Struct, frozen=True):
    """A row of the catalogue, and the file of the catalogue that it stands in."""

    kind: Kind
    item: Item

    @property
    def u_height(self) -> int:
        """Its height; a strip has none."""
        if isinstance(self.item, PduModel):
            return 0
        return self.item.rack_units if isinstance(self.item, NodeModel | StorageNodeModel) else self.item.u_height

    @property
    def peak_w(self) -> float | None:
        """Watts of its nameplate; None for a strip, and where nobody knows."""
        peak = None if isinstance(self.item, PduModel) else self.item.peak_kw
        return None if peak is None else round(peak * 1000, 6)

    @property
    def psus(self) -> int | None:
        """Power supplies; None for a strip, and where nobody knows."""
        return None if isinstance(self.item, PduModel) else self.item.psus


def fold(text: str) -> str:
    """Letters and digits alone: `NVIDIA DGX A100 640GB` and `NVIDIA DGX A100 640 GB` are one."""
    return _FOLD.sub("", text.lower())


def matches(kind: DeviceType, catalog: Catalog) -> list[Match]:
    """Rows whose name or title is one of the type's names. One is an answer; none, or several, are not."""
    said = set(_said(kind))
    return [found for found in _all(catalog) if {fold(found.item.name), fold(found.item.title)} & said]


def _said(kind: DeviceType) -> Iterator[str]:
    """What a type may be called: model, slug and part number, each with and without its maker and a layout's suffix."""
    maker = fold(kind.manufacturer)
    for text in filter(None, (kind.model, kind.slug, kind.part_number)):
        for spelled in {text, _LAYOUT.sub("", text)}:
            folded = fold(spelled)
            yield folded
            yield maker + folded
            if folded.startswith(maker) and folded != maker:
                yield folded.removeprefix(maker)


def _all(catalog: Catalog) -> Iterator[Match]:
    for kind in KINDS:
        for item in getattr(catalog, kind).values():
            yield Match(kind, item)
