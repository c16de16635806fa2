"""NCCL and RCCL environment out of the topology (RCCL reads the same names)."""

from railyard.model.site import Fabric, StackFile, Transport
from railyard.plan import names
from railyard.plan.addresses import IN_BAND_INTERFACE

ROCE_DSCP = 26
"""The lossless class of RoCE; traffic class = DSCP * 4 = 104 (fabric.md FAB-11)."""


def hca_list(fabric: Fabric) -> str:
    """`=` and every compute HCA: without `=`, `mlx5_1` would match `mlx5_10` too (NVIDIA/nccl-tests#263)."""
    ports = [names.nic(rail, plane, fabric.planes) for rail in range(fabric.rails) for plane in range(fabric.planes)]
    return "=" + ",".join(ports)


def plan_nccl(file: StackFile) -> dict[str, str]:
    """Variables that every job needs, sorted.

    RoCE: GIDs are chosen by RoCE version and address range, never by a fixed index, which differs from host to host (fabric.md
    6.12).
    """
    found = {"NCCL_IB_HCA": hca_list(file.fabric), "NCCL_SOCKET_IFNAME": f"={IN_BAND_INTERFACE}"}
    if file.fabric.transport is Transport.ROCE:
        found |= {
            "NCCL_IB_ADDR_RANGE": file.addresses.rails,
            "NCCL_IB_ROCE_VERSION_NUM": "2",
            "NCCL_IB_TC": str(ROCE_DSCP * 4),
        }
    return dict(sorted(found.items()))
