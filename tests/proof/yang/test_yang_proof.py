"""`railyard check-yang` with the real yanglint. The models are small ones of our own: SONiC's aren't ours to ship."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from railyard.plan import plan
from railyard.plan.switch_intent import switch_intents
from railyard.render.switches import sonic
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N4")

ROOT = Path(__file__).resolve().parents[3]
MODELS = ROOT / "tests" / "data" / "yang"
KNOWN = ("PORT", "CABLE_LENGTH", "INTERFACE", "SWITCH_HASH")


def tables():
    fabric = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 800, "nodesPerUnit": 4}
    made = sonic(next(switch_intents(plan(make_site(nodes=2, fabric=fabric)), "sonic")))
    return {name: made[name] for name in KNOWN}


def run(content, folder, models=MODELS, path=None):
    file = folder / "config_db.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    code = "import sys; from railyard.cli.main import app; sys.argv[0] = 'railyard'; app()"
    argv = [sys.executable, "-c", code, "check-yang", str(file), "--models", str(models)]
    env = None if path is None else {"PATH": path}
    return subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_a_rendered_file_is_valid(tmp_path):
    done = run(tables(), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "valid, 4 tables" in done.stdout


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda t: t["PORT"]["Ethernet0"].update(mtu="9217"), "9217"),
        (lambda t: t["PORT"]["Ethernet0"].update(strange="1"), "strange"),
        (lambda t: t["PORT"]["Ethernet0"].pop("speed"), "speed"),
        (lambda t: t["INTERFACE"].update({"Ethernet9999|10.0.0.0/31": {}}), "Ethernet9999"),
        (lambda t: t["INTERFACE"].update({"Ethernet8|10.0.0.0/31": {}}) or t["PORT"].pop("Ethernet8"), "Ethernet8"),
        (lambda t: t["CABLE_LENGTH"]["AZURE"].update(Ethernet0="far"), "far"),
        (lambda t: t.update(STRANGE={"a": {}}), "STRANGE: no model has this table"),
    ],
)
def test_the_models_refuse(change, word, tmp_path):
    content = tables()
    change(content)
    done = run(content, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert word in done.stdout


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"PORT": []}', "null", "[" * 5000])
def test_what_is_no_configuration(content, tmp_path):
    done = run(content, tmp_path)
    assert done.returncode == 2
    assert "CLI-007" in done.stderr
    assert "Traceback" not in done.stderr


def test_models_that_are_none(tmp_path):
    empty = tmp_path / "models"
    empty.mkdir()
    assert "no table in 0 modules" in run(tables(), tmp_path, empty).stderr
    (empty / "bad.yang").write_text("module x {", encoding="utf-8")
    assert "bad.yang" in run(tables(), tmp_path, empty).stderr


def test_without_yanglint_it_says_what_is_missing(tmp_path):
    done = run(tables(), tmp_path, path=str(tmp_path))
    assert done.returncode == 2
    assert "libyang-tools" in done.stderr
