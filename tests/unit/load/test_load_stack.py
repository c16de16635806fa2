"""The stack file: what is wrong is named, all of it, with its path and what to type instead."""

import json
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from railyard import load
from railyard.load.reader import read_yaml
from railyard.load.scalars import as_text
from railyard.load.stack import from_config, read_stack
from railyard.model.errors import LoadError
from tests.unit.load.load_site import ROOT, Yard, make

STACKS = ("lab", "lab-b", "prod-site-a", "prod-site-b", "starter")


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return make(tmp_path)


def as_engine(path: Path) -> dict[str, str]:
    """The configuration as the engine hands it over: text, or compact JSON for what has structure."""
    config = read_yaml(path.read_text(encoding="utf-8"), "x").value["config"]
    return {
        key: json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else as_text(value)
        for key, value in config.items()
    }


@cache
def of_lab() -> dict[str, str]:
    return as_engine(ROOT / "stacks" / "Pulumi.lab.yaml")


@pytest.mark.parametrize("stack", STACKS)
def test_the_examples_load_and_engine_and_file_agree(stack: str):
    config = load.site_config(ROOT, stack)
    assert config.stack == stack
    assert config.file.site.name == config.inventory.site == stack
    assert load.from_engine(ROOT, stack, as_engine(ROOT / "stacks" / f"Pulumi.{stack}.yaml")) == config
    assert len(config.inventory.machines) == config.file.compute.nodes + config.file.storage.nodes


def test_the_examples_are_listed():
    assert set(STACKS) <= set(load.stack_names(ROOT))


@pytest.mark.requirement("C4")
def test_the_examples_are_what_the_issue_asks_for():
    files = {stack: load.site_config(ROOT, stack).file for stack in STACKS}
    assert (files["lab"].compute.nodes, files["lab"].fabric.nodes_per_unit, files["lab"].storage.nodes) == (4, 32, 2)
    assert (files["starter"].compute.nodes, files["starter"].fabric.link_gbps) == (4, 200)
    site_a = files["prod-site-a"]
    assert (site_a.compute.nodes, site_a.fabric.scalable_units, site_a.fabric.planned_scalable_units) == (128, 4, 8)
    assert site_a.storage.backend.value == "lustre"
    assert files["prod-site-b"].peer
    assert files["prod-site-b"].peer.stack == "organization/railyard/prod-site-a"


