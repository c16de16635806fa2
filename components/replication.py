"""Replication to the second site: compared with what the peer promises; no data moves yet (`status: planned`)."""

from collections.abc import Mapping

import pulumi

from components.arguments import Slice
from railyard.model.outputs import CONTRACT_VERSION
from railyard.model.plan import ReplicaPlan
from railyard.model.site import Peer


class Replica(Slice):
    """What this site copies to its peer, and how fresh the copy is.

    `peer_outputs` are the outputs of the peer's stack: None if it doesn't exist or was never deployed. Raises
    `pulumi.RunError` if the peer speaks a contract that this program doesn't know.
    """

    token = "railyard:replication:Replica"  # noqa: S105 - a Pulumi type token

    def __init__(
        self,
        replica: ReplicaPlan,
        peer: Peer | None,
        peer_outputs: Mapping[str, object] | None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(replica.name, replica.props(), opts)
        if peer:
            compare_with_peer(peer, peer_outputs)
        self.register_outputs(self.props)


def compare_with_peer(peer: Peer, outputs: Mapping[str, object] | None) -> None:
    """Warn where the peer has less than this stack file expects; refuse an unknown contract version.

    More than expected is no finding. Endpoints are not compared: the peer exports the one that it sends to, which is ours, and
    where it receives stands in this stack file alone (`peer.endpoint`).
    """
    where = "railyard:peer"
    if not outputs:
        pulumi.log.warn(f"PEER-001 {where}: {peer.stack} was never deployed; figures come from this stack file alone")
        return
    version = outputs.get("contractVersion")
    if version != peer.contract_version or version != CONTRACT_VERSION:
        raise pulumi.RunError(
            f"PEER-002 {where}.contractVersion: {peer.stack} has contract version {_whole(version)}, "
            f"this stack file expects {peer.contract_version}, this program knows {CONTRACT_VERSION}\n"
            f"  fix: run both sites on the same railyard release, then set {where}.contractVersion"
        )
    for key, expected, found in _expectations(peer, outputs):
        if found is None or found < expected:
            has = "none" if found is None else found
            pulumi.log.warn(f"PEER-003 {where}.{key}: expected {expected}, {peer.stack} has {has}")


def _expectations(peer: Peer, outputs: Mapping[str, object]) -> list[tuple[str, float, float | None]]:
    storage, replication = _mapping(outputs.get("storage")), _mapping(outputs.get("replication"))
    return [
        ("usableTib", peer.usable_tib, _number(storage.get("usableTib"))),
        ("replicationGbps", peer.replication_gbps, _number(replication.get("linkGbps"))),
    ]


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value
