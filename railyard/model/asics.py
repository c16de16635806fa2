"""Switch ASICs: the catalogue's facts about buffers, headroom, limits and known faults. Unknown is `None`, never 0."""

from typing import Annotated

from pydantic import Field

from railyard.model.base import Noun
from railyard.model.entry import Entry
from railyard.model.lossless import Bytes, Headroom, Nos


class BadRelease(Noun):
    """A release of a network operating system with a known fault on an ASIC.

    `versions`: first parts of its number; `*` is every release so far. `several_classes`: only where more than one priority is
    lossless.
    """

    nos: Nos
    versions: Annotated[tuple[str, ...], Field(min_length=1)]
    several_classes: bool = False
    fault: str
    issue: str


class Box(Noun):
    """A switch as its systems call it. `hwsku` and `breakouts` map a link speed in Gb/s to SONiC's hardware SKU and mode."""

    cages: Annotated[int, Field(ge=1, le=1024)]
    lanes_per_cage: Annotated[int, Field(ge=1, le=64)]
    platform: str
    hwsku: dict[int, str]
    breakouts: dict[int, str] | None = None


class AsicModel(Entry):
    """One switch ASIC. `boxes` are the catalogue's switches with it; unknown facts are None, and are said to be.

    `systems` are the network operating systems that run on its boxes: another one can't be installed.
    """

    boxes: dict[str, Box]
    systems: tuple[Nos, ...] | None = None
    headroom: tuple[Headroom, ...] | None = None
    shared_buffer_bytes: Bytes | None = None
    adaptive_routing: bool | None = None
    max_paths: dict[Nos, int] | None = None
    bad_releases: tuple[BadRelease, ...] | None = None

    def runs(self, switch_model: str) -> bool:
        """Whether a switch of the catalogue has this ASIC."""
        return switch_model in self.boxes
