"""The hall's slice carries the failures that rules judge, and the pack says of it what the program says of the plan."""

import json
from datetime import date

import pytest

from components.facility import hall_props
from railyard.plan import plan
from railyard.rules import check, judge
from railyard.rules.failures import FAILURE_IDS
from railyard.rules.slices import HALL
from tests.planned_site import SiteMaker
from tests.unit.plan.failing_sites import path

pytestmark = pytest.mark.requirement("C3")
TODAY = date(2026, 11, 30)


def test_pack_and_program_find_the_same(site: SiteMaker):
    config = site(power=path(panel=60.0))
    made = plan(config)
    props = json.loads(json.dumps(hall_props(made)))
    judged = judge(HALL, "t-hall", props, FAILURE_IDS, TODAY)
    checked = [finding for finding in check(config, made, TODAY) if finding.id in FAILURE_IDS]
    assert {finding.id for finding in judged} == {"POWER-030", "POWER-031", "POWER-033", "POWER-034"}
    assert judged == checked


def test_a_hall_without_a_stated_path_carries_no_failures(site: SiteMaker):
    assert "failures" not in hall_props(plan(site()))


def test_the_slice_stays_small(site: SiteMaker):
    assert len(json.dumps(hall_props(plan(site(power=path())))["failures"])) < 8_192
