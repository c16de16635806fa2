"""Storage, queues, replication, NCCL, machines, totals, consequences."""

import pytest

from railyard.model.config import SiteConfig
from railyard.model.inventory import Lifecycle
from railyard.plan import Plan, changes, moves, plan, to_json
from railyard.plan.queues import Share, quantities
from railyard.plan.replication import copy_minutes, rpo_minutes
from tests.planned_site import SiteMaker

REPLICATION = {"checkpointTib": 0.5, "intervalMin": 30, "rpoMin": 60, "linkGbps": 10, "endpoint": "https://b.example"}


def with_machine(config: SiteConfig, machine: str, **facts: object) -> SiteConfig:
    """The site with facts of one machine changed."""
    machines = tuple(item.model_copy(update=facts) if item.name == machine else item for item in config.inventory.machines)
    return SiteConfig("t", config.file, config.inventory.model_copy(update={"machines": machines}), "0" * 64, config.catalog)


@pytest.mark.requirement("S1")
def test_mirror_groups_span_servers(site: SiteMaker):
    files = plan(site(storage_nodes=4)).file_system
    assert files is not None
    mirror = {target.name: target.mirror for target in files.targets}
    assert mirror["t-sto01-data00"] == "t-sto02-data00"
    assert mirror["t-sto04-meta00"] == "t-sto03-meta00"
    assert all(other is not None and mirror[other] == name for name, other in mirror.items())
    assert (files.usable_tib, files.write_gb_per_s) == (139.6, 24), "4 x 69.8 TiB and 4 x 12 GB/s, halved"


@pytest.mark.requirement("S1")
def test_lustre_mirrors_files_and_no_metadata(site: SiteMaker):
    """FLR keeps files twice; an MDT fails over only where servers share its drives."""
    lustre = {"backend": "lustre", "nodeModel": "lustre-oss-24nvme"}
    files = plan(site(storage_nodes=2, storage=lustre)).file_system
    assert files is not None
    assert files.usable_tib == 279.4
    assert {target.kind for target in files.targets if target.mirror} == {"storage"}
    assert {target.kind for target in files.targets if not target.mirror} == {"metadata"}


@pytest.mark.requirement("S1")
def test_a_server_without_partner_counts_nothing(site: SiteMaker):
    files = plan(site(storage_nodes=3)).file_system
    assert files is not None
    assert (files.usable_tib, files.write_gb_per_s) == (69.8, 12)
    assert [target.name for target in files.targets if target.mirror is None] == ["t-sto03-meta00", "t-sto03-data00"]


@pytest.mark.requirement("S1")
def test_unmirrored_capacity_is_the_sum(site: SiteMaker):
    files = plan(site(storage_nodes=3, storage={"mirrored": False})).file_system
    assert files is not None
    assert (files.usable_tib, files.write_gb_per_s) == (209.4, 36)
    assert {target.mirror for target in files.targets} == {None}


@pytest.mark.requirement("S2")
def test_layout(site: SiteMaker):
    files = plan(site()).file_system
    assert files is not None
    assert files.mounts == {"checkpoints": "/storage/checkpoints", "datasets": "/storage/datasets"}
    assert files.quota_tib == {"checkpoints": 20, "datasets": 20}
    assert files.read_only == ("datasets",)


def test_a_site_without_file_system(site: SiteMaker):
    planned = plan(site(storage_nodes=0, storage={"backend": "none"}))
    assert planned.file_system is None
    assert planned.site.usable_storage_tib == 0


@pytest.mark.requirement("K3")
def test_shares_and_the_rest_cover_every_resource_of_the_active_machines(site: SiteMaker):
    config = site()
    planned = plan(config)
    rest = planned.platform.unassigned
    assert int(rest["cpu"]) + sum(queue.cpu for queue in planned.queues) == 448
    assert int(rest["memory"].removesuffix("Gi")) + sum(queue.memory_gib for queue in planned.queues) == 7782
    assert int(rest["nvidia.com/gpu"]) + sum(queue.gpus for queue in planned.queues) == 32
    aside = with_machine(config, "t-su001-gpu02", lifecycle=Lifecycle.QUARANTINED, reason="fan")
    assert int(plan(aside).platform.unassigned["nvidia.com/gpu"]) == int(rest["nvidia.com/gpu"]) - 8
    totals = plan(aside).site
    assert (totals.gpus, totals.active_gpus) == (32, 24), "it still stands there, and no job gets it"


def test_quantities_are_spelt_as_the_api_server_spells_them():
    assert quantities("nvidia.com/gpu", Share(8, 112, 8192)) == {"cpu": "112", "memory": "8Ti", "nvidia.com/gpu": "8"}
    assert quantities("nvidia.com/gpu", Share(0, 0, 0))["memory"] == "0"
    assert quantities("nvidia.com/gpu", Share(8, 112, 1945))["memory"] == "1945Gi"


