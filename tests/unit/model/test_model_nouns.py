"""The nouns themselves: names outside and inside, frozen, and problems that read well."""

import pytest
from pydantic import TypeAdapter, ValidationError

from railyard.model.base import Cidr, Ref
from railyard.model.errors import LoadError, Problem
from railyard.model.inventory import Inventory
from railyard.model.site import Waiver


def test_keys_are_camel_case_outside_and_snake_case_inside():
    waiver = Waiver.model_validate({"rule": "POWER-001", "reason": "long enough here", "expires": "2027-01-31"})
    assert waiver.props() == {"rule": "POWER-001", "where": "*", "reason": "long enough here", "expires": "2027-01-31"}
    machine = {
        "name": "a-sto01",
        "role": "storage",
        "serial": "S",
        "bmc": "h:1",
        "macs": ["02:00:00:00:00:01"],
        "installGeneration": 3,
    }
    inventory = Inventory.model_validate({"schemaVersion": 1, "site": "a", "machines": [machine]})
    assert inventory.machines[0].install_generation == 3
    assert inventory.props()["machines"][0]["installGeneration"] == 3


@pytest.mark.requirement("N2")
@pytest.mark.parametrize("text", ["10.0.0.0", "10.0.0.0/33", "10.0.0/8", "fe80::/129", "site", "", "10.0.0.0/8 "])
def test_what_is_no_network(text):
    with pytest.raises(ValidationError):
        TypeAdapter(Cidr).validate_python(text)


@pytest.mark.requirement("N2")
@pytest.mark.parametrize("text", ["10.0.0.0/8", "10.0.0.1/8", "fd00::/64", "0.0.0.0/0"])
def test_what_is_a_network_host_bits_are_a_matter_of_design(text):
    assert TypeAdapter(Cidr).validate_python(text) == text


@pytest.mark.requirement("X4")
@pytest.mark.parametrize(
    ("text", "good"),
    [
        *((text, True) for text in ("file:/etc/x", "file:.lab/my lab/x", "env:A_1")),
        *((text, False) for text in ("hunter2", "env:1A", "env:", "file:", "env:A\n", "vault:x")),
    ],
)
def test_secrets_go_by_reference(text, good):
    if good:
        assert TypeAdapter(Ref).validate_python(text) == text
    else:
        with pytest.raises(ValidationError):
            TypeAdapter(Ref).validate_python(text)


def test_an_error_carries_all_problems_once_in_the_order_of_the_file():
    late = Problem("LOAD-005", "f:z", "found", "limit", "fix", 9)
    early = Problem("LOAD-007", "f:a", "found", "limit", "fix", 2)
    error = LoadError([late, early, late])
    assert error.problems == error.findings == (early, late)
    assert str(error).startswith("2 problems in the input")
    assert "LOAD-007 f:a (line 2)\n  found: found\n  limit: limit\n  fix:   fix" in str(error)
    assert "1 problem in" in str(LoadError([late]))
