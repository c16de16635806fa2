"""`railyard init`: two files that load, or a clear no."""

from datetime import date
from pathlib import Path

import pytest

from railyard import load, render, rules
from railyard import plan as planning
from railyard.cli.init import TEMPLATES, init
from railyard.model.errors import LoadError
from tests.cli.init.bench_generate import generate

ROOT = Path(__file__).parents[3]


def ids(error: pytest.ExceptionInfo[LoadError]) -> list[str]:
    return [problem.id for problem in error.value.problems]


@pytest.mark.requirement("C4")
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("name", ["demo", "my-site", "a", "x" * 32, "123", "null", "on", "1e3", "starter"])
def test_what_it_writes_loads_without_a_problem(tmp_path: Path, name: str, template: str):
    paths = init(name, template, tmp_path)
    assert [str(path.relative_to(tmp_path)) for path in paths] == [f"stacks/Pulumi.{name}.yaml", f"sites/{name}/inventory.yaml"]
    config = load.site_config(tmp_path, name)
    assert config.file.site.name == config.inventory.site == name
    assert len(config.inventory.machines) == 6
    assert config.inventory.machines[0].name == f"{name}-su001-gpu01"


@pytest.mark.requirement("C4")
@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("starter", {"FABRIC-080", "FABRIC-083", "POWER-012", "POWER-020"}),
        ("starter-roce", {"COOL-002", "POWER-020"}),
    ],
)
def test_what_it_writes_plans_with_nothing_but_what_nobody_knows(tmp_path: Path, template: str, expected: set[str]):
    """No invariant and no limit: what is left is undecided or a notice, and the RoCE starter's own comments explain it."""
    stack, _ = init("demo", template, tmp_path)
    config = load.site_config(tmp_path, "demo")
    findings = rules.check(config, planning.plan(config), date(2026, 12, 1))
    assert {finding.severity for finding in findings} <= {"undecided", "notice"}, findings
    assert {finding.id for finding in findings} == expected
    if template == "starter-roce":
        assert all(name in stack.read_text(encoding="utf-8") for name in expected)


@pytest.mark.requirement("C4")
@pytest.mark.parametrize(
    ("template", "nodes"), [("starter", 1), ("starter", 20), ("starter-roce", 3), ("starter-roce", 5), ("starter-roce", 32)]
)
def test_as_many_nodes_as_asked_for_plan_as_well(tmp_path: Path, template: str, nodes: int):
    """Every machine has its position, an address that the planner keeps for its BMC, and a serial and MACs of its own."""
    stack, inventory = init("demo", template, tmp_path, str(nodes))
    config = load.site_config(tmp_path, "demo")
    planned = planning.plan(config)
    assert {finding.severity for finding in rules.check(config, planned, date(2026, 12, 1))} <= {"undecided", "notice"}
    gpu = [machine for machine in config.inventory.machines if machine.role == "gpu"]
    assert [machine.name for machine in gpu] == [f"demo-su001-gpu{slot:02d}" for slot in range(1, nodes + 1)]
    assert len(config.inventory.machines) == nodes + 2
    macs = [mac for machine in config.inventory.machines for mac in machine.macs]
    assert len(set(macs)) == len(macs) == nodes * 10 + 4
    kept = {row.device: row.address for row in planned.addresses if row.network == "oob"}
    assert {machine.name: machine.bmc for machine in gpu} == {machine.name: kept[machine.name] for machine in gpu}
    assert (config.file.compute.nodes, config.file.gates.minimum_ready) == (nodes, nodes)
    assert sum(tenant.gpus for tenant in config.file.platform.tenants) == nodes * 8
    assert f"{nodes} DGX" in inventory.read_text(encoding="utf-8").splitlines()[0]
    assert f"# demo: {nodes} DGX" in stack.read_text(encoding="utf-8")
    assert f"({nodes * 8} GPUs)" in stack.read_text(encoding="utf-8")


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_templates_own_number_changes_next_to_nothing(tmp_path: Path, template: str):
    plain = [path.read_text(encoding="utf-8") for path in init("demo", template, tmp_path / "plain")]
    sized = [path.read_text(encoding="utf-8") for path in init("demo", template, tmp_path / "sized", "4")]
    assert [text.replace("Four DGX", "4 DGX").replace("four DGX", "4 DGX") for text in plain] == sized


