"""`fabric:index:SwitchConfig`: the configuration of one switch; its identity is compared before the first write (rule 15)."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from providers.fabric import errors, packed, tree
from providers.fabric.https import Https
from providers.fabric.models import SwitchConfigInputs
from providers.fabric.nvue import NvueSwitch
from providers.fabric.sonic import SonicSwitch
from providers.fabric.ssh import Ssh
from providers.fabric.switch import Switch, Times
from providers.fabric.turns import Turns, group_of
from providers.kit import UNKNOWN, Call, Created, Deadline, ReadBack, ResourceType
from providers.kit.diffing import Kind
from providers.kit.references import read_reference, too_open
from providers.kit.resource import Properties
from providers.metal.errors import MetalError
from providers.metal.hold import hold

TOKEN = "fabric"  # noqa: S105 (the phase's name)
READ_S = 90.0
CHANGE_S = 900.0
FOR_POLICIES = {"plan", "waivers"}
FOR_PEOPLE = "changes"
TURNS = Turns()


@contextmanager
def connect(inputs: Properties, call: Call, deadline: Deadline) -> Iterator[Switch]:
    """The switch behind the inputs, and nobody else: raises SWITCH-001 before anything is written."""
    where = f"{inputs.get('name') or call.name} ({inputs['address']})"
    warning = too_open(inputs["credentialRef"])
    if warning:
        call.log.warning_once(warning)
    login = read_reference(inputs["credentialRef"], f"{where} credentialRef")
    switch: Switch
    if inputs["nos"] == "cumulus":
        switch = NvueSwitch(Https(inputs["address"], inputs["caFile"], login, where, call.cancel, deadline))
    else:
        switch = SonicSwitch(Ssh(inputs["address"], inputs["hostKeySha256"], login, where, call.cancel, deadline))
    with switch:
        found = switch.serial()
        if found != inputs["serial"]:
            raise errors.other_switch(where, found, inputs["serial"])
        yield switch


class SwitchConfig(ResourceType):
    """See `models.SwitchConfigInputs`. id = serial.

    The state holds `config` packed, once, and what changed last in `changes`: the tree of the program stays out of it.
    Output `applied` is another text after each change, also of drift that is put back: gates are measured again by it.
    """

    inputs_model = SwitchConfigInputs
    only_inputs = frozenset({"config", FOR_PEOPLE, *FOR_POLICIES})

    def condense(self, old: Properties, new: Properties) -> Properties:
        wanted, before = packed.unpack(new["config"]), old.get("config")
        if before is None:
            return {**new, "config": packed.pack(wanted)}
        was = _kept(before, new["name"])
        if was == wanted and isinstance(before, str):
            return {**new, "config": before}
        return {**new, "config": packed.pack(wanted), FOR_PEOPLE: packed.changes(was, wanted)}

    def diff(self, old: Properties, new: Properties, call: Call) -> dict[str, Kind]:
        """Changed keys: those of `config` as lines of `changes`. What is there for policies is no change."""
        aside = {"config", FOR_PEOPLE, *FOR_POLICIES}
        before, after = ({key: value for key, value in one.items() if key not in aside} for one in (old, new))
        found = super().diff(before, after, call)
        lines = packed.changes(_kept(old.get("config"), call.name), packed.unpack(new.get("config")))
        return found | {f'{FOR_PEOPLE}["{line}"]': "add" for line in lines}

    def preview(self, inputs: Properties, old_outputs: Properties | None) -> Properties:  # noqa: ARG002
        return {"token": TOKEN, "applied": UNKNOWN}

    def create(self, inputs: Properties, call: Call) -> Created:
        self._apply({}, inputs, call)
        return Created(inputs["serial"], _outputs())

    def update(self, id: str, old: Properties, new: Properties, old_outputs: Properties, call: Call) -> Properties:  # noqa: A002, ARG002
        self._apply(_kept(old.get("config"), call.name), new, call)
        return _outputs()

    def read(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> ReadBack:  # noqa: A002, ARG002
        if "config" not in inputs:
            return ReadBack(inputs, outputs)
        before = inputs["config"]
        wanted = _kept(before, call.name)
        with connect(inputs, call, call.deadline(READ_S)) as switch:
            found = tree.seen(switch.tree(), wanted)
        if found == wanted:
            return ReadBack(inputs, outputs)
        if not isinstance(before, str):
            return ReadBack({**inputs, "config": found}, outputs)
        drift = {"config": packed.pack(found), FOR_PEOPLE: packed.changes(wanted, found)}
        return ReadBack({**inputs, **drift}, outputs)

    def delete(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> None:  # noqa: A002, ARG002
        call.info(f"{call.name}: management ended; the switch keeps its configuration and goes on forwarding")

    def _apply(self, old: dict[str, Any], inputs: Properties, call: Call) -> None:
        with TURNS.turn(group_of(inputs.get("plan")), call.name, call.cancel):
            self._change(old, inputs, call)

    def _change(self, old: dict[str, Any], inputs: Properties, call: Call) -> None:
        deadline = call.deadline(CHANGE_S)
        wanted = packed.unpack(inputs["config"])
        times = Times(float(inputs.get("confirmS", 180)), float(inputs.get("settleS", 60)))
        with _alone(inputs, call, deadline), connect(inputs, call, deadline) as switch:
            switch.free()
            switch.change(old, wanted, times)
            left = tree.additions(switch.tree(), wanted)
            if left:
                raise errors.not_stored(switch.where, sorted(".".join(path) for path in tree.paths(left)))


def _outputs() -> Properties:
    return {"token": TOKEN, "applied": secrets.token_hex(8)}


def _kept(value: Any, where: str) -> dict[str, Any]:
    """The tree that the state holds. Raises SWITCH-019 for a text that somebody edited."""
    try:
        return packed.unpack(value)
    except ValueError as error:
        raise errors.malformed(where, "config in the state", str(error)) from None


@contextmanager
def _alone(inputs: Properties, call: Call, deadline: Deadline) -> Iterator[None]:
    """One change at a time per switch, for all processes of this user on this host."""
    guard = hold((f"switch {inputs['address']}", f"switch {inputs['serial']}"), call.name, call.cancel, deadline)
    try:
        guard.__enter__()
    except MetalError as error:
        problem = error.problems[0]
        raise errors.held(call.name, problem.found.removeprefix("held by "), deadline.limit_s) from None
    try:
        yield
    finally:
        guard.__exit__(None, None, None)
