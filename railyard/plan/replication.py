"""Replication of checkpoints to the other site."""

from math import ceil

from railyard.model.plan import ReplicaPlan
from railyard.model.site import StackFile

WAN_EFFICIENCY = 0.8
"""Usable share of a WAN link with parallel TCP streams (ours)."""


def copy_minutes(checkpoint_tib: float, link_gbps: float) -> float:
    """TiB * 1024^4 * 8 / (Gb/s * 10^9 * 0.8) / 60. A checkpoint of 405B (5.68e12 bytes) over 10 Gb/s: 95 min."""
    return checkpoint_tib * 1024**4 * 8 / (link_gbps * 1e9 * WAN_EFFICIENCY) / 60


def rpo_minutes(interval_min: float, copy_min: float) -> float:
    """m * interval + copy, with every m-th checkpoint replicated, m = ceil(copy / interval).

    It is interval + copy as long as a copy ends before the next checkpoint. Save, seal, queue and verify are not in it yet.
    """
    return max(1, ceil(round(copy_min / interval_min, 9))) * interval_min + copy_min


def plan_replica(file: StackFile) -> ReplicaPlan | None:
    """Replication as planned; None where the stack file has none."""
    wanted = file.replication
    if wanted is None:
        return None
    copy = copy_minutes(wanted.checkpoint_tib, wanted.link_gbps)
    return ReplicaPlan(
        name=f"{file.site.name}-replica",
        peer_stack=file.peer.stack if file.peer else None,
        endpoint=wanted.endpoint,
        checkpoint_tib=wanted.checkpoint_tib,
        interval_min=wanted.interval_min,
        link_gbps=wanted.link_gbps,
        copy_min=round(copy, 3),
        achieved_rpo_min=round(rpo_minutes(wanted.interval_min, copy), 3),
        wanted_rpo_min=wanted.rpo_min,
    )
