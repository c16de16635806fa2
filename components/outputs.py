"""Plan and phases as the output contract of `railyard.model.outputs`."""

from collections.abc import Sequence

import pulumi

from railyard.load import SiteConfig
from railyard.model.outputs import CONTRACT_VERSION, FabricOutput, Queue, ReplicationOutput, StorageOutput
from railyard.plan import Plan


def site_outputs(
    config: SiteConfig, plan: Plan, phases: Sequence[dict[str, object]], ca_sha256: pulumi.Output[str]
) -> dict[str, object]:
    """Field by field what `SiteOutputs` declares; digests and the CA are Outputs, known once their phase has passed."""
    return {
        "contractVersion": CONTRACT_VERSION,
        "site": plan.site.site,
        "totals": plan.site.props(),
        "phases": list(phases),
        "apiServer": {
            "endpoint": plan.platform.endpoint,
            "caSha256": ca_sha256,
            "kubeconfigRef": plan.platform.kubeconfig_ref,
        },
        "queues": [_queue(queue) for queue in plan.queues],
        "storage": _storage(plan),
        "fabric": _fabric(plan),
        "rackPowerKw": {rack.name: rack.peak_kw for rack in plan.racks},
        "ncclEnvironment": plan.nccl,
        "replication": _replication(plan),
        "reportPath": f"out/{config.stack}/report.html",
    }


def _queue(queue: object) -> dict[str, object]:
    return Queue.model_validate(queue, from_attributes=True).props()


def _fabric(plan: Plan) -> dict[str, object]:
    summary = {name: getattr(plan.fabric, name) for name in FabricOutput.model_fields if name != "status"}
    return FabricOutput(status="planned", **summary).props()


def _storage(plan: Plan) -> dict[str, object] | None:
    files = plan.file_system
    if not files:
        return None
    return StorageOutput(backend=files.backend, status=files.status, usable_tib=files.usable_tib, mounts=files.mounts).props()


def _replication(plan: Plan) -> dict[str, object] | None:
    replica = plan.replica
    if not replica:
        return None
    return ReplicationOutput(
        status=replica.status,
        endpoint=replica.endpoint,
        link_gbps=replica.link_gbps,
        checkpoint_tib=replica.checkpoint_tib,
    ).props()