CASES = [
    # old line, new line, id, config path, part of the fix
    ("rails: 8 #", "rail: 8 #", "LOAD-005", "fabric.rail", "did you mean `rails`?"),
    ("railyard:fabric:", "railyard:fabirc:", "LOAD-005", "fabirc", "did you mean `fabric`?"),
    ("nodesPerRack: 4", "nodes_per_rack: 4", "LOAD-005", "facility.nodes_per_rack", "did you mean `nodesPerRack`?"),
    ("airLimitKw: 60", 'airLimitKw: "10 kW"', "LOAD-007", "facility.airLimitKw", "unit is kW"),
    ("airLimitKw: 60", "airLimitKw: 10 kW", "LOAD-007", "facility.airLimitKw", "unit is kW"),
    ("airLimitKw: 60", "airLimitKw: -1", "LOAD-008", "facility.airLimitKw", "in kW"),
    ("airLimitKw: 60", "airLimitKw: .nan", "LOAD-008", "facility.airLimitKw", "number"),
    ("airLimitKw: 60", "airLimitKw: .inf", "LOAD-008", "facility.airLimitKw", "number"),
    ("airLimitKw: 60", "airLimitKw: 1e300", "LOAD-008", "facility.airLimitKw", "range"),
    ("nodes: 4 #", "nodes: 99999999999999999999999999 #", "LOAD-008", "compute.nodes", "range"),
    ("nodes: 4 #", "nodes: 0 #", "LOAD-008", "compute.nodes", "range"),
    ("nodes: 4 #", "nodes: 4.5 #", "LOAD-007", "compute.nodes", ""),
    ("nodes: 4 #", "nodes: '4' #", "LOAD-007", "compute.nodes", "without quotes"),
    ("nodes: 4 #", "nodes: yes #", "LOAD-007", "compute.nodes", "write a number in digits"),
    ("nodesPerRack: 4", "nodesPerRack: four", "LOAD-007", "facility.nodesPerRack", "write a number in digits"),
    ("airLimitKw: 60", "airLimitKw: sixty", "LOAD-007", "facility.airLimitKw", "write a number in digits, in kW"),
    ("inventory: sites/lab/inv", "inventory: sites/lba/inv", "LOAD-001", "site.inventory", "did you mean `sites/lab/inv"),
    ("mirrored: true", "mirrored: yes", "LOAD-007", "storage.mirrored", ""),
    ("transport: infiniband", "transport: infinband", "LOAD-009", "fabric.transport", "did you mean `infiniband`?"),
    ("switchRacks: shared", "switchRacks: share", "LOAD-009", "facility.switchRacks", "did you mean `shared`?"),
    ("railyard:schemaVersion: 1", "railyard:schemaVersion: 2", "LOAD-009", "schemaVersion", ""),
    ("nodeModel: dgx-h100", "nodeModel: dgx-h101", "LOAD-015", "compute.nodeModel", "did you mean `dgx-h100`?"),
    ("switchModel: qm9700", "switchModel: QM9700", "LOAD-015", "fabric.switchModel", "did you mean `qm9700`?"),
    ("pduModel: pdu-415v-60a-3ph", "pduModel: pdu-415-60a", "LOAD-015", "facility.feeds[0].pduModel", "did you mean `pdu-4"),
    ("oob: 127.77.1.0/24", "oob: 127.77.1.0/33", "LOAD-007", "addresses.oob", "prefix length of at most /32"),
    ("oob: 127.77.1.0/24", "oob: fd00::/129", "LOAD-007", "addresses.oob", "at most /128"),
    ("oob: 127.77.1.0/24", "oob: 127.77.256.0/24", "LOAD-007", "addresses.oob", "like 10.16.0.0/16"),
    ("ntpServers: [127.77.0.13,", "ntpServers: [a..b,", "LOAD-007", "addresses.ntpServers[0]", "single dots"),
    ("ntpServers: [127.77.0.13,", "ntpServers: [10.0.0.256,", "LOAD-007", "addresses.ntpServers[0]", "IPv4 or IPv6 address"),
    ("https://127.77.0.10:6443", "https://999.1.2.3:6443", "LOAD-007", "platform.controlPlane.endpoint", "address"),
    ("https://127.77.0.10:6443", "https://127.77.0.10:99999", "LOAD-007", "platform.controlPlane.endpoint", "65535"),
    ("https://127.77.0.10:6443", "https://127.77.0.10:0", "LOAD-007", "platform.controlPlane.endpoint", "65535"),
    ("serviceUrl: https://127.77", "serviceUrl: https://u:p@127.77", "LOAD-007", "install.serviceUrl", "without user name"),
    ("weightLimitKg: 1500", "weightLimitKg: 0", "LOAD-008", "facility.weightLimitKg", ""),
    ("gpus: 16, priority: high", "gpus: 0, priority: high", "LOAD-008", "platform.tenants[0].gpus", ""),
    ('version: "1.36.3"', "version: 1.30", "LOAD-007", "platform.controlPlane.version", "quotes"),
    ("transport: infiniband", "transport: infin\u0456band", "LOAD-010", "fabric.transport", "type `infiniband` by hand"),
    ("linkGbps: 400", "link\u200bGbps: 400", "LOAD-010", "fabric.link\\u200bGbps", "type `linkGbps` by hand"),
    ("name: lab #", "name: Lab #", "LOAD-007", "site.name", ""),
    ("accountRef: file:.lab/lab/secrets/bmc-account", "accountRef: hunter2", "LOAD-011", "bmc.accountRef", "by reference"),
    ("accountRef: file:.lab/lab/secrets/bmc-account", "accountRef: {secure: AA}", "LOAD-011", "bmc.accountRef", "reference"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "number", "path", "fix"), CASES, ids=[f"{case[1]}" for case in CASES])
