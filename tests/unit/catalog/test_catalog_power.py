"""Electrical facts: strips with breakers and outlets that hold together, supplies that carry their machine."""

from typing import Any

import pytest
from pydantic import ValidationError

from railyard import catalog
from railyard.model.catalog import PduBank, PduModel

pytestmark = pytest.mark.requirement("C1", "C3")
CATALOG = catalog.load()
BANKED = {name: pdu for name, pdu in CATALOG.pdus.items() if pdu.banks is not None}
REAL = {"apc-ap8868", "hp-af523a", "hp-af527a", "raritan-px3-5730-v2", "cyclades-pm20i-32a"}


def outlets(pdu: PduModel, kind: str) -> int:
    return sum(len(bank.outlets.get(kind, ())) for bank in pdu.banks or ())  # type: ignore[call-overload]


def test_real_strips_with_breakers_and_outlets_are_there():
    assert set(BANKED) >= REAL
    assert {name: (outlets(pdu, "c19"), outlets(pdu, "c13")) for name, pdu in BANKED.items()} == {
        "strip-415v-60a-12x20a": (12, 24),
        "apc-ap8868": (6, 36),
        "hp-af523a": (6, 0),
        "hp-af527a": (6, 0),
        "raritan-px3-5730-v2": (12, 24),
        "cyclades-pm20i-32a": (0, 20),
    }


@pytest.mark.parametrize("pdu", BANKED.values(), ids=lambda pdu: pdu.name)
def test_banks_are_even_over_the_lines_and_smaller_than_the_feed(pdu: PduModel):
    legs = [bank.legs for bank in pdu.banks or ()]
    assert len({legs.count(leg) for leg in legs}) == 1
    assert len(set(legs)) == (3 if pdu.phases == 3 else 1)
    assert all((bank.breaker_a or 0) < pdu.breaker_a for bank in pdu.banks or ())
    assert pdu.outlets == sum(len(names) for bank in pdu.banks or () for names in bank.outlets.values())
    assert ("-" in legs[0]) == (pdu.wires == 4 if pdu.phases == 3 else False)


def test_the_ap8868_is_limited_by_its_banks_as_its_maker_says():
    """Three banks of 208 V x 16 A are 9,984 W, less than sqrt(3) x 208 V x 40 A."""
    pdu = CATALOG.pdus["apc-ap8868"]
    assert pdu.rated_kva == pytest.approx(3 * 208 * 16 / 1000)
    assert pdu.rated_kva < pdu.capacity_kw(0.8)


@pytest.mark.parametrize("kind", ["nodes", "switches", "storage", "management_switches"])
def test_supplies_that_run_it_are_no_more_than_those_that_carry_it(kind: str):
    for row in getattr(CATALOG, kind).values():
        known = [count for count in (row.psus_to_run, row.psus_for_full, row.psus) if count is not None]
        assert known == sorted(known), row.name
        assert row.power_factor is None or row.source("powerFactor")
        assert row.psus is None or row.inlet is not None, f"{row.name}: its cords need an inlet"


def bank(name: str = "1", legs: Any = "L1", kind: Any = "c13", *names: str) -> PduBank:
    return PduBank(name=name, legs=legs, outlets={kind: names or (f"{name}a", f"{name}b")})


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"banks": (bank("1"), bank("1"))}, "names of their own"),
        ({"banks": (bank("1", "L1", "c13", "x"), bank("2", "L2", "c19", "x"))}, "names of their own"),
        ({"banks": (bank(),), "outlets": 3}, "2 outlets in its banks, 3 in all"),
        ({"banks": (bank(),), "wires": 4}, "no bank to neutral on a cord of four wires"),
        ({"banks": (bank("1"), bank("2", "L2")), "phases": 1}, "between the same two lines"),
        ({"breaker_a": -60}, "greater than 0"),
        ({"voltage_reference": "line"}, "line-line"),
    ],
)
def test_a_strip_that_contradicts_itself_is_refused(changes: dict[str, Any], complaint: str):
    facts = {"phases": 3, "volts": 400, "voltage_reference": "line-line", "breaker_a": 32} | changes
    aliases = {"voltage_reference": "voltageReference", "breaker_a": "breakerA"}
    with pytest.raises(ValidationError, match=complaint):
        PduModel(name="x", title="x", sources={"a page": tuple(aliases.get(key, key) for key in facts)}, **facts)
