"""The probe Job of the admission gate: what is asked of Kueue, and the words for why it wasn't given."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
TOPOLOGY_ANNOTATION = "kueue.x-k8s.io/podset-required-topology"
OURS = "railyard.dev/probe"
RUN = "railyard.dev/probe-run"
IMAGE = "registry.k8s.io/pause:3.10"
KEEP_S = 60  # a probe that a killed run left behind gives its quota back after timeoutS + this


class Inputs(BaseModel):
    """What to try. `nodes`: planned machine -> rack. `tokens`: outputs of earlier phases, only there for the order.

    `installations`: machine -> serial/generation of its operating system; one that is new is proven again.
    """

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True, frozen=True)

    kubeconfig_ref: Annotated[str, Field(pattern=r"^(file|env):.+")]
    endpoint: Annotated[str, Field(pattern=r"^https://[^/\s]+/?$")]
    ca_file: Annotated[str, Field(min_length=1)]
    namespace: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
    local_queue: Annotated[str, Field(min_length=1, max_length=253)]
    gpus: Annotated[int, Field(ge=1, le=1_000_000)]
    gpus_per_node: Annotated[int, Field(ge=1, le=72)]
    topology_level: Annotated[str, Field(min_length=1)]
    nodes: dict[str, str]
    installations: dict[str, str] = {}
    timeout_s: Annotated[float, Field(gt=0, le=86_400)]
    phase: Annotated[str, Field(min_length=1)]
    gpu_resource: Annotated[str, Field(min_length=1)] = "nvidia.com/gpu"
    image: Annotated[str, Field(min_length=1)] = IMAGE
    tokens: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _whole_nodes(self) -> Inputs:
        if self.gpus % self.gpus_per_node:
            raise ValueError(
                f"gpus {self.gpus} is no multiple of gpusPerNode {self.gpus_per_node}: the probe takes whole nodes"
            )
        return self

    @property
    def pods(self) -> int:
        return self.gpus // self.gpus_per_node


def identity(urn: str) -> str:
    """The probe's name without its suffix, and its label: the same for each run of one gate."""
    return f"railyard-probe-{hashlib.sha256(urn.encode()).hexdigest()[:10]}"


def job(inputs: Inputs, name: str, run: str) -> dict[str, Any]:
    """The Job, suspended (Kueue starts it). It asks for whole nodes and complies with Pod Security `restricted`.

    The API server adds a suffix to the name: while a deleted Job's Workload is there, Kueue 0.17
    makes none for a new Job of that name.
    """
    labels = {QUEUE_LABEL: inputs.local_queue, OURS: name, RUN: run}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"generateName": f"{name}-", "namespace": inputs.namespace, "labels": labels},
        "spec": {
            "suspend": True,
            "parallelism": inputs.pods,
            "completions": inputs.pods,
            "completionMode": "Indexed",
            "backoffLimit": 0,
            "activeDeadlineSeconds": int(inputs.timeout_s) + KEEP_S,
            "ttlSecondsAfterFinished": int(inputs.timeout_s) + KEEP_S,
            "template": {
                "metadata": {"annotations": {TOPOLOGY_ANNOTATION: inputs.topology_level}, "labels": {OURS: name}},
                "spec": _pod(inputs),
            },
        },
    }


def _pod(inputs: Inputs) -> dict[str, Any]:
    # cpu and memory stand in every tenant's ResourceQuota, which refuses pods that don't say how much they want.
    resources = {"cpu": "1", "memory": "1Gi", inputs.gpu_resource: str(inputs.gpus_per_node)}
    container = {
        "name": "probe",
        "image": inputs.image,
        "resources": {"requests": resources, "limits": resources},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    return {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 0,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65534, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
    }


def condition(item: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """The condition of that type, or an empty mapping."""
    listed = (item.get("status") or {}).get("conditions") or ()
    return next((c for c in listed if c.get("type") == kind), {})


def holds(item: Mapping[str, Any], kind: str) -> bool:
    return condition(item, kind).get("status") == "True"


def why_waiting(workload: Mapping[str, Any] | None, queue: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> str:
    """Why the probe is not admitted (yet): the Workload's own reason, else the queue's, else the Job's last warning."""
    if workload is not None:
        for kind in ("Evicted", "QuotaReserved", "Admitted"):
            found = condition(workload, kind)
            if found.get("message") and (found.get("status") == "False") == (kind != "Evicted"):
                return str(found["message"])
    active = condition(queue, "Active")
    if active.get("status") == "False":
        return f"the LocalQueue is not active: {active.get('message') or active.get('reason')}"
    last = _last(events)
    if last:
        return last
    return (
        "no answer from Kueue: the Workload was never made" if workload is None else "Kueue has not looked at the Workload yet"
    )


def why_unbound(pods: Iterable[Mapping[str, Any]], events: Iterable[Mapping[str, Any]], wanted: int) -> str:
    """Why an admitted probe's pods have no node: the scheduler's reason, else the Job's last warning."""
    listed = list(pods)
    for pod in listed:
        found = condition(pod, "PodScheduled")
        if found.get("status") == "False":
            return f"admitted, but pod {pod['metadata']['name']} has no node: {found.get('message') or found.get('reason')}"
    return f"admitted, but {len(listed)} of {wanted} pods exist: {_last(events) or 'no reason given'}"


def _last(events: Iterable[Mapping[str, Any]]) -> str:
    """The message of the newest warning."""
    warnings = [event for event in events if event.get("type") == "Warning" and event.get("message")]
    newest = max(warnings, key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""), default=None)
    return str(newest["message"])[:400] if newest else ""