def test_one_fault_is_one_problem_or_two(yard: Yard, old: str, new: str, number: str, path: str, fix: str):
    """A renamed required key is also missing: that one is the second."""
    yard.edit(old, new)
    line = next(index for index, text in enumerate(yard.stack.read_text().splitlines(), 1) if new.split("{")[0].strip() in text)
    problems = [problem for problem in yard.problems() if problem.id != "LOAD-006"]
    assert len(problems) == 1, problems
    problem = problems[0]
    assert (problem.id, problem.where) == (number, f"stacks/Pulumi.lab.yaml:railyard:{path}")
    assert problem.line == line
    assert fix in problem.fix
    assert problem.limit
    assert "hunter2" not in str(problem)


@pytest.mark.parametrize("nodes", ["[gpu01]", "[gpu01, gpu02]"])
def test_a_wrong_name_in_a_list_is_one_problem_each_in_words(yard: Yard, nodes: str):
    """The list isn't too short as well, and nobody reads regular expressions."""
    yard.add(f"  railyard:infiniband: {{partitions: [{{tenant: research, nodes: {nodes}}}]}}\n")
    problems = yard.problems()
    assert [problem.id for problem in problems] == ["LOAD-007"] * nodes.count("gpu")
    assert "su001-gpu[01-08]" in problems[0].limit
    assert not any("^" in str(problem) or "least 1 item" in str(problem) for problem in problems)


def test_an_empty_list_is_still_too_short(yard: Yard):
    yard.add("  railyard:infiniband: {partitions: [{tenant: research, nodes: []}]}\n")
    assert yard.only().id == "LOAD-008"


def test_all_problems_of_both_files_at_once(yard: Yard):
    yard.edit("rails: 8 #", "rail: 8 #")
    yard.edit("airLimitKw: 60", 'airLimitKw: "60 kW"')
    yard.edit("nodes: 4 #", "nodes: -4 #")
    yard.edit("readOnly: true", "readonly: true")
    problems = yard.problems()
    assert {problem.id for problem in problems} == {"LOAD-005", "LOAD-007", "LOAD-008"}
    assert [problem.line for problem in problems] == sorted(problem.line or 0 for problem in problems)
    assert len(problems) == 4


def test_stack_and_inventory_and_catalogue_are_reported_together(yard: Yard):
    yard.edit("nodeModel: dgx-h100", "nodeModel: dgx-h101")
    yard.edit("role: gpu", "role: cpu", inventory=True)
    assert [(problem.id, problem.where) for problem in yard.problems()] == [
        ("LOAD-009", "sites/lab/inventory.yaml:machines[0].role"),
        ("LOAD-015", "stacks/Pulumi.lab.yaml:railyard:compute.nodeModel"),
    ]


@pytest.mark.parametrize(
    ("text", "number", "found"),
    [
        ("", "LOAD-006", "an empty file"),
        ("# only a comment\n", "LOAD-006", "an empty file"),
        ("config:\n", "LOAD-006", "nothing"),
        ("config: 1\n", "LOAD-006", "no mapping"),
        ("- a\n", "LOAD-007", "no mapping"),
        ("config:\n  railyard:site:\n\tname: lab\n", "LOAD-002", "token"),
        ("config: {railyard:site: {name: lab", "LOAD-002", ""),
        ('config:\n  railyard:site: "lab', "LOAD-002", ""),
        ("config: &a [*a]\n", "LOAD-002", "alias `*a`"),
        ("config: *b\n", "LOAD-002", ""),
        ("%YAML 9\n--- x", "LOAD-002", ""),
        ("a: " + "[" * 500, "LOAD-004", ""),
        ("config:\n" + "  # padding padding padding padding\n" * 1000, "LOAD-004", "bytes"),
    ],
)
def test_broken_files(yard: Yard, text: str, number: str, found: str):
    yard.stack.write_text(text, encoding="utf-8")
    problems = yard.problems()
    assert number in {problem.id for problem in problems}
    assert any(found in problem.found for problem in problems if problem.id == number)


