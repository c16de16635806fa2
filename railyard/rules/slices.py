"""The one place where resource properties become nouns again, for policy packs.

Properties come as plain JSON whose numbers are floats and whose nulls are left out; an unknown value is `UNKNOWN`. Each
predicate gets a noun with the fields that it reads, so that an unknown or odd value elsewhere doesn't hold it up.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from railyard.model.base import Noun
from railyard.model.cabling import CablingPlan
from railyard.model.cooling import HallCooling
from railyard.model.failures import FailureSummary
from railyard.model.floor import FloorSummary
from railyard.model.hosts import HostPlan
from railyard.model.infiniband import InfiniBandPlan
from railyard.model.networks import NetworkPlan
from railyard.model.plan import FileSystemPlan, PlatformPlan, RackPlan, ReplicaPlan, SwitchPlan
from railyard.model.power import HallPower
from railyard.model.scheduler import SchedulerPlan
from railyard.model.site import Waiver
from railyard.model.switch_intent import RoutingPlan
from railyard.rules.cables import CABLING_PREDICATES
from railyard.rules.cooling import HALL_COOLING_PREDICATES
from railyard.rules.fabric import SITE_PREDICATES, SWITCH_PREDICATES, SiteSlice
from railyard.rules.failures import FAILURE_PREDICATES
from railyard.rules.floor import FLOOR_PREDICATES
from railyard.rules.hardening import (
    ACCESS_PREDICATES,
    ACCOUNT_PREDICATES,
    PLATFORM_PREDICATES,
    MachineAccess,
    MachineAccounts,
)
from railyard.rules.hosts import HOST_PREDICATES
from railyard.rules.infiniband import INFINIBAND_PREDICATES
from railyard.rules.networks import NETWORK_PREDICATES
from railyard.rules.power import RACK_PREDICATES
from railyard.rules.registry import Finding, Predicate, Rule, ordered, register
from railyard.rules.routing import ROUTED_SWITCH_PREDICATES, ROUTING_PREDICATES
from railyard.rules.scheduler import SCHEDULER_PREDICATES
from railyard.rules.storage import FILE_SYSTEM_PREDICATES, REPLICA_PREDICATES
from railyard.rules.thresholds import DEFAULTS, Thresholds
from railyard.rules.upstream import HALL_POWER_PREDICATES
from railyard.rules.waivers import apply_waivers

RACK = "railyard:facility:Rack"
HALL = "railyard:facility:Hall"
SWITCH = "railyard:network:Switch"
NETWORK = "railyard:network:Network"
SWITCH_CONFIG = "fabric:index:SwitchConfig"
SITE = "railyard:site:Site"
PLATFORM = "railyard:platform:Platform"
FILE_SYSTEM = "railyard:storage:FileSystem"
REPLICA = "railyard:replication:Replica"
MACHINE = "metal:index:Machine"

SLICE_001 = register(
    Rule(
        id="SLICE-001",
        title="Slices can be read",
        severity="limit",
        why="A resource whose properties don't read as its slice can't be judged: that must never look like a pass.",
        inputs="properties of every resource that a rule judges",
        passes="the fields that the rule reads are there, with their types",
        fails="a field is missing or has another type",
        cause="a component that changed without its noun; state of another release",
        manual="`pulumi stack export` and compare with the noun in railyard/model/plan.py",
        fix="run packs and program of the same railyard release; repair the component",
        source="house rule 8",
    )
)


class Unknown:
    """Stands for a value that the engine doesn't know yet."""

    def __repr__(self) -> str:
        return "(unknown)"


UNKNOWN = Unknown()


@dataclass(frozen=True)
class View:
    """A noun inside of a resource's properties, at a key (None: the properties themselves), and what is judged of it.

    `optional`: where nothing is at the key there is nothing to judge.
    """

    noun: type[Noun]
    predicates: tuple[Predicate[Any], ...]
    at: str | None = None
    optional: bool = False


VIEWS: dict[str, tuple[View, ...]] = {
    RACK: (View(RackPlan, RACK_PREDICATES),),
    HALL: (
        View(HallPower, HALL_POWER_PREDICATES, "power", optional=True),
        View(HallCooling, HALL_COOLING_PREDICATES, "cooling", optional=True),
        View(FloorSummary, FLOOR_PREDICATES, "floor", optional=True),
        View(FailureSummary, FAILURE_PREDICATES, "failures", optional=True),
    ),
    SWITCH: (View(SwitchPlan, (*SWITCH_PREDICATES, *ROUTED_SWITCH_PREDICATES)),),
    SWITCH_CONFIG: (View(SwitchPlan, (*SWITCH_PREDICATES, *ROUTED_SWITCH_PREDICATES), "plan"),),
    SITE: (
        View(SiteSlice, SITE_PREDICATES),
        View(CablingPlan, CABLING_PREDICATES, "cabling"),
        View(RoutingPlan, ROUTING_PREDICATES, "routing", optional=True),
        View(InfiniBandPlan, INFINIBAND_PREDICATES, "infiniband", optional=True),
        View(HostPlan, HOST_PREDICATES, "hosts"),
        View(SchedulerPlan, SCHEDULER_PREDICATES, "scheduler"),
    ),
    NETWORK: (View(NetworkPlan, NETWORK_PREDICATES),),
    PLATFORM: (View(PlatformPlan, PLATFORM_PREDICATES),),
    FILE_SYSTEM: (View(FileSystemPlan, FILE_SYSTEM_PREDICATES),),
    REPLICA: (View(ReplicaPlan, REPLICA_PREDICATES),),
    MACHINE: (View(MachineAccess, ACCESS_PREDICATES), View(MachineAccounts, ACCOUNT_PREDICATES, "accounts")),
}


