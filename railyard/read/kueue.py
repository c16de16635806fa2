"""Kueue's ClusterQueues, as they come out of a YAML or JSON reader -> quotas. What isn't one of them is left alone."""

from collections.abc import Iterable, Iterator
from typing import cast

import msgspec

from railyard.read.text import Notebook


class _Resource(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    nominal_quota: str | int


class _Flavor(msgspec.Struct, frozen=True):
    name: str
    resources: tuple[_Resource, ...] = ()


class _Group(msgspec.Struct, frozen=True, rename="camel"):
    flavors: tuple[_Flavor, ...] = ()


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    resource_groups: tuple[_Group, ...] = ()


class _Metadata(msgspec.Struct, frozen=True):
    name: str


class _ClusterQueue(msgspec.Struct, frozen=True):
    metadata: _Metadata
    spec: _Spec


class FlavorQuota(msgspec.Struct, frozen=True):
    """Quotas of one flavor of one queue. `whole` holds those that count things; `8Ti` and `500m` are none of them."""

    queue: str
    flavor: str
    whole: dict[str, int]


def objects_of(value: object) -> list[object]:
    """The objects of one document: itself, or the items of the List that kubectl prints."""
    if isinstance(value, dict):
        rows = cast("dict[str, object]", value)
        items = rows.get("items")
        if rows.get("kind") == "List" and isinstance(items, list):
            return cast("list[object]", items)
    return [value]


def read_cluster_queues(objects: Iterable[object], notebook: Notebook) -> tuple[FlavorQuota, ...]:
    """Quotas of every ClusterQueue, by queue and flavor; one that is broken is named by its place in the file."""
    return tuple(_quotas(objects, notebook))


def _quotas(objects: Iterable[object], notebook: Notebook) -> Iterator[FlavorQuota]:
    for number, item in enumerate(objects, 1):
        if not isinstance(item, dict) or cast("dict[str, object]", item).get("kind") != "ClusterQueue":
            continue
        try:
            queue = msgspec.convert(item, _ClusterQueue)
        except msgspec.ValidationError as error:
            limit = "metadata.name, and resourceGroups with flavors and quotas"
            notebook.add("READ-002", f"document {number}: {error}", limit, "write the ClusterQueue as Kueue's API has it")
            continue
        for group in queue.spec.resource_groups:
            for flavor in group.flavors:
                texts = {row.name: str(row.nominal_quota) for row in flavor.resources}
                whole = {name: int(text) for name, text in texts.items() if text.isascii() and text.isdigit()}
                yield FlavorQuota(queue.metadata.name, flavor.name, whole)
