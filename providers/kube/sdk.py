"""Resources of the kube provider for a Pulumi program. Imports pulumi and nothing of the provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pulumi

Text = pulumi.Input[str]


class Cluster(pulumi.CustomResource):
    """The Kubernetes API server that the plan names: waited for, compared, never made.

    `kubeconfig` is a secret and changes only with the file behind `kubeconfig_ref`. `token`: outputs of the gates before it.
    """

    kubeconfig: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        *,
        endpoint: Text,
        ca_file: Text,
        kubeconfig_ref: Text,
        version: Text,
        token: pulumi.Input[str] | Sequence[pulumi.Input[str]] | None = None,
        timeout_s: pulumi.Input[float] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = {
            "endpoint": endpoint,
            "caFile": ca_file,
            "kubeconfigRef": kubeconfig_ref,
            "version": version,
            "token": token,
            "timeoutS": timeout_s,
            "kubeconfig": None,
            "caSha256": None,
            "serverVersion": None,
        }
        hidden = pulumi.ResourceOptions(additional_secret_outputs=["kubeconfig"])
        super().__init__("kube:index:Cluster", name, props, pulumi.ResourceOptions.merge(opts, hidden))

    @property
    def ca_sha256(self) -> pulumi.Output[str]:
        """SHA-256 (hex) of the CA's certificate."""
        return self.__dict__["caSha256"]

    @property
    def server_version(self) -> pulumi.Output[str]:
        """Version of the API server, e.g. 1.36.3."""
        return self.__dict__["serverVersion"]


class SetAside(pulumi.CustomResource):
    """Nodes of machines that are set aside, name to reason: they take no new jobs until they leave the list.

    A node that hasn't joined is no error; the next run looks again.
    """

    cordoned: pulumi.Output[Sequence[str]]
    absent: pulumi.Output[Sequence[str]]

    def __init__(
        self,
        name: str,
        *,
        kubeconfig_ref: Text,
        endpoint: Text,
        ca_file: Text,
        nodes: Mapping[str, str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = {
            "kubeconfigRef": kubeconfig_ref,
            "endpoint": endpoint,
            "caFile": ca_file,
            "nodes": [{"name": node, "reason": reason} for node, reason in nodes.items()],
            "cordoned": None,
            "absent": None,
        }
        super().__init__("kube:index:SetAside", name, props, opts)


class AdmissionGate(pulumi.CustomResource):
    """Passes when a probe Job of `gpus` GPUs was admitted onto planned nodes of one domain of `topology_level`.

    `token` is the phase's name, known in preview; `digest` is of the evidence, for people; `assigned` maps node to domain.
    """

    token: pulumi.Output[str]
    digest: pulumi.Output[str]
    assigned: pulumi.Output[Mapping[str, str]]

    def __init__(
        self,
        name: str,
        *,
        kubeconfig_ref: Text,
        endpoint: Text,
        ca_file: Text,
        namespace: Text,
        local_queue: Text,
        gpus: pulumi.Input[int],
        gpus_per_node: pulumi.Input[int],
        topology_level: Text,
        nodes: pulumi.Input[Mapping[str, str]],
        installations: Mapping[str, str] | None = None,
        timeout_s: pulumi.Input[float],
        phase: str = "platform",
        tokens: Sequence[pulumi.Input[str]] | None = None,
        gpu_resource: str | None = None,
        image: str | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props = {
            "kubeconfigRef": kubeconfig_ref,
            "endpoint": endpoint,
            "caFile": ca_file,
            "namespace": namespace,
            "localQueue": local_queue,
            "gpus": gpus,
            "gpusPerNode": gpus_per_node,
            "topologyLevel": topology_level,
            "nodes": nodes,
            "installations": installations,
            "timeoutS": timeout_s,
            "phase": phase,
            "tokens": tokens,
            "gpuResource": gpu_resource,
            "image": image,
            "token": None,
            "digest": None,
            "assigned": None,
        }
        super().__init__("kube:index:AdmissionGate", name, props, opts)