class _UnknownFieldError(Exception):
    """A field that a predicate reads holds an unknown value; the text is its path."""


class _UnreadableFieldError(Exception):
    """A field that a predicate reads is missing or of another type."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")


def judge(
    token: str,
    name: str,
    props: Mapping[str, Any],
    rules: Iterable[str],
    today: date,
    thresholds: Thresholds = DEFAULTS,
    waivers: Sequence[Waiver] = (),
) -> list[Finding]:
    """What some rules say about one resource of a type token, waivers applied: those given and those in the properties."""
    wanted = frozenset(rules)
    findings: list[Finding] = []
    for view in VIEWS.get(token, ()):
        if view.optional and view.at is not None and props.get(view.at) is None:
            continue
        reader = _Reader(view, props if view.at is None else props.get(view.at, {}))
        for predicate in view.predicates:
            if wanted & {rule.id for rule in predicate.rules}:
                findings += _judged(predicate, reader, name, thresholds)
    kept = [finding for finding in findings if finding.id in wanted or finding.id == SLICE_001.id]
    return apply_waivers(kept, [*waivers, *waivers_of(props)], today)


def waivers_of(props: Mapping[str, Any]) -> list[Waiver]:
    """Waivers that a component carries beside its slice. One that can't be read waives nothing."""
    rows = props.get("waivers", ())
    return [] if rows is UNKNOWN else [waiver for row in rows for waiver in _waiver(row)]


def _waiver(row: object) -> Iterator[Waiver]:
    try:
        yield Waiver.model_validate(row)
    except ValidationError:
        return


class _Reader:
    """Reads the fields of one view, each once: several predicates read the same ones."""

    def __init__(self, view: View, props: Any) -> None:
        self.view = view
        self.props = props
        self.values: dict[str, Any] = {}

    def noun(self, reads: Iterable[str]) -> Noun:
        """A noun with the fields in `reads` only. Raises _UnknownFieldError or _UnreadableFieldError."""
        if self.props is UNKNOWN:
            raise _UnknownFieldError(self.view.at or "the resource")
        for name in sorted(reads):
            if name not in self.values:
                self.values[name] = self._field(name)
        return self.view.noun.model_construct(**{name: self.values[name] for name in reads})

    def _field(self, name: str) -> Any:
        field = self.view.noun.model_fields[name]
        alias = field.alias or name
        path = [alias] if self.view.at is None else [self.view.at, alias]
        value = self.props.get(alias, _absent(field))
        unknown = _unknown_path(value)
        if unknown is not None:
            raise _UnknownFieldError(".".join([*path, *unknown]))
        try:
            return _adapter(self.view.noun, name).validate_python(_completed(_nouns(field.annotation), value))
        except ValidationError as error:
            first = error.errors()[0]
            raise _UnreadableFieldError(".".join([*path, *(str(part) for part in first["loc"])]), first["msg"]) from None


def _judged(predicate: Predicate[Any], reader: _Reader, name: str, thresholds: Thresholds) -> list[Finding]:
    try:
        noun = reader.noun(predicate.reads)
    except _UnknownFieldError as unknown:
        found, limit = f"{unknown} is not known yet", "a value that is known in preview"
        fix = "the value is judged as soon as it is known; keep what is judged plain configuration"
        return [rule.undecided(name, found, limit, fix) for rule in predicate.rules]
    except _UnreadableFieldError as field:
        ids = ", ".join(rule.id for rule in predicate.rules)
        return [SLICE_001.finding(name, str(field), f"{reader.view.noun.__name__}, for {ids}")]
    return ordered(predicate.judge(noun, name, thresholds))


@cache
def _adapter(noun: type[Noun], name: str) -> TypeAdapter[Any]:
    return TypeAdapter(cast("Any", noun.model_fields[name].annotation))


def _absent(field: FieldInfo) -> Any:
    """What a field that isn't there is: its default, null where that is allowed, else a value that nothing accepts."""
    return None if field.is_required() else field.get_default(call_default_factory=True, validated_data={})


def _nouns(annotation: Any) -> list[type[Noun]]:
    """The nouns inside of an annotation: `tuple[RackDevice, ...]`, `FabricSummary`, `StorageTarget | None`."""
    if isinstance(annotation, type) and issubclass(annotation, Noun):
        return [annotation]
    return [noun for inner in get_args(annotation) for noun in _nouns(inner)]


def _completed(nouns: Sequence[type[Noun]], value: Any) -> Any:
    """Rows with the nulls that the engine left out, as their noun declares them."""
    if isinstance(value, list):
        return [_completed(nouns, row) for row in cast("list[Any]", value)]
    if not isinstance(value, dict) or not nouns:
        return cast("Any", value)
    rows = cast("dict[str, Any]", value)
    fields = nouns[0].model_fields.values()
    return {str(field.alias): None for field in fields if _nullable(field)} | rows


def _nullable(field: FieldInfo) -> bool:
    return get_origin(field.annotation) in (Union, UnionType) and NoneType in get_args(field.annotation) and field.is_required()


def _unknown_path(value: Any) -> list[str] | None:
    """Path to the first unknown value inside of a value, None where all is known."""
    if value is UNKNOWN:
        return []
    rows: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, Mapping):
        rows = cast("Mapping[str, Any]", value).items()
    elif isinstance(value, list):
        rows = enumerate(cast("list[Any]", value))
    for key, inner in rows:
        path = _unknown_path(inner)
        if path is not None:
            return [str(key), *path]
    return None
