"""The schema for editors and the reference page: fresh, and of one mind with the loader."""

import json
import re
from copy import deepcopy

import jsonschema
import pytest

from railyard import load
from railyard.load import schema
from railyard.load.forms import FORMS
from railyard.load.reader import read_yaml
from railyard.model.infiniband import Hca
from railyard.model.inventory import Inventory, Machine, Switch
from railyard.model.site import StackFile
from railyard.render.outputs import outputs_markdown
from tests.unit.load.load_site import ROOT

SCHEMA = schema.stack_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
STACKS = load.stack_names(ROOT)


def test_the_committed_schema_is_fresh():
    """`railyard docs` writes it again."""
    assert (ROOT / "stacks" / "schema.json").read_text(encoding="utf-8") == schema.schema_text()
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_file_is_valid_and_names_its_schema(stack: str):
    text = (ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=schema.json\n")
    VALIDATOR.validate(read_yaml(text, stack).value)


def test_what_the_schema_lets_pass_and_what_not():
    good = read_yaml((ROOT / "stacks" / "Pulumi.lab.yaml").read_text(encoding="utf-8"), "lab").value
    good |= {"encryptionsalt": "v1:x", "secretsprovider": "x", "encryptedkey": "x"}
    good["config"] |= {"kubernetes:token": {"secure": "x"}, "pulumi:tags": {"a": 1}}
    VALIDATOR.validate(good)
    for section, key, value in (
        ("railyard:fabric", "rail", 8),
        ("railyard:fabric", "rails", "8"),
        ("railyard:fabric", "rails", -1),
        ("railyard:bmc", "accountRef", "hunter2"),
        ("railyard:bmc", "accountRef", {"secure": "x"}),
    ):
        bad = deepcopy(good)
        bad["config"][section][key] = value
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(bad)
    for bad in ({**good, "confg": {}}, {**good, "config": {**good["config"], "railyard:fabirc": {}}}, {}):
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(bad)


def test_every_pattern_has_words():
    """What a loader's problem says in place of a regular expression."""
    text = json.dumps([SCHEMA, Inventory.model_json_schema(by_alias=True)])
    patterns = {json.loads(f'"{found}"') for found in re.findall(r'"pattern": "((?:[^"\\\\]|\\\\.)*)"', text)}
    assert len(patterns) > 10
    assert patterns <= set(FORMS), patterns - set(FORMS)
    assert not [form for form in FORMS.values() if "^" in form or "$" in form]


def test_types_and_meanings_of_the_reference_are_the_keys_own():
    """An enumeration that may be left out is no yes/no, and a partition's nodes are no count."""
    text = schema.config_markdown()
    rows = [line for line in text.splitlines() if line.startswith("| `attach` |")]
    assert len(rows) == 2
    assert all(row.startswith("| `attach` | `mlag` \\| `esi` \\| `routed` \\| `independent` | none |") for row in rows)
    (nodes,) = [line for line in text.splitlines() if line.startswith("| `nodes` | list of text")]
    assert "su001-gpu[01-08]" in nodes
    assert "stand there now" not in nodes


def test_the_schema_is_the_same_from_run_to_run():
    assert schema.schema_text() == json.dumps(schema.stack_schema(), indent=2, ensure_ascii=False) + "\n"


def test_the_reference_has_every_key_with_a_meaning():
    text = schema.config_markdown()
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) > 80
    assert [row for row in rows if row.rstrip(" |").endswith(("|", "required", "none"))] == []
    for info in StackFile.model_fields.values():
        assert f"| `{info.alias}` |" in text


def test_the_reference_has_the_inventory():
    text = schema.config_markdown()
    inventory = text[text.index("\n## inventory\n") : text.index("\n## Problems of the loader")]
    for model in (Inventory, Machine, Switch, Hca):
        for info in model.model_fields.values():
            assert f"| `{info.alias}` |" in inventory
    for words in (
        "| `gpu` \\| `storage` |",
        "02:1f:d5:7c:de:e6",
        "takes no new jobs",
        "wipes its disks",
        "map of text to text",
    ):
        assert words in inventory
    assert "quota in whole GPUs" not in inventory, "what `gpus` means in another section"


def test_the_reference_has_words_where_words_are_wanted_and_no_inside_names():
    """Keys are written as in the file, also where a docstring calls them by their Python name."""
    text = schema.config_markdown()
    (row,) = [line for line in text.splitlines() if line.startswith("| `bootOrder` |")]
    assert row.startswith("| `bootOrder` | list of `Pxe` \\| `Cd` \\| ")
    for page in (text, outputs_markdown(), json.dumps(SCHEMA, ensure_ascii=False)):
        assert re.findall(r"`[a-z]+_[a-z0-9_]+`", page) == []
    assert "checked against `caFile`" in text


def test_every_id_that_the_loader_reports_is_explained():
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "railyard" / "load").glob("*.py")))
    used = {word for word in source.replace('"', " ").replace(":", " ").split() if word.startswith("LOAD-0")}
    assert used == set(schema.PROBLEMS)
