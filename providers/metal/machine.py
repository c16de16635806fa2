"""`metal:index:Machine`: one machine's BMC, one section each; identity is compared before the first write (rule 15)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from providers.kit import (
    UNKNOWN,
    Call,
    Created,
    Credential,
    Deadline,
    InitFailed,
    Problem,
    ProviderError,
    ReadBack,
    ResourceType,
)
from providers.kit.references import read_reference, too_open
from providers.kit.resource import Properties
from providers.metal import accounts, errors, facts, power, services
from providers.metal.client import Bmc
from providers.metal.hold import hold
from providers.metal.models import MachineInputs
from providers.metal.transport import Link
from railyard.rules.gates import check_identity

TOKEN = "machine"  # noqa: S105  (the phase's name)
DEADLINE_S = 300.0
SECTIONS = ("accounts", "services", "bootOrder", "power")


@contextmanager
def connect(inputs: Properties, call: Call, deadline: Deadline, where: str = "") -> Iterator[Bmc]:
    """A BMC object, not logged in yet; session and connection are ended at the end."""
    verify = inputs.get("verifyTls", True)
    link = Link(inputs["bmc"], inputs["caFile"], verify, where or call.name, call.cancel, deadline)
    if not verify:
        call.log.warning_once("railyard:bmc.verifyTls is false: the BMC's certificate isn't checked", call.urn)
    with Bmc(link) as bmc:
        yield bmc


def own_credential(inputs: Properties, call: Call) -> Credential:
    """Our account. Warns once if its file can be read by everybody."""
    warning = too_open(inputs["accountRef"])
    if warning:
        call.log.warning_once(warning)
    return read_reference(inputs["accountRef"], f"{call.name} accountRef")


class Machine(ResourceType):
    """See `models.MachineInputs`. id = serial."""

    inputs_model = MachineInputs
    output_names = ("uuid", "model", "biosVersion", "bmcVersion", "powerState")

    def preview(self, inputs: Properties, old_outputs: Properties | None) -> Properties:  # noqa: ARG002
        old = old_outputs or {}
        return {"token": TOKEN, **{name: old.get(name, UNKNOWN) for name in self.output_names}}

    def create(self, inputs: Properties, call: Call) -> Created:
        serial = inputs["identity"]["serial"]
        return Created(serial, self._apply(serial, inputs, call))

    def update(self, id: str, old: Properties, new: Properties, old_outputs: Properties, call: Call) -> Properties:  # noqa: A002, ARG002
        return self._apply(id, new, call)

    def read(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> ReadBack:  # noqa: A002, ARG002
        if "identity" not in inputs:
            return ReadBack(inputs, outputs)
        own = own_credential(inputs, call)
        with connect(inputs, call, call.deadline(DEADLINE_S)) as bmc:
            accounts.enter(bmc, own, None)
            host = compare(bmc, inputs, call.name)
            return ReadBack(_seen(bmc, host, inputs, own), _outputs(bmc, host))

    def delete(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> None:  # noqa: A002, ARG002
        call.info(f"{call.name}: management ended; power, data and accounts stay as they are")

    def _apply(self, id: str, inputs: Properties, call: Call) -> Properties:  # noqa: A002
        own = own_credential(inputs, call)
        section = inputs.get("accounts")
        if section and section["name"] != own.username:
            raise _other_user(call.name, section["name"], own.username)
        deadline = call.deadline(DEADLINE_S)
        serial = inputs["identity"]["serial"]
        with hold((inputs["bmc"], serial), call.name, call.cancel, deadline), connect(inputs, call, deadline) as bmc:
            accounts.enter(bmc, own, inputs.get("factoryRef"))
            host = compare(bmc, inputs, call.name)  # nothing was written before this line
            with connect(inputs, call, deadline) as fresh:
                return _stage(id, bmc, fresh, host, inputs, own)


def compare(bmc: Bmc, inputs: Properties, name: str) -> facts.Host:
    """Raises ProviderError with every difference between plan and machine (METAL-001 to METAL-004)."""
    planned = inputs["identity"]
    host = facts.find_host(bmc, planned["serial"])
    findings = check_identity({"name": name, **planned}, facts.inventory(bmc, host, planned))
    if findings:
        raise ProviderError(*findings)
    return host


def _stage(id: str, bmc: Bmc, fresh: Bmc, host: facts.Host, inputs: Properties, own: Credential) -> Properties:  # noqa: A002
    """All sections; those that fail are reported together as half done."""
    outputs = _outputs(bmc, host)
    problems: list[Any] = []
    if inputs.get("accounts"):
        try:
            bmc = accounts.ensure_own(bmc, fresh, own)
            name = accounts.factory_name(inputs, own)
            if name and inputs["accounts"].get("removeFactory", True):
                accounts.remove(bmc, name)
        except ProviderError as error:
            problems += error.problems
    steps: dict[str, Callable[[], None]] = {
        "services": lambda: services.apply(bmc, host, inputs["services"]),
        "bootOrder": lambda: services.apply_order(bmc, host, inputs["bootOrder"]),
        "power": lambda: power.switch(bmc, host.path, inputs["power"].capitalize(), graceful=True),
    }
    for section, step in steps.items():
        if inputs.get(section) is None:
            continue
        try:
            step()
        except errors.MetalError as error:
            problems += error.problems
            if error.kind in {"unreachable", "busy", "login"}:
                break
    if problems:
        raise InitFailed(id, outputs, problems)
    return {**outputs, "powerState": power.state(bmc, host.path)}


def _outputs(bmc: Bmc, host: facts.Host) -> Properties:
    manager = facts.find_manager(bmc, host)
    return {
        "token": TOKEN,
        "uuid": str(host.system.get("UUID") or ""),
        "model": str(host.system.get("Model") or ""),
        "biosVersion": str(host.system.get("BiosVersion") or ""),
        "bmcVersion": str(manager.get("FirmwareVersion") or ""),
        "powerState": host.power,
    }


def _seen(bmc: Bmc, host: facts.Host, inputs: Properties, own: Credential) -> Properties:
    """The inputs as they are on the machine: what differs is drift."""
    found = dict(inputs)
    if inputs.get("accounts"):
        left = accounts.has_factory(bmc, accounts.factory_name(inputs, own))
        if left and inputs["accounts"].get("removeFactory", True):
            found["accounts"] = {**inputs["accounts"], "removeFactory": False}
    if inputs.get("services") is not None:
        found["services"] = services.seen(inputs["services"], bmc.get(services.protocol_path(bmc, host)))
    if inputs.get("bootOrder"):
        found["bootOrder"] = services.seen_order(inputs["bootOrder"], services.option_names(bmc, host), host)
    if inputs.get("power"):
        found["power"] = "on" if host.power in {"On", "PoweringOn"} else "off"
    return found


def _other_user(where: str, planned: str, found: str) -> ProviderError:
    fix = "let accountRef and accounts.name name the same account"
    return ProviderError(Problem("METAL-021", f"{where} accounts.name", f"accountRef is of user {found}", planned, fix))
