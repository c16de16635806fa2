"""Small plan slices that pass every rule, to be changed one field at a time."""

from railyard.model.plan import (
    FabricSummary,
    FileSystemPlan,
    MachinePlan,
    PlatformPlan,
    QueuePlan,
    RackDevice,
    RackFeed,
    RackPlan,
    RackSupplies,
    ReplicaPlan,
    SiteTotals,
    StorageTarget,
    SwitchPlan,
)
from railyard.model.site import Addresses, Bmc, Compute, ControlPlane, Fabric, Gates, Install, Platform, StackFile
from tests.unit.rules.host_factory import hosts, scheduler
from tests.unit.rules.network_factory import cabling


def device(name="lab-su001-gpu01", **changes):
    fields = {"role": "gpu", "model": "dgx-h100", "u": 1, "u_height": 8, "peak_kw": 10.2, "weight_kg": 130.0, "installed": True}
    return RackDevice(name=name, **fields | changes)


def feed(name="a", **changes):
    fields = {
        "pdu_model": "pdu-415v-60a-3ph",
        "pdus": 1,
        "capacity_kw": 34.5,
        "breaker_a": 60.0,
        "continuous_rating": 0.8,
        "load_kw": 10.2,
        "survivor_kw": 20.4,
    }
    return RackFeed(name=name, **fields | changes)


def supplies(**changes):
    """Two machines whose supplies on one feed carry them: 3 of 6, 3.4 kW each, for 10.2 kW."""
    fields = {"model": "dgx-h100", "devices": 2, "peak_kw": 10.2, "psus": 6, "psus_for_full": 3, "psu_kw": 3.4}
    return RackSupplies(**fields | changes)


def rack(**changes):
    fields = {
        "name": "lab-r001",
        "model": "rack-48u-1200",
        "row": 1,
        "position": 1,
        "u_height": 48,
        "reserved_u": (48,),
        "devices": (device(), device("lab-su001-gpu02", u=9)),
        "feeds": (feed("a"), feed("b")),
        "peak_kw": 20.4,
        "air_kw": 20.4,
        "air_limit_kw": 25.0,
        "weight_kg": 260.0,
        "weight_limit_kg": 1600.0,
        "supplies": (supplies(),),
    }
    return RackPlan(**fields | changes)


def leaf(**changes):
    """Leaf of rail 3 with two nodes and 32 uplinks over 4 spines."""
    fields = {
        "name": "lab-su001-leaf-r3",
        "role": "leaf",
        "model": "qm9700",
        "unit": 1,
        "rail": 3,
        "plane": 0,
        "rack": "lab-r001",
        "u": 40,
        "port_count": 64,
        "ports": {"1": "lab-su001-gpu01/mlx5_3", "2": "lab-su001-gpu02/mlx5_3", "33": "lab-spine001/1", "34": "lab-spine002/1"},
        "links_per_peer": {f"lab-spine{n:03d}": 8 for n in range(1, 5)},
        "down_gbps": 12800.0,
        "up_gbps": 12800.0,
        "down_to_up": 1.0,
        "free_ports": 30,
    }
    return SwitchPlan(**fields | changes)


def spine(**changes):
    fields = {
        "name": "lab-spine001",
        "role": "spine",
        "unit": None,
        "rail": None,
        "ports": {},
        "links_per_peer": {},
        "up_gbps": 0.0,
    }
    return leaf(**fields | {"down_to_up": None} | changes)


def fabric(**changes):
    """Four units of 32 nodes, planned for eight, radix 64: 32 spines, one link per pair."""
    fields = {
        "transport": "infiniband",
        "tiers": 2,
        "rails": 8,
        "planes": 1,
        "radix": 64,
        "leaves": 32,
        "spines": 32,
        "cores": 0,
        "node_leaf_cables": 1024,
        "leaf_spine_cables": 1024,
        "spine_core_cables": 0,
        "endpoints": 1024,
        "links_per_pair": 1.0,
        "link_gbps": 400.0,
        "down_to_up": 1.0,
        "bisection_gb_per_s": 25600.0,
        "free_leaf_ports": 0,
        "layout": "rail-optimized",
        "leaves_per_unit": 8,
        "node_ports_per_leaf": 32,
        "uplinks_per_leaf": 32,
        "subnet_managers": {"fabric": ("lab-spine001", "lab-spine002")},
        "subnet_manager_nodes": 2048,
    }
    return FabricSummary(**fields | changes)


def totals(**changes):
    fields = {
        "site": "lab",
        "gpus": 1024,
        "active_gpus": 1024,
        "nodes": 128,
        "machines": 128,
        "racks": 32,
        "peak_kw": 1400.0,
        "worst_feed_percent": 90.0,
        "worst_feed": "lab-r001/feed-a",
        "bisection_gb_per_s": 25600.0,
        "cables": 2048,
        "usable_storage_tib": 100.0,
        "spare_leaf_ports": 0,
        "planned_scalable_units": 8,
        "built_scalable_units": 4,
        "nodes_per_unit": 32,
        "spines_per_plane": 32,
        "inventory_sha256": "0" * 64,
    }
    return SiteTotals(**fields | changes)


