"""A plan made by hand from the nouns: renderers are tested without planners, at sizes that planners need seconds for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from railyard.model.cabling import CablingPlan
from railyard.model.plan import (
    AddressRow,
    Cable,
    FabricSummary,
    FileSystemPlan,
    MachinePlan,
    QueuePlan,
    RackDevice,
    RackFeed,
    RackPlan,
    ReplicaPlan,
    SiteTotals,
    StorageTarget,
    SwitchPlan,
)  # fmt: skip
from railyard.model.power import PowerPlan

SHA = "0" * 64


def _racks(site: str, units: int, nodes: int) -> list[RackPlan]:
    """Two racks per unit, 4 slots each of which `nodes / 2` are filled, four leaves on top of each."""
    racks = []
    for number in range(1, 2 * units + 1):
        unit, side = (number + 1) // 2, (number - 1) % 2
        devices = [
            RackDevice(
                name=f"{site}-su{unit:03d}-gpu{2 * place + side + 1:02d}", role="gpu", model="hgx-h100-8", u=1 + 8 * place,
                u_height=8, peak_kw=10.2, weight_kg=130.5, installed=2 * place + side < nodes,
            )
            for place in range(4)
        ]  # fmt: skip
        devices += [
            RackDevice(
                name=f"{site}-su{unit:03d}-leaf-r{2 * index + side}", role="leaf", model="qm9700", u=40 - index, u_height=1,
                peak_kw=1.7, weight_kg=14.5, installed=True,
            )
            for index in range(4)
        ]  # fmt: skip
        feeds = tuple(
            RackFeed(
                name=name, pdu_model="pdu-63a-3ph", pdus=2, capacity_kw=34.6, breaker_a=63, continuous_rating=0.8, load_kw=13.6,
                survivor_kw=27.2,
            )
            for name in ("a", "b")
        )  # fmt: skip
        racks.append(
            RackPlan(
                name=f"{site}-r{number:03d}", model="rack-48u", row=1, position=number, u_height=48, reserved_u=(47, 48),
                devices=tuple(devices), feeds=feeds, peak_kw=27.2, air_kw=27.2, air_limit_kw=40, weight_kg=710.2,
                weight_limit_kg=1500,
            )
        )  # fmt: skip
    return racks


def _switches(site: str, units: int, rails: int, nodes: int, spines: int, links: int) -> list[SwitchPlan]:
    spine_names = [f"{site}-spine{n:03d}" for n in range(1, spines + 1)]
    leaves = [
        SwitchPlan(
            name=f"{site}-su{unit:03d}-leaf-r{rail}", role="leaf", model="qm9700", unit=unit, rail=rail, plane=0,
            rack=f"{site}-r{2 * unit - 1 + rail % 2:03d}", u=40 - rail // 2, port_count=64,
            ports={str(n): f"{site}-su{unit:03d}-gpu{n:02d}/mlx5_{rail}" for n in range(1, nodes + 1)},
            links_per_peer=dict.fromkeys(spine_names, links), down_gbps=12800, up_gbps=12800, down_to_up=1.0,
            free_ports=32 - nodes,
        )
        for unit in range(1, units + 1)
        for rail in range(rails)
    ]  # fmt: skip
    return leaves + [
        SwitchPlan(
            name=name, role="spine", model="qm9700", unit=None, rail=None, plane=0, rack=f"{site}-r900", u=1, port_count=64,
            ports={}, links_per_peer={}, down_gbps=25600, up_gbps=0, down_to_up=None, free_ports=0,
        )
        for name in spine_names
    ]  # fmt: skip


def _machines(site: str, units: int, nodes: int) -> list[MachinePlan]:
    return [
        MachinePlan(
            name=f"{site}-su{unit:03d}-gpu{slot:02d}", role="gpu", model="hgx-h100-8", unit=unit, slot=slot,
            rack=f"{site}-r{2 * unit - slot % 2:03d}", u=1 + 8 * ((slot - 1) // 2 % 4), serial=f"SN-{unit}-{slot}",
            bmc=f"127.77.{unit}.{slot}:8443", macs=("02:00:00:00:00:01",), gpus=8, nics=8,
            lifecycle="quarantined" if (unit, slot) == (1, 2) else "active", reason="fan" if (unit, slot) == (1, 2) else None,
            install_generation=1, confirm_serial=None, labels={},
        )
        for unit in range(1, units + 1)
        for slot in range(1, nodes + 1)
    ]  # fmt: skip


def _cables(site: str, units: int, rails: int, nodes: int) -> list[Cable]:
    return [
        Cable(
            id=f"C{(unit * 100 + slot) * 100 + rail:06d}", kind="node-leaf", a=f"{site}-su{unit:03d}-gpu{slot:02d}/mlx5_{rail}",
            z=f"{site}-su{unit:03d}-leaf-r{rail}/{slot}", a_label=f"R001-U01-P{rail}", z_label=f"R001-U40-P{slot}",
            link_gbps=400.0, length_m=3.0, medium="dac", rail=rail, plane=0, color="blue",
        )
        for unit in range(1, units + 1)
        for slot in range(1, nodes + 1)
        for rail in range(rails)
    ]  # fmt: skip


def _cabling() -> CablingPlan:
    """Facts about no cables: what the made-up ones are made of is nobody's question here."""
    return CablingPlan(
        slack_percent=10, spares_percent=2, bundle_cables=24, ports_per_cage=1, classes=(), bom=(), trays=(), mixed_cages=(),
        mixed_cage_count=0, oob_longest_m=0, oob_longest="",
    )  # fmt: skip


