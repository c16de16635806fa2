"""Generated reference pages: outputs contract, rule texts, requirement coverage."""

import json

import jsonschema
import pytest

from railyard.render.coverage import Format, Proof, coverage_markdown, formats_markdown, proofs, requirements
from railyard.render.outputs import outputs_markdown, outputs_schema
from railyard.render.rule_text import rule_text
from railyard.rules import RULES

SOURCE = """
import pytest
pytestmark = [pytest.mark.requirement("U6")]

@pytest.mark.requirement("U4", "C3")
def test_a(): ...

@pytest.mark.requirement("N1")
class TestB:
    @pytest.mark.parametrize("x", ["P1"])
    @pytest.mark.requirement("N2")
    async def test_c(self, x): ...
"""


def test_marks_are_found_on_functions_classes_and_files():
    found = {(proof.requirement, proof.test) for proof in proofs("tests/x.py", SOURCE)}
    assert found == {("U6", ""), ("U4", "test_a"), ("C3", "test_a"), ("N1", "TestB"), ("N2", "test_c")}


def test_coverage_lists_every_requirement_in_its_order():
    page = coverage_markdown(
        {"B1": "second | part", "A1": "first"}, [Proof("A1", "tests/t.py", "test_a"), Proof("A1", "tests/t.py", "test_b")]
    )
    assert "1 of 2 requirements" in page
    rows = "| B1 | second \\| part |  |\n| A1 | first | [tests/t.py](../../tests/t.py) (2 tests) |\n"
    assert rows in page


def test_formats_that_nobody_read_come_first_and_are_called_unproved():
    page = formats_markdown([Format("a.conf", "read by x"), Format("b.json", "nobody has y", proved=False)])
    assert page.splitlines()[-2:] == ["| b.json | **unproved** | nobody has y |", "| a.conf | proved | read by x |"]
    assert "**unproved**" in coverage_markdown({}, [])


def test_an_unknown_requirement_is_an_error():
    with pytest.raises(ValueError, match="X9"):
        coverage_markdown({"A1": "first"}, [Proof("X9", "tests/t.py", "test_a")])


def test_a_requirement_that_stands_twice_is_an_error():
    with pytest.raises(ValueError, match="A1"):
        requirements("id,text\nA1,first\nA1,again\n")


@pytest.mark.requirement("U3")
def test_the_outputs_schema_is_a_valid_schema_and_closed():
    schema = json.loads(outputs_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"contractVersion": 2}, schema)


def test_the_outputs_page_names_every_output_and_its_kinds():
    page = outputs_markdown()
    for name in json.loads(outputs_schema())["properties"]:
        assert f"| `{name}` |" in page
    assert "list of [Phase](#phase)" in page
    assert "[StorageOutput](#storageoutput) or nothing" in page


def test_every_rule_can_be_explained():
    assert RULES
    for name, rule in RULES.items():
        text = rule_text(rule)
        assert text.startswith(f"{name}  {rule.title}")
        assert "fix" in text
        assert all(len(line) <= 100 for line in text.splitlines()[1:])
