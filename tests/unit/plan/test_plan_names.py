"""Names by house rule 10."""

import re

import pytest

from railyard.plan import names

DNS = re.compile(r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")


def test_names_are_what_the_house_says():
    assert names.gpu("lab", 1, 5, 32) == "lab-su001-gpu05"
    assert names.gpu("lab", 1, 5, 128) == "lab-su001-gpu005"
    assert names.leaf("lab", 2, 3, 0, 1) == "lab-su002-leaf-r3"
    assert names.leaf("lab", 2, 3, 1, 2) == "lab-su002-leaf-r3-p1"
    assert names.spine("lab", 12, 0, 1) == "lab-spine012"
    assert names.core("lab", 7, 1, 2) == "lab-core007-p1"
    assert names.rack("lab", 4) == "lab-r004"
    assert names.pdu("lab-r004", "a") == "lab-r004-pdu-a"
    assert names.storage("lab", 3) == "lab-sto03"
    assert names.oob("lab", 3) == "lab-oob-sw03"
    assert names.label(4, 12, 8) == "R004-U12-P8"


@pytest.mark.parametrize("name", ["a-su001-gpu01", "x-y-su123-gpu099"])
def test_a_gpu_name_reads_back(name: str):
    site, unit, slot = names.parse_gpu(name) or ("", 0, 0)
    assert names.gpu(site, unit, slot, 32 if len(name.rpartition("gpu")[2]) == 2 else 128) == name


@pytest.mark.parametrize("name", ["lab-gpu01", "lab-su001-gpu1", "lab-su01-gpu01", "lab-su001-sto01", "lab-su001-gpu01x"])
def test_other_names_are_no_gpu_names(name: str):
    assert names.parse_gpu(name) is None


def test_longest_names_are_dns_labels():
    site = "s" * 32
    assert all(DNS.match(name) for name in (names.leaf(site, 999, 15, 3, 4), names.gpu(site, 999, 512, 512)))


def test_sort_key_counts_numbers_as_numbers():
    assert sorted(["r10", "r2", "r2-a", "r1"], key=names.sort_key) == ["r1", "r2", "r2-a", "r10"]
