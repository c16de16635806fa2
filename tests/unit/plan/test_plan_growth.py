"""Growth of prod-site-a: unit 5 adds and moves nothing; unit 9 is beyond the plan and lists every cable that moves."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

from bench.generate import Yard, machines
from railyard import load
from railyard.model.config import SiteConfig
from railyard.model.inventory import Inventory
from railyard.plan import plan, to_json
from railyard.plan.growth import Work, work_order
from railyard.render.work_order import COLUMNS, work_order_csv, work_order_text
from railyard.rules import check_site

pytestmark = pytest.mark.requirement("C4")
CHECKOUT = Path(__file__).parents[3]
YARD = Yard("prod-site-a", 0, 32, 8, "10.16.0.0/18")


def grown(units: int) -> SiteConfig:
    """prod-site-a with so many full units; everything else as committed."""
    config = load.site_config(CHECKOUT, "prod-site-a")
    fabric = config.file.fabric.model_copy(update={"scalable_units": units})
    compute = config.file.compute.model_copy(update={"nodes": 32 * units})
    rows = list(machines(Yard("prod-site-a", 32 * units, 32, YARD.storage, YARD.oob)))
    inventory = Inventory.model_validate({"schemaVersion": 1, "site": "prod-site-a", "machines": rows})
    file = config.file.model_copy(update={"fabric": fabric, "compute": compute})
    return SiteConfig(config.stack, file, inventory, config.inventory_sha256, config.catalog)


@cache
def written(units: int) -> bytes:
    return to_json(plan(grown(units)))


def cables(units: int) -> dict[str, tuple[str, str]]:
    return {cable["id"]: (cable["a"], cable["z"]) for cable in json.loads(written(units))["cables"]}


def key_of(row: Any) -> str:
    """What a row of a list is known by."""
    if not isinstance(row, dict):
        return str(row)
    entry = cast("dict[str, Any]", row)
    for keys in (("id",), ("name",), ("device", "network", "interface"), ("tenant",), ("device", "port")):
        if all(key in entry for key in keys):
            return "/".join(str(entry[key]) for key in keys)
    return json.dumps(entry, sort_keys=True)


def lost(old: Any, new: Any, path: str = "") -> list[str]:
    """Everything of `old` that `new` doesn't have at the same place; numbers of sums are told apart by the caller."""
    if isinstance(old, Mapping):
        if not isinstance(new, Mapping):
            return [path]
        return [
            item
            for key, value in old.items()
            for item in (lost(value, new[key], f"{path}.{key}") if key in new else [f"{path}.{key}"])
        ]
    if isinstance(old, list):
        rows = {key_of(row): row for row in new}
        return [
            item
            for row in old
            for item in (
                lost(row, rows[key_of(row)], f"{path}[{key_of(row)}]") if key_of(row) in rows else [f"{path}[{key_of(row)}]"]
            )
        ]
    return [] if old == new else [path]


@pytest.mark.parametrize("section", ["cables", "addresses", "machines", "nccl", "controlPlane", "guids"])
def test_unit_5_changes_no_row(section: str):
    old, new = json.loads(written(4)), json.loads(written(5))
    assert lost(old[section], new[section], section) == []


def test_unit_5_adds_ports_and_devices_and_moves_none():
    """Switches gain ports (and lose free ones); racks gain devices; every name, rack, U and port of before is there."""
    old, new = json.loads(written(4)), json.loads(written(5))
    sums = {"freePorts", "peakKw", "airKw", "weightKg", "loadKw", "survivorKw", "installed", "devices", "unweighedMaxKg"}
    sums |= {"cablesKg", "massKg", "footKg", "kgPerM2"}
    for section in ("switches", "racks"):
        changed = [path for path in lost(old[section], new[section], section) if path.rpartition(".")[2] not in sums]
        assert [path for path in changed if ".supplies[" not in path] == []
    placed = {device["name"]: (rack["name"], device["u"]) for rack in old["racks"] for device in rack["devices"]}
    again = {device["name"]: (rack["name"], device["u"]) for rack in new["racks"] for device in rack["devices"]}
    assert placed.items() <= again.items()


def test_unit_5_is_a_work_order_of_new_cables_only():
    order = work_order(written(4), written(5))
    assert {work.action for work in order} == {"add"}
    assert len(order) == len(cables(5)) - len(cables(4))
    assert [work for work in order if work.cable.startswith("prod-site-a-su005-")]


