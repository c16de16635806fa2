"""Hardware facts, one YAML file per kind. Adding a model is one entry in one file.

Every process of railyard reads them, so libyaml does it, five times faster than the reader of users' files. It knows
YAML 1.1 only; a test sees to it that these files say the same in YAML 1.2.
"""

from functools import cache
from importlib.resources import files
from typing import Any, cast

import yaml

from railyard.model.catalog import Catalog
from railyard.model.prices import PriceModel

KINDS = ("asics", "gpus", "management_switches", "nodes", "pdus", "racks", "storage", "switches", "cables", "optics", "cooling")


def _entries(kind: str) -> dict[str, dict[str, Any]]:
    text = (files(__name__) / f"{kind}.yaml").read_text(encoding="utf-8")
    rows = cast(dict[str, dict[str, Any]], yaml.load(text, Loader=yaml.CSafeLoader))
    return {name: {"name": name, **row} for name, row in rows.items()}


@cache
def load() -> Catalog:
    """The whole catalogue. Raises pydantic.ValidationError if a file of the package is broken (a test sees to it)."""
    return Catalog.model_validate({kind: _entries(kind) for kind in KINDS})


@cache
def prices() -> dict[str, PriceModel]:
    """The dated price list. Raises pydantic.ValidationError if the package's file is broken (a test sees to it)."""
    return {name: PriceModel.model_validate(row) for name, row in _entries("prices").items()}