def test_a_second_document_is_named(yard: Yard):
    yard.stack.write_text(yard.stack.read_text() + "\n---\nconfig: {}\n")
    assert yard.only().id == "LOAD-002"


def test_a_file_cut_anywhere_is_refused_or_lacks_only_what_may_be_left_out(yard: Yard):
    whole = yard.stack.read_bytes()
    last = whole.index(b"kubeconfigRef")
    for cut in range(0, len(whole), 61):
        yard.stack.write_bytes(whole[:cut])
        if cut < last:
            assert yard.problems()
        else:
            with suppress(LoadError):
                yard.load()


def test_multiplying_aliases_are_stopped(yard: Yard):
    rows = ["  a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    rows += [f"  a{index}: &a{index} [{', '.join([f'*a{index - 1}'] * 10)}]" for index in range(1, 12)]
    yard.stack.write_text("config:\n" + "\n".join(rows) + "\n")
    assert [problem.id for problem in yard.problems()] == ["LOAD-004"]


def test_a_duplicate_key_is_named_with_both_lines(yard: Yard):
    yard.edit("    rails: 8", "    rails: 8\n    rails: 4")
    problem = yard.only()
    assert (problem.id, problem.where) == ("LOAD-003", "stacks/Pulumi.lab.yaml:config.railyard:fabric.rails")
    assert str((problem.line or 0) - 1) in problem.limit


def test_a_key_with_and_without_prefix_is_twice(yard: Yard):
    """The engine puts the project's name before a key that has none."""
    yard.edit("  railyard:schemaVersion: 1", "  railyard:schemaVersion: 1\n  schemaVersion: 1")
    assert yard.only().id == "LOAD-003"
    yard.edit("  railyard:schemaVersion: 1\n", "")
    assert yard.load().file.schema_version == 1


def test_missing_unreadable_and_no_text(yard: Yard):
    yard.stack.write_bytes(b"config:\n  \xff\n")
    assert (yard.only().id, yard.only().found) == ("LOAD-001", "byte 10 is no UTF-8")
    yard.stack.write_bytes(b"config: \x00")
    assert {problem.id for problem in yard.problems()} == {"LOAD-002"}
    yard.stack.unlink()
    yard.stack.mkdir()
    assert yard.only().id == "LOAD-001"
    with pytest.raises(LoadError) as error:
        load.site_config(yard.root, "lba")
    assert [problem.id for problem in error.value.problems] == ["LOAD-015"], "one fact"
    assert "did you mean `lab`?" in str(error.value)


def test_a_bom_and_windows_lines_are_read_as_the_engine_does(yard: Yard):
    plain = yard.load()
    yard.stack.write_bytes(b"\xef\xbb\xbf" + yard.stack.read_bytes().replace(b"\n", b"\r\n"))
    assert yard.load() == plain


def test_the_engines_own_keys_and_other_namespaces_are_left_alone(yard: Yard):
    plain = yard.load()
    yard.add("  kubernetes:token: {secure: AAAA}\n  pulumi:tags: {a: [1]}\n")
    yard.stack.write_text(yard.stack.read_text() + "secretsprovider: passphrase\nencryptedkey: k\n")
    assert yard.load() == plain
    yard.stack.write_text(yard.stack.read_text() + "confg: 1\n")
    assert "did you mean `config`?" in yard.only().fix


def test_a_namespace_that_is_nearly_ours(yard: Yard):
    yard.edit("railyard:gates:", "railyrd:gates:")
    assert "did you mean `railyard:gates`?" in yard.only().fix


def test_a_whole_key_that_is_secret(yard: Yard):
    yard.add("  railyard:bmcPassword: {secure: AAAA}\n")
    assert yard.only().id == "LOAD-011"


def test_a_date_without_quotes(yard: Yard):
    waiver = "  railyard:waivers:\n    - {rule: POWER-001, reason: until the new feeds, expires: 2027-01-31}\n"
    yard.edit("  railyard:waivers:\n", waiver)
    problem = yard.only()
    assert (problem.id, problem.where.rsplit(":", 1)[1]) == ("LOAD-007", "waivers[0].expires")
    assert "quotes" in problem.fix
    yard.edit("2027-01-31", '"2027-01-31"')
    assert yard.load().file.waivers[0].expires == "2027-01-31"


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("- name: b", "- name: a", "facility.feeds[1].name"),
        ("name: logs", "name: datasets", "storage.classes[2].name"),
        ("name: research", "name: production", "platform.tenants[1].name"),
    ],
)
def test_a_name_that_stands_twice_in_a_list(yard: Yard, old: str, new: str, path: str):
    yard.edit(old, new)
    problem = yard.only()
    assert (problem.id, problem.where) == ("LOAD-013", f"stacks/Pulumi.lab.yaml:railyard:{path}")
    assert problem.line
    config = as_engine(yard.stack)
    assert [problem.id for problem in from_config(config, "x")[1].problems] == ["LOAD-013"]


