"""`kube:index:AdmissionGate`: a Job of its own goes through the real queue; where it lands is compared with the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from pydantic import BaseModel

from providers.kit.cancel import Deadline
from providers.kit.errors import FindingLike
from providers.kit.gate import Gate
from providers.kit.lifetime import mutation
from providers.kit.resource import Call, Properties
from providers.kube import probe
from providers.kube.client import Client, Object
from providers.kube.cluster import connect
from providers.kube.errors import KubeError, NotFoundError, no_queue
from railyard.rules.gates import check_admission

PERIOD_S = 0.2
TRIES = 3
LABELS = "railyard.dev/"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"


class AdmissionGate(Gate):
    """Outputs besides token and digest: `assigned`, node -> its label at `topologyLevel`."""

    inputs_model: ClassVar[type[BaseModel] | None] = probe.Inputs
    fact_names = ("assigned",)

    def measure(self, inputs: Properties, call: Call) -> Properties:
        """One probe. Evidence as `railyard.rules.gates` wants it. Raises KubeError where nothing could be measured."""
        wanted = probe.Inputs.model_validate(inputs)
        deadline = call.deadline(wanted.timeout_s)
        client, _ = connect(wanted.endpoint, wanted.ca_file, wanted.kubeconfig_ref, call.name)
        run = _Run(client, wanted, probe.identity(call.urn), call)
        run.queue()
        with run.job():
            message = run.admitted(deadline) or run.bound(deadline)
            assigned = [] if message else run.assigned()
        evidence = {
            "job": f"{wanted.namespace}/{run.name}",
            "admitted": not message,
            "gpus": wanted.gpus,
            "gpusPerNode": wanted.gpus_per_node,
            "topologyLevel": wanted.topology_level,
            "planned": wanted.nodes,
            "assigned": assigned,
        }
        return {**evidence, "message": message} if message else evidence

    def judge(self, inputs: Properties, evidence: Properties) -> Sequence[FindingLike]:  # noqa: ARG002
        return check_admission(evidence)

    def facts(self, inputs: Properties, evidence: Properties) -> Properties:
        level = inputs["topologyLevel"]
        return {"assigned": {node["name"]: node["labels"].get(level, "") for node in evidence["assigned"]}}


class _Run:
    """One probe's way through the queue."""

    def __init__(self, client: Client, wanted: probe.Inputs, name: str, call: Call) -> None:
        self.client = client
        self.wanted = wanted
        self.name = name
        self.call = call
        self.uid = ""
        self.job_name = ""
        self.jobs = f"/apis/batch/v1/namespaces/{wanted.namespace}/jobs"

    def queue(self) -> Object:
        """The LocalQueue. Raises KubeError KUBE-020 if it isn't there: nothing would ever look at the probe."""
        namespace, name = self.wanted.namespace, self.wanted.local_queue
        try:
            return self.client.get(f"{KUEUE}/namespaces/{namespace}/localqueues/{name}")
        except NotFoundError:
            raise no_queue(f"{namespace}/{name}") from None

    @contextmanager
    def job(self) -> Iterator[None]:
        """The probe Job exists inside this block and is deleted on every way out, also when the run is cancelled.

        A probe that a killed run left behind goes first, so that its quota and its nodes come back.
        """
        with mutation():  # the process ends only after the Job is gone
            self._delete()
            try:
                made = self.client.create(self.jobs, probe.job(self.wanted, self.name))
                self.uid, self.job_name = str(made["metadata"]["uid"]), str(made["metadata"]["name"])
                yield
            finally:
                self._remove()

    def admitted(self, deadline: Deadline) -> str:
        """Waits for admission; "" when admitted, else the reason at the deadline."""
        while True:
            workload = self._workload()
            if workload is not None and probe.holds(workload, "Admitted"):
                return ""
            if deadline.passed():
                return probe.why_waiting(workload, self.queue(), self._events())
            self.call.cancel.wait(min(PERIOD_S, deadline.left()), self.call.name)

    def bound(self, deadline: Deadline) -> str:
        """Waits until the scheduler has given every pod a node; "" when it has, else the reason at the deadline."""
        while True:
            pods = self._pods()
            if sum(1 for pod in pods if pod["spec"].get("nodeName")) >= self.wanted.pods:
                return ""
            if deadline.passed():
                return probe.why_unbound(pods, self._events(), self.wanted.pods)
            self.call.cancel.wait(min(PERIOD_S, deadline.left()), self.call.name)

    def assigned(self) -> list[Object]:
        """The nodes of the pods with their labels (ours and the level's), by name."""
        names = sorted({str(pod["spec"]["nodeName"]) for pod in self._pods() if pod["spec"].get("nodeName")})
        return [{"name": name, "labels": self._labels(name)} for name in names]

    def _labels(self, node: str) -> dict[str, str]:
        labels = self.client.get(f"/api/v1/nodes/{node}")["metadata"].get("labels") or {}
        return {
            key: value for key, value in sorted(labels.items()) if key.startswith(LABELS) or key == self.wanted.topology_level
        }

    def _workload(self) -> Object | None:
        path = f"{KUEUE}/namespaces/{self.wanted.namespace}/workloads"
        found = self.client.get(path, labelSelector=f"kueue.x-k8s.io/job-uid={self.uid}")["items"]
        return found[0] if found else None

    def _pods(self) -> list[Object]:
        path = f"/api/v1/namespaces/{self.wanted.namespace}/pods"
        return list(self.client.get(path, labelSelector=f"batch.kubernetes.io/job-name={self.job_name}")["items"])

    def _events(self) -> list[Object]:
        path = f"/api/v1/namespaces/{self.wanted.namespace}/events"
        return list(self.client.get(path, fieldSelector=f"involvedObject.uid={self.uid}")["items"])

    def _delete(self) -> None:
        """Deletes every probe of this gate: found by label, also one whose creation was never answered."""
        for job in self.client.get(self.jobs, labelSelector=f"{probe.OURS}={self.name}")["items"]:
            self.client.delete(f"{self.jobs}/{job['metadata']['name']}")

    def _remove(self) -> None:
        """Trouble here is a warning, because what was measured stays true."""
        error: Any = None
        for _ in range(TRIES):
            try:
                self._delete()
            except KubeError as caught:
                error = caught
            else:
                return
        command = f"kubectl -n {self.wanted.namespace} delete job -l {probe.OURS}={self.name}"
        self.call.warning(f"the probe Job could not be deleted and holds quota until it ends by itself: {command}\n{error}")
