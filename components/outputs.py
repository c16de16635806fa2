"""Plan and phases as the output contract of `railyard.model.outputs`."""

from collections.abc import Collection, Sequence

import pulumi

from railyard.load import SiteConfig
from railyard.model.outputs import CONTRACT_VERSION, FabricOutput, Queue, ReplicationOutput, StorageOutput
from railyard.plan import Plan


def site_outputs(
    config: SiteConfig,
    plan: Plan,
    phases: Sequence[dict[str, object]],
    ca_sha256: pulumi.Output[str],
    configured: Collection[str] = (),
) -> dict[str, object]:
    """Field by field what `SiteOutputs` declares; digests and the CA are Outputs, known once their phase has passed.

    `configured`: names of the switches that railyard configures.
    """
    return {
        "contractVersion": CONTRACT_VERSION,
        "site": plan.site.site,
        "totals": {key: value for key, value in plan.site.props().items() if value is not None},
        "phases": list(phases),
        "apiServer": {
            "endpoint": plan.platform.endpoint,
            "caSha256": ca_sha256,
            "kubeconfigRef": plan.platform.kubeconfig_ref,
        },
        "queues": [_queue(queue) for queue in plan.queues],
        "storage": _storage(plan),
        "fabric": _fabric(plan, configured),
        "rackPowerKw": {rack.name: rack.peak_kw for rack in plan.racks},
        "ncclEnvironment": plan.nccl,
        "replication": _replication(plan),
        "reportPath": f"out/{config.stack}/report.html",
    }


def _queue(queue: object) -> dict[str, object]:
    return Queue.model_validate(queue, from_attributes=True).props()


def _fabric(plan: Plan, configured: Collection[str]) -> dict[str, object]:
    """One switch that somebody else configures is enough for `planned`: nobody may take the fabric for railyard's then."""
    whole = bool(plan.switches) and all(switch.name in configured for switch in plan.switches)
    summary = {name: getattr(plan.fabric, name) for name in FabricOutput.model_fields if name != "status"}
    return FabricOutput(status="configured" if whole else "planned", **summary).props()


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
