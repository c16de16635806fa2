"""Every comparison of every rule matters: negate it, or move its boundary, and a test of that rule's own module fails.

`rules/power.py` is judged by `test_rules_power.py`, and so on by name; JUDGED_BY has the modules that share a file.
"""

import ast
import importlib
import importlib.util
from functools import cache
from pathlib import Path

import pytest

import railyard.rules
from tests.unit.rules.mutants import Judges, Mutant, Recorded, cases, codes, comparisons, expanded, mutants, recorded, source_of

HERE = Path(__file__).parents[1] / "unit" / "rules"
RULES = Path(railyard.rules.__file__).parent
JUDGED_BY: dict[str, tuple[str, ...]] = {
    "address": ("test_rules_addresses", "test_rules_address_blocks", "test_rules_inputs"),
    "fabric_wires": ("test_rules_fabric",),
    "hardening": ("test_rules_inputs",),
    "platform": ("test_rules_inputs",),
    "registry": ("test_rules_waivers",),
    "thresholds": ("test_rules_slices",),
}


def compared() -> list[str]:
    """Names of the rules' modules that compare anything, `power` or `netbox.match`."""
    paths = [path for path in sorted(RULES.rglob("*.py")) if comparisons(ast.parse(path.read_text(encoding="utf-8")))]
    return [".".join(path.relative_to(RULES).with_suffix("").parts).removesuffix(".__init__") for path in paths]


def judged_by(module: str) -> tuple[str, ...]:
    """Test files that judge a module: its own by name, and of a package all that begin with the package's name."""
    package = module.partition(".")[0]
    if (RULES / package).is_dir():
        return tuple(sorted(path.stem for path in HERE.glob(f"test_rules_{package}*.py")))
    return JUDGED_BY.get(module, (f"test_rules_{module}",))


@cache
def cases_of(names: tuple[str, ...]) -> list[Recorded]:
    return recorded(cases(names), RULES)


def test_every_module_that_compares_has_tests_of_its_own():
    found = {module: judged_by(module) for module in compared()}
    there = {path.stem for path in HERE.glob("test_*.py")}
    missing = [module for module, names in found.items() if not names or not there.issuperset(names)]
    assert not missing, f"write test_rules_<module>.py, or say in JUDGED_BY who judges these: {missing}"
    assert not set(JUDGED_BY) - set(found), "JUDGED_BY names a module that compares nothing"
    assert len(found) > 20


@pytest.mark.parametrize("name", compared())
def test_no_comparison_can_be_negated_or_moved_unnoticed(name: str):
    module = importlib.import_module(f"railyard.rules.{name}")
    source = source_of(module)
    judges = Judges(module, cases_of(judged_by(name)))
    survivors = [str(mutant) for mutant in mutants(source) if not judges.kill(mutant)]
    assert not survivors, f"{module.__file__}: no test of {judged_by(name)} notices\n" + "\n".join(survivors)
    # The same swap with the code as it is: no case fails by the swap alone, and none by what a mutant left behind.
    same = Mutant("", "", range(1, len(source.splitlines()) + 1), codes(compile(source, "same", "exec", dont_inherit=True)))
    assert not judges.kill(same)


TOY = """
from functools import cache
from types import SimpleNamespace

LIMIT = 3 if 1 < 2 else 4

def judge(load, limit=LIMIT):
    return [text for text in ("over",) if load > limit]

@cache
def even(number):
    return number % 2 == 0

class Rack:
    @property
    def full(self):
        return self.load >= 4
    load = 4

def over(limit):
    return lambda load: load > limit

TABLE = {"over": [over(5)]}
"""


def toy(tmp_path: Path, name: str):
    path = tmp_path / f"{name}.py"
    path.write_text(TOY)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def survivors_of(module, *judging) -> list[str]:
    judges = Judges(module, recorded(list(judging), Path(module.__file__).parent))
    return [f"{mutant.lines.start} {mutant.operator}" for mutant in mutants(TOY) if not judges.kill(mutant)]


def test_what_nobody_judges_survives_and_is_named(tmp_path: Path):
    module = toy(tmp_path, "toy_lazy")

    def far_from_the_boundary():
        assert module.judge(5) == ["over"]
        assert module.judge(1) == []

    assert survivors_of(module) == ["5 GtE", "5 LtE", "8 LtE", "8 GtE", "12 NotEq", "17 Lt", "17 Gt", "21 LtE", "21 GtE"]
    assert survivors_of(module, far_from_the_boundary)[:3] == ["5 GtE", "5 LtE", "8 GtE"]


def test_functions_that_are_cached_properties_or_kept_in_a_table_are_reached(tmp_path: Path):
    module = toy(tmp_path, "toy_judged")

    def boundaries():
        assert module.judge(3) == []
        assert module.judge(4) == ["over"]
        assert module.even(2)
        rack = module.Rack()
        assert rack.full
        rack.load = 5
        assert rack.full
        assert not module.TABLE["over"][0](5)
        assert module.TABLE["over"][0](6)

    assert survivors_of(module, boundaries) == ["5 GtE", "5 LtE"], "what is compared at import can't be reached: don't"
    boundaries()


def test_rows_of_all_marks_and_known_fixtures_become_cases():
    @pytest.mark.parametrize("load", [1, pytest.param(2, id="two")])
    @pytest.mark.parametrize(("low", "high"), [(0, 3), pytest.param(1, 4)])
    def test_rows(load, low, high, site):
        seen.append((load, low, high, site(nodes=1).file.compute.nodes))

    def test_with_a_fixture_of_pytest(tmp_path):
        raise AssertionError

    seen: list[tuple[int, ...]] = []
    for case in [*expanded(test_rows), *expanded(test_with_a_fixture_of_pytest)]:
        case()
    assert sorted(seen) == [(1, 0, 3, 1), (1, 1, 4, 1), (2, 0, 3, 1), (2, 1, 4, 1)]