def test_free_text_may_hold_any_letter(yard: Yard):
    waiver = '    - {rule: POWER-001, reason: "bis Frühjahr geduldet", expires: "2027-01-31"}\n'
    yard.edit("  railyard:waivers:\n", f"  railyard:waivers:\n{waiver}")
    assert yard.load().file.waivers[0].reason == "bis Frühjahr geduldet"


def test_anchors_and_merge_keys_work_as_in_the_engine(yard: Yard):
    plain = yard.load()
    yard.edit("      - name: b\n        pduModel: pdu-415v-60a-3ph\n        pdusPerRack: 2", "      - {<<: *feed, name: b}")
    yard.edit("      - name: a\n", "      - &feed\n        name: a\n")
    assert yard.load() == plain


def test_too_much_configuration_from_the_engine():
    file, document = from_config({"railyard:site": "x" * 40_000}, "x")
    assert file is None
    assert [problem.id for problem in document.problems] == ["LOAD-004"]


def test_from_the_engine_all_problems_without_lines():
    config = as_engine(ROOT / "stacks" / "Pulumi.lab.yaml")
    config |= {"railyard:fabirc": "{}", "railyard:storage": "lustre", "railyard:compute": '{"nodes": ', "aws:region": "x"}
    with pytest.raises(LoadError) as error:
        load.from_engine(ROOT, "lab", config)
    assert [(problem.id, problem.where.rsplit(":", 1)[1], problem.line) for problem in error.value.problems] == [
        ("LOAD-007", "compute", None),
        ("LOAD-005", "fabirc", None),
        ("LOAD-007", "storage", None),
    ]


WORDS = "config: railyard:site: - { } [ ] &a *a <<: !!int !!binary ' > | ? : # --- %YAML ~ 1_0 0x 2026-01-02 .inf @ ` é".split()  # noqa: SIM905
SCRAPS = st.sampled_from([*WORDS, *'"\n\t \ufeff\x85', "  ", "\n  ", ": "])


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(), st.lists(SCRAPS, max_size=40).map("".join)))
@example(text="config:\n  ? [a]\n  : 1\n")
@example(text="config: {<<: 1}")
@example(text="!<!> x")
def test_any_text_gives_problems_and_nothing_else(tmp_path: Path, text: str):
    path = tmp_path / "Pulumi.x.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    file, document = read_stack(path, "stacks/Pulumi.x.yaml")
    assert file is None
    assert document.problems
    assert str(LoadError(document.problems))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(key=st.sampled_from(["site", "fabric", "facility", "schemaVersion", "waivers", "peer", "gates"]), value=VALUES)
def test_any_value_from_the_engine_gives_a_stack_file_or_problems(key: str, value: object):
    file, document = from_config(of_lab() | {f"railyard:{key}": json.dumps(value)}, "x")
    assert (file is None) == bool(document.problems)
