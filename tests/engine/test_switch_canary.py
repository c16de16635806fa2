"""A first switch whose change fails, on the real engine with --continue-on-error: nobody else is asked, in no later run either.

No switch is there: the first one fails before a connection (its credential is in no environment), the others would, too.
"""

import json
from pathlib import Path

import pytest

from tests.engine.yard import ROOT, Yard

pytestmark = pytest.mark.requirement("N1", "N6")

FIRST = "lab-roce-su001-leaf-r0"
CONFIG = "fabric:index:SwitchConfig"
OLD = {"system": {"hostname": "old"}}
PROJECT = f"""name: canary
runtime: {{name: python, options: {{virtualenv: {ROOT}/.venv}}}}
plugins: {{providers: [{{name: fabric, path: {ROOT}/providers/fabric}}]}}
"""
PROGRAM = f"""import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
import pulumi
from components.switches import Switches
from railyard import load, plan
config = load.site_config(Path({str(ROOT)!r}), "lab-roce")
nobody = [one.model_copy(update={{"credential_ref": "env:NOBODY_S_LOGIN"}}) for one in config.inventory.switches]
switches = Switches(nobody, plan.plan(config), 100.0, pulumi.ResourceOptions())
switches.configure(lambda name: [])
switches.build_gates()
"""


def stored(names: list[str]) -> dict:
    """A state in which all switches were configured once, otherwise than now."""
    project = "urn:pulumi:t::canary::"
    stack, provider = f"{project}pulumi:pulumi:Stack::canary-t", f"{project}pulumi:providers:fabric::default"
    ident = "ac5f3a93-6f89-4433-80e4-c0725883b380"
    rows = [
        {"urn": stack, "custom": False, "type": "pulumi:pulumi:Stack"},
        {"urn": provider, "custom": True, "id": ident, "type": "pulumi:providers:fabric"},
    ]
    for name in names:
        urn, inputs = f"{project}{CONFIG}::{name}", {"name": name, "config": OLD}
        made = {"custom": True, "id": name, "type": CONFIG, "parent": stack, "provider": f"{provider}::{ident}"}
        rows.append({"urn": urn, **made, "inputs": inputs, "outputs": {"name": name, "token": "fabric", "applied": "a1"}})
    manifest = {"time": "2026-01-01T00:00:00Z", "magic": "", "version": ""}
    return {"version": 3, "deployment": {"manifest": manifest, "resources": rows}}


def test_the_first_switch_fails_and_no_other_is_asked(tmp_path: Path):
    (tmp_path / "state").mkdir()
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    (tmp_path / "__main__.py").write_text(PROGRAM)
    names = [*(f"lab-roce-su001-leaf-r{rail}" for rail in range(8)), *(f"lab-roce-spine{number:03}" for number in range(1, 5))]
    (tmp_path / "state.json").write_text(json.dumps(stored(names)))
    yard = Yard(tmp_path, "t")
    here = ("--stack", "t", "--cwd", str(tmp_path))
    yard.pulumi("stack", "init", *here, check=True)
    yard.pulumi("stack", "import", "--file", str(tmp_path / "state.json"), *here, check=True)
    done = yard.pulumi("up", "--yes", "--skip-preview", "--continue-on-error", *here)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert f"{FIRST} **updating failed**" in said, said
    assert said.count("updating failed") == 1, "the others wait for it"
    assert "FabricGate" not in said
    exported = json.loads(yard.pulumi("stack", "export", *here, check=True).stdout)["deployment"]["resources"]
    kept = {one["urn"].rpartition("::")[2]: one["inputs"]["config"] for one in exported if one["type"] == CONFIG}
    assert kept == dict.fromkeys(names, OLD), "so the next run begins with the same switch"
