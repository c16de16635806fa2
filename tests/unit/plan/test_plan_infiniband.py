"""GUIDs, subnets and partitions of a plan: by identity, delivered where the inventory has them, moved by no growth."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from railyard.load.inventory import read_inventory
from railyard.model.config import SiteConfig
from railyard.model.infiniband import KEYS, GuidRow, Hca, InfiniBand, PartitionChoice
from railyard.model.inventory import Inventory, Machine
from railyard.plan import Plan, plan, to_json
from railyard.plan.guids import adapter_row, guid_clashes, planned_guid, switch_row
from railyard.plan.infiniband import subnets
from railyard.plan.partitions import partition_key
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("N1", "N4", "C4")


def with_partitions(config: SiteConfig, *rows: PartitionChoice) -> SiteConfig:
    return replace(config, file=config.file.model_copy(update={"infiniband": InfiniBand(partitions=rows)}))


def with_inventory(config: SiteConfig, **changes: object) -> SiteConfig:
    body = config.inventory.model_dump(mode="json", by_alias=True) | changes
    return replace(config, inventory=Inventory.model_validate(body))


def hca(port: str, number: int) -> dict[str, str]:
    return {"port": port, "nodeGuid": f"0x{number:016x}", "portGuid": f"0x{number:016x}"}


def guid_of(made: Plan, device: str, port: str = "") -> GuidRow:
    return next(row for row in made.guids if (row.device, row.port) == (device, port))


def test_a_planned_guid_is_locally_administered_and_leaves_room_for_the_ports_number():
    guid = planned_guid("t-su001-gpu01/mlx5_0")
    assert guid >> 56 == 0x02
    assert guid % 16 == 0
    row = adapter_row("t-su001-gpu01", "mlx5_0")
    assert (int(row.node_guid, 16), int(row.port_guid, 16), row.planned) == (guid, guid + 1, True)
    assert switch_row("t-spine001").node_guid == switch_row("t-spine001").port_guid


def test_every_port_and_switch_has_guids_and_no_two_are_alike(site: SiteMaker):
    made = plan(site(nodes=5, fabric={"scalableUnits": 2, "reservedPorts": 2}))
    storage = [switch for switch in made.network_switches if switch.network == "storage"]
    assert len(made.guids) == 5 * 8 + 2 + len(made.switches) + 5 * 2 + 2 * 2 + len(storage)
    assert guid_clashes(made.guids) == ()
    assert made.infiniband is not None
    assert made.infiniband.guids_planned == made.infiniband.guids == len(made.guids)


def test_the_inventorys_guids_win_and_the_ports_is_a_field_of_its_own(site: SiteMaker):
    config = site(nodes=2)
    machine = config.inventory.machines[0].model_dump(mode="json", by_alias=True)
    machine["hcas"] = [{"port": "mlx5_3", "nodeGuid": "0x0C42:A103:00AB:CDE0", "portGuid": "0c42a10300abcde7"}]
    rest = [row.model_dump(mode="json", by_alias=True) for row in config.inventory.machines[1:]]
    made = plan(with_inventory(config, machines=[machine, *rest], switchGuids={"t-spine001": 0x0C42A10300FFFF00}))
    row = guid_of(made, "t-su001-gpu01", "mlx5_3")
    assert (row.node_guid, row.port_guid, row.planned) == ("0x0c42a10300abcde0", "0x0c42a10300abcde7", False)
    assert guid_of(made, "t-spine001").node_guid == "0x0c42a10300ffff00"
    subnet = subnets(made)[0]
    assert 0x0C42A10300ABCDE7 in {adapter.port_guid for adapter in subnet.adapters}
    assert subnet.roots()[0].guid == 0x0C42A10300FFFF00
    assert subnet.planned_guids == len(subnet.adapters) + len(subnet.switches) - 2


def test_a_guid_under_a_name_that_the_plan_lacks_is_a_fact(site: SiteMaker):
    config = site(nodes=1, storage_nodes=0)
    machine = config.inventory.machines[0].model_dump(mode="json", by_alias=True) | {
        "hcas": [hca("mlx5_33", 5), hca("mlx5_3", 6)]
    }
    made = plan(with_inventory(config, machines=[machine], switchGuids={"t-spine999": "0x0c42a10300ffff00"}))
    assert made.infiniband is not None
    assert made.infiniband.guids_unused == ("t-spine999", "t-su001-gpu01/mlx5_33")


def test_a_port_that_stands_twice_is_refused(site: SiteMaker):
    machine = site(nodes=1).inventory.machines[0].model_dump(mode="json", by_alias=True)
    with pytest.raises(ValidationError, match="mlx5_3 stands twice"):
        Machine.model_validate(machine | {"hcas": [hca("mlx5_3", 5), hca("mlx5_3", 6)]})


@pytest.mark.parametrize(
    "guid", ["", "0x0", "0x" + "0" * 16, "0x" + "f" * 16, "0x" + "1" * 17, "mlx5_0", "0x12 34", None, True, -1, 2**64, 1.5, []]
)
def test_what_is_no_guid_is_refused(guid: object):
    with pytest.raises(ValidationError):
        Hca.model_validate({"port": "mlx5_0", "nodeGuid": guid, "portGuid": "0x0c42a10300abcde7"})


def test_a_guid_that_two_devices_have_is_named_with_both():
    rows = [
        GuidRow("a", "mlx5_0", "0x01", "0x01", planned=False),
        GuidRow("b", "mlx5_0", "0x01", "0x02", planned=False),
        GuidRow("c", "mlx5_0", "0x03", "0x02", planned=False),
        GuidRow("d", "", "0x02", "0x02", planned=False),
        GuidRow("e", "mlx5_0", "0x05", "0x06", planned=False),
        GuidRow("e", "mlx5_1", "0x05", "0x07", planned=False),
    ]
    assert guid_clashes(rows) == ("0x01 of a and b", "0x02 of b/mlx5_0 and c/mlx5_0 and d")


def test_ethernet_has_neither_guids_nor_subnets(site: SiteMaker):
    made = plan(site(nodes=2, fabric={"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 16}))
    assert made.guids == ()
    assert made.infiniband is None
    assert subnets(made) == ()


def test_each_plane_is_a_subnet_with_a_prefix_of_its_own(site: SiteMaker):
    made = plan(site(nodes=3, fabric={"planes": 2}))
    found = subnets(made)
    compute = [subnet for subnet in found if subnet.name.startswith("compute")]
    assert [subnet.name for subnet in compute] == ["compute-p0", "compute-p1"]
    assert len({subnet.prefix for subnet in found}) == len(found)
    for plane, subnet in enumerate(compute):
        assert {adapter.hca[-2:] for adapter in subnet.adapters} == {f"p{plane}"}
        assert all(switch.name.endswith(f"-p{plane}") for switch in subnet.switches)


def test_facts_of_a_subnet_are_those_of_its_rows(site: SiteMaker):
    for fabric in ({"scalableUnits": 2, "reservedPorts": 4}, {"scalableUnits": 1}, {"layout": "rail-only"}):
        made = plan(site(nodes=6, fabric=fabric))
        assert made.infiniband is not None
        rows = {subnet.name: subnet for subnet in subnets(made)}
        assert [facts.name for facts in made.infiniband.subnets] == list(rows)
        for facts in made.infiniband.subnets:
            subnet = rows[facts.name]
            assert (facts.switches, facts.adapters, facts.links) == (
                len(subnet.switches),
                len(subnet.adapters),
                len(subnet.links),
            )
            assert facts.prefix == f"0x{subnet.prefix:016x}"


def test_growth_moves_no_guid_and_no_key(site: SiteMaker):
    rows = (PartitionChoice(tenant="research", nodes=("su001",)),)
    small = plan(with_partitions(site(nodes=4, fabric={"plannedScalableUnits": 4}), *rows))
    more = (*rows, PartitionChoice(tenant="production", nodes=("su002",)))
    large = plan(with_partitions(site(nodes=60, fabric={"scalableUnits": 2, "plannedScalableUnits": 4}), *more))
    assert {row.device + row.port: row for row in small.guids}.items() <= {
        row.device + row.port: row for row in large.guids
    }.items()
    assert {row.name: row.key for row in small.partitions}.items() <= {row.name: row.key for row in large.partitions}.items()


@given(st.text(max_size=40))
def test_a_key_has_15_bits_and_is_neither_invalid_nor_the_default(name: str):
    assert partition_key(name) in KEYS
    assert partition_key(name) == partition_key(name)


def test_keys_are_known_values():
    assert [partition_key(name) for name in ("foundation", "applied", "research")] == [0x6128, 0x70B9, 0x30DB]


def test_ranges_take_installed_machines_of_whole_units_and_of_slots(site: SiteMaker):
    config = site(nodes=40, fabric={"scalableUnits": 2})
    rows = (
        PartitionChoice(tenant="production", nodes=("su001-gpu[03-05]", "su002"), key=0x11, shared_storage=True),
        PartitionChoice(tenant="research", nodes=("su001-gpu01", "su[001-002]-gpu02")),
    )
    production, research = plan(with_partitions(config, *rows)).partitions
    assert production.nodes[:4] == ("t-su001-gpu03", "t-su001-gpu04", "t-su001-gpu05", "t-su002-gpu01")
    assert len(production.nodes) == 3 + 8
    assert (production.key, production.storage) == (0x11, ("t-sto01", "t-sto02"))
    assert research.nodes == ("t-su001-gpu01", "t-su001-gpu02", "t-su002-gpu02")
    assert research.storage == ()


def test_full_names_of_machines_are_taken_too(site: SiteMaker):
    rows = (PartitionChoice(tenant="research", nodes=("t-su001-gpu02", "t-su001-gpu[03-04]")),)
    (research,) = plan(with_partitions(site(nodes=8), *rows)).partitions
    assert research.nodes == ("t-su001-gpu02", "t-su001-gpu03", "t-su001-gpu04")


@pytest.mark.parametrize(
    "text",
    [
        "su009",
        "su000",
        "su[002-001]",
        "su001-gpu[05-03]",
        "su001-gpu33",
        "su[001-99999999999999999999999]",
        "su001-gpu00",
        "u-su001",
    ],
)
def test_a_range_outside_of_the_plan_has_no_machine_and_is_a_fact(text: str, site: SiteMaker):
    made = plan(with_partitions(site(nodes=4), PartitionChoice(tenant="research", nodes=(text,))))
    assert made.partitions[0].nodes == ()
    assert made.infiniband is not None
    assert made.infiniband.partitions[0].unknown == (text,)
    assert made.infiniband.unassigned == 4


@pytest.mark.parametrize(
    "text", ["", "gpu01", "su1", "su001-gpu", "T-su001", "tsu001", "su001-gpu01,su002", "su001;ALL=full", "ß" * 70]
)
def test_what_is_no_range_is_refused(text: str):
    with pytest.raises(ValidationError):
        PartitionChoice(tenant="research", nodes=(text,))


@pytest.mark.parametrize("key", [0, 0x7FFF, 0x8001, -1, 1.5, "0x12x"])
def test_what_is_no_key_is_refused(key: object):
    with pytest.raises(ValidationError):
        PartitionChoice.model_validate({"tenant": "research", "nodes": ["su001"], "key": key})


def test_guids_and_partitions_are_in_the_plans_file(site: SiteMaker):
    text = to_json(plan(with_partitions(site(nodes=2), PartitionChoice(tenant="research", nodes=("su001",))))).decode()
    assert '"portGuid": "0x02' in text
    assert '"partitions"' in text


INVENTORY = """\
schemaVersion: 1
site: t
switchGuids: {t-spine001: 0x0c42a10300ffff00}
machines:
  - name: t-su001-gpu01
    role: gpu
    serial: S1
    bmc: b.example:443
    macs: ["02:00:00:00:00:01"]
    hcas:
      - {port: mlx5_0, nodeGuid: 0x0c42a10300abcde0, portGuid: %s}
"""


def test_a_yaml_inventory_may_hold_bare_numbers(tmp_path: Path):
    path = tmp_path / "inventory.yaml"
    path.write_text(INVENTORY % "0c42:a103:00ab:cde8", encoding="utf-8")
    inventory, _, document = read_inventory(path, "inventory.yaml", "t")
    assert document.problems == []
    assert inventory is not None
    assert inventory.machines[0].hcas[0].node_guid == "0x0c42a10300abcde0"
    assert inventory.machines[0].hcas[0].port_guid == "0x0c42a10300abcde8"
    assert inventory.switch_guids == {"t-spine001": "0x0c42a10300ffff00"}


def test_a_bad_guid_in_an_inventory_is_an_error_with_its_path(tmp_path: Path):
    path = tmp_path / "inventory.yaml"
    path.write_text(INVENTORY % "0x0", encoding="utf-8")
    _, _, document = read_inventory(path, "inventory.yaml", "t")
    assert [problem.where.split(":")[0] for problem in document.problems] == ["inventory.yaml"]
    assert "portGuid" in document.problems[0].where
