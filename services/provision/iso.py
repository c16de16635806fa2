"""A small ISO 9660 image (ECMA-119 level 2, with Joliet names), the same bytes for the same input: ranges may be joined.

pycdlib would put today's date into each image, so two downloads differ; a handful of files in one folder needs no library.
"""

import struct
from collections.abc import Mapping

SECTOR = 2048
_PVD, _JOLIET, _END = 16, 17, 18
_TABLES = 19  # L and M path tables of both trees: sectors 19 to 22
_ROOT, _JOLIET_ROOT, _DATA = 23, 24, 25
_DATE = bytes([70, 1, 1, 0, 0, 0, 0])  # 1970-01-01: a fixed date keeps the image reproducible
_NO_DATE = b"0" * 16 + b"\0"


def build(label: str, files: Mapping[str, bytes]) -> bytes:
    """The image. Names are lower-case ASCII `name.ext`; at most about 20 files (one folder sector), else ValueError."""
    places: dict[str, tuple[int, int]] = {}
    data = bytearray()
    for name in sorted(files, key=_iso_name):
        places[name] = (_DATA + len(data) // SECTOR, len(files[name]))
        data += _padded(files[name])
    sectors = _DATA + len(data) // SECTOR
    joliet = sorted(places, key=_joliet_name)
    head = [
        _descriptor(1, label.ljust(32).encode("ascii"), sectors, _TABLES, _ROOT, joliet=False),
        _descriptor(2, label.ljust(16)[:16].encode("utf-16-be"), sectors, _TABLES + 2, _JOLIET_ROOT, joliet=True),
        b"\xffCD001\x01",
        _path_table(_ROOT, "<"),
        _path_table(_ROOT, ">"),
        _path_table(_JOLIET_ROOT, "<"),
        _path_table(_JOLIET_ROOT, ">"),
        _folder(_ROOT, [(_iso_name(name), *places[name]) for name in places]),
        _folder(_JOLIET_ROOT, [(_joliet_name(name), *places[name]) for name in joliet]),
    ]
    return bytes(_PVD * SECTOR) + b"".join(_padded(part) for part in head) + bytes(data)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % SECTOR)


def _iso_name(name: str) -> bytes:
    return f"{name.upper()};1".encode("ascii")


def _joliet_name(name: str) -> bytes:
    return name.encode("utf-16-be")


def _both16(value: int) -> bytes:
    return struct.pack("<H", value) + struct.pack(">H", value)


def _both32(value: int) -> bytes:
    return struct.pack("<I", value) + struct.pack(">I", value)


def _record(name: bytes, sector: int, size: int, flags: int) -> bytes:
    """One directory record (ECMA-119 9.1); its length is even."""
    body = b"\0" + _both32(sector) + _both32(size) + _DATE + bytes([flags, 0, 0]) + _both16(1) + bytes([len(name)]) + name
    if len(name) % 2 == 0:
        body += b"\0"
    return bytes([len(body) + 1]) + body


def _folder(sector: int, entries: list[tuple[bytes, int, int]]) -> bytes:
    content = _record(b"\0", sector, SECTOR, 2) + _record(b"\1", sector, SECTOR, 2)
    content += b"".join(_record(name, place, size, 0) for name, place, size in entries)
    if len(content) > SECTOR:
        raise ValueError("too many files for one folder sector")
    return content


def _path_table(root: int, order: str) -> bytes:
    return bytes([1, 0]) + struct.pack(f"{order}IH", root, 1) + b"\0\0"


def _descriptor(kind: int, volume: bytes, sectors: int, tables: int, root: int, *, joliet: bool) -> bytes:
    """Primary or supplementary volume descriptor (ECMA-119 8.4, 8.5)."""
    blank = "\0 ".encode("latin-1") if joliet else b"  "  # a space in UCS-2 big-endian, or two in ASCII
    wide = blank * 64
    return b"".join(
        [
            bytes([kind]),
            b"CD001\x01\0",
            blank * 16,
            volume,
            bytes(8),
            _both32(sectors),
            b"%/E".ljust(32, b"\0") if joliet else bytes(32),
            _both16(1),
            _both16(1),
            _both16(SECTOR),
            _both32(10),
            struct.pack("<II", tables, 0),
            struct.pack(">II", tables + 1, 0),
            _record(b"\0", root, SECTOR, 2),
            wide * 4,
            (blank * 19)[:37] * 3,
            _NO_DATE * 4,
            b"\x01\0",
        ]
    )
