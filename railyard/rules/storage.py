"""The file system and its copy at the other site: what is promised against what is planned."""

from collections.abc import Iterator
from math import ceil

from railyard.model.plan import FileSystemPlan, ReplicaPlan, StorageTarget
from railyard.rules.registry import Finding, Predicate, exceeds, run
from railyard.rules.storage_texts import REPL_001, STORAGE_001, STORAGE_002
from railyard.rules.thresholds import DEFAULTS, Thresholds


def check_file_system(file_system: FileSystemPlan, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about the parallel file system."""
    return run(FILE_SYSTEM_PREDICATES, file_system, file_system.name, thresholds)


def check_replica(replica: ReplicaPlan, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about replication."""
    return run(REPLICA_PREDICATES, replica, replica.name, thresholds)


def _quotas(plan: FileSystemPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """STORAGE-001."""
    total, limit = sum(plan.quota_tib.values()), plan.usable_tib * limits.storage_fill_percent_max / 100
    if exceeds(total, limit):
        shares = ", ".join(f"{name} {tib:g}" for name, tib in sorted(plan.quota_tib.items()))
        found = f"quotas of {total:,.1f} TiB ({shares})"
        may = f"{limit:,.1f} TiB, {limits.storage_fill_percent_max:g} % of {plan.usable_tib:,.1f} TiB usable"
        fix = f"take {total - limit:,.1f} TiB off railyard:storage.classes[].quotaTib, or add storage servers"
        yield STORAGE_001.finding(where, found, may, fix)


def _mirrors(plan: FileSystemPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """STORAGE-002, for each target whose other half protects nothing."""
    if not plan.mirrored:
        return
    servers = {target.name: target.server for target in plan.targets}
    for target in plan.targets:
        # Lustre mirrors files (FLR); its metadata can only stand on drives that two servers share.
        found = None if target.kind == "metadata" and plan.backend == "lustre" else _unprotected(target, servers)
        if found:
            yield STORAGE_002.finding(f"{where}/{target.name}", found, "a mirror on another server")


def _unprotected(target: StorageTarget, servers: dict[str, str]) -> str | None:
    """What is wrong with a target's mirror; None where it protects."""
    if target.mirror is None:
        return "a target without a mirror"
    server = servers.get(target.mirror)
    if server is None:
        return f"a mirror, {target.mirror}, that is no target"
    return f"a mirror on {server}, its own server" if server == target.server else None


def _freshness(replica: ReplicaPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """REPL-001."""
    if exceeds(replica.achieved_rpo_min, replica.wanted_rpo_min):
        skipped = ceil(round(replica.copy_min / replica.interval_min, 6))
        copied = "every checkpoint" if skipped <= 1 else f"one of {skipped} checkpoints"
        found = f"an RPO of {replica.achieved_rpo_min:.1f} min: a copy takes {replica.copy_min:.1f} min, {copied} is copied"
        yield REPL_001.finding(where, found, f"{replica.wanted_rpo_min:g} min (railyard:replication.rpoMin)")


FILE_SYSTEM_PREDICATES: tuple[Predicate[FileSystemPlan], ...] = (
    Predicate((STORAGE_001,), frozenset({"quota_tib", "usable_tib"}), _quotas),
    Predicate((STORAGE_002,), frozenset({"mirrored", "targets", "backend"}), _mirrors),
)
REPLICA_PREDICATES: tuple[Predicate[ReplicaPlan], ...] = (
    Predicate((REPL_001,), frozenset({"achieved_rpo_min", "wanted_rpo_min", "copy_min", "interval_min"}), _freshness),
)
