"""The SDK classes: wire names of inputs and outputs, and the secret."""

import pulumi
from pulumi.runtime import mocks, settings

from providers.kube import sdk


class Engine(mocks.Mocks):
    def __init__(self):
        self.seen = {}

    def new_resource(self, args):
        self.seen[args.typ] = args.inputs
        extra = {"kubeconfig": "text", "caSha256": "ab", "serverVersion": "1.36.3", "token": "platform", "digest": "d"}
        return "id", {**args.inputs, **extra, "assigned": {"n": "r"}}

    def call(self, args):
        return {}


def test_names_on_the_wire_and_outputs():
    engine = Engine()
    mocks.set_mocks(engine, preview=False)
    got = {}

    @pulumi.runtime.test
    def run():
        cluster = sdk.Cluster(
            "c", endpoint="https://h:1", ca_file="ca", kubeconfig_ref="file:k", version="1.36.3", token="facility"
        )
        gate = sdk.AdmissionGate(
            "g", kubeconfig_ref="file:k", endpoint="https://h:1", ca_file="ca", namespace="n", local_queue="q", gpus=16,
            gpus_per_node=8, topology_level="railyard.dev/rack", nodes={"n": "r"}, timeout_s=5,
        )  # fmt: skip
        sdk.SetAside("s", kubeconfig_ref="file:k", endpoint="https://h:1", ca_file="ca", nodes={"n": "fan 3 is dead"})
        wanted = [cluster.kubeconfig, cluster.ca_sha256, cluster.server_version, gate.token, gate.digest, gate.assigned]
        secret = pulumi.Output.from_input(cluster.kubeconfig).is_secret()
        return pulumi.Output.all(*wanted, secret).apply(lambda values: got.update(values=values))

    run()
    assert got["values"][:6] == ["text", "ab", "1.36.3", "platform", "d", {"n": "r"}]
    names = {"endpoint", "caFile", "kubeconfigRef", "version", "token"}
    assert {key for key, value in engine.seen["kube:index:Cluster"].items() if value is not None} == names
    assert engine.seen["kube:index:SetAside"]["nodes"] == [{"name": "n", "reason": "fan 3 is dead"}]
    assert engine.seen["kube:index:AdmissionGate"]["phase"] == "platform"
    assert engine.seen["kube:index:AdmissionGate"]["gpusPerNode"] == 8
    settings.reset_options()
