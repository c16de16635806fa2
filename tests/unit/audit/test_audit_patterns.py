"""Name patterns of design files: written, read back, and refused."""

import time

import pytest

from railyard.audit.patterns import PatternError, fill, match

pytestmark = pytest.mark.requirement("N5")


def test_numbers_with_and_without_zeros():
    assert fill("leaf-{rail:02}-{unit:02}", {"rail": 3, "unit": 12}) == "leaf-03-12"
    assert match("leaf-{rail:02}-{unit:02}", "leaf-03-12") == {"rail": "03", "unit": "12"}
    assert match("leaf-{rail:02}-{unit:02}", "LEAF-03-12") is not None
    assert match("leaf-{rail:02}-{unit:02}", "leaf-3-12") is None
    assert match("n{slot}", "n7") == {"slot": "7"}
    assert match("n{slot}", "n7x") is None
    assert match("n{slot}", "n٧") is None


def test_free_text_is_taken_literally():
    assert match("MF0;{rack}-IBLEAF-{rail}:*", "MF0;RK2-IBLEAF-1:MQM9701/U1") == {"rack": "RK2", "rail": "1"}
    assert match("a.b{slot}", "axb1") is None
    assert match("ubuntu mlx5_*", "ubuntu mlx5_0") == {}


def test_one_field_twice_must_agree():
    assert match("r{rail}-{slot}-r{rail}", "r1-5-r1") == {"rail": "1", "slot": "5"}
    assert match("r{rail}-{slot}-r{rail}", "r1-5-r2") is None


@pytest.mark.parametrize("pattern", ["leaf-*", "leaf-{unit}"])
def test_what_can_not_be_written(pattern):
    with pytest.raises(PatternError):
        fill(pattern, {})


def test_what_can_not_be_read():
    with pytest.raises(PatternError):
        match("leaf-{spin}", "leaf-1")
    assert match("{unit:x}", "1") is None  # no field: its own text


def test_no_text_makes_a_pattern_search_for_long():
    began = time.process_time()
    assert match("*a*ab", "a" * 256) is None
    assert match("*a*ab", "a" * 1_000_000) is None
    assert time.process_time() - began < 2
    with pytest.raises(PatternError):
        match("*a*a*", "x")
