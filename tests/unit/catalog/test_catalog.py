"""Hardware facts: there, sourced, and never a zero for unknown."""

import csv
import math
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError
from ruamel.yaml import YAML

from railyard import catalog
from railyard.model.catalog import Catalog, Entry, PduModel, SwitchModel

CATALOG = catalog.load()
ENTRIES = [entry for kind in catalog.KINDS for entry in getattr(CATALOG, kind).values()]


@pytest.mark.requirement("C1")
@pytest.mark.parametrize("kind", [*catalog.KINDS, "prices"])
def test_a_file_says_the_same_in_yaml_1_1_and_1_2_and_nothing_twice(kind: str):
    """A `1e3`, an `on` or a `10:20` would be two things; a name that stands twice stops the reader of YAML 1.2."""
    text = (Path(catalog.__file__).parent / f"{kind}.yaml").read_text(encoding="utf-8")
    assert yaml.load(text, Loader=yaml.CSafeLoader) == YAML(typ="safe", pure=True).load(text)


@pytest.mark.requirement("C1")
def test_the_models_that_the_issue_names_are_there():
    assert {
        "dgx-a100",
        "a100-4gpu",
        "dgx-h100",
        "dgx-h200",
        "dgx-b200",
        "mi300x-platform",
        "mi325x-platform",
        "gb200-nvl72-tray",
    } <= set(CATALOG.nodes)
    assert len(CATALOG.switches) >= 3
    assert len(CATALOG.pdus) >= 2
    assert CATALOG.racks
    assert {backend for entry in CATALOG.storage.values() for backend in entry.backends} == {"lustre", "beegfs"}


@pytest.mark.requirement("C1")
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{type(entry).__name__}-{entry.name}")
def test_every_fact_has_one_source_and_none_is_a_zero_that_means_unknown(entry: Entry):
    values = entry.model_dump(by_alias=True, mode="json")
    for fact, value in values.items():
        if fact in {"name", "title", "sources"}:
            continue
        if value is None:
            with pytest.raises(KeyError):
                entry.source(fact)
        else:
            assert entry.source(fact)
            assert value != 0 or fact in {"airFraction", "liquidFraction", "dpus"}


@pytest.mark.requirement("C1")
@pytest.mark.parametrize("node", CATALOG.nodes.values(), ids=lambda node: node.name)
def test_a_node_agrees_with_its_accelerator(node):
    gpu = CATALOG.gpus[node.gpu_model]
    assert (node.gpu_memory_gb, node.max_gpu_tdp_w) == (gpu.memory_gb, gpu.tdp_w)
    assert node.air_fraction + node.liquid_fraction == pytest.approx(1)
    assert node.backend_nics == node.gpus, "one NIC per GPU (C2)"
    assert node.peak_kw * 1000 > node.gpus * node.max_gpu_tdp_w
    assert not node.typical_kw or node.idle_kw < node.typical_kw < node.peak_kw
    if node.psu_kw is not None:
        assert node.psus_for_full * node.psu_kw >= node.peak_kw > (node.psus_for_full - 1) * node.psu_kw


@pytest.mark.requirement("C1", "N1")
def test_radix_is_by_link_speed():
    assert CATALOG.switches["qm9700"].radix(400) == 64
    assert [CATALOG.switches["sn5600"].radix(speed) for speed in (800, 400.0, 200)] == [64, 128, 256]
    assert CATALOG.switches["q3400"].radix(800) == 144
    assert CATALOG.switches["qm9700"].radix(800) is None
    assert CATALOG.switches["qm9700"].radix(400.5) is None


@pytest.mark.requirement("C3")
@pytest.mark.parametrize(
    ("phases", "volts", "reference", "amps", "kva"),
    [
        (3, 400, "line-line", 32, 17.736),
        (3, 230, "line-neutral", 32, 17.664),
        (3, 415, "line-line", 30, 17.25),
        (3, 415, "line-line", 60, 34.502),
        (1, 230, "line-neutral", 32, 5.888),
        (1, 208, "line-line", 30, 4.992),
    ],
)
def test_capacity_of_a_feed_by_hand(phases, volts, reference, amps, kva):
    """Cases 1 and 2."""
    facts = ("phases", "volts", "voltageReference", "breakerA")
    values = {"phases": phases, "volts": volts, "voltage_reference": reference, "breaker_a": amps}
    pdu = PduModel(name="x", title="x", sources={"test": facts}, **values)
    assert pdu.capacity_kw(0.8) == pytest.approx(kva, abs=0.005)


@pytest.mark.requirement("C3")
def test_three_dgx_h100_fit_on_one_surviving_feed_and_four_do_not():
    capacity = CATALOG.pdus["pdu-415v-60a-3ph"].capacity_kw(0.8)
    assert capacity == pytest.approx(math.sqrt(3) * 415 * 60 * 0.8 / 1000)
    assert 3 * CATALOG.nodes["dgx-h100"].peak_kw < capacity < 4 * CATALOG.nodes["dgx-h100"].peak_kw


@pytest.mark.requirement("C1")
def test_a_fact_without_a_source_or_a_source_without_a_fact_is_refused():
    row = {"name": "x", "title": "x", "transports": ["roce"], "ports": {400: 64}, "uHeight": 1}
    whole = {"a page": ["transports", "ports", "uHeight"]}
    assert SwitchModel.model_validate({**row, "sources": whole})
    for sources, complaint in (
        ({"a page": ["transports", "ports"]}, "no source for uHeight"),
        ({**whole, "other": ["peakKw"]}, "source for peakKw, which is not a known fact here"),
        ({**whole, "other": ["ports"]}, "two sources for ports"),
    ):
        with pytest.raises(ValidationError, match=complaint):
            SwitchModel.model_validate({**row, "sources": sources})


def test_what_nobody_checked_says_so():
    assert not CATALOG.switches["q3400"].verified("uHeight")
    assert CATALOG.switches["q3400"].verified("ports")
    assert CATALOG.switches["q3400"].peak_kw is None


@pytest.mark.requirement("C1")
def test_figures_are_those_of_the_reference_tables():
    path = Path(__file__).with_name("hardware_nodes.csv")  # four rows, by hand
    rows = {row["system"]: row for row in csv.DictReader(path.open(encoding="utf-8"))}
    names = {"DGX A100": "dgx-a100", "DGX H100": "dgx-h100", "DGX H200": "dgx-h200", "DGX B200": "dgx-b200"}
    for system, name in names.items():
        node, row = CATALOG.nodes[name], rows[system]
        found = (node.gpus, node.rack_units, node.peak_kw, node.backend_nics, node.nic_gbps)
        assert found == tuple(float(row[key]) for key in ("n_gpus", "rack_units", "max_power_kw", "backend_nics", "nic_gbps"))


def test_the_catalogue_is_read_once_and_is_frozen():
    assert catalog.load() is catalog.load()
    assert isinstance(CATALOG, Catalog)
    with pytest.raises(ValidationError):
        CATALOG.nodes["dgx-h100"].peak_kw = 1  # type: ignore[misc]
