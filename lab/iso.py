"""Reads an ISO 9660 volume through a `read(offset, length)` coroutine: label and the files of its root folder (ECMA-119).

Names come from the primary descriptor, from Rock Ridge NM fields and from a Joliet descriptor; they are compared in lower case.
"""

import struct
from collections.abc import Awaitable, Callable

SECTOR = 2048
FIRST_DESCRIPTOR = 16
MAX_DESCRIPTORS = 32
MAX_FOLDER = 1024 * 1024
MAX_FILE = 16 * 1024 * 1024
JOLIET = (b"%/@", b"%/C", b"%/E")

Read = Callable[[int, int], Awaitable[bytes]]


class NotIsoError(Exception):
    """The image is no ISO 9660 volume, or is damaged."""


class Volume:
    """An opened volume. `label` is its volume identifier, `files` maps a name to (first byte, length)."""

    def __init__(self, read: Read, label: str, files: dict[str, tuple[int, int]]) -> None:
        self._read, self.label, self.files = read, label, files

    async def content(self, name: str) -> bytes:
        """The bytes of a file in the root folder. Raises KeyError, NotIsoError."""
        start, length = self.files[name.lower()]
        if length > MAX_FILE:
            raise NotIsoError(f"{name}: {length} bytes")
        return await self._read(start, length)


async def mount(read: Read) -> Volume:
    """Opens a volume. Raises NotIsoError; what `read` raises passes through."""
    label, files = None, {}
    for index in range(FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + MAX_DESCRIPTORS):
        sector = await read(index * SECTOR, SECTOR)
        if len(sector) < SECTOR or sector[1:6] != b"CD001":
            raise NotIsoError(f"no volume descriptor in sector {index}")
        kind = sector[0]
        if kind == 255:
            break
        joliet = kind == 2 and sector[88:91] in JOLIET
        if kind == 1:
            label = sector[40:72].decode("ascii", "replace").rstrip(" \0")
        if kind == 1 or joliet:
            files |= await _folder(read, sector[156:190], joliet=joliet)
    if label is None:
        raise NotIsoError("no primary volume descriptor")
    return Volume(read, label, files)


async def _folder(read: Read, record: bytes, *, joliet: bool) -> dict[str, tuple[int, int]]:
    extent, length = struct.unpack_from("<I", record, 2)[0], struct.unpack_from("<I", record, 10)[0]
    if length > MAX_FOLDER:
        raise NotIsoError(f"root folder of {length} bytes")
    data = await read(extent * SECTOR, length)
    files: dict[str, tuple[int, int]] = {}
    at = 0
    while at < len(data):
        size = data[at]
        if size == 0:  # records don't cross sectors: the rest of this one is padding
            at = (at // SECTOR + 1) * SECTOR
            continue
        record = data[at : at + size]
        at += size
        if len(record) < 34 or record[25] & 0x02:
            continue
        place = (struct.unpack_from("<I", record, 2)[0] * SECTOR, struct.unpack_from("<I", record, 10)[0])
        for name in _names(record, joliet=joliet):
            files[name.lower()] = place
    return files


def _names(record: bytes, *, joliet: bool) -> list[str]:
    length = record[32]
    raw = record[33 : 33 + length]
    name = raw.decode("utf-16-be" if joliet else "latin-1", "replace").split(";")[0]
    names = [name.rstrip(".")]
    at = 33 + length + (1 - length % 2)
    alternate = ""
    while not joliet and at + 4 <= len(record):
        signature, size = record[at : at + 2], record[at + 2]
        if size < 4:
            break
        if signature == b"NM" and size > 5:
            alternate += record[at + 5 : at + size].decode("utf-8", "replace")
        at += size
    return names + ([alternate] if alternate else [])
