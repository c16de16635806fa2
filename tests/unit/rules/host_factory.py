"""Host side and scheduler topology that pass every rule, to be changed one field at a time."""

from railyard.model.hosts import HostPlan, RailPort
from railyard.model.scheduler import PseudoSwitch, SchedulerPlan, SlurmNode

NICS = ("mlx5_0", "mlx5_3")


def rail_port(rail=0, **changes):
    fields = {
        "plane": 0,
        "hca": NICS[rail],
        "device": NICS[rail],
        "device_port": 1,
        "netdev": f"rail{rail}",
        "pci": ("0000:18:00.0", "0000:40:00.0")[rail],
        "gpu_pci": ("0000:1b:00.0", "0000:43:00.0")[rail],
        "cpu": 0,
    }
    return RailPort(rail=rail, **fields | changes)


def hosts(**changes):
    """Two rails on InfiniBand, both NICs known; mlx5_1 is a storage NIC."""
    fields = {
        "model": "dgx-h100",
        "transport": "infiniband",
        "layout": "rail-optimized",
        "link_gbps": 400.0,
        "ports": (rail_port(0), rail_port(1)),
        "hcas_assumed": False,
        "storage_hcas": ("mlx5_1",),
        "nccl": {"NCCL_CROSS_NIC": "0", "NCCL_IB_HCA": "=mlx5_0,mlx5_3", "NCCL_SOCKET_IFNAME": "=bond0"},
        "mtu": None,
        "lossless": None,
        "rail_networks": ("10.32.0.0/12",),
        "gpu_vendor": "nvidia",
        "gpus": 2,
        "models": ("dgx-h100",),
        "nic_counts": (4,),
    }
    return HostPlan(**fields | changes)


def with_nccl(found, **changes):
    """The host side with variables changed; None takes one away."""
    kept = {**found.nccl, **changes}
    return found.model_copy(update={"nccl": {name: value for name, value in kept.items() if value is not None}})


def pseudo(name="lab-su001", **changes):
    fields = {"fabric": "lab-compute", "level": 0, "nodes": f"{name}-gpu[01-02]"}
    return PseudoSwitch(name=name, **fields | changes)


def scheduler(**changes):
    """Two units of two nodes below one root."""
    root = pseudo("lab-compute", level=1, switches="lab-su[001-002]", nodes="")
    fields = {
        "site": "lab",
        "fabrics": ("lab-compute",),
        "switches": (root, pseudo(), pseudo("lab-su002")),
        "nodes": 4,
        "levels": ("railyard.dev/unit", "kubernetes.io/hostname"),
        "block_sizes": (2, 4),
        "node": SlurmNode(
            gres_type="h100", gpus=8, sockets=2, cores_per_socket=56, real_memory_mib=1_991_680, gres_files="/dev/nvidia[0-7]"
        ),
    }
    return SchedulerPlan(**fields | changes)


def one_unit():
    """The first unit alone below the root: the two machines of a small plan."""
    return scheduler(switches=(pseudo("lab-compute", level=1, switches="lab-su001", nodes=""), pseudo()), nodes=2)
