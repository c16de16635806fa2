"""examples/consumer against a site's outputs as another program exports them: what it says where a site isn't ready for it."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.yard import HOME, ROOT

CONSUMER = ROOT / "examples/consumer"
OUTPUTS: dict[str, object] = {
    "contractVersion": 1,
    "phases": [{"name": "platform", "digest": "0" * 64}],
    "queues": [{"tenant": "production", "localQueue": "production"}, {"tenant": "research", "localQueue": "research"}],
    "storage": None,
    "ncclEnvironment": {},
}
PROGRAM = """import json, pulumi
for name, value in json.load(open("outputs.json")).items():
    pulumi.export(name, value)
pulumi.export("kubeconfig", pulumi.Output.secret("apiVersion: v1"))
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`run(folder, "up", …)`: the real pulumi, with a backend of our own."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")}
    own = {
        "PULUMI_BACKEND_URL": f"file://{tmp_path}/state",
        "PULUMI_HOME": str(HOME),
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(ROOT / "lab/passphrase"),
        "PATH": f"{HOME}/bin:{os.environ['PATH']}",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }
    (tmp_path / "state").mkdir()

    def pulumi(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["pulumi", *arguments, "--non-interactive"]
        done = subprocess.run(command, cwd=folder, env=keep | own, capture_output=True, text=True, timeout=120)
        assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
        return done

    return pulumi


@pytest.fixture
def site(tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]) -> Path:
    """A program that exports what a site does; its stack stands there, never deployed."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text(
        f"name: railyard\nruntime: {{name: python, options: {{toolchain: pip, virtualenv: {ROOT}/.venv}}}}\n"
    )
    (folder / "__main__.py").write_text(PROGRAM)
    (folder / "outputs.json").write_text(json.dumps(OUTPUTS))
    assert run(folder, "stack", "init", "lab").returncode == 0
    assert run(CONSUMER, "stack", "init", "data-team").returncode == 0
    return folder


@pytest.mark.requirement("U3")
def test_the_consumer_says_what_is_not_ready(site: Path, tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]):
    copy = tmp_path / "Pulumi.data-team.yaml"

    def consume(team: str) -> subprocess.CompletedProcess[str]:
        copy.write_text((CONSUMER / copy.name).read_text())
        config = ["-c", "siteStack=organization/railyard/lab", "-c", f"team={team}", "--config-file", str(copy)]
        return run(CONSUMER, "up", "--yes", "--skip-preview", "--stack", "data-team", *config)

    never = consume("research")
    assert never.returncode != 0
    assert "organization/railyard/lab was never deployed: run `pulumi up --stack lab` there first" in never.stdout
    assert "decrypted" not in never.stdout + never.stderr

    assert run(site, "up", "--yes", "--skip-preview", "--stack", "lab").returncode == 0
    unknown = consume("nosuch")
    assert unknown.returncode != 0
    assert "no tenant nosuch in organization/railyard/lab; its tenants: production, research" in unknown.stdout

    assert consume("production").returncode == 0
    shown = run(CONSUMER, "stack", "output", "--json", "--stack", "data-team")
    assert json.loads(shown.stdout)["queue"] == {"localQueue": "production", "tenant": "production"}
    assert json.loads(shown.stdout)["kubeconfig"] == "[secret]"