def platform(**changes):
    fields = {
        "name": "lab",
        "site": "lab",
        "version": "1.36.3",
        "endpoint": "https://127.77.0.10:6443",
        "ca_file": "ca.crt",
        "kubeconfig_ref": "file:kubeconfig",
        "encrypt_secrets": True,
        "anonymous_auth": False,
        "audit_log": True,
        "cohort": "lab",
        "flavor": "lab-h100",
        "topology_levels": ("railyard.dev/rack",),
        "node_labels": {},
        "gpu_resource": "nvidia.com/gpu",
        "unassigned": {"nvidia.com/gpu": "32"},
    }
    return PlatformPlan(**fields | changes)


def queue(tenant="team", gpus=16):
    return QueuePlan(
        tenant=tenant,
        namespace=tenant,
        local_queue=tenant,
        cluster_queue="lab",
        cohort="lab",
        gpus=gpus,
        cpu=1,
        memory_gib=1,
        priority="normal",
    )


def machine(**changes):
    fields = {
        "name": "lab-su001-gpu01",
        "role": "gpu",
        "model": "dgx-h100",
        "unit": 1,
        "slot": 1,
        "rack": "lab-r001",
        "u": 1,
        "serial": "SN1",
        "bmc": "127.77.1.1:8443",
        "macs": ("02:00:00:00:00:01",),
        "gpus": 8,
        "nics": 8,
        "lifecycle": "active",
        "reason": None,
        "install_generation": 1,
        "confirm_serial": None,
        "labels": {},
    }
    return MachinePlan(**fields | changes)


def addresses(**changes):
    fields = {
        "oob": "10.16.0.0/16",
        "in_band": "10.17.0.0/16",
        "storage": "10.18.0.0/16",
        "rails": "10.32.0.0/12",
        "pods": "10.64.0.0/12",
        "services": "10.96.0.0/16",
        "ntp_servers": ("10.16.0.1",),
    }
    return Addresses(**fields | changes)


def nodes_props():
    return {"hosts": hosts().props(), "scheduler": scheduler().props()}


def site_props(**changes):
    return totals().props() | {"fabric": fabric().props(), "cabling": cabling().props(), **nodes_props()} | changes


def machine_props(verify=True, remove=True):
    return {"bmc": "127.77.1.1:8443", "verifyTls": verify, "accounts": {"name": "railyard", "removeFactory": remove}}


def ids(findings):
    return [finding.id for finding in findings]


def target(name, server, mirror=None, kind="storage"):
    return StorageTarget(name=name, kind=kind, server=server, usable_tib=50.0, mirror=mirror)


def file_system(**changes):
    """Two servers that mirror each other, filled to the limit: 80 of 100 TiB."""
    fields = {
        "name": "lab-beegfs",
        "backend": "beegfs",
        "targets": (target("sto01-data00", "sto01", "sto02-data00"), target("sto02-data00", "sto02", "sto01-data00")),
        "usable_tib": 100.0,
        "write_gb_per_s": 12.0,
        "mounts": {"datasets": "/storage/datasets"},
        "quota_tib": {"datasets": 50.0, "logs": 30.0},
        "mirrored": True,
    }
    return FileSystemPlan(**fields | changes)


def replica(**changes):
    fields = {
        "name": "lab-replica",
        "peer_stack": None,
        "endpoint": "https://127.78.0.20:9000",
        "checkpoint_tib": 0.5,
        "interval_min": 30.0,
        "link_gbps": 10.0,
        "copy_min": 9.0,
        "achieved_rpo_min": 39.0,
        "wanted_rpo_min": 39.0,
    }
    return ReplicaPlan(**fields | changes)


def stack_file(**changes):
    """What rules read of a stack file, built without its other sections."""
    control = ControlPlane(version="1.36.3", endpoint="https://10.17.0.10:6443", ca_file="c", kubeconfig_ref="file:k")
    fields = {
        "compute": Compute(node_model="dgx-h100", nodes=128),
        "fabric": Fabric(transport="infiniband", switch_model="qm9700", link_gbps=400, nodes_per_unit=32, scalable_units=4),
        "addresses": addresses(),
        "bmc": Bmc(ca_file="ca.crt", account_ref="env:A", factory_ref="env:B"),
        "install": Install(service_url="https://10.17.0.11:8443", admin_ref="env:A", image="os.img", image_sha256="0" * 64),
        "platform": Platform(control_plane=control, probe_gpus=16),
        "gates": Gates(minimum_ready=2),
        "peer": None,
        "replication": None,
        "waivers": (),
    }
    return StackFile.model_construct(**fields | changes)
