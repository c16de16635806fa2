"""Bad input through the real `pulumi`: all of it is said at once, with id, place, found, limit, fix; nothing is registered.

A rack unit filled twice and a port used twice can't come from a stack file or an inventory (the planner places and cables);
their rules have bad slices in tests/unit/rules. A missing plugin: test_engine_room.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.engine.plain import blocks, edit, plain_yard, registered, said
from tests.engine.yard import ROOT, Yard

LAB_INVENTORY = ROOT / "sites/lab/inventory.yaml"


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Yard:
    return plain_yard(tmp_path_factory.mktemp("yard"), "lab")


@pytest.fixture
def stack(yard: Yard) -> Iterator[Yard]:
    """The yard with the lab's stack file as it is committed."""
    shutil.copy(ROOT / "stacks/Pulumi.lab.yaml", yard.stack_file)
    yield yard
    assert yard.state() == [], "a refused preview leaves nothing behind"


def refused(yard: Yard, *expected: tuple[str, str, str, str, str]) -> str:
    """Preview ends with exactly these errors: (id, end of the place, in found, in limit, in fix)."""
    done = yard.preview()
    text = said(done)
    assert done.returncode != 0
    assert registered(done) == []
    told = blocks(text)
    rows = [(ident, body) for ident, bodies in told.items() for body in bodies if "\n" in body]
    for ident, where, found, limit, fix in expected:
        match = [body for name, body in rows if name == ident and body.splitlines()[0].split(" (")[0].endswith(where)]
        assert match, f"{ident} at {where} is not in\n{text}"
        lines = match[0].splitlines()
        assert [line.split()[0] for line in lines[1:4]] == ["found:", "limit:", "fix:"]
        assert found in lines[1]
        assert limit in lines[2]
        assert fix in lines[3]
    assert len(rows) == len(expected), text
    return text


def write_inventory(yard: Yard, change: Any) -> None:
    """The lab's inventory, changed, as the stack's."""
    document = YAML().load(LAB_INVENTORY.read_text())
    change(document["machines"])
    with yard.inventory_file.open("w") as stream:
        YAML().dump(document, stream)
    edit(yard, {"site": {"inventory": str(yard.inventory_file)}})


@pytest.mark.requirement("U5")
def test_mistakes_of_shape_are_all_said_at_once(stack: Yard):
    edit(
        stack,
        {
            "facility": {"airLimitKW": 60, "weightLimitKg": -5, "airLimitKw": "60 kW", "switchRacks": "shard"},
            "fabric": {"rail": 8, "linkGbps": "400 Gb/s", "nodesPerUnit": 0},
            "bmc": {"accountRef": "hunter2-is-my-password"},
        },
    )
    with stack.editing(stack.stack_file) as document:
        del document["config"]["railyard:compute"]["nodes"]
    text = refused(
        stack,
        ("LOAD-005", "facility.airLimitKW", "unknown key `airLimitKW`", "config.md", "did you mean `airLimitKw`?"),
        ("LOAD-005", "fabric.rail", "unknown key `rail`", "config.md", "did you mean `rails`?"),
        ("LOAD-007", "facility.airLimitKw", '"60 kW"', "number", "without quotes or unit: the key's unit is kW"),
        ("LOAD-007", "fabric.linkGbps", '"400 Gb/s"', "number", "the key's unit is Gb/s"),
        ("LOAD-008", "facility.weightLimitKg", "-5", "greater than", "in kg"),
        ("LOAD-008", "fabric.nodesPerUnit", "0", "greater than or equal to 1", "in range"),
        ("LOAD-009", "facility.switchRacks", '"shard"', "'shared'", "did you mean `shared`?"),
        ("LOAD-006", "compute.nodes", "nothing", "required", "add `nodes`"),
        ("LOAD-011", "bmc.accountRef", "no reference", "file:PATH or env:NAME", "not the secret"),
    )
    assert "hunter2" not in text, "what stands where a reference belongs may be the secret itself"


def test_a_name_that_stands_twice_in_the_stack_file(stack: Yard):
    with stack.editing(stack.stack_file) as document:
        document["config"]["railyard:platform"]["tenants"][1]["name"] = "production"
    refused(stack, ("LOAD-013", "tenants[1].name", "tenants[0].name", "once", "another name"))


@pytest.mark.requirement("U5")
def test_mistakes_of_the_inventory_and_of_names_are_all_said_at_once(stack: Yard):
    def change(machines: list[dict[str, Any]]) -> None:
        machines[1]["name"] = machines[0]["name"]
        machines[2]["serial"] = machines[0]["serial"]
        machines[3]["macs"][0] = machines[0]["macs"][0]
        machines[4]["bmc"] = machines[0]["bmc"]

    write_inventory(stack, change)
    edit(stack, {"compute": {"nodeModel": "dgx-h101"}})
    once, copied = "once in an inventory", "read it off the machine again"
    refused(
        stack,
        ("LOAD-013", "machines[1].name", "also at machines[0].name", once, copied),
        ("LOAD-013", "machines[2].serial", "also at machines[0].serial", once, copied),
        ("LOAD-013", "machines[3].macs[0]", "also at machines[0].macs[0]", once, copied),
        ("LOAD-013", "machines[4].bmc", "also at machines[0].bmc", once, copied),
        ("LOAD-015", "compute.nodeModel", "`dgx-h101`", "railyard/catalog", "did you mean `dgx-h100`?"),
    )


