"""NCCL and RCCL environment out of the topology (RCCL reads the same names)."""

from railyard.model.site import StackFile, Transport
from railyard.plan.addresses import IN_BAND_INTERFACE
from railyard.plan.nics import RailNics

ROCE_DSCP = 26
"""The lossless class of RoCE; traffic class = DSCP * 4 = 104 (fabric.md FAB-11)."""


def hca_list(nics: RailNics) -> str:
    """`=` and every compute HCA: without `=`, `mlx5_1` would match `mlx5_10` too (NVIDIA/nccl-tests#263).

    Storage adapters stay out: NCCL would use every HCA that it finds.
    """
    return "=" + ",".join(nics.listed())


def plan_nccl(file: StackFile, nics: RailNics) -> dict[str, str]:
    """Variables that every job needs, sorted.

    RoCE: GIDs are chosen by RoCE version and address range, never by a fixed index, which differs from host to host (fabric.md
    6.12).
    """
    found = {"NCCL_IB_HCA": hca_list(nics), "NCCL_SOCKET_IFNAME": f"={IN_BAND_INTERFACE}"}
    if file.fabric.transport is Transport.ROCE:
        found |= {
            "NCCL_IB_ADDR_RANGE": file.addresses.rails,
            "NCCL_IB_ROCE_VERSION_NUM": "2",
            "NCCL_IB_TC": str(ROCE_DSCP * 4),
        }
    return dict(sorted(found.items()))
