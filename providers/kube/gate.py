"""`kube:index:AdmissionGate`: a Job of its own goes through the real queue; where it lands is compared with the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel

from providers.kit.cancel import Deadline
from providers.kit.errors import FindingLike
from providers.kit.gate import Gate
from providers.kit.lifetime import mutation
from providers.kit.resource import Call, Properties
from providers.kube import probe, runs
from providers.kube.client import Client, Object
from providers.kube.cluster import connect
from providers.kube.errors import KubeError, NotFoundError, no_queue
from railyard.rules.gates import check_admission

PERIOD_S = 0.2
STALE_PERIOD_S = 2.0
LAST_LOOK_S = 10.0
TRIES = 3
LABELS = "railyard.dev/"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"

_T = TypeVar("_T")


class AdmissionGate(Gate):
    """Outputs besides token and digest: `assigned`, node -> its label at `topologyLevel`."""

    inputs_model: ClassVar[type[BaseModel] | None] = probe.Inputs
    fact_names = ("assigned",)

    def measure(self, inputs: Properties, call: Call) -> Properties:
        """One probe. Evidence as `railyard.rules.gates` wants it. Raises KubeError where nothing could be measured."""
        wanted = probe.Inputs.model_validate(inputs)
        deadline = call.deadline(wanted.timeout_s)
        client, _ = connect(wanted.endpoint, wanted.ca_file, wanted.kubeconfig_ref, call.name)
        run = Run(client, wanted, probe.identity(call.urn), call, deadline)
        run.queue()
        with run.job():
            message = run.admitted() or run.bound()
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


class Run:
    """One probe's way through the queue. An error that may pass (`final` false) counts only if it is still there at the end."""

    def __init__(self, client: Client, wanted: probe.Inputs, name: str, call: Call, deadline: Deadline) -> None:
        self.client = client
        self.wanted = wanted
        self.name = name
        self.call = call
        self.deadline = deadline
        self.id = runs.run_id()
        self.uid = ""
        self.job_name = ""
        self.jobs = f"/apis/batch/v1/namespaces/{wanted.namespace}/jobs"
        self._began = (datetime.now(UTC), deadline)
        self._next_sweep = Deadline(0)
        self._was_let_in = False

    def queue(self) -> Object:
        """The LocalQueue. Raises KubeError KUBE-020 if it isn't there: nothing would ever look at the probe."""
        return self._until(self._queue, self.deadline) or {}

    @contextmanager
    def job(self) -> Iterator[None]:
        """The probe Job exists inside this block and is deleted on every way out, also when the run is cancelled.

        Other runs' probes stay, because two runs may be at work; one that nobody waits for goes, so that its quota comes back.
        """
        with mutation():  # the process ends only after the Job is gone
            try:
                made = self._until(self._make, self.deadline) or {}
                self.uid, self.job_name = str(made["metadata"]["uid"]), str(made["metadata"]["name"])
                self._began = (runs.created(made), Deadline(self.deadline.left()))
                yield
            finally:
                self._remove()

    def admitted(self) -> str:
        """Waits for admission; "" when admitted, else the reason at the deadline."""
        if self._until(self._is_admitted, self.deadline):
            return ""
        return probe.why_waiting(self._workload(), self._queue(), self._events())

    def bound(self) -> str:
        """Waits until the scheduler has given every pod a node; "" when it has, else the reason at the deadline."""
        if self._until(self._is_bound, self.deadline):
            return ""
        return probe.why_unbound(self._pods(), self._events(), self.wanted.pods)

    def assigned(self) -> list[Object]:
        """The nodes of the pods with their labels (ours and the level's), by name."""
        return self._until(self._assigned, Deadline(max(LAST_LOOK_S, self.deadline.left()))) or []

    def _until(self, look: Callable[[], _T | None], deadline: Deadline) -> _T | None:
        """What `look` finds, None at the deadline; if it couldn't even look by then, its error is raised."""
        while True:
            found, trouble = None, None
            try:
                found = look()
                self._was_let_in = True
            except KubeError as error:
                if error.final and not self._may_pass(error):
                    raise
                trouble = error
            if found:
                return found
            if deadline.passed():
                if trouble:
                    raise trouble
                return None
            self.call.cancel.wait(min(PERIOD_S, deadline.left()), self.call.name)

    def _may_pass(self, error: KubeError) -> bool:
        """A server that restarts refuses everybody until it knows its roles again (seen: 403 for a second)."""
        return self._was_let_in and error.status in {401, 403}

    # --- one look each

    def _queue(self) -> Object:
        namespace, name = self.wanted.namespace, self.wanted.local_queue
        try:
            return self.client.get(f"{KUEUE}/namespaces/{namespace}/localqueues/{name}")
        except NotFoundError:
            raise no_queue(f"{namespace}/{name}") from None

    def _make(self) -> Object:
        """Our Job: found by our id where a creation was never answered, else made."""
        made = self._listed(f"{probe.RUN}={self.id}")
        return made[0] if made else self.client.create(self.jobs, probe.job(self.wanted, self.name, self.id))

    def _is_admitted(self) -> bool:
        self._sweep()
        workload = self._workload()
        return workload is not None and probe.holds(workload, "Admitted")

    def _is_bound(self) -> bool:
        return sum(1 for pod in self._pods() if pod["spec"].get("nodeName")) >= self.wanted.pods

    def _assigned(self) -> list[Object]:
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

    def _listed(self, selector: str) -> list[Object]:
        return list(self.client.get(self.jobs, labelSelector=selector)["items"])

    # --- taking away

    def _sweep(self) -> None:
        """Takes away what other runs of this gate left behind; looked at again while we wait, since age comes with time."""
        if not self._next_sweep.passed():
            return
        self._next_sweep = Deadline(STALE_PERIOD_S)
        for job in self._listed(f"{probe.OURS}={self.name}"):
            if runs.is_left_over(job, self.name, self.id, self._now()):
                self._delete(job)

    def _now(self) -> datetime:
        """The API server's clock, by our own Job and the time since: clocks of hosts differ."""
        made, since = self._began
        return made + timedelta(seconds=since.limit_s - since.left())

    def _delete(self, job: Object) -> None:
        self.client.delete(f"{self.jobs}/{job['metadata']['name']}")

    def _remove(self) -> None:
        """Our own probe, also one whose creation was never answered. Trouble is a warning: what was measured stays true."""
        error: Any = None
        for _ in range(TRIES):
            try:
                for job in self._listed(f"{probe.RUN}={self.id}"):
                    self._delete(job)
            except KubeError as caught:
                error = caught
            else:
                return
        command = f"kubectl -n {self.wanted.namespace} delete job -l {probe.RUN}={self.id}"
        self.call.warning(f"the probe Job could not be deleted and holds quota until it ends by itself: {command}\n{error}")