@pytest.mark.requirement("K3", "X1")
def test_a_queue_per_tenant(site: SiteMaker):
    production, research = plan(site()).queues
    assert (production.tenant, production.namespace, production.priority, production.gpus) == (
        "production",
        "production",
        "high",
        8,
    )
    assert (research.cpu, research.memory_gib) == (224, 3891), "two nodes of 112 cores and 2,048 GiB x 0.95"
    assert (production.cluster_queue, research.cluster_queue) == ("t-production", "t-research")
    assert production.cohort == research.cohort == plan(site()).platform.cohort


@pytest.mark.requirement("S2", "X1")
def test_volumes_do_not_depend_on_who_has_how_many_gpus(site: SiteMaker):
    """Kubernetes lets no claim shrink: with sizes by share, more GPUs for one tenant failed the claims of all others."""
    production, research = plan(site()).queues
    sizes = {(queue.tenant, volume.purpose): volume.size_gib for queue in (production, research) for volume in queue.volumes}
    assert sizes["production", "datasets"] == sizes["research", "datasets"] == 20 * 1024
    assert sizes["production", "checkpoints"] == sizes["research", "checkpoints"] == 20 * 1024
    assert {volume.path for volume in research.volumes} == {"/storage/checkpoints/research", "/storage/datasets"}


@pytest.mark.requirement("K2")
def test_amd_gpus_are_their_own_resource(site: SiteMaker):
    platform = plan(site(compute={"nodeModel": "mi300x-platform", "nodes": 4})).platform
    assert platform.gpu_resource == "amd.com/gpu"
    assert "amd.com/gpu" in platform.unassigned


@pytest.mark.requirement("D1")
def test_copy_time_of_405b():
    """5.68e12 bytes over 10 Gb/s x 0.8: 95 min, every sixth of an 18 min interval."""
    copy = copy_minutes(5.68e12 / 1024**4, 10)
    assert copy == pytest.approx(94.67, abs=0.01)
    assert rpo_minutes(18, copy) == pytest.approx(6 * 18 + copy)


@pytest.mark.requirement("D1")
@pytest.mark.parametrize(("interval", "copy", "rpo"), [(30, 9, 39), (30, 30, 60), (30, 30.001, 90.001), (30, 0, 30)])
def test_recovery_point(interval: float, copy: float, rpo: float):
    assert rpo_minutes(interval, copy) == pytest.approx(rpo)


@pytest.mark.requirement("D1")
def test_replica(site: SiteMaker):
    assert plan(site()).replica is None
    replica = plan(site(replication=REPLICATION)).replica
    assert replica is not None
    assert (replica.copy_min, replica.achieved_rpo_min, replica.peer_stack) == (9.163, 39.163, None)


@pytest.mark.requirement("N3")
def test_nccl_lists_hcas_exactly(site: SiteMaker):
    assert plan(site(fabric={"rails": 4})).nccl == {
        "NCCL_CROSS_NIC": "0",
        "NCCL_IB_HCA": "=mlx5_0,mlx5_3,mlx5_4,mlx5_5",
        "NCCL_SOCKET_IFNAME": "=bond0",
    }


