"""`kube:index:SetAside`: nodes of machines that the operator set aside take no new pods, until they are active again.

A cordon (`spec.unschedulable`), as `kubectl cordon` makes it: it belongs to who runs the cluster, where a node's labels are
its kubelet's. Ours carries an annotation; one that somebody else made is left alone, now and when the machine comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from providers.kit import diffing
from providers.kit.errors import FindingLike, InitFailed, ProviderError
from providers.kit.resource import Call, Created, Properties, ReadBack, ResourceType
from providers.kit.values import UNKNOWN, has_unknown
from providers.kube.client import Client, Object
from providers.kube.cluster import connect
from providers.kube.errors import NotFoundError

ASIDE = "railyard.dev/set-aside"
"""Annotation on a node that we have cordoned; its value is the operator's reason."""


class Node(BaseModel):
    """One node by its name in the cluster, and why its machine is set aside."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$")]
    reason: Annotated[str, Field(max_length=1024)] = ""


class Inputs(BaseModel):
    """Which cluster, and the whole list: a node that leaves it takes jobs again."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True, frozen=True)

    endpoint: Annotated[str, Field(pattern=r"^https://[^/\s]+/?$")]
    ca_file: Annotated[str, Field(min_length=1)]
    kubeconfig_ref: Annotated[str, Field(pattern=r"^(file|env):.+")]
    nodes: tuple[Node, ...] = ()


class SetAside(ResourceType):
    """Outputs: `cordoned`, and `absent`: a dead machine may never have joined. With an empty list nothing is asked at all."""

    inputs_model: ClassVar[type[BaseModel] | None] = Inputs
    output_names: ClassVar[tuple[str, ...]] = ("cordoned", "absent")

    def preview(self, inputs: Properties, old_outputs: Properties | None) -> Properties:  # noqa: ARG002
        """Who is there is known only then; of nobody it is certain."""
        return _outputs([], []) if inputs.get("nodes") == [] else dict.fromkeys(self.output_names, UNKNOWN)

    def diff(self, old: Properties, new: Properties, call: Call) -> dict[str, diffing.Kind]:
        """Inputs, and one look: a node that joined since, or that somebody uncordoned, would take jobs."""
        found = super().diff(old, new, call)
        if not found and not has_unknown(new) and _taking(new, call):
            return {"nodes": "update"}
        return found

    def create(self, inputs: Properties, call: Call) -> Created:
        return Created(call.name, _bring(call.name, inputs, (), call))

    def update(self, id: str, old: Properties, new: Properties, old_outputs: Properties, call: Call) -> Properties:  # noqa: A002, ARG002
        kept = {node.name for node in _nodes(new)}
        return _bring(id, new, [node for node in _nodes(old) if node.name not in kept], call)

    def read(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> ReadBack:  # noqa: A002, ARG002
        """A node that is there and takes jobs is missing from `nodes`: that is the drift."""
        wanted = Inputs.model_validate(inputs)
        if not wanted.nodes:
            return ReadBack(inputs, outputs)
        taking = _schedulable(_client(wanted, call), wanted.nodes)
        return ReadBack({**inputs, "nodes": [node for node in inputs["nodes"] if node["name"] not in taking]}, outputs)

    def delete(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> None:  # noqa: A002, ARG002
        try:
            _bring(id, {**inputs, "nodes": []}, _nodes(inputs), call)
        except InitFailed as error:
            raise ProviderError(*error.problems) from None


def _nodes(inputs: Properties) -> tuple[Node, ...]:
    return tuple(Node.model_validate(node) for node in inputs.get("nodes") or ())


def _client(wanted: Inputs, call: Call) -> Client:
    return connect(wanted.endpoint, wanted.ca_file, wanted.kubeconfig_ref, call.name)[0]


def _taking(inputs: Properties, call: Call) -> list[str]:
    """Nodes that should take no jobs and do; none where the cluster doesn't answer (the Cluster resource says so)."""
    wanted = Inputs.model_validate(inputs)
    try:
        return _schedulable(_client(wanted, call), wanted.nodes) if wanted.nodes else []
    except ProviderError:
        return []


def _schedulable(client: Client, nodes: Iterable[Node]) -> list[str]:
    found = ((node.name, _get(client, node.name)) for node in nodes)
    return [name for name, there in found if there is not None and not _is_cordoned(there)]


def _bring(ident: str, inputs: Properties, freed: Iterable[Node], call: Call) -> Properties:
    """Each node is tried, whatever happens to the others.

    Raises InitFailed: the next run goes on from there; nodes that could not be freed stay in the remembered list until then.
    """
    wanted, freed = Inputs.model_validate(inputs), list(freed)
    if not wanted.nodes and not freed:
        return _outputs([], [])
    client = _client(wanted, call)
    problems: list[FindingLike] = []
    held = [node for node in freed if _attempt(problems, lambda node=node: _release(client, node.name, call)) is None]
    there = {node.name: _attempt(problems, lambda node=node: _cordon(client, node, call)) for node in wanted.nodes}
    outputs = _outputs([name for name, on in there.items() if on], [name for name, on in there.items() if on is False])
    if problems:
        left = [node.model_dump() for node in (*wanted.nodes, *held)]
        raise InitFailed(ident, outputs, problems, {**inputs, "nodes": left})
    return outputs


def _attempt(problems: list[FindingLike], change: Callable[[], bool]) -> bool | None:
    """What `change` says; None and its problems where it failed."""
    try:
        return change()
    except ProviderError as error:
        problems.extend(error.problems)
    return None


def _outputs(cordoned: list[str], absent: list[str]) -> Properties:
    return {"cordoned": sorted(cordoned), "absent": sorted(absent)}


def _cordon(client: Client, node: Node, call: Call) -> bool:
    """False where the node isn't there."""
    there = _get(client, node.name)
    if there is None:
        return False
    ours = _annotations(there).get(ASIDE)
    if not _is_cordoned(there):
        _patch(client, node.name, node.reason, unschedulable=True)
        call.info(f"{node.name} takes no more jobs; what runs there stays until `kubectl drain {node.name}`")
    elif ours is not None and ours != node.reason:
        _patch(client, node.name, node.reason, unschedulable=True)
    return True


def _release(client: Client, name: str, call: Call) -> bool:
    """Takes our cordon away; False where there was none of ours."""
    there = _get(client, name)
    if there is None or ASIDE not in _annotations(there):
        return False
    _patch(client, name, None, unschedulable=None)
    call.info(f"{name} takes jobs again")
    return True


def _patch(client: Client, name: str, reason: str | None, *, unschedulable: bool | None) -> None:
    body: Object = {"metadata": {"annotations": {ASIDE: reason}}, "spec": {"unschedulable": unschedulable}}
    try:
        client.patch(f"/api/v1/nodes/{name}", body)
    except NotFoundError:
        return  # gone since we looked: nothing is scheduled there either


def _get(client: Client, name: str) -> Object | None:
    try:
        return client.get(f"/api/v1/nodes/{name}")
    except NotFoundError:
        return None


def _annotations(node: Object) -> dict[str, str]:
    return node["metadata"].get("annotations") or {}


def _is_cordoned(node: Object) -> bool:
    return bool(node.get("spec", {}).get("unschedulable"))
