"""Emulated sites and example stacks: what the engine's room knows of a stack without deploying it."""

import json
from pathlib import Path

import pytest

from engine.doctor import example_rows, opened_rows, passphrase_row
from engine.emulated import emulated_inventory
from engine.errors import EngineError
from engine.examples import EXAMPLES, example_stacks
from engine.passphrase import opens
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
    [
        {},
        {"config": None},
        {"config": 5},
        {"config": ["railyard:site"]},
        {"config": {"railyard:site": "text"}},
        {"config": {"railyard:install": {"serviceUrl": 5}}},
        {"config": {"railyard:site": {"inventory": "x"}, "railyard:install": {"serviceUrl": "https://[10…"}}},
    ],
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
    refused = {"checkpoint": {"latest": {"resources": [{"type": "pulumi:pulumi:Stack"}]}}}
    (states / "prod-site-b.json").write_text(json.dumps(refused))
    assert {row.name for row in example_rows(root, environment)} == set(rows), "the stack alone, left by a refused `up`"
    state(states, "prod-site-b", 3)
    deployed = {row.name: row for row in example_rows(root, environment)}["stack prod-site-b"]
    assert "pulumi stack rm prod-site-b --preserve-config" in deployed.fix
    assert "change-secrets-provider" not in deployed.fix, "nobody should rewrite a committed example"


def test_a_comment_and_another_key_are_no_bmc(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    inventory = root / "sites/my-lab/inventory.yaml"
    inventory.write_text("# bmc: 10.0.0.1\nold-bmc: 10.0.0.2\n" + inventory.read_text())
    (mine,) = [opened for opened in example_stacks(root, root / "stacks", None) if opened.stack == "my-lab"]
    assert mine.reasons == ()


def test_doctor_says_what_the_passphrase_opens(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    broken = root / "stacks/Pulumi.odd.yaml"
    broken.write_text("encryptionsalt: v9:x\n")
    row = next(opened_rows(root, {"PULUMI_CONFIG_PASSPHRASE_FILE": str(root / "lab/passphrase")}))
    assert row.status == "note"
    assert row.found.startswith("opens: lab, mine, my-lab, prod-site-b; doesn't open: safe; can't be tried on: odd (")
    (row,) = opened_rows(root, {"PULUMI_CONFIG_PASSPHRASE": "battery staple"})
    assert row.found.startswith("doesn't open: lab, mine, my-lab, prod-site-b, safe; ")
    for file in (broken, root / "stacks/Pulumi.safe.yaml"):
        file.unlink()
    (row,) = opened_rows(root, {"PULUMI_CONFIG_PASSPHRASE": EXAMPLE})
    assert (row.status, row.found) == ("ok", "opens: lab, mine, my-lab, prod-site-b")
    assert list(opened_rows(root, {})) == []


def test_an_empty_passphrase_is_a_problem(tmp_path: Path) -> None:
    empty, mine = tmp_path / "empty", tmp_path / "mine"
    empty.write_text("\n")
    mine.write_text("battery staple\n")
    assert passphrase_row({"PULUMI_CONFIG_PASSPHRASE_FILE": str(mine)}).status == "ok"
    hidden = {"PULUMI_CONFIG_PASSPHRASE_FILE": str(mine), "PULUMI_CONFIG_PASSPHRASE": ""}
    for environment in ({"PULUMI_CONFIG_PASSPHRASE_FILE": str(empty)}, hidden):
        row = passphrase_row(environment)
        assert (row.id, row.status) == ("ENGINE-007", "missing")
        assert "empty" in row.found
    missing = passphrase_row({"PULUMI_CONFIG_PASSPHRASE_FILE": str(tmp_path / "nowhere")})
    assert (missing.status, "no such file" in missing.found) == ("missing", True)


@pytest.mark.parametrize(
    "text", ["a: 1\n\tb: 2\n", "a: 1\na: 2\n", "day: 2026-13-45\n", "a: !!bool x\n", "[" * 700, "caf\xe9: 1"]
)
def test_no_yaml_is_an_error_with_a_place(tmp_path: Path, text: str) -> None:
    file = tmp_path / "Pulumi.yaml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(EngineError) as error:
        read_yaml(file)
    assert error.value.id == "ENGINE-014"
    assert error.value.where.startswith(str(file))
    assert error.value.found


def test_a_secret_value_is_something_real(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    file = root / "stacks/Pulumi.my-lab.yaml"
    file.write_text(file.read_text().replace("config:\n", "config:\n  monitoring:token:\n    secure: v1:abc:def\n", 1))
    (mine,) = [opened for opened in example_stacks(root, root / "stacks", None) if opened.stack == "my-lab"]
    assert mine.reasons == ("secure: values",)
    assert mine.harmful
