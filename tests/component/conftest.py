"""The program's components over Pulumi's own mocks, with a fresh monitor per test, in preview and in update."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
import pytest
from google.protobuf.json_format import MessageToDict
from pulumi.runtime.mocks import MockMonitor

from components.site import Site
from railyard import load, plan

ROOT = Path(__file__).resolve().parents[2]
FACTS: dict[str, dict[str, Any]] = {
    "metal:index:Machine": {"token": "machine"},
    "metal:index:Installation": {"token": "installed"},
    "metal:index:FacilityGate": {"token": "facility", "digest": "0" * 64},
    "fabric:index:SwitchConfig": {"token": "fabric", "applied": "a1"},
    "fabric:index:FabricGate": {"token": "fabric", "digest": "3" * 64, "sessions": 256, "missing": []},
    "kube:index:Cluster": {"kubeconfig": "a kubeconfig", "caSha256": "1" * 64},
    "kube:index:AdmissionGate": {"token": "platform", "digest": "2" * 64},
}
KNOWN_IN_PREVIEW = {"token"}


class Answers(pulumi.runtime.Mocks):
    """What a provider would answer: constants where preview knows them, made-up facts elsewhere."""

    def __init__(self, preview: bool) -> None:
        self.preview = preview

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        facts = FACTS.get(args.typ, {})
        unknown = {name: pulumi.runtime.rpc.UNKNOWN for name in facts if self.preview and name not in KNOWN_IN_PREVIEW}
        return args.name, {**args.inputs, **facts, **unknown}

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class Registered:
    """One registration, as the engine would have got it."""

    name: str
    kind: str
    parent: str
    custom: bool
    provider: str
    props: dict[str, Any]
    dependencies: tuple[str, ...]


class RecordingMonitor(MockMonitor):
    """A monitor that remembers requests, not only results."""

    def __init__(self, mocks: pulumi.runtime.Mocks) -> None:
        super().__init__(mocks)
        self.registered: list[Registered] = []
        self.outputs: dict[str, dict[str, Any]] = {}

    def RegisterResource(self, request: Any) -> Any:
        if request.type != "pulumi:pulumi:Stack":
            self.registered.append(
                Registered(
                    name=request.name,
                    kind=request.type,
                    parent=request.parent.rpartition("::")[2],
                    custom=request.custom,
                    provider=request.provider,
                    props=MessageToDict(request.object),
                    dependencies=tuple(urn.rpartition("::")[2] for urn in request.dependencies),
                )
            )
        return super().RegisterResource(request)

    def RegisterResourceOutputs(self, request: Any) -> Any:
        self.outputs[request.urn.rpartition("::")[2]] = MessageToDict(request.outputs)
        return super().RegisterResourceOutputs(request)

    def of(self, kind: str) -> dict[str, Registered]:
        return {resource.name: resource for resource in self.registered if resource.kind == kind}

    def count(self) -> Counter[str]:
        return Counter(resource.kind for resource in self.registered)


@pytest.fixture(params=[False, True], ids=["update", "preview"])
def register(request: pytest.FixtureRequest):
    """Register a stack's site: `register("lab")`, or with the outputs of its peer."""

    def run(stack: str, peer_outputs: dict[str, Any] | None = None) -> RecordingMonitor:
        mocks = Answers(request.param)
        monitor = RecordingMonitor(mocks)
        pulumi.runtime.set_mocks(mocks, project="railyard", stack=stack, preview=request.param, monitor=monitor)
        config = load.site_config(ROOT, stack)

        @pulumi.runtime.test
        def program() -> None:
            site = Site(config, plan.plan(config), peer_outputs)
            for name, value in site.outputs().items():
                pulumi.export(name, value)

        program()
        return monitor

    return run
