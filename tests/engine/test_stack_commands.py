"""`make up STACK=…` for a site that is emulated and for one that isn't: which lab it starts, which stack file it uses."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.engine.plain import blocks
from tests.engine.yard import ROOT


@dataclass(frozen=True)
class Place:
    """The checkout with a lab folder and a state folder of our own."""

    folder: Path

    def run(self, *command: str, timeout: float = 240) -> subprocess.CompletedProcess[str]:
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("PULUMI_", "RAILYARD_", "KUBE"))}
        own = {"RAILYARD_LAB": str(self.folder / "lab"), "PULUMI_BACKEND_URL": f"file://{self.folder}/state"}
        done = subprocess.run(
            command, cwd=ROOT, env=keep | own, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
        return done

    def engine(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "engine", *arguments)

    def lab(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, "-m", "lab", *arguments)

    @property
    def instances(self) -> list[str]:
        return sorted(path.parent.name for path in (self.folder / "lab").glob("*/instance.json"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("place"))
    (place.folder / "state").mkdir()
    yield place
    place.lab("down", "--all")


@pytest.mark.requirement("X4")
def test_a_real_site_starts_no_lab_and_is_not_deployed_with_the_example_passphrase(place: Place):
    assert place.engine("stack-file", "prod-site-a").stdout.strip() == str(ROOT / "stacks/Pulumi.prod-site-a.yaml")
    up = place.engine("stack-up", "prod-site-a", "--", "--skip-preview")
    assert up.returncode == 2
    assert "SEC-001" in blocks(up.stderr)
    assert place.instances == []
    assert not list(place.folder.rglob("prod-site-a*")), "no stack is left behind"


@pytest.mark.requirement("U2")
def test_no_deployed_state_is_said_and_is_no_analysis(place: Place):
    done = place.engine("stack-policy", "starter")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no deployed state of starter: nothing analysed" in done.stdout
    assert "❌" not in done.stdout
    assert len(re.findall(r"railyard-(?:power|fabric|hardening)@", done.stdout)) >= 3


@pytest.mark.requirement("U6", "U2")
def test_an_emulated_site_gets_its_lab_and_the_stack_file_that_fits(place: Place):
    """lab-b lives in a lab folder of its own here, so that the committed stack file's paths don't fit."""
    up = place.engine("stack-up", "lab-b")
    assert up.returncode == 0, up.stdout + up.stderr
    assert place.instances == ["lab-b"], "its own lab, and no other"
    copy = place.folder / "lab/lab-b/Pulumi.lab-b.yaml"
    assert f"use --config-file {copy}" in up.stdout
    assert place.engine("stack-file", "lab-b").stdout.strip() == str(copy)
    again = place.run("make", "up", "STACK=lab-b", "ARGS=--expect-no-changes")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "lab-b: is up" in again.stdout
    assert again.stdout.rstrip().endswith("out/lab-b/report.html")
    network = json.loads((place.folder / "lab/lab-b/instance.json").read_text())["network"]
    assert f"{network}.1.1" in (ROOT / "out/lab-b/report.html").read_text(), "the report is of the lab that runs"
    assert place.engine("stack-preview", "lab-b", "--", "--expect-no-changes").returncode == 0

    policy = place.engine("stack-policy", "lab-b")
    assert policy.returncode == 0, policy.stdout + policy.stderr
    _, _, analysed = policy.stdout.partition("the deployed state of lab-b:")
    assert analysed, policy.stdout
    assert "❌" not in policy.stdout


def test_the_copy_follows_its_source_while_nothing_is_started(place: Place, tmp_path: Path):
    """After an edit of the committed file, a preview that starts no lab still reads what was edited."""
    copy = place.folder / "lab/lab-b/Pulumi.lab-b.yaml"
    copy.write_text("config: {}\n")
    instance = place.folder / "lab/lab-b/instance.json"
    picked = json.loads(instance.read_text())
    instance.write_text(json.dumps(picked | {"source_digest": "of an older source"}))
    assert place.engine("stack-file", "lab-b").stdout.strip() == str(copy)
    assert "railyard:compute" in copy.read_text()
