"""NCCL and RCCL environment out of the topology (RCCL reads the same names).

Names and meanings: NVIDIA NCCL user guide, "Environment Variables"; what goes wrong without them:
the issues named in `rules.scheduler_texts`.
"""

from railyard.model.lossless import Lossless
from railyard.model.site import Fabric, Layout, StackFile, Transport
from railyard.plan.addresses import IN_BAND_INTERFACE
from railyard.plan.nics import RailNics


def hca_list(nics: RailNics) -> str:
    """`=` and every compute HCA: without `=`, `mlx5_1` would match `mlx5_10` too (NVIDIA/nccl-tests#263).

    In the order of rails, which pins it (NVIDIA/nccl#2165). A device with a port in every plane is listed port by port
    (`mlx5_3:1,mlx5_3:2`). Storage adapters stay out: NCCL would use every HCA that it finds.
    """
    return "=" + ",".join(nccl_name(nics, rail, plane) for rail, ports in enumerate(nics.ports) for plane in range(len(ports)))


def nccl_name(nics: RailNics, rail: int, plane: int) -> str:
    """What NCCL calls a port: its device, with the port's number where the device has several."""
    device, port = rdma_port(nics, rail, plane)
    shared = len({rdma_port(nics, rail, other)[0] for other in range(len(nics.ports[rail]))}) < len(nics.ports[rail])
    return f"{device}:{port}" if shared else device


def rdma_port(nics: RailNics, rail: int, plane: int) -> tuple[str, int]:
    """(RDMA device, its port from 1). `mlx5_3p1` is port 2 of mlx5_3; devices of their own have one port each."""
    name = nics.ports[rail][plane]
    suffix = f"p{plane}"
    if len(nics.ports[rail]) > 1 and name.endswith(suffix) and name[: -len(suffix)][-1:].isdigit():
        return name.removesuffix(suffix), plane + 1
    return name, 1


def plan_nccl(file: StackFile, nics: RailNics) -> dict[str, str]:
    """Variables that every job needs, sorted."""
    found = {
        "NCCL_CROSS_NIC": cross_nic(file.fabric.layout),
        "NCCL_IB_HCA": hca_list(nics),
        "NCCL_SOCKET_IFNAME": f"={IN_BAND_INTERFACE}",
    }
    if file.fabric.layout is Layout.RAIL_ONLY:
        # No path between rails: traffic to another rail goes over NVLink first, and must not be told otherwise (rccl#1303).
        found["NCCL_PXN_DISABLE"] = "0"
    if file.fabric.transport is Transport.ROCE:
        found |= _roce(file)
    return dict(sorted(found.items()))


def cross_nic(layout: Layout) -> str:
    """0 keeps a ring on one rail (rails, with or without spines above); 1 where all NICs of a node hang on one leaf."""
    return "1" if layout is Layout.FAT_TREE else "0"


def _roce(file: StackFile) -> dict[str, str]:
    """GIDs by RoCE version, family and address range, never by a fixed index, which differs from host to host (pytorch#81628);
    the traffic class of the one lossless contract, for GPU-driven queue pairs too (nccl#2383).
    """
    contract, block = file.fabric.lossless, file.addresses.rails
    return {
        "NCCL_IB_ADDR_FAMILY": "AF_INET6" if ":" in block else "AF_INET",
        "NCCL_IB_ADDR_RANGE": block,
        "NCCL_IB_ROCE_VERSION_NUM": "2",
        "NCCL_IB_TC": str(contract.traffic_class),
        "NCCL_GIN_IB_TC": str(contract.traffic_class),
        **_spread(file.fabric, contract),
    }


def _spread(fabric: Fabric, contract: Lossless) -> dict[str, str]:
    """Many paths for one flow (uccl#153). Queue pairs in turn, message by message: splitting each one costs latency."""
    if fabric.layout is Layout.RAIL_ONLY or contract.spread == "none":
        return {}
    if contract.spread == "adaptive-routing":
        return {"NCCL_IB_ADAPTIVE_ROUTING": "1"}
    return {"NCCL_IB_QPS_PER_CONNECTION": str(contract.qps_per_connection), "NCCL_IB_SPLIT_DATA_ON_QPS": "0"}
