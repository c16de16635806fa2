"""Emulated sites and example stacks: what the engine's room knows of a stack without deploying it."""

import json
from pathlib import Path

import pytest

from engine.doctor import example_rows
from engine.emulated import emulated_inventory
from engine.examples import EXAMPLES, example_stacks, opens
from engine.paths import ROOT
from engine.workspace import Workspace, read_yaml

SALT = {path.name.split(".")[1]: str(read_yaml(path)["encryptionsalt"]) for path in (ROOT / "stacks").glob("Pulumi.*.yaml")}
EXAMPLE = (ROOT / "lab/passphrase").read_text().strip()
OF_ANOTHER = "v1:TWn4QGzBTc8=:v1:EIEiBDYWbFbVzUzQ:Q0QgcNWuIxn1oAc3pBv4Fl5nUjXqWA=="


@pytest.mark.parametrize(
    ("stack", "inventory"),
    [("lab", "sites/lab/inventory.yaml"), ("lab-b", "sites/lab-b/inventory.yaml"), ("starter", None), ("prod-site-a", None)],
)
def test_a_site_is_emulated_if_its_machines_call_home_on_loopback(stack: str, inventory: str | None) -> None:
    assert emulated_inventory(Workspace(ROOT, {}).stack_config(stack)) == inventory


@pytest.mark.parametrize(
    "config",
    [{}, {"config": None}, {"config": {"railyard:site": "text"}}, {"config": {"railyard:install": {"serviceUrl": 5}}}],
)
def test_a_stack_file_that_makes_no_sense_has_no_lab(config: dict[str, object]) -> None:
    assert emulated_inventory(config) is None


def test_the_example_passphrase_opens_the_examples_and_nothing_else() -> None:
    assert set(SALT) == EXAMPLES
    assert opens(SALT["lab"], EXAMPLE)
    assert not opens(SALT["lab"], "correct horse")
    assert not opens(OF_ANOTHER, EXAMPLE)
    for broken in ("", "v1:x", "v2:AAAA:v1:AAAA:AAAA", "v1:AAAA:v1:AAAA:!"):
        assert not opens(broken, EXAMPLE)


def checkout(root: Path) -> Path:
    """Examples as they are committed, beside `mine`, made from prod-site-b and encrypted with the example passphrase."""
    for name in ("stacks", "sites", "lab"):
        (root / name).mkdir()
    (root / "lab/passphrase").write_text(EXAMPLE)
    for stack, name in (("lab", "lab"), ("prod-site-b", "prod-site-b"), ("prod-site-b", "mine"), ("lab", "my-lab")):
        (root / f"sites/{name}").mkdir()
        (root / f"sites/{name}/inventory.yaml").write_text((ROOT / f"sites/{stack}/inventory.yaml").read_text())
        text = (ROOT / f"stacks/Pulumi.{stack}.yaml").read_text().replace(f"sites/{stack}/", f"sites/{name}/")
        (root / f"stacks/Pulumi.{name}.yaml").write_text(text)
    own = (root / "stacks/Pulumi.mine.yaml").read_text().replace(SALT["prod-site-b"], OF_ANOTHER)
    (root / "stacks/Pulumi.safe.yaml").write_text(own)
    return root


def state(folder: Path, stack: str, resources: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    latest = {"resources": [{}] * resources}
    (folder / f"{stack}.json").write_text(json.dumps({"checkpoint": {"latest": latest}}))


def test_doctor_refuses_the_example_passphrase_where_something_real_hangs_on_it(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    environment = {"PULUMI_BACKEND_URL": f"file://{tmp_path}/state"}
    rows = {row.name: row for row in example_rows(root, environment)}
    assert rows["example passphrase"].status == "note"
    assert "opens lab, my-lab, prod-site-b:" in rows["example passphrase"].found
    mine = rows["stack mine"]
    assert (mine.id, mine.status) == ("SEC-001", "missing")
    assert "36 BMCs that are not on loopback" in mine.found
    assert "change-secrets-provider passphrase --stack mine" in mine.fix
    assert set(rows) == {"example passphrase", "stack mine"}, "loopback only, or a passphrase of one's own: nothing to say"

    states = tmp_path / "state/.pulumi/stacks/railyard"
    state(states, "prod-site-b", 0)
    state(states, "lab", 3)
    assert {row.name for row in example_rows(root, environment)} == set(rows)
    state(states, "prod-site-b", 3)
    assert "stack prod-site-b" in {row.name for row in example_rows(root, environment)}, "an example that was deployed"


def test_a_secret_value_is_something_real(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    file = root / "stacks/Pulumi.my-lab.yaml"
    file.write_text(file.read_text().replace("config:\n", "config:\n  monitoring:token:\n    secure: v1:abc:def\n", 1))
    (mine,) = [opened for opened in example_stacks(root, root / "stacks", None) if opened.stack == "my-lab"]
    assert mine.reasons == ("secure: values",)
    assert mine.harmful
