"""Writes down what the program registers: type, name, parent, provider plugin and property values of every resource.

python -m bench.record CONFIG_FILE STACK OUT    # OUT: JSON list, parents before their children

In preview, over a monitor of the SDK's own mocks, in a process of its own (the SDK keeps its monitor for ever).
"""

import json
import sys
from pathlib import Path
from typing import Any

import pulumi
from google.protobuf.json_format import MessageToDict
from pulumi.runtime.mocks import MockMonitor

from components.site import Site
from engine.paths import ROOT
from railyard import load, plan

CONSTANTS = {
    "metal:index:Machine": "machine",
    "metal:index:Installation": "installed",
    "metal:index:FacilityGate": "facility",
    "kube:index:AdmissionGate": "platform",
}
"""Tokens that previews know (architecture.md, rule 15)."""
UNKNOWN = {"kubeconfig", "caSha256", "digest"}


class Answers(pulumi.runtime.Mocks):
    """What the providers answer in preview."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        hidden = dict.fromkeys(UNKNOWN, pulumi.runtime.rpc.UNKNOWN) if args.typ.startswith(("metal:", "kube:")) else {}
        token = {"token": CONSTANTS[args.typ]} if args.typ in CONSTANTS else {}
        return args.name, {**args.inputs, **hidden, **token}

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, Any]:  # noqa: ARG002
        return {}


class Recorder(MockMonitor):
    """Keeps the requests as the engine would have got them."""

    def __init__(self, mocks: pulumi.runtime.Mocks) -> None:
        super().__init__(mocks)
        self.rows: dict[str, dict[str, Any]] = {}

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802
        answer = super().RegisterResource(request)
        if request.type != "pulumi:pulumi:Stack":
            self.rows[answer.urn] = {
                "type": request.type,
                "name": request.name,
                "custom": request.custom,
                "parent": request.parent,
                "provider": request.provider.rpartition("::")[0],
                "version": request.version,
                "props": MessageToDict(request.object),
                "outputs": False,
            }
        return answer

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802
        row = self.rows.get(request.urn)
        if row is not None:
            row["outputs"] = True
            if MessageToDict(request.outputs) != row["props"]:
                raise ValueError(f"{request.urn}: outputs differ from inputs; the bare program can't repeat that")
        return super().RegisterResourceOutputs(request)


def record(config: load.SiteConfig) -> list[dict[str, Any]]:
    """The registrations of a site in preview, in their order; parents and providers as positions in the list."""
    mocks = Answers()
    monitor = Recorder(mocks)
    pulumi.runtime.set_mocks(mocks, project="railyard", stack=config.stack, preview=True, monitor=monitor)

    @pulumi.runtime.test
    def program() -> None:
        Site(config, plan.plan(config), None)

    program()
    place = {urn: index for index, urn in enumerate(monitor.rows)}
    return [row | {"parent": place.get(row["parent"]), "provider": place.get(row["provider"])} for row in monitor.rows.values()]


def main() -> None:
    """Reads the stack file and writes the record."""
    config_file, stack, out = sys.argv[1:]
    rows = record(load.site_config(ROOT, stack, config_file=Path(config_file)))
    Path(out).write_text(json.dumps(rows, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
