"""Configurations in the state: packed and back, and what changed, in words."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.fabric.config import SwitchConfig
from providers.fabric.packed import HEAD, SHOWN, changes, pack, unpack
from railyard import load
from railyard.plan import plan
from railyard.plan.managed import managed_switches
from railyard.plan.switch_intent import switch_intents
from railyard.render.switches import nvue, sonic

pytestmark = pytest.mark.requirement("N1", "N6")
ROOT = Path(__file__).resolve().parents[3]
LIMIT = 12_000
TREES = st.recursive(
    st.dictionaries(st.text(max_size=8), st.one_of(st.text(), st.integers(), st.booleans(), st.none()), max_size=4),
    lambda inner: st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@cache
def site():
    return plan(load.site_config(ROOT, "lab-roce"))


@given(TREES)
def test_what_is_packed_comes_back(tree):
    assert unpack(pack(tree)) == tree
    assert unpack(tree) == tree
    assert changes(tree, tree) == {}


@pytest.mark.parametrize("damaged", ["", "lzma", f"{HEAD}", f"{HEAD}!!", f"{HEAD}abcdefghij", 7, ["x"], pack({"a": 1})[:-4]])
def test_a_damaged_text_is_an_error_and_no_tree(damaged):
    with pytest.raises(ValueError, match="packed"):
        unpack(damaged)


def test_nothing_is_an_empty_tree():
    assert unpack(None) == {}


@pytest.mark.parametrize(("nos", "render"), [("cumulus", nvue), ("sonic", sonic)])
def test_the_largest_switches_of_a_plan_take_less_than_12_kb_of_state(nos, render):
    """All that the state holds of a switch: its inputs, once. A config_db has 60 to 93 KB as a tree."""
    sizes, delivered = {}, load.site_config(ROOT, "lab-roce").inventory.switches
    for intent, one in zip(switch_intents(site(), nos), managed_switches(delivered, site()), strict=True):
        inputs = {"name": one.planned.name, "address": one.address, "config": render(intent), "plan": one.planned.props()}
        kept = SwitchConfig().condense({}, inputs)
        outputs = {key: value for key, value in kept.items() if key not in SwitchConfig.only_inputs}
        sizes[intent.role] = len(json.dumps(kept, separators=(",", ":"))) + len(json.dumps(outputs, separators=(",", ":")))
        assert unpack(kept["config"]) == inputs["config"]
    assert max(sizes.values()) < LIMIT, sizes


def test_the_state_keeps_its_text_where_nothing_changed():
    tree = nvue(next(switch_intents(site())))
    first = SwitchConfig().condense({}, {"name": "a", "config": tree})
    assert set(first) == {"name", "config"}, "a new switch has no changes"
    assert SwitchConfig().condense(first, {"name": "a", "config": tree}) == first
    old = {**first, "config": tree}  # a state of an older release
    assert SwitchConfig().condense(old, {"name": "a", "config": tree})["changes"] == {}


def test_changes_say_old_and_new_and_take_ports_together():
    old = {
        "interface": {f"swp{port}": {"link": {"mtu": 9216}} for port in range(10, 20)},
        "PORT_QOS_MAP": {"Ethernet8": {"pfc_enable": "3"}, "Ethernet16": {"pfc_enable": "3"}},
        "QUEUE": {"Ethernet8|3": {"scheduler": "a"}, "Ethernet16|3": {"scheduler": "a"}, "Ethernet8|4": {"scheduler": "a"}},
        "router": {"bgp": {"autonomous-system": 1}},
        "gone": "x",
    }
    new = {
        "interface": {f"swp{port}": {"link": {"mtu": 9000 if port < 18 else 1500}} for port in range(10, 20)},
        "PORT_QOS_MAP": {"Ethernet8": {"pfc_enable": "3"}, "Ethernet16": {"pfc_enable": "3,4"}},
        "QUEUE": {"Ethernet8|3": {"scheduler": "b"}, "Ethernet16|3": {"scheduler": "b"}, "Ethernet8|4": {"scheduler": "b"}},
        "router": {"bgp": {"autonomous-system": 2, "router-id": "10.0.0.1"}},
        "service": {"ntp": {"a": {}}},
    }
    assert changes(old, new) == {
        "PORT_QOS_MAP.Ethernet16.pfc_enable": "3 -> 3,4",
        "QUEUE.Ethernet8,Ethernet16|3.scheduler": "a -> b",
        "QUEUE.Ethernet8|4.scheduler": "a -> b",
        "gone": "- x",
        "interface.swp[10-17].link.mtu": "9216 -> 9000",
        "interface.swp[18-19].link.mtu": "9216 -> 1500",
        "router.bgp.autonomous-system": "1 -> 2",
        "router.bgp.router-id": "+ 10.0.0.1",
        "service": '+ {"ntp": {"a": {}}}',
    }


def test_many_changes_end_in_a_number():
    found = changes({}, {f"key{number:03d}": number for number in range(200)})
    assert len(found) == SHOWN
    assert found["more"].startswith("141 more")


def test_a_packed_text_can_be_read_by_a_person():
    text = json.dumps(pack({"a": {"b": 1}}))
    done = subprocess.run(
        [sys.executable, "-m", "providers.fabric.packed"], input=text, capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert json.loads(done.stdout) == {"a": {"b": 1}}
