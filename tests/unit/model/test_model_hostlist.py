"""Hostlists: padding counts, round trips hold, and a short text can't fill the memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railyard.model.hostlist import LIMIT, HostlistError, compress, expand

pytestmark = pytest.mark.requirement("K4")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["n01", "n02", "n03", "n05"], "n[01-03,05]"),
        (["n1"], "n1"),
        (["n9", "n10"], "n9,n10"),
        (["a-su001-gpu01", "a-su002-gpu01"], "a-su001-gpu01,a-su002-gpu01"),
        (["login", "n2", "n1"], "login,n[1-2]"),
        (["n1", "n1"], "n1"),
        ([], ""),
    ],
)
def test_ranges_keep_their_padding(names, text):
    assert compress(names) == text


def test_padding_is_significant():
    assert expand("n[001-003]") == ("n001", "n002", "n003")
    assert expand("n[1-3,07]") == ("n1", "n2", "n3", "n07")
    assert expand("a[1-2]b[01-02]") == ("a1b01", "a1b02", "a2b01", "a2b02")
    assert expand("n[08-11]") == ("n08", "n09", "n10", "n11")


@given(st.sets(st.from_regex(r"\A[a-z][a-z0-9-]{0,8}[a-z]?[0-9]{0,4}\Z"), max_size=40))
def test_every_list_comes_back(names):
    assert set(expand(compress(names))) == names if names else compress(names) == ""


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("a,,b", 3),
        ("n[1", 3),
        ("n]1", 2),
        ("n[[1]]", 3),
        ("n[]", 1),
        ("n[2-1]", 1),
        ("n[a]", 1),
        ("a b", 1),
        ("-n", 1),
    ],
)
def test_what_is_no_hostlist_is_named_by_column(text, column):
    with pytest.raises(HostlistError) as error:
        expand(text)
    assert error.value.column == column


@pytest.mark.parametrize("text", ["n[0-65536]", "n[0-99999999999999999999]", "a[1-300]b[1-300]", "n[0-65534],m[1-2]"])
def test_no_more_names_than_slurm_takes(text):
    with pytest.raises(HostlistError):
        expand(text)


def test_as_many_as_slurm_takes():
    assert len(expand("n[00001-65536]")) == LIMIT