@pytest.mark.parametrize(
    ("nodes", "fix"),
    [
        ("0", "--nodes 8"), ("-1", "--nodes 8"), ("1000000", "scalableUnits"), ("21", "scalableUnits"),
        ("9" * 5000, "--nodes 20"), ("four", "--nodes 8"),
        ("4.0", "--nodes 8"), ("٤", "--nodes 8"), (" 4", "--nodes 8"), ("1e3", "--nodes 8"),
    ],
)  # fmt: skip
def test_a_number_of_nodes_that_is_none_is_refused(tmp_path: Path, nodes: str, fix: str):
    with pytest.raises(LoadError) as error:
        init("demo", "starter", tmp_path, nodes)
    (problem,) = error.value.problems
    assert (problem.id, problem.where) == ("INIT-005", "--nodes")
    assert problem.limit == "a whole number from 1 to 20: the slots of the unit of starter"
    assert fix in problem.fix
    assert len(problem.found) < 80
    assert list(tmp_path.iterdir()) == []


def test_the_roce_starter_is_small_routed_and_has_its_switches_files(tmp_path: Path):
    init("demo", "starter-roce", tmp_path)
    planned = planning.plan(load.site_config(tmp_path, "demo"))
    assert (planned.fabric.transport, planned.fabric.link_gbps, planned.fabric.leaves, planned.fabric.spines) == (
        "roce",
        400,
        8,
        2,
    )
    assert planned.fabric.down_to_up == 1
    files = render.artefacts(planned, [])
    written = {name.split("/")[2] for name in files if name.startswith("switches/cumulus/")}
    assert written == {switch.name for switch in planned.switches}


def test_the_roce_template_s_inventory_is_generated():
    """`python bench/generate.py sites` writes it again."""
    made = generate()
    text = (ROOT / "railyard/cli/starter-roce/inventory.yaml").read_text(encoding="utf-8")
    assert text == made.template(made.as_yaml(made.STARTER_ROCE))


def test_two_sites_share_no_serial_and_no_mac(tmp_path: Path):
    facts = []
    for name in ("one", "two"):
        init(name, "starter", tmp_path)
        machines = load.site_config(tmp_path, name).inventory.machines
        facts.append({machine.serial for machine in machines} | {mac for machine in machines for mac in machine.macs})
    assert not facts[0] & facts[1]


def test_nothing_is_overwritten_and_nothing_is_half_written(tmp_path: Path):
    (tmp_path / "sites" / "demo").mkdir(parents=True)
    (tmp_path / "sites" / "demo" / "inventory.yaml").write_text("mine")
    with pytest.raises(LoadError) as error:
        init("demo", "starter", tmp_path)
    assert ids(error) == ["INIT-003"]
    assert (tmp_path / "sites" / "demo" / "inventory.yaml").read_text() == "mine"
    assert not (tmp_path / "stacks").exists()


def test_a_folder_that_cannot_be_made_leaves_nothing(tmp_path: Path):
    (tmp_path / "sites").write_text("a file where a folder must be")
    with pytest.raises(LoadError) as error:
        init("demo", "starter", tmp_path)
    assert ids(error) == ["INIT-004"]
    assert list((tmp_path / "stacks").glob("*")) == []


@pytest.mark.parametrize("name", ["", "Demo", "a b", "../x", "a/b", "-a", "a-", "x" * 33, "ä", "x\n", "a.b", "٣"])
def test_a_bad_name_is_refused(tmp_path: Path, name: str):
    with pytest.raises(LoadError) as error:
        init(name, "starter", tmp_path)
    assert ids(error) == ["INIT-001"]
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_template_is_refused(tmp_path: Path):
    with pytest.raises(LoadError) as error:
        init("Demo", "strater", tmp_path)
    assert sorted(ids(error)) == ["INIT-001", "INIT-002"]


def test_templates_are_the_starter_stack():
    """`python bench/generate.py sites` writes them again."""
    for source, name in (("stacks/Pulumi.starter.yaml", "stack.yaml"), ("sites/starter/inventory.yaml", "inventory.yaml")):
        text = (ROOT / source).read_text(encoding="utf-8")
        assert (ROOT / "railyard/cli/starter" / name).read_text(encoding="utf-8") == generate().template(text)


def test_nothing_of_the_examples_passphrase_is_left(tmp_path: Path):
    """Neither the salt nor the comment that explains it: the site gets its own with its first stack."""
    text = init("demo", "starter", tmp_path)[0].read_text(encoding="utf-8")
    assert "passphrase" not in text
    assert text.endswith("starts\n")


def test_the_ids_are_explained_where_it_says(tmp_path: Path):
    with pytest.raises(LoadError) as error:
        init("a b", "starter", tmp_path)
    assert str(error.value).startswith("1 problem in what was asked for (see docs/reference/errors.md):")
    assert "INIT-001" in (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8")
