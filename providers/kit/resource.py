"""`ResourceType`: desired state to create, read, update, delete. One object per type serves all resources and all threads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel, ValidationError

from providers.kit import diffing
from providers.kit.cancel import Cancel, Deadline
from providers.kit.log import EngineLog
from providers.kit.values import UNKNOWN, has_unknown

Properties = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """What a resource may use during one call. `timeout_s` is the user's customTimeouts, 0 if none was set.

    `state` has the properties of last time, inputs and outputs; only in `diff`.
    """

    urn: str
    name: str
    cancel: Cancel
    log: EngineLog
    timeout_s: float = 0.0
    state: Mapping[str, Any] = field(default_factory=dict)

    def deadline(self, default_s: float) -> Deadline:
        """The call's deadline: the user's own, else the default."""
        return Deadline(self.timeout_s or default_s)

    def info(self, message: str) -> None:
        """A line for the user, at this resource."""
        self.log.info(message, self.urn)

    def warning(self, message: str) -> None:
        """A warning for the user, at this resource."""
        self.log.warning(message, self.urn)


@dataclass(frozen=True, slots=True)
class Created:
    """Result of a create: the id and the outputs (properties in the state are inputs plus outputs)."""

    id: str
    outputs: Properties


@dataclass(frozen=True, slots=True)
class ReadBack:
    """Result of a read: inputs as they are out there (they show drift) and outputs."""

    inputs: Properties
    outputs: Properties = field(default_factory=dict)


class ResourceType:
    """Base of a resource type. Override what differs.

    `inputs_model`: pydantic model of the inputs; `check` reports all its errors. `secret_outputs`: names to encrypt.
    `only_inputs`: large inputs that the state holds once, not among the outputs again.
    Values given to the methods are plain Python; in `check`, `diff` and `preview` they may hold `UNKNOWN`, elsewhere never.
    """

    inputs_model: ClassVar[type[BaseModel] | None] = None
    secret_outputs: ClassVar[frozenset[str]] = frozenset()
    only_inputs: ClassVar[frozenset[str]] = frozenset()
    output_names: ClassVar[tuple[str, ...]] = ()

    def check(self, inputs: Properties) -> list[tuple[str, str]]:
        """(property path, reason) for each wrong input, all at once; values not known yet are let through."""
        return check_model(self.inputs_model, inputs) if self.inputs_model else []

    def condense(self, old: Properties, new: Properties) -> Properties:  # noqa: ARG002
        """The inputs as the state shall hold them; `old` are those of last time, {} at first. Every other method gets these."""
        return new

    def diff(self, old: Properties, new: Properties, call: Call) -> dict[str, diffing.Kind]:  # noqa: ARG002
        """What changed: inputs against the inputs of last time only. Never a replacement."""
        return diffing.diff(old, new)

    def preview(self, inputs: Properties, old_outputs: Properties | None) -> Properties:  # noqa: ARG002
        """Outputs to show in a preview: what is certain, and UNKNOWN for the rest."""
        return dict.fromkeys(self.output_names, UNKNOWN)

    def create(self, inputs: Properties, call: Call) -> Created:
        """Makes it, or adopts what is there. Raises ProviderError (nothing to remember) or InitFailed (half done)."""
        raise NotImplementedError

    def read(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> ReadBack:  # noqa: A002, ARG002
        """Looks, changes nothing. Whatever it raises becomes "unreachable" with what was known last, never a failed run."""
        return ReadBack(inputs, outputs)

    def update(self, id: str, old: Properties, new: Properties, old_outputs: Properties, call: Call) -> Properties:  # noqa: A002
        """Brings it to `new`; returns the outputs. Also called without any change after InitFailed."""
        raise NotImplementedError

    def delete(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> None:  # noqa: A002
        """Ends management. By default nothing is touched."""


def check_model(model: type[BaseModel], inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every error of the model at these inputs, except where the value isn't known yet."""
    try:
        model.model_validate(inputs)
    except ValidationError as error:
        found = []
        for item in error.errors(include_url=False, include_context=False, include_input=False):
            location = item["loc"]
            if not has_unknown(_at(inputs, location)):
                found.append((_path(location), item["msg"]))
        return sorted(set(found))
    return []


def _at(value: Any, location: tuple[int | str, ...]) -> Any:
    for part in location:
        if isinstance(value, str):
            return value
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _path(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text
