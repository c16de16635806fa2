"""The admission gate against an API server that fails now and then, and beside other runs of the same gate."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from providers.kit import Cancel, Deadline
from providers.kit.log import EngineLog
from providers.kit.resource import Call
from providers.kube import probe, runs
from providers.kube.errors import KubeError, refused, unreachable
from providers.kube.gate import Run
from tests.unit.kube.test_kube_client import wanted

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
JOBS = "/apis/batch/v1/namespaces/research/jobs"


class Server:
    """A queue that admits after a while. `trouble`: how many calls fail first, and with what, by what is asked."""

    def __init__(self, **trouble):
        self.trouble = trouble
        self.jobs = []
        self.calls = []
        self.admit_after = 2

    def _maybe(self, what):
        self.calls.append(what)
        left = self.trouble.get(what)
        if left:
            raise left.pop(0)

    def get(self, path, **query):
        what = path.rpartition("/")[2]
        self._maybe("localqueue" if "localqueues" in path else "node" if "/nodes/" in path else what)
        if what == "jobs":
            key, _, value = query["labelSelector"].partition("=")
            return {"items": [job for job in self.jobs if job["metadata"]["labels"].get(key) == value]}
        if what == "workloads":
            self.admit_after -= 1
            met = {"type": "Admitted", "status": str(self.admit_after < 0)}
            return {"items": [{"status": {"conditions": [met]}}]}
        if what == "pods":
            return {"items": [{"spec": {"nodeName": f"n{index}"}} for index in range(2)]}
        return {"items": [], "metadata": {"labels": {"railyard.dev/rack": "r1"}}}

    def create(self, path, body):
        job = stored(body, f"probe-{len(self.jobs)}")
        self.jobs.append(job)
        self._maybe("create")
        return job

    def delete(self, path):
        name = path.rpartition("/")[2]
        self.jobs = [job for job in self.jobs if job["metadata"]["name"] != name]


def stored(body, name, age_s=0.0):
    made = (NOW - timedelta(seconds=age_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {**body, "metadata": {**body["metadata"], "name": name, "uid": name, "creationTimestamp": made}}


def run_on(server, limit_s=3.0):
    call = Call("urn", "gate", Cancel(), EngineLog(None))
    return Run(server, wanted(), "probe", call, Deadline(limit_s))


def away(count):
    return [unreachable("h", "connection refused") for _ in range(count)]


def other(age_s=0.0, run="otherhost-1-1-aa", status=None):
    job = stored(probe.job(wanted(), "probe", run), f"other-{age_s}-{run}-{status}", age_s)
    return {**job, "status": {"conditions": [{"type": status, "status": "True"}]} if status else {}}


@pytest.mark.parametrize("what", ["localqueue", "jobs", "create", "workloads", "pods", "node"])
def test_an_error_that_passes_does_not_fail_the_gate(what):
    server = Server(**{what: away(2)})
    run = run_on(server)
    run.queue()
    with run.job():
        assert run.admitted() == run.bound() == ""
        assert [node["name"] for node in run.assigned()] == ["n0", "n1"]
    assert server.jobs == []
    assert server.calls.count("create") == 1, "a creation that wasn't answered is looked for, not repeated"


def test_an_error_that_stays_is_told_at_the_deadline():
    run = run_on(Server(workloads=away(99)), limit_s=0.5)
    with pytest.raises(KubeError, match="KUBE-001"), run.job():
        run.admitted()
    assert run.deadline.passed()


@pytest.mark.parametrize(("what", "status"), [("workloads", 422), ("localqueue", 403), ("localqueue", 401)])
def test_waiting_does_not_help_against_a_final_error(what, status):
    server = Server(**{what: [refused("h", status, "no")]})
    run = run_on(server, limit_s=60)
    with pytest.raises(KubeError, match="KUBE-007"):
        whole(run)
    assert server.jobs == []


def whole(run):
    run.queue()
    with run.job():
        return run.admitted()


def test_a_server_that_restarts_may_refuse_for_a_moment():
    run = run_on(Server(workloads=[refused("h", 403, "forbidden")]))
    assert whole(run) == ""


def test_only_probes_that_nobody_waits_for_are_taken_away():
    mine = f"{runs._host()}-{os.getpid()}-{runs._started(os.getpid())}-bb"
    gone = f"{runs._host()}-{os.getpid()}-1-cc"
    server = Server()
    alive = [other(), other(run=mine), stored(probe.job(wanted(), "another-gate", gone), "x", 999)]
    server.jobs = [*alive, other(age_s=6), other(run=gone), other(status="Complete"), other(status="Failed", run="z-1-1-z")]
    run = run_on(server)
    with run.job():
        assert run.admitted() == ""
        assert len(server.jobs) == len(alive) + 1
    assert server.jobs == alive


def test_a_probe_becomes_too_old_while_we_wait():
    server = Server()
    server.jobs = [other(age_s=4)]
    server.admit_after = 10**6
    run = run_on(server, limit_s=4)
    with run.job():
        assert run.admitted()
        assert [job["metadata"]["labels"][probe.RUN] for job in server.jobs] == [run.id]


def test_a_run_id_fits_a_label_and_differs():
    first, second = runs.run_id(), runs.run_id()
    assert first != second
    assert len(first) <= 63
    assert first.replace("-", "").isalnum()


def test_of_a_host_without_proc_nothing_is_known(monkeypatch):
    monkeypatch.setattr(runs, "_host", lambda: "unknown")
    assert not runs.is_left_over(other(run="unknown-1-1-aa"), "probe", "me", NOW)