@pytest.mark.requirement("N3")
def test_nccl_on_roce(site: SiteMaker):
    """Traffic class 26 x 4; no fixed GID index."""
    nccl = plan(site(fabric={"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64, "rails": 2, "planes": 2})).nccl
    assert nccl["NCCL_IB_TC"] == "104"
    assert nccl["NCCL_IB_ADDR_RANGE"] == "10.32.0.0/12"
    assert nccl["NCCL_IB_HCA"] == "=mlx5_0:1,mlx5_0:2,mlx5_3:1,mlx5_3:2"
    assert "NCCL_IB_GID_INDEX" not in nccl


@pytest.mark.requirement("C6")
def test_machines_carry_facts_and_expectations(site: SiteMaker):
    planned = plan(site())
    node, server = planned.machines[1], planned.machines[-1]
    assert (node.unit, node.slot, node.rack, node.u, node.gpus, node.nics) == (1, 2, "t-r002", 1, 8, 10)
    assert node.labels == {
        "kubernetes.io/hostname": "t-su001-gpu02",
        "railyard.dev/rack": "t-r002",
        "railyard.dev/role": "gpu",
        "railyard.dev/site": "t",
        "railyard.dev/unit": "t-su001",
    }
    assert (server.role, server.unit, server.slot, server.gpus, server.nics) == ("storage", None, None, 0, 2)


@pytest.mark.requirement("C6")
@pytest.mark.parametrize(("facts", "where"), [({"gpus": 7}, "gpus"), ({"macs": ("02:00:00:00:00:01",)}, "macs")])
def test_seven_of_eight_gpus_are_named(site: SiteMaker, facts: dict[str, object], where: str):
    problem = plan(with_machine(site(), "t-su001-gpu03", **facts)).problems[0]
    assert (problem.id, problem.where) == ("PLAN-007", f"sites/t/inventory.yaml:machines[2].{where}")


@pytest.mark.parametrize(
    "name", ["t-su002-gpu01", "t-su001-gpu33", "t-su001-gpu00", "t-su001-gpu001", "u-su001-gpu01", "gpu1", "t-sto01"]
)
def test_a_name_that_is_no_position_moves_nothing(site: SiteMaker, name: str):
    before, after = plan(site(nodes=4)), plan(with_machine(site(nodes=4), "t-su001-gpu02", name=name))
    assert {problem.id for problem in after.problems} == {"PLAN-004", "PLAN-005"}
    others = {cable.id for cable in before.cables if not cable.id.startswith("t-su001-gpu02:")}
    assert {cable.id for cable in after.cables} == others


def test_phases_and_versions(site: SiteMaker):
    planned = plan(site())
    assert planned.phases == ("facility", "platform")
    assert planned.control_plane.version == planned.platform.version == "1.36.3"


@pytest.mark.requirement("U1")
def test_totals(site: SiteMaker):
    planned = plan(site())
    totals = planned.site
    assert (totals.gpus, totals.nodes, totals.machines, totals.racks) == (32, 4, 6, 2)
    # Node-leaf, leaf-spine, storage, in-band, out-of-band.
    assert totals.cables == len(planned.cables) == 32 + 256 + 14 + 20 + 32
    assert totals.peak_kw == pytest.approx(sum(rack.peak_kw for rack in planned.racks))
    assert totals.spare_leaf_ports == 8 * (64 - 4 - 32)
    worst = max(feed.survivor_kva / feed.capacity_kw for rack in planned.racks for feed in rack.feeds)
    kw = max(feed.survivor_kw / feed.capacity_kw for rack in planned.racks for feed in rack.feeds)
    assert worst == pytest.approx(kw / 0.95), "volt-amperes at the assumed power factor"
    fullest = max(feed.survivor_a / feed.limit_a for rack in planned.racks for feed in rack.feeds)
    assert worst <= fullest < 1.05 * worst, "of two strips one carries a little more"
    assert (totals.worst_feed, totals.worst_feed_percent) == ("t-r001-pdu-a", pytest.approx(fullest * 100))


@pytest.mark.requirement("U1")
def test_consequences_of_a_fifth_node(site: SiteMaker):
    old, new = plan(site(nodes=4)), plan(site(nodes=5))
    rows = {row.title: (row.was, row.now, row.delta) for row in changes(old.site.props(), new.site)}
    assert rows["GPUs"] == (32, 40, 8)
    assert rows["Peak kW"][2] == pytest.approx(10.2)
    assert rows["Bisection GB/s"] == (800, 1000, 200)
    assert rows["Cables"] == (354, 367, 13), "8 NICs, 2 storage and 2 in-band ports, a BMC"
    assert rows["Usable storage TiB"] == (69.8, 69.8, 0)
    assert rows["Spare leaf ports"] == (224, 216, -8)
    assert rows["Worst feed %"][2] > 0


@pytest.mark.requirement("U1")
def test_consequences_before_anything_was_deployed(site: SiteMaker):
    rows = changes(None, plan(site()).site)
    assert len(rows) == 8
    assert {(row.was, row.delta) for row in rows} == {(None, None)}


def json_of(planned: Plan) -> bytes:
    return to_json(planned)


@pytest.mark.requirement("C4")
def test_moves_inside_the_plan_are_additions(site: SiteMaker):
    found = moves(json_of(plan(site(nodes=4))), json_of(plan(site(nodes=5))))
    assert {move.kind for move in found} == {"add"}
    assert [move.id for move in found] == sorted(
        [
            "t-su001-gpu05:bmc",
            *(f"t-su001-gpu05:{network}{port}" for network in ("inband", "storage") for port in (0, 1)),
            *(f"t-su001-gpu05:mlx5_{nic}" for nic in (0, 3, 4, 5, 6, 9, 10, 11)),
        ]
    )


@pytest.mark.requirement("C4")
def test_growth_from_four_to_five_units_moves_half_of_the_cables(site: SiteMaker):
    """16 spines x 2 links become 32 x 1: 512 of 1,024 cables move. Planned for five, none does."""
    old = json_of(plan(site(fabric={"scalableUnits": 4})))
    kinds = [move.kind for move in moves(old, json_of(plan(site(fabric={"scalableUnits": 5}))))]
    assert kinds.count("move") >= 512
    planned = {"plannedScalableUnits": 5}
    old = json_of(plan(site(fabric={"scalableUnits": 4} | planned)))
    assert {move.kind for move in moves(old, json_of(plan(site(fabric={"scalableUnits": 5} | planned))))} == {"add"}
