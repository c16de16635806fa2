"""Kubernetes objects that every tenant shares: topology, flavor, the site's cohort, priorities, storage class."""

from collections.abc import Mapping, Sequence

import pulumi
import pulumi_kubernetes as k8s

from components.arguments import Slice
from components.kueue import KueueObject
from providers.kube.sdk import Cluster
from railyard.model.plan import FileSystemPlan, PlatformPlan
from railyard.render.schedulers.kubernetes import flavor_spec, topology_name, topology_spec

PRIORITY_VALUES = {"low": 1_000, "normal": 10_000, "high": 100_000}


class Platform(Slice):
    """The cluster, waited for, and its site-wide objects.

    `phase_tokens` are outputs of the gates that must have passed: data, so that the order survives refactoring.
    """

    token = "railyard:platform:Platform"  # noqa: S105 - a Pulumi type token

    def __init__(
        self,
        platform: PlatformPlan,
        phase_tokens: Sequence[pulumi.Output[str]],
        file_system: FileSystemPlan | None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(platform.name, platform.props(), opts)
        self.plan = platform
        own = pulumi.ResourceOptions(parent=self)
        self.cluster = Cluster(
            platform.name,
            endpoint=platform.endpoint,
            ca_file=platform.ca_file,
            kubeconfig_ref=platform.kubeconfig_ref,
            version=platform.version,
            token=list(phase_tokens),
            opts=own,
        )
        self.provider = k8s.Provider(
            platform.name,
            kubeconfig=self.cluster.kubeconfig,
            cluster_identifier=platform.endpoint,
            enable_server_side_apply=True,
            opts=own,
        )
        self.child_options = pulumi.ResourceOptions(parent=self, provider=self.provider)
        self.flavor = self._flavor()
        self.cohort = self._kueue("Cohort", platform.cohort, {"resourceGroups": [self.quota(platform.unassigned)]}, self.flavor)
        self._priorities()
        self.storage_class = self._storage_class(file_system) if file_system else None
        self.register_outputs(self.props)

    def quota(self, quantities: Mapping[str, str]) -> dict[str, object]:
        """One Kueue resource group: every resource that a job may ask for, with its quota in the site's flavor."""
        quotas = [{"name": name, "nominalQuota": quantity} for name, quantity in quantities.items()]
        return {"coveredResources": list(quantities), "flavors": [{"name": self.plan.flavor, "resources": quotas}]}

    def _kueue(self, kind: str, name: str, spec: Mapping[str, object], *after: pulumi.Resource) -> KueueObject:
        options = pulumi.ResourceOptions.merge(self.child_options, pulumi.ResourceOptions(depends_on=list(after)))
        return KueueObject(name, kind, {"name": name}, {"spec": spec}, options)

    def _flavor(self) -> KueueObject:
        levels = topology_spec(self.plan.topology_levels)
        topology = self._kueue("Topology", topology_name(self.plan.site), levels)
        return self._kueue("ResourceFlavor", self.plan.flavor, flavor_spec(self.plan), topology)

    def _priorities(self) -> None:
        """Kueue orders queued jobs by the one, the scheduler orders pods by the other."""
        for level, value in PRIORITY_VALUES.items():
            name, text = f"{self.plan.site}-{level}", f"{level} priority of {self.plan.site}"
            fields = {"value": value, "description": text}
            KueueObject(f"{name}-jobs", "WorkloadPriorityClass", {"name": name}, fields, self.child_options)
            k8s.scheduling.v1.PriorityClass(
                name, metadata={"name": name}, value=value, global_default=False, description=text, opts=self.child_options
            )

    def _storage_class(self, file_system: FileSystemPlan) -> k8s.storage.v1.StorageClass:
        return k8s.storage.v1.StorageClass(
            file_system.name,
            metadata={"name": file_system.name},
            provisioner="kubernetes.io/no-provisioner",
            reclaim_policy="Retain",
            volume_binding_mode="Immediate",
            opts=self.child_options,
        )