@pytest.mark.requirement("U5", "K4")
def test_what_is_impossible_is_all_said_at_once(stack: Yard):
    edit(
        stack,
        {
            "addresses": {"services": "10.244.16.0/20", "storage": "127.77.17.0/21"},
            "compute": {"nodes": 33},
        },
    )
    text = refused(
        stack,
        (
            "ADDR-001",
            "addresses.services",
            "pods 10.244.0.0/16 and services 10.244.16.0/20 overlap",
            "no shared",
            "which is free",
        ),
        ("ADDR-003", "addresses.storage", "127.77.17.0/21 is really 127.77.16.0/21", "network", "write 127.77.16.0/21"),
        ("FABRIC-006", "compute.nodes", "33 nodes for 1 units of 32 slots", "32 slots", "scalableUnits"),
        ("PLAN-005", "compute.nodes", "4 GPU machines", "33", "set compute.nodes to what is delivered"),
    )
    assert text.count("docs/reference/rules.md#") == 4, "each says where to read more"


def test_more_units_than_three_tiers_hold(stack: Yard):
    edit(stack, {"fabric": {"plannedScalableUnits": 3000}})
    refused(
        stack,
        ("PLAN-002", "plannedScalableUnits", "3000 units", "64 pods (256 units, 8192 nodes)", "more ports"),
    )


def test_characters_that_only_look_right(stack: Yard):
    text = stack.stack_file.read_text()
    text = text.replace("rails: 8 ", "r\N{CYRILLIC SMALL LETTER A}ils: 8 ", 1)
    stack.stack_file.write_text(text.replace("dgx-h100", "dgx\N{NON-BREAKING HYPHEN}h100", 1))
    refused(
        stack,
        ("LOAD-010", r"fabric.r\u0430ils", "U+0430 CYRILLIC SMALL LETTER A", "keys are ASCII", "type `rails` by hand"),
        ("LOAD-010", "compute.nodeModel", "U+2011 NON-BREAKING HYPHEN", "ASCII", "type `dgx-h100` by hand"),
    )


def test_no_inventory(stack: Yard):
    edit(stack, {"site": {"inventory": "sites/nowhere/inventory.yaml"}})
    refused(stack, ("LOAD-001", "railyard:site.inventory", 'no file "sites/nowhere/inventory.yaml"', "an inventory", "sites/"))


def test_no_configuration(stack: Yard):
    salt = stack.stack_file.read_text().partition("encryptionsalt:")[2]
    stack.stack_file.write_text(f"encryptionsalt:{salt}")
    sections = ["addresses", "bmc", "compute", "fabric", "facility", "install", "platform", "schemaVersion", "site", "storage"]
    refused(stack, *(("LOAD-006", f"railyard:{name}", "nothing", "required", f"add `{name}`") for name in sections))


def test_a_stack_file_that_ends_in_the_middle(stack: Yard):
    """The engine reads it first and says so itself; the command line says the same with our id."""
    text = stack.stack_file.read_text()
    stack.stack_file.write_text(text[: text.index("quotaTib: 20, readOnly")])
    done = stack.preview()
    assert done.returncode != 0
    assert re.search(r"error: .*invalid YAML file: yaml: line \d+", said(done))
    planned = stack._run([str(ROOT / ".venv/bin/railyard"), "plan", "lab", "--config-file", str(stack.stack_file)], False, 60)
    assert planned.returncode == 2
    assert "LOAD-002" in planned.stderr


@pytest.mark.requirement("U5", "X4")
def test_a_wrong_and_a_missing_passphrase(stack: Yard, tmp_path: Path):
    """A stack with a secret value (of another namespace: railyard's own go by reference)."""
    set_secret = ["config", "set", "--secret", "monitoring:token", "canary-4711", "--stack", "lab"]
    stack.pulumi(*set_secret, "--config-file", str(stack.stack_file), check=True)
    assert "canary-4711" not in stack.stack_file.read_text()
    (tmp_path / "wrong").write_text("battery staple")
    wrong = stack.preview(PULUMI_CONFIG_PASSPHRASE_FILE=str(tmp_path / "wrong"))
    assert wrong.returncode != 0
    assert "incorrect passphrase" in said(wrong)
    missing = stack.preview(PULUMI_CONFIG_PASSPHRASE_FILE=str(tmp_path / "nowhere"))
    assert missing.returncode != 0
    assert "nowhere" in said(missing)
    assert "canary-4711" not in said(wrong) + said(missing)
    done = stack.preview()
    assert done.returncode == 0
    assert "SEC-001" in said(done), "the example passphrase protects no secret value"
    assert "canary-4711" not in said(done)


@pytest.mark.requirement("X4", "U7")
def test_a_secret_that_is_not_there(open_lab):
    """At `up`: the machine, the key and what is missing are named, and no machine is written to."""
    lab: Yard = open_lab("--no-control-plane", stack="lab-b")
    mine = f"file:{lab.instance}/secrets/bmc-account"
    cases = (
        ({"accountRef": "file:/nowhere/bmc-account"}, "accountRef", "/nowhere/bmc-account", "create the file"),
        ({"accountRef": mine, "factoryRef": "env:NOT_SET"}, "factoryRef", "variable NOT_SET is not set", "export NOT_SET="),
    )
    for change, key, found, fix in cases:
        edit(lab, {"bmc": change})
        done = lab.up("--continue-on-error", check=False)
        assert done.returncode != 0
        told = [body for ident, bodies in blocks(said(done)).items() if ident.startswith("KIT-") for body in bodies]
        for machine in ("lab-b-su001-gpu01", "lab-b-su001-gpu02"):
            (body,) = [body for body in told if body.startswith(machine)]
            place, *facts = body.splitlines()
            assert place.endswith(key)
            assert found in facts[0]
            assert fix in facts[2]
    assert [entry for entry in lab.requests() if entry["write"]] == []
    assert lab.installs() == {}
