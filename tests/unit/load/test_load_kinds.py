"""Kinds of values: nowhere does yes/no pass as a number, or a text as either; what contradicts itself is always shown."""

import inspect
import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from railyard.load.audit_design import read_audit_design
from railyard.load.stack import from_config
from railyard.model.audit_design import AuditDesign
from railyard.model.errors import LoadError
from railyard.model.inventory import Inventory
from railyard.model.site import StackFile
from tests.unit.load.load_site import ROOT, Yard, make

pytestmark = pytest.mark.requirement("C3")
VALUES = (True, False, 0, 1, 2, 3, 0.5, "1", "3", "0.5", "true", "")


def leaves(place: str, annotation: Any, metadata: tuple[Any, ...], seen: set[type]) -> Iterator[tuple[str, Any]]:
    """(place, type with its bounds) of every single value that a model takes, below tuples, mappings and choices."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from leaves(place, inner[0], (*metadata, *inner[1:]), seen)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from fields(annotation, seen)
    elif origin in (Union, types.UnionType):
        for part in inner:
            yield from leaves(place, part, metadata, seen)
    elif origin in (tuple, list, dict):
        for part in inner:
            yield from leaves(place, part, (), seen) if part is not Ellipsis else ()
    elif annotation is not types.NoneType:
        yield place, Annotated[annotation, *metadata] if metadata else annotation


def fields(model: type[BaseModel], seen: set[type]) -> Iterator[tuple[str, Any]]:
    if model not in seen:
        seen.add(model)
        for name, info in model.model_fields.items():
            yield from leaves(f"{model.__name__}.{info.alias or name}", info.annotation, tuple(info.metadata), seen)


def kinds(kind: Any) -> set[type]:
    """What a value may be. A whole number is a number as well; yes/no is none, whatever Python thinks."""
    base = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    options = {type(option) for option in get_args(base)} if get_origin(base) is Literal else {base}
    numbers = {int, float} if float in options else {int} if int in options else set()
    return {*numbers, *({bool} & options), *({str} if any(issubclass(one, str) for one in options) else ())}


SEEN: set[type] = set()
ALL = [leaf for model in (StackFile, Inventory, AuditDesign) for leaf in fields(model, SEEN)]


def test_all_places_are_found():
    places = {place for place, _ in ALL}
    assert {"Supply.phases", "PathSegment.phases", "Facility.reservedU", "Machine.gpus", "Loads.kw", "Fabric.tiers"} <= places
    assert len(places) > 200


@pytest.mark.parametrize(("place", "kind"), ALL, ids=[place for place, _ in ALL])
def test_no_value_passes_as_another_kind(place: str, kind: Any):
    adapter, wanted = TypeAdapter(kind), kinds(kind)
    # A GUID is text that YAML reads as a number without quotes (0x...): it is taken either way, never as yes/no.
    wanted |= {int} if place.lower().endswith(("guid", "guids")) else set()
    for value in VALUES:
        if type(value) not in wanted:
            with pytest.raises(ValidationError):
                adapter.validate_json(json.dumps(value), strict=True)


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return make(tmp_path)


POWER = "  railyard:power:\n    supply: {volts: 415, voltageReference: line-line, phases: 3}\n"
PATHS = POWER + "    paths: [{name: p, kind: panel, feed: a, breakerA: 800, phases: 3}]\n"


@pytest.mark.parametrize(
    ("added", "old", "new", "where", "limit"),
    [
        (POWER, "phases: 3", "phases: true", "power.supply.phases", "1 or 3"),
        (PATHS, "800, phases: 3", "800, phases: true", "power.paths[0].phases", "1 or 3"),
        (PATHS, "breakerA: 800", "breakerA: true", "power.paths[0].breakerA", "a valid number"),
        ("", "linkGbps: 400", "linkGbps: 400\n    tiers: true", "fabric.tiers", "auto, 1, 2 or 3"),
        ("", "linkGbps: 400", "linkGbps: 400\n    linksPerCable: true", "fabric.linksPerCable", "1 or 2"),
        ("", "linkGbps: 400", "linkGbps: true", "fabric.linkGbps", "a valid number"),
        ("", "railyard:schemaVersion: 1", "railyard:schemaVersion: true", "schemaVersion", "1"),
        ("", "contractVersion: 1", "contractVersion: true", "site.contractVersion", "1"),
    ],
)
def test_yes_is_no_number(yard: Yard, added: str, old: str, new: str, where: str, limit: str):
    if added:
        yard.add(added)
    yard.edit(old, new)
    problem = yard.only()
    assert (problem.id, problem.where) == ("LOAD-007", f"stacks/Pulumi.lab.yaml:railyard:{where}")
    assert (problem.found, problem.limit) == ("true", limit)
    assert problem.fix
    assert problem.line


def test_the_engines_text_is_read_as_the_file_is():
    """The program gets text and JSON from the engine: the same value, the same complaint."""
    file, document = from_config({"railyard:schemaVersion": "true"}, "x")
    assert file is None
    assert "LOAD-007" in {problem.id for problem in document.problems if problem.where.endswith(":schemaVersion")}


@pytest.mark.parametrize(
    ("old", "new", "found"), [("phases: 3", 'phases: "3"', '"3"'), ("phases: 3", "phases: three", '"three"')]
)
def test_a_number_in_quotes_is_named(yard: Yard, old: str, new: str, found: str):
    yard.add(POWER)
    yard.edit(old, new)
    problem = yard.only()
    quoted = found == '"3"'
    assert (problem.id, problem.found) == ("LOAD-007" if quoted else "LOAD-009", found)
    assert ("without quotes" in problem.fix) == quoted


def test_whoever_finds_a_contradiction_says_which_keys():
    """A bare ValueError about a section would be shown as `a mapping`."""
    checks = [
        inspect.getsource(decorator.func)
        for model in SEEN
        for decorator in model.__pydantic_decorators__.model_validators.values()
    ]
    assert len(checks) >= 5
    assert not [source for source in checks if "raise ValueError" in source]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("rails: 4\n", "rails: 5\n", "HCA-1, HCA-2, HCA-5, HCA-6; rails 5"),
        ("firstUp: 33", "firstUp: 18", "ports.firstUp 18; slots end at port 18"),
        ('"4": [', '"99": [', "unitHcas of 99"),
        ("[3, 4]]", "[3, 9]]", "guidNeighbours.rails 1-2, 3-9"),
    ],
)
def test_a_design_file_that_contradicts_itself(tmp_path: Path, old: str, new: str, found: str):
    text = (ROOT / "tests" / "data" / "audit" / "gb-576.yaml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "d.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LoadError) as error:
        read_audit_design(tmp_path / "d.yaml")
    assert [problem.found for problem in error.value.problems] == [found]
