"""Kubernetes side of the plan: a cluster queue per tenant in the site's cohort, quotas for every resource, volumes.

A ClusterQueue that doesn't cover a resource refuses each job that asks for it (verified on Kueue 0.17), so cpu,
memory and the GPUs all have a quota. A tenant's share is its cluster queue's nominal quota; the cohort holds the rest.
"""

from collections.abc import Sequence

import msgspec

from railyard.model.inventory import Lifecycle
from railyard.model.plan import PlatformPlan, QueuePlan, VolumePlan
from railyard.model.site import StackFile, Tenant
from railyard.plan.machines import Seat
from railyard.plan.parts import Parts

CORES_PER_GPU = 12
"""Cores per GPU where a model's cores are unknown: the low end of the catalogue's 14-16. Assumption."""
RAM_GIB_PER_GPU = 128
"""Memory per GPU where it is unknown: half of what the catalogue's nodes have. Assumption."""
MEMORY_SHARE = 0.95
"""What of the nominal memory jobs may ask for: a 2,048 GiB node reports 2,015 GiB (parallelcluster#1517), kubelets keep some.
"""
GPU_RESOURCE = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu"}
SITE, POD, UNIT, RACK, ROLE, HOSTNAME = (
    "railyard.dev/site",
    "railyard.dev/pod",
    "railyard.dev/unit",
    "railyard.dev/rack",
    "railyard.dev/role",
    "kubernetes.io/hostname",
)


class Share(msgspec.Struct, frozen=True):
    """What a number of GPUs brings along: whole cores and whole GiB."""

    gpus: int
    cpu: int
    memory_gib: int


def share_of(parts: Parts, gpus: int) -> Share:
    """Cores and memory that go with `gpus`: node cores * gpus // node GPUs; node RAM * 0.95 * gpus // node GPUs."""
    node = parts.node
    cores, ram = node.cores or CORES_PER_GPU * node.gpus, node.ram_gib or RAM_GIB_PER_GPU * node.gpus
    return Share(gpus, cores * gpus // node.gpus, int(ram * MEMORY_SHARE * gpus / node.gpus))


def quantities(resource: str, share: Share) -> dict[str, str]:
    """As Kubernetes quantities in canonical form: 8192Gi is stored as 8Ti."""
    tib, rest = divmod(share.memory_gib, 1024)
    size = "0" if not share.memory_gib else f"{share.memory_gib}Gi" if rest else f"{tib}Ti"
    return {"cpu": str(share.cpu), "memory": size, resource: str(share.gpus)}


def active_gpus(parts: Parts, seats: Sequence[Seat]) -> int:
    """GPUs of the machines that are not set aside."""
    return sum(parts.node.gpus for seat in seats if seat.facts.lifecycle is Lifecycle.ACTIVE)


def plan_queues(file: StackFile, parts: Parts) -> tuple[QueuePlan, ...]:
    """One queue per tenant, by name. Whether their sum fits the site is a rule's business."""
    site = file.site.name
    queues: list[QueuePlan] = []
    for tenant in sorted(file.platform.tenants, key=lambda item: item.name):
        share = share_of(parts, tenant.gpus)
        queues.append(
            QueuePlan(
                tenant=tenant.name,
                namespace=tenant.name,
                local_queue=tenant.name,
                cluster_queue=f"{site}-{tenant.name}",
                cohort=site,
                gpus=share.gpus,
                cpu=share.cpu,
                memory_gib=share.memory_gib,
                priority=tenant.priority,
                share=quantities(GPU_RESOURCE[parts.gpu.vendor], share),
                volumes=_volumes(file, tenant),
            )
        )
    return tuple(queues)


def _volumes(file: StackFile, tenant: Tenant) -> tuple[VolumePlan, ...]:
    """One per class, of quota * 1024 GiB; a class that is written to has a directory for each tenant."""
    volumes: list[VolumePlan] = []
    for item in sorted(file.storage.classes, key=lambda entry: entry.name):
        path = f"/storage/{item.name}" if item.read_only else f"/storage/{item.name}/{tenant.name}"
        size = max(1, int(item.quota_tib * 1024))
        volumes.append(VolumePlan(purpose=item.name, path=path, size_gib=size, read_only=item.read_only))
    return tuple(volumes)


def plan_platform(file: StackFile, parts: Parts, seats: Sequence[Seat], levels: tuple[str, ...]) -> PlatformPlan:
    """The control plane as the stack file wants it, and what the tenants' shares leave of the active GPU machines.

    `levels` are the scheduler topology's (railyard/plan/scheduler_topology.py): there is no second list of them.
    """
    control, site = file.platform.control_plane, file.site.name
    resource, whole = GPU_RESOURCE[parts.gpu.vendor], share_of(parts, active_gpus(parts, seats))
    owned = [share_of(parts, tenant.gpus) for tenant in file.platform.tenants]
    rest = Share(
        gpus=max(0, whole.gpus - sum(share.gpus for share in owned)),
        cpu=max(0, whole.cpu - sum(share.cpu for share in owned)),
        memory_gib=max(0, whole.memory_gib - sum(share.memory_gib for share in owned)),
    )
    return PlatformPlan(
        name=f"{site}-platform",
        site=site,
        version=control.version,
        endpoint=control.endpoint,
        ca_file=control.ca_file,
        kubeconfig_ref=control.kubeconfig_ref,
        encrypt_secrets=control.encrypt_secrets,
        anonymous_auth=control.anonymous_auth,
        audit_log=control.audit_log,
        cohort=site,
        flavor=f"{site}-gpu",
        topology_levels=levels,
        node_labels={SITE: site, ROLE: "gpu"},
        gpu_resource=resource,
        unassigned=quantities(resource, rest),
    )