def make_plan(*, site: str = "lab", units: int = 1, planned: int = 1, rails: int = 8, nodes: int = 4, spines: int = 4) -> Any:
    """A plan's attributes, all consistent with each other as far as the renderers look."""
    cables = _cables(site, units, rails, nodes)
    leaves = units * rails
    totals = SiteTotals(
        site=site, gpus=8 * nodes * units, active_gpus=8 * nodes * units, nodes=nodes * units, machines=nodes * units,
        racks=2 * units, peak_kw=54.4,
        worst_feed_percent=78.6, worst_feed=f"{site}-r001 feed a", bisection_gb_per_s=6400.0, cables=len(cables),
        usable_storage_tib=512.5, spare_leaf_ports=224, planned_scalable_units=planned, built_scalable_units=units,
        nodes_per_unit=32, spines_per_plane=spines, inventory_sha256=SHA,
    )  # fmt: skip
    fabric = FabricSummary(
        transport="infiniband", tiers=2, rails=rails, planes=1, radix=64, leaves=leaves, spines=spines, cores=0,
        node_leaf_cables=len(cables), leaf_spine_cables=leaves * 32, spine_core_cables=0, endpoints=len(cables),
        links_per_pair=32 / spines, link_gbps=400, down_to_up=1.0, bisection_gb_per_s=6400.0, free_leaf_ports=224,
        layout="rail-optimized", leaves_per_unit=8, node_ports_per_leaf=32, uplinks_per_leaf=32,
    )  # fmt: skip
    storage = FileSystemPlan(
        name=f"{site}-fs", backend="lustre", usable_tib=512.5, write_gb_per_s=40.0,
        targets=(StorageTarget(name="OST0000", kind="storage", server=f"{site}-sto01", usable_tib=256.25, mirror="OST0001"),),
        mounts={"checkpoints": "/storage/checkpoints"}, quota_tib={"checkpoints": 100.0},
    )  # fmt: skip
    queue = QueuePlan(
        tenant="research", namespace="research", local_queue="research", cluster_queue=site, cohort=site, gpus=24, cpu=300,
        memory_gib=6000, priority="normal",
    )  # fmt: skip
    replica = ReplicaPlan(
        name=f"{site}-replica", peer_stack="lab-b", endpoint="https://127.78.0.20:9000", checkpoint_tib=2.0, interval_min=30,
        link_gbps=100, copy_min=2.9, achieved_rpo_min=32.9, wanted_rpo_min=60,
    )  # fmt: skip
    addresses = [AddressRow(device=m.name, network="oob", interface="bmc", address=m.bmc[:-5], prefix=16)
                 for m in _machines(site, units, nodes)]  # fmt: skip
    return SimpleNamespace(
        site=totals, racks=tuple(_racks(site, units, nodes)),
        switches=tuple(_switches(site, units, rails, nodes, spines, 32 // spines)),
        machines=tuple(_machines(site, units, nodes)), cables=tuple(cables), addresses=tuple(addresses), fabric=fabric,
        cabling=_cabling(), networks=(), network_switches=(), infiniband=None, partitions=(), routing=None,
        file_system=storage, queues=(queue,), replica=replica, nccl={"NCCL_IB_HCA": "=mlx5_0,mlx5_1"}, phases=("facility",),
        power=PowerPlan(), cooling=None, floor=None,
    )  # fmt: skip


@pytest.fixture
def plan_of() -> Any:
    """The factory: `plan_of(units=64, planned=64)`."""
    return make_plan
