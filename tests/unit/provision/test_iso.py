"""The medium, read back by another implementation."""

import io

import pycdlib
import pytest

from services.provision import iso

FILES = {"seed.json": b'{"serial": "SN1"}\n', "image.sha256": b"ab  image\n", "empty": b"", "big": b"x" * 5000}


def test_is_identical_from_run_to_run():
    assert iso.build("RAILYARD", FILES) == iso.build("RAILYARD", dict(reversed(FILES.items())))


@pytest.mark.parametrize("name", FILES)
def test_another_implementation_reads_both_trees(name):
    disc = pycdlib.PyCdlib()
    disc.open_fp(io.BytesIO(iso.build("RAILYARD", FILES)))
    assert disc.pvd.volume_identifier.strip() == b"RAILYARD"
    for path in ({"iso_path": f"/{name.upper()};1"}, {"joliet_path": f"/{name}"}):
        content = io.BytesIO()
        disc.get_file_from_iso_fp(content, **path)
        assert content.getvalue() == FILES[name]


def test_volume_size_is_the_length():
    image = iso.build("RAILYARD", FILES)
    assert len(image) == 2048 * int.from_bytes(image[16 * 2048 + 80 : 16 * 2048 + 84], "little")


def test_too_many_files_are_refused():
    with pytest.raises(ValueError, match="too many"):
        iso.build("RAILYARD", {f"file{number:02}.json": b"" for number in range(60)})
