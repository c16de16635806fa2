"""The machine's ISO 9660 reader, on images by another author and on garbage."""

import asyncio
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.iso import NotIsoError, mount
from services.provision.iso import build


def reader(image: bytes):
    async def read(offset: int, length: int) -> bytes:
        return image[offset : offset + length]

    return read


def open_all(image: bytes) -> tuple[str, dict[str, bytes]]:
    async def run() -> tuple[str, dict[str, bytes]]:
        volume = await mount(reader(image))
        return volume.label, {name: await volume.content(name) for name in volume.files}

    return asyncio.run(run())


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,8}\.[a-z]{1,3}", fullmatch=True), st.binary(max_size=5000), min_size=1, max_size=8)
)
def test_reads_back_what_was_written(files: dict[str, bytes]) -> None:
    label, found = open_all(build("RAILYARD", files))
    assert label == "RAILYARD"
    assert {name: found[name] for name in files} == files


@given(st.binary(max_size=200), st.integers(min_value=0, max_value=60_000))
def test_damaged_images_are_refused_or_read(noise: bytes, at: int) -> None:
    image = bytearray(build("RAILYARD", {"seed.json": b"{}" * 3000}))
    image[at : at + len(noise)] = noise
    with contextlib.suppress(NotIsoError):
        open_all(bytes(image))


@pytest.mark.parametrize("image", [b"", b"x" * 100_000, bytes(17 * 2048)])
def test_no_iso(image: bytes) -> None:
    with pytest.raises(NotIsoError):
        open_all(image)
