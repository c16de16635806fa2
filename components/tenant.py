"""One tenant: namespace, queues, quota, volumes. Everything in it belongs to that tenant alone."""

from collections.abc import Mapping, Sequence

import pulumi
import pulumi_kubernetes as k8s

from components.arguments import Slice, slice_props
from components.kueue import KueueObject
from components.platform import Platform
from railyard.model.plan import FileSystemPlan, QueuePlan, VolumePlan
from railyard.model.site import Waiver

READ_WRITE, READ_ONLY = "ReadWriteMany", "ReadOnlyMany"


class Tenant(Slice):
    """A team's namespace with its share of the site and its part of the storage layout.

    The share is the nominal quota of the tenant's own cluster queue, so that Kueue decides at admission; a plain ResourceQuota
    on GPUs would let Kueue admit a job whose pods the API server then refuses.
    """

    token = "railyard:platform:Tenant"  # noqa: S105 - a Pulumi type token

    def __init__(
        self,
        queue: QueuePlan,
        platform: Platform,
        file_system: FileSystemPlan | None,
        waivers: Sequence[Waiver] = (),
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        self.name = f"{platform.plan.site}-{queue.tenant}"
        super().__init__(self.name, slice_props(queue, waivers), opts)
        self.queue, self.platform = queue, platform
        self.own = pulumi.ResourceOptions(parent=self, provider=platform.provider)
        self.namespace = self._namespace()
        self.inside = self._after(self.namespace)
        self.local_queue = self._queues()
        if file_system and queue.volumes:
            self._storage_quota()
            for volume in queue.volumes:
                self._volume(file_system.name, volume)
        self.register_outputs(self.props)

    def _after(self, *resources: pulumi.Resource | None) -> pulumi.ResourceOptions:
        wanted = [resource for resource in resources if resource]
        return pulumi.ResourceOptions.merge(self.own, pulumi.ResourceOptions(depends_on=wanted))

    @staticmethod
    def _sized(options: pulumi.ResourceOptions, size: str) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(ignore_changes=[size]))

    def _namespace(self) -> k8s.core.v1.Namespace:
        labels = {
            "railyard.dev/site": self.platform.plan.site,
            "railyard.dev/tenant": self.queue.tenant,
            "pod-security.kubernetes.io/enforce": "baseline",
            "pod-security.kubernetes.io/warn": "restricted",
        }
        return k8s.core.v1.Namespace(self.name, metadata={"name": self.queue.namespace, "labels": labels}, opts=self.own)

    def _queues(self) -> KueueObject:
        queue, platform = self.queue, self.platform
        spec: Mapping[str, object] = {
            "cohortName": queue.cohort,
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": queue.namespace}},
            "queueingStrategy": "BestEffortFIFO",
            "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
            "resourceGroups": [platform.quota(queue.share)],
        }
        cluster_queue = KueueObject(
            queue.cluster_queue, "ClusterQueue", {"name": queue.cluster_queue}, {"spec": spec}, self._after(platform.cohort)
        )
        return KueueObject(
            f"{self.name}-queue",
            "LocalQueue",
            {"name": queue.local_queue, "namespace": queue.namespace},
            {"spec": {"clusterQueue": queue.cluster_queue}},
            self._after(self.namespace, cluster_queue),
        )

    def _storage_quota(self) -> None:
        volumes = self.queue.volumes
        hard = {
            "requests.storage": f"{sum(volume.size_gib for volume in volumes)}Gi",
            "persistentvolumeclaims": str(len(volumes)),
        }
        k8s.core.v1.ResourceQuota(
            self.name, metadata={"name": "storage", "namespace": self.queue.namespace}, spec={"hard": hard}, opts=self.inside
        )

    def _volume(self, storage_class: str, volume: VolumePlan) -> None:
        """A volume and its claim, bound to each other by name: the storage layout has one place per tenant and purpose.

        Both keep the size that they were made with. The API server refuses to shrink a claim, and to grow one that no driver
        has made; the class's quota itself is the file system's to keep.
        """
        name, size = f"{self.name}-{volume.purpose}", f"{volume.size_gib}Gi"
        mode = READ_ONLY if volume.read_only else READ_WRITE
        claim = {"kind": "PersistentVolumeClaim", "name": volume.purpose, "namespace": self.queue.namespace}
        bound = k8s.core.v1.PersistentVolume(
            name,
            metadata={"name": name},
            spec={
                "capacity": {"storage": size},
                "accessModes": [mode],
                "storageClassName": storage_class,
                "persistentVolumeReclaimPolicy": "Retain",
                "hostPath": {"path": volume.path, "type": "Directory"},
                "claimRef": {"apiVersion": "v1", **claim},
            },
            opts=self._sized(self._after(self.platform.storage_class), "spec.capacity"),
        )
        k8s.core.v1.PersistentVolumeClaim(
            name,
            metadata={"name": volume.purpose, "namespace": self.queue.namespace},
            spec={
                "accessModes": [mode],
                "storageClassName": storage_class,
                "volumeName": name,
                "resources": {"requests": {"storage": size}},
            },
            opts=self._sized(self._after(self.namespace, bound), "spec.resources"),
        )
