"""The platform: what is promised against what is there."""

from collections.abc import Iterable

from railyard.model.plan import QueuePlan
from railyard.rules.hardening_texts import QUEUE_001, QUEUE_002
from railyard.rules.registry import Finding

_KEPT = frozenset({"default", "kueue-system"})
_KEPT_PREFIX = "kube-"


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


def check_namespaces(queues: Iterable[QueuePlan]) -> list[Finding]:
    """QUEUE-002: no tenant in a namespace that belongs to the cluster."""
    return [
        QUEUE_002.finding(
            "railyard:platform.tenants", f"tenant {queue.tenant}", f"not {_KEPT_PREFIX}*, {', '.join(sorted(_KEPT))}"
        )
        for queue in queues
        if queue.namespace in _KEPT or queue.namespace.startswith(_KEPT_PREFIX)
    ]
