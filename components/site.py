"""The whole site, in order: racks and switches, metal, gates, platform, tenants, replica; and what other stacks read of it."""

from collections.abc import Mapping
from fnmatch import fnmatch

import pulumi

from components.arguments import Slice, slice_props
from components.facility import Hall, Rack, hall_name
from components.metal import build_metal
from components.network import Network, Switch
from components.outputs import site_outputs
from components.platform import Platform
from components.replication import Replica
from components.storage import FileSystem
from components.switches import PHASE as FABRIC_PHASE
from components.switches import Switches
from components.tenant import Tenant
from providers.kube.sdk import AdmissionGate, SetAside
from railyard.load import SiteConfig
from railyard.model.site import Waiver
from railyard.plan import Plan

PLATFORM_PHASE = "platform"


def site_props(config: SiteConfig, plan: Plan) -> dict[str, object]:
    """Slice of the Site resource: totals, ratios and the small plans that whole-site rules judge, never the whole plan."""
    always = {"fabric": plan.fabric, "cabling": plan.cabling, "hosts": plan.hosts, "scheduler": plan.scheduler}
    maybe = {"routing": plan.routing, "infiniband": plan.infiniband}
    nouns = {**always, "addresses": config.file.addresses, **{key: noun for key, noun in maybe.items() if noun}}
    return slice_props(plan.site, config.file.waivers, **{key: noun.props() for key, noun in nouns.items()})


class Site(Slice):
    """Root of a site's resources. Its slice holds totals and ratios only: what whole-site rules judge."""

    token = "railyard:site:Site"  # noqa: S105 - a Pulumi type token

    def __init__(self, config: SiteConfig, plan: Plan, peer_outputs: Mapping[str, object] | None) -> None:
        self.config, self.plan = config, plan
        props = site_props(config, plan)
        super().__init__(plan.site.site, props)
        self.own = pulumi.ResourceOptions(parent=self)
        for rack in plan.racks:
            Rack(rack, self._waivers(rack.name), self.own)
        Hall(plan, self._waivers(hall_name(plan)), self.own)
        self.switches = Switches(config.inventory.switches, plan, config.file.gates.fabric_percent, self.own)
        for switch in plan.switches:
            if switch.name not in self.switches.names:
                Switch(switch, self._waivers(switch.name), self.own)
        self.switches.configure(self._waivers)
        for network in plan.networks:
            Network(network, self._waivers(network.name), self.own)
        if plan.file_system:
            FileSystem(plan.file_system, self.own)
        self.facility_gates = build_metal(plan.site.site, config.file, plan.machines, self.own)
        self.switches.build_gates()
        self._platform()
        if plan.replica:
            Replica(plan.replica, config.file.peer, peer_outputs, self.own)
        self.register_outputs(self.props)

    def _waivers(self, name: str) -> list[Waiver]:
        return [waiver for waiver in self.config.file.waivers if fnmatch(name, waiver.where)]

    def _platform(self) -> None:
        tokens = [gate.token for gate in (*self.facility_gates.values(), *self.switches.gates.values())]
        plan = self.plan
        self.platform = Platform(plan.platform, tokens, plan.file_system, self.own)
        tenants = [
            Tenant(queue, self.platform, plan.file_system, self._waivers(queue.tenant), pulumi.ResourceOptions(parent=self))
            for queue in plan.queues
        ]
        aside = self._set_aside()
        self.admission_gate = self._admission_gate(tenants, aside) if tenants else None

    def _set_aside(self) -> SetAside:
        """Always there, also with nobody set aside: it is the update that lets a mended machine take jobs again.

        In front of the admission gate, whose probe must not land on such a node, and may need one that comes back.
        """
        platform = self.plan.platform
        return SetAside(
            f"{self.plan.site.site}-set-aside",
            kubeconfig_ref=platform.kubeconfig_ref,
            endpoint=platform.endpoint,
            ca_file=platform.ca_file,
            nodes={m.name: m.reason or "" for m in self.plan.machines if m.role == "gpu" and m.lifecycle != "active"},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[self.platform.cluster]),
        )

    def _admission_gate(self, tenants: list[Tenant], aside: SetAside) -> AdmissionGate:
        plan, gates = self.plan, self.config.file
        gpu_nodes = [machine for machine in plan.machines if machine.role == "gpu" and machine.lifecycle == "active"]
        probe = tenants[0].queue
        return AdmissionGate(
            f"{plan.site.site}-admission",
            kubeconfig_ref=plan.platform.kubeconfig_ref,
            endpoint=plan.platform.endpoint,
            ca_file=plan.platform.ca_file,
            namespace=probe.namespace,
            local_queue=probe.local_queue,
            gpu_resource=plan.platform.gpu_resource,
            gpus=gates.platform.probe_gpus,
            gpus_per_node=gpu_nodes[0].gpus if gpu_nodes else 0,
            topology_level="railyard.dev/rack",
            nodes={machine.name: machine.rack for machine in gpu_nodes},
            installations={machine.name: f"{machine.serial}/{machine.install_generation}" for machine in gpu_nodes},
            timeout_s=gates.gates.admission_timeout_s,
            phase=PLATFORM_PHASE,
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[aside, *(tenant.local_queue for tenant in tenants)],
            ),
        )

    def outputs(self) -> dict[str, object]:
        """What other teams' stacks read: the versioned contract of `railyard.model.outputs`, and the secret kubeconfig."""
        phases = [{"name": f"facility-{unit}", "digest": gate.digest} for unit, gate in self.facility_gates.items()]
        phases += [{"name": f"{FABRIC_PHASE}-{name}", "digest": gate.digest} for name, gate in self.switches.gates.items()]
        if self.admission_gate:
            phases.append({"name": PLATFORM_PHASE, "digest": self.admission_gate.digest})
        cluster = self.platform.cluster
        outputs = site_outputs(self.config, self.plan, phases, cluster.ca_sha256, self.switches.names)
        return outputs | {"kubeconfig": cluster.kubeconfig}
