"""Lossless RoCEv2: what the stack file chooses, one contract for NIC, switch and NCCL.

Sizes are bytes, lengths metres, times milliseconds, probabilities percent: a threshold without a unit is a bug, because switch
systems count cells, segments, kilobytes and percent.
"""

from typing import Annotated, Literal

from pydantic import Field

from railyard.model.base import Gbps, Noun

Bytes = Annotated[int, Field(ge=0, le=4_294_967_295)]
Dscp = Annotated[int, Field(ge=0, le=63)]
Priority = Annotated[int, Field(ge=0, le=7)]
Length = Annotated[float, Field(gt=0, le=100_000)]
Milliseconds = Annotated[int, Field(ge=1, le=600_000)]
Nos = Literal["sonic", "cumulus", "eos", "frr"]


class Headroom(Noun):
    """PFC headroom of one priority group at a link speed, for cables up to `cable_m` (cable length in metres).

    `xoff_bytes` is what must still fit after the pause was sent; `size_bytes` is the whole reserve (xon + xoff), None where the
    table gives only the headroom; `xon_bytes` where sending starts again.
    """

    gbps: Gbps
    cable_m: Length
    xoff_bytes: Bytes
    size_bytes: Bytes | None = None
    xon_bytes: Bytes = 0


class Watchdog(Noun):
    """PFC watchdog of every lossless port. SONiC takes 100 to 5000, 100 to 60000 and 100 to 1000 ms, detection >= poll.

    `restoration_ms` left out is twice the detection. Cumulus can be told neither it nor an action: it drops, and restores after
    one poll without pauses.
    """

    enabled: bool = True
    action: Literal["drop", "forward", "alert"] = "drop"
    detection_ms: Milliseconds = 200
    restoration_ms: Milliseconds | None = None
    poll_ms: Milliseconds = 200

    @property
    def restores_ms(self) -> int:
        """Milliseconds without pause until a queue is given back, where the system can be told."""
        return self.restoration_ms if self.restoration_ms is not None else 2 * self.detection_ms


class Lossless(Noun):
    """One contract for NIC, switch and NCCL: which DSCP is RoCE, which priority is lossless, where congestion is marked.

    Defaults are those of Cumulus' `qos roce` (DSCP 26 on priority 3, notifications with DSCP 48 on strict class 6, ECN from
    150,000 to 1,500,000 bytes). `headroom` stands in for the table of an ASIC that the catalogue doesn't know, and then needs
    `source`; so does `shared_buffer_bytes`.
    """

    dscp: Dscp = 26
    priority: Priority = 3
    pfc_priorities: Annotated[tuple[Priority, ...], Field(max_length=8)] | None = None
    cnp_dscp: Dscp = 48
    cnp_class: Priority = 6
    congestion: Literal["ecn", "receiver-driven"] = "ecn"
    kmin_bytes: int = 150_000
    kmax_bytes: int = 1_500_000
    pmax_percent: float = 100.0
    host_mtu: Annotated[int, Field(ge=576, le=65_535)] = 9000
    switch_mtu: Annotated[int, Field(ge=576, le=65_535)] = 9216
    spread: Literal["adaptive-routing", "qp-spread", "none"] = "qp-spread"
    qps_per_connection: Annotated[int, Field(ge=1, le=128)] = 4
    watchdog: Watchdog = Watchdog()
    headroom: Annotated[tuple[Headroom, ...], Field(max_length=256)] = ()
    shared_buffer_bytes: Annotated[int, Field(gt=0, le=4_294_967_295)] | None = None
    source: Annotated[str, Field(min_length=10, max_length=400)] | None = None

    @property
    def lossless_priorities(self) -> tuple[int, ...]:
        """Priorities with PFC, sorted: RoCE's own unless the stack file lists more."""
        return tuple(sorted(set(self.pfc_priorities))) if self.pfc_priorities is not None else (self.priority,)

    @property
    def traffic_class(self) -> int:
        """The byte that `NCCL_IB_TC` and the NIC write into the IP header: DSCP * 4 (two ECN bits below it); 26 -> 104."""
        return self.dscp * 4


class Bfd(Noun):
    """Bidirectional forwarding detection on every leaf-spine session: down after `multiplier` intervals."""

    enabled: bool = True
    interval_ms: Annotated[int, Field(ge=50, le=60_000)] = 300
    multiplier: Annotated[int, Field(ge=2, le=255)] = 3
