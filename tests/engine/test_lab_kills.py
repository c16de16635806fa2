"""Runs that end in the middle: Ctrl-C and kill -9 while machines install. `make up` then ends where an undisturbed run does."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.engine.yard import QUICK, Yard

INSTALL_S = "2"
CTRL_C_S = 5.0
VOLATILE = {"hostKeyFingerprint", "journalId"}  # a machine makes its host key anew, and a new lab its journal
# What the API server and the plugin make up anew for each object.
KUBERNETES = {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "finalizers", "status"}
KUBERNETES |= {"__fieldManager"}


@dataclass(frozen=True)
class Reference:
    """What an undisturbed run leaves: resources by URN, outputs, one wipe per serial."""

    resources: dict[str, Any]
    outputs: dict[str, Any]


@pytest.fixture(scope="module")
def yard(open_lab) -> Yard:
    """Two machines that take 2 s to install. The probe asks for both, so that it can't land on another one next time."""
    yard = open_lab("--install-s", INSTALL_S, stack="lab-b")
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:platform"]["probeGpus"] = 16
    return yard


@pytest.fixture(scope="module")
def reference(yard: Yard) -> Reference:
    yard.make_up(QUICK)
    return Reference(resources(yard), yard.outputs())


@pytest.fixture
def again(yard: Yard, reference: Reference) -> Yard:
    """The same addresses and secrets, and nothing installed or deployed."""
    yard.renew()
    return yard


def resources(yard: Yard) -> dict[str, Any]:
    """Inputs and outputs by URN, in clear text, without what an API server or a machine makes up anew each time."""
    command = ("stack", "export", "--show-secrets", "--stack", yard.stack)
    state = json.loads(yard.pulumi(*command, check=True).stdout)["deployment"]["resources"]
    assert len({resource["urn"] for resource in state}) == len(state), "no URN twice"
    return {resource["urn"]: kept(resource) for resource in state}


def kept(resource: dict[str, Any]) -> Any:
    volatile = VOLATILE | KUBERNETES if resource["type"].startswith("kubernetes:") else VOLATILE
    return {part: without(resource.get(part), volatile) for part in ("inputs", "outputs")}


def without(value: Any, keys: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: without(item, keys) for key, item in value.items() if key not in keys}
    return [without(item, keys) for item in value] if isinstance(value, list) else value


def wait_until_installing(yard: Yard, run: subprocess.Popen[str]) -> None:
    """Returns when a disk is being wiped and nothing is finished on it yet."""
    limit = time.monotonic() + 90
    while not yard.installs() - yard.installed():
        assert run.poll() is None, run.stdout.read()
        assert time.monotonic() < limit, "no machine began to install"
        time.sleep(0.02)


def only(yard: Yard, word: str) -> int:
    pids = [pid for pid, command in yard.engine_processes().items() if word in command]
    assert len(pids) == 1, yard.engine_processes()
    return pids[0]


def ctrl_c(yard: Yard, run: subprocess.Popen[str]) -> None:
    run.send_signal(signal.SIGINT)
    run.wait(CTRL_C_S)


def kill_engine(yard: Yard, run: subprocess.Popen[str]) -> None:
    run.kill()


def kill_provider(yard: Yard, run: subprocess.Popen[str]) -> None:
    os.kill(only(yard, "-m providers.metal"), signal.SIGKILL)


def kill_all(yard: Yard, run: subprocess.Popen[str]) -> None:
    """The engine starts its plugins in process groups of their own: all of them, as `docker kill` would."""
    for pid in yard.engine_processes():
        os.kill(pid, signal.SIGKILL)


INTERRUPTIONS: Mapping[str, Callable[[Yard, subprocess.Popen[str]], None]] = {
    "ctrl-c": ctrl_c,
    "kill-engine": kill_engine,
    "kill-provider": kill_provider,
    "kill-all": kill_all,
}


@pytest.mark.requirement("U7", "C6")
@pytest.mark.parametrize("checkpoints", ["checkpoints", "no-checkpoints"])
@pytest.mark.parametrize("interruption", INTERRUPTIONS)
def test_an_interrupted_run_is_finished_by_the_next(again: Yard, reference: Reference, interruption: str, checkpoints: str):
    environment = {"PULUMI_SKIP_CHECKPOINTS": "true"} if checkpoints == "no-checkpoints" else {}
    arguments = (QUICK,) if environment else ()  # the others show first what they are going to do, as `make up` does
    run = again.start_up(**environment)
    wait_until_installing(again, run)
    INTERRUPTIONS[interruption](again, run)
    said, _ = run.communicate(timeout=60)
    assert run.returncode != 0
    assert "Traceback" not in said

    recovery = again.make_up(*arguments, **environment).stdout
    killed = interruption in ("kill-engine", "kill-all")
    assert ("removed the lock" in recovery) == killed
    assert ("a killed run left" in recovery) == (killed and not environment), "open operations are recorded at checkpoints"
    assert again.pending() == []
    assert again.engine_processes() == {}
    assert resources(again) == reference.resources
    assert again.outputs() == reference.outputs
    serials = [machine["serial"] for machine in YAML().load(again.inventory_file.read_text())["machines"]]
    assert again.installs() == dict.fromkeys(serials, 1)
    assert again.installed() == dict.fromkeys(serials, 1)
    again.up("--expect-no-changes", **environment)