def test_unit_9_lists_every_cable_that_moves_and_says_so():
    """Eight units are planned; nine need a third tier: every leaf-spine cable of the first eight gets another port."""
    old, new = cables(8), cables(9)
    moved = {name for name in old.keys() & new.keys() if old[name] != new[name]}
    order = work_order(written(8), written(9))
    told = {work.cable for work in order if work.action in ("move", "replace", "park") and work.now}
    assert {name for name in moved if "-leaf-" in name}
    assert moved <= told
    text = work_order_text(order, limit=10**6)
    assert all(f" {name}:" in text for name in moved)
    finding = next(f for f in check_site(plan(grown(9)).site, plan(grown(9)).fabric) if f.id == "FABRIC-007")
    assert (finding.found, finding.limit) == ("9 units built", "8 units planned")


def test_a_moved_cable_names_old_and_new_end_with_rack_and_u():
    order = work_order(written(8), written(9))
    work = next(work for work in order if work.cable == "prod-site-a-su005-leaf-r0:33" and work.action != "park")
    assert [end.port for end in work.stays] == ["prod-site-a-su005-leaf-r0/33"]
    for ends in (work.stays, work.was, work.now):
        assert all(end.label.startswith("R") and "-U" in end.label for end in ends)
    (was,), (now,) = work.was, work.now
    assert was.port.startswith("prod-site-a-spine")
    assert now.port.startswith("prod-site-a-spine")
    assert f"{was.port} ({was.label}) → {now.port} ({now.label})" in work_order_text([work])


def test_four_units_that_were_planned_as_four_move_to_five():
    """16 spines become 32: 1,008 of 1,024 leaf-spine cables get another port."""

    def planned(units: int) -> bytes:
        config = grown(units)
        fabric = config.file.fabric.model_copy(update={"planned_scalable_units": units})
        file = config.file.model_copy(update={"fabric": fabric})
        return to_json(plan(SiteConfig(config.stack, file, config.inventory, config.inventory_sha256, config.catalog)))

    order = work_order(planned(4), planned(5))
    moved = {work.cable for work in order if work.action in ("move", "replace") and "-leaf-" in work.cable and work.now}
    assert len(moved) == 1008


def swap() -> list[Work]:
    """Two cables that exchange their upper ends, one that follows, one that goes and one that comes."""

    def state(**ends: tuple[str, float]) -> bytes:
        rows = [{"id": name, "a": f"leaf/{name}", "z": z, "lengthM": length} for name, (z, length) in ends.items()]
        return json.dumps({"cables": rows}).encode()

    old = state(c1=("s/1", 3.0), c2=("s/2", 3.0), c3=("s/3", 3.0), c4=("s/4", 3.0))
    new = state(c1=("s/2", 3.0), c2=("s/1", 5.0), c3=("s/4", 3.0), c5=("s/3", 3.0))
    return work_order(old, new)


def test_a_circle_is_opened_by_parking_one_cable():
    assert [(work.action, work.cable) for work in swap()] == [
        ("remove", "c4"),
        ("move", "c3"),
        ("park", "c1"),
        ("replace", "c2"),
        ("move", "c1"),
        ("add", "c5"),
    ]


def test_the_work_order_as_text_and_csv():
    assert work_order_text(swap()).splitlines() == [
        "Work order: 2 move, 1 replace, 1 park first, 1 remove, 1 add",
        "  2. move c3: leaf/c3 stays; s/3 → s/4",
        "  3. park c1: unplug s/1 and leave it hanging",
        "  4. replace c2: leaf/c2 stays; s/2 → s/1, 3 m → 5 m",
        "  5. move c1: leaf/c1 stays; s/1 → s/2",
    ]
    assert work_order_text(swap(), limit=1).splitlines()[-1] == "  … and 3 more"
    assert work_order_text([]) == "Work order: nothing to do"
    lines = work_order_csv(swap()).splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert lines[1] == "1,remove,c4,,leaf/c4 and s/4,,3,,,"
    assert len(lines) == 7


def test_a_cable_that_only_changes_its_length_is_replaced():
    rows = [{"id": "c1", "a": "l/1", "z": "s/1", "lengthM": length} for length in (3.0, 5.0)]
    old, new = (json.dumps({"cables": [row]}).encode() for row in rows)
    (work,) = work_order(old, new)
    assert (work.action, work.was, work.now, work.was_m, work.now_m) == ("replace", (), (), 3.0, 5.0)
    assert work_order_text([work]).splitlines()[1] == "  1. replace c1: l/1 and s/1 stays, 3 m → 5 m"
