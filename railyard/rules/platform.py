"""The platform: what is promised against what is there."""

from collections.abc import Iterable

from railyard.model.plan import QueuePlan
from railyard.rules.hardening_texts import QUEUE_001
from railyard.rules.registry import Finding


def check_queues(queues: Iterable[QueuePlan], gpus: int) -> list[Finding]:
    """QUEUE-001: `gpus` is what active machines have."""
    promised = {queue.tenant: queue.gpus for queue in queues}
    total = sum(promised.values())
    if total <= gpus:
        return []
    shares = ", ".join(f"{tenant} {count}" for tenant, count in sorted(promised.items()))
    return [
        QUEUE_001.finding("railyard:platform.tenants", f"quotas of {total} GPUs ({shares})", f"{gpus} GPUs in active machines")
    ]
