"""Random faults on random fabrics: all are found, and nothing else."""

import contextlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railyard.audit import audit, design_of
from railyard.plan import plan
from railyard.read import ReadError, read_fabric
from tests.built_fabric import Built
from tests.fabric_faults import Seeder, expected, told
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N5")


@st.composite
def fabrics(draw):
    """A planned InfiniBand site of one to three units, filled in part."""
    built = draw(st.integers(1, 3))
    slots = draw(st.integers(4, 12))
    fabric = {
        "rails": draw(st.sampled_from([2, 4, 8])),
        "nodesPerUnit": slots,
        "scalableUnits": built,
        "plannedScalableUnits": draw(st.integers(built, 6)),
    }
    places = [(unit, slot) for unit in range(1, built + 1) for slot in range(1, slots + 1)]
    filled = draw(st.lists(st.sampled_from(places), min_size=3, max_size=len(places), unique=True))
    config = make_site(nodes=len(filled), slots=sorted(filled), fabric=fabric)
    return design_of(plan(config), config.catalog)


def built_of(design):
    made = Built(design, describe=lambda name: f"MF0;{name}:MQM9700/U1")
    made.remove([index for index, link in enumerate(design.links) if link.network != "training"])
    return made


def audited(design, text):
    return audit(design, read_fabric([("nd", text.encode())]))


@given(fabrics(), st.integers(0, 10_000))
def test_as_planned_there_is_nothing_to_say(design, seed):
    found = audited(design, built_of(design).ibnetdiscover(radix=2000, seed=seed))
    assert found.findings == ()
    assert found.totals.links_correct == found.totals.links_planned


@given(fabrics(), st.integers(1, 14), st.integers(0, 10_000))
def test_seeded_faults_are_all_found_and_none_is_invented(design, count, seed):
    built = built_of(design)
    faults = Seeder(built, seed).seed(count)
    found = audited(design, built.ibnetdiscover(radix=2000, seed=seed))
    assert told(found) == expected(faults)
    assert bool(found.findings) == bool(faults)
    assert found.missing_switches == found.missing_hosts == found.contradictions == ()
    assert len(found.work) == len(faults)


@given(fabrics(), st.integers(1, 14), st.integers(0, 10_000))
def test_order_of_records_changes_nothing(design, count, seed):
    built = built_of(design)
    Seeder(built, seed).seed(count)
    one, other = (audited(design, built.ibnetdiscover(radix=2000, seed=number)) for number in (1, 2))
    assert (one.findings, one.work, one.verdicts) == (other.findings, other.work, other.verdicts)


@given(fabrics(), st.integers(0, 10_000))
def test_any_cut_of_a_file_is_refused_or_said(design, seed):
    """A file that ends early never passes as clean."""
    text = built_of(design).ibnetdiscover(radix=2000)
    # Anywhere before the last link, so that something is really missing.
    cut = random.Random(seed).randrange(1, text.rindex("\n["))
    try:
        found = audited(design, text[:cut])
    except ReadError:
        return
    assert found.findings


HEADS = ["", "Switch\t65 ", "[1]\t", "CA: x:\n", '{"lldp": ', "graph G {", "id,a_device,a_port,z_device,z_port\n"]


@given(st.binary(max_size=300), st.sampled_from(HEADS))
def test_no_bytes_end_in_a_traceback(data, head):
    with contextlib.suppress(ReadError):
        assert read_fabric([("f", head.encode() + data)])
