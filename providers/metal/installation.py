"""`metal:index:Installation`: never a second wipe (rule 17). The service's journal is asked before anything starts."""

from contextlib import suppress
from typing import Any, Literal

from providers.kit import (
    UNKNOWN,
    Call,
    Cancelled,
    Created,
    Deadline,
    InitFailed,
    Problem,
    ProviderError,
    ReadBack,
    ResourceType,
    diffing,
)
from providers.kit.resource import Properties
from providers.metal import accounts, errors, facts, power
from providers.metal.client import Bmc, Body, link_of
from providers.metal.hold import hold
from providers.metal.machine import connect, own_credential
from providers.metal.models import InstallationInputs
from providers.metal.service import Provisioner, Record, provisioner

TOKEN = "installed"  # noqa: S105  (the phase's name)
MARGIN_S = 300.0
CONTENT = ("image", "imageSha256", "name", "seed")
Step = Literal["adopt", "wait", "start"]


def decide(record: Record | None, inputs: Properties, where: str) -> Step:
    """What to do, by the journal alone. Raises METAL-030 (not confirmed), METAL-031 (the plan is older)."""
    generation, serial = inputs["generation"], inputs["serial"]
    if record and record.generation > generation:
        raise errors.older(where, generation, record.generation)
    if record and record.generation == generation:
        steps: dict[str, Step] = {"finished": "adopt", "begun": "wait"}
        return steps.get(record.state, "start")
    confirmed = inputs.get("confirmSerial") or ""
    if generation > 1 and confirmed != serial:
        known = f"journal: generation {record.generation}, {record.state}" if record else "journal: no installation"
        raise errors.unconfirmed(where, serial, confirmed, generation, known)
    return "start"


class Installation(ResourceType):
    """See `models.InstallationInputs`. id = serial."""

    inputs_model = InstallationInputs
    output_names = ("installationId", "hostKeyFingerprint")

    def diff(self, old: Properties, new: Properties, call: Call) -> dict[str, diffing.Kind]:
        """Only another generation or another machine counts; other changed content is reported, never acted on."""
        changes = diffing.diff(old, new)
        acting = {path: kind for path, kind in changes.items() if path in {"generation", "serial"}}
        content = sorted(path for path in changes if path.split(".", 1)[0].split("[", 1)[0] in CONTENT)
        if content and not acting:
            text = f"{call.name}: {', '.join(content)} changed; what is installed stays. To install it again"
            call.log.warning_once(f"{text} raise installGeneration and repeat the serial as confirmSerial", call.urn)
        return acting

    def preview(self, inputs: Properties, old_outputs: Properties | None) -> Properties:  # noqa: ARG002
        return {"token": TOKEN, **dict.fromkeys(self.output_names, UNKNOWN)}

    def create(self, inputs: Properties, call: Call) -> Created:
        serial = inputs["serial"]
        return Created(serial, self._run(serial, inputs, call))

    def update(self, id: str, old: Properties, new: Properties, old_outputs: Properties, call: Call) -> Properties:  # noqa: A002, ARG002
        return self._run(id, new, call)

    def read(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> ReadBack:  # noqa: A002, ARG002
        if "serviceUrl" not in inputs:
            return ReadBack(inputs, outputs)
        record = provisioner(inputs).record(inputs["serial"], call.cancel)
        if record is None or record.state != "finished":
            state = record.state if record else "nothing is recorded"
            fix = "run up: it waits for the call home, or installs what was never installed"
            raise ProviderError(Problem("METAL-035", call.name, f"journal: {state}", "finished", fix))
        return ReadBack({**inputs, "generation": record.generation}, _outputs(inputs["serial"], record))

    def delete(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> None:  # noqa: A002, ARG002
        call.info(f"{call.name}: management ended; the operating system and its data stay")

    def _run(self, id: str, inputs: Properties, call: Call) -> Properties:  # noqa: A002
        deadline = call.deadline(inputs["deadlineS"] + MARGIN_S)
        service = provisioner(inputs)
        with hold(inputs["serial"], call.name, call.cancel, deadline):
            record = service.record(inputs["serial"], call.cancel)
            step = decide(record, inputs, call.name)
            job = _Job(id, inputs, call, service, deadline)
            if step == "adopt" and record:
                _report_name(record, inputs, call)
                return job.finish(record)
            return job.install(start=step == "start")


class _Job:
    """One installation under way."""

    def __init__(self, id: str, inputs: Properties, call: Call, service: Provisioner, deadline: Deadline) -> None:  # noqa: A002
        self.id = id
        self.inputs = inputs
        self.call = call
        self.service = service
        self.deadline = deadline
        self.prefix = f"{inputs['serviceUrl']}/v1/media/"

    def install(self, *, start: bool) -> Properties:
        """Starts (if told so), waits for the call home, takes the medium out on every end but Cancel."""
        limit = self.deadline.shorter(self.inputs["deadlineS"])
        url = self.service.issue(_request(self.inputs), self.call.name, self.call.cancel) if start else ""
        try:
            if url:
                self._start(url)
            record = self._wait(limit)
        except Cancelled:
            # The machine may be reading the medium right now: it stays in, and the next run waits for the call home.
            raise InitFailed(self.id, {"token": TOKEN}, errors.cancelled(self.call.name).problems) from None
        except ProviderError as error:
            lost = getattr(error, "kind", "") in {"unreachable", "login", "tls"}  # then there is nobody to clean up with
            raise InitFailed(self.id, {"token": TOKEN}, [*error.problems, *([] if lost else self._clean_up())]) from None
        if record is None:
            media = self._clean_up()
            state = self.service.known(self.inputs["serial"])
            told = "the medium was taken out" if not media else "the medium is still in"
            late = errors.no_call_home(self.call.name, state, limit.limit_s, told)
            raise InitFailed(self.id, {"token": TOKEN}, [*late.problems, *media])
        return self.finish(record)

    def finish(self, record: Record) -> Properties:
        """Reads back: medium out, power on. What isn't so makes it half done."""
        problems = self._clean_up(check_power=True)
        outputs = _outputs(self.inputs["serial"], record)
        if problems:
            raise InitFailed(self.id, outputs, problems)
        return outputs

    def _wait(self, limit: Deadline) -> Record | None:
        serial, generation = self.inputs["serial"], self.inputs["generation"]
        return self.service.wait(serial, generation, self.call.cancel, limit, self.call.name)

    def _start(self, url: str) -> None:
        """Off, override, medium, on: in this order.

        A machine that is still in its self test when the medium goes in boots from it by itself, and a restart then would break
        an installation off. And a repeat can tell from the device how far it came: on with our medium in means started.
        """
        with self._login() as bmc:
            host = facts.find_host(bmc, self.inputs["serial"])
            self._same_machine(bmc, host)
            slot = power.find_slot(bmc, host.system, _managers(bmc, host))
            if power.inserted(slot) == url and power.settle(bmc, host.path) == "On":
                return
            power.switch(bmc, host.path, "Off")
            power.boot_once(bmc, host.path)
            power.insert(bmc, slot, url)
            power.switch(bmc, host.path, "On")

    def _clean_up(self, *, check_power: bool = False) -> list[Any]:
        """Takes our medium out; problems instead of exceptions, except Cancelled."""
        try:
            with self._login() as bmc:
                host = facts.find_host(bmc, self.inputs["serial"])
                slot = power.find_slot(bmc, host.system, _managers(bmc, host))
                if power.inserted(slot).startswith(self.prefix):
                    power.eject(bmc, slot)
                if check_power and power.settle(bmc, host.path) != "On":
                    raise errors.power(bmc.where, "On", "Off", 0)
        except Cancelled:
            raise
        except ProviderError as error:
            return list(error.problems)
        return []

    def _login(self) -> "_Session":
        return _Session(self)

    def _same_machine(self, bmc: Bmc, host: facts.Host) -> None:
        """The last look before a wipe: the journal, the plan and the device must speak of one serial."""
        if self.inputs["serial"] not in facts.serials(host.system):
            found = ", ".join(facts.serials(host.system)) or "no serial"
            fix = "correct serial or bmc of this machine in the inventory"
            raise ProviderError(
                Problem("METAL-001", bmc.where, f"serial {found}", f"serial {self.inputs['serial']} (planned)", fix)
            )


class _Session:
    """A login for one step: sessions time out (30 s on some BMCs), so none is kept while a machine installs itself."""

    def __init__(self, job: _Job) -> None:
        # A clean-up after the deadline still gets its minute.
        limit = Deadline(max(60.0, job.deadline.left()))
        self._context = connect(job.inputs, job.call, limit)
        self._own = own_credential(job.inputs, job.call)

    def __enter__(self) -> Bmc:
        bmc = self._context.__enter__()
        try:
            accounts.enter(bmc, self._own, None)
        except BaseException:
            with suppress(ProviderError):
                self._context.__exit__(None, None, None)
            raise
        return bmc

    def __exit__(self, *_: object) -> None:
        self._context.__exit__(None, None, None)


def _managers(bmc: Bmc, host: facts.Host) -> list[Body]:
    linked = [bmc.find(link_of(item)) for item in (host.system.get("Links") or {}).get("ManagedBy") or []]
    return [one for one in linked if one] or list(bmc.members(link_of(bmc.root(), "Managers")))


def _request(inputs: Properties) -> Properties:
    keys = ("serial", "generation", "name", "image", "imageSha256", "seed", "deadlineS")
    return {key: inputs[key] for key in keys}


def _outputs(serial: str, record: Record) -> Properties:
    return {
        "token": TOKEN,
        "installationId": f"{serial}/{record.generation}",
        "hostKeyFingerprint": record.fingerprint,
    }


def _report_name(record: Record, inputs: Properties, call: Call) -> None:
    if record.name and record.name != inputs["name"]:
        call.warning(f"{call.name}: installed as {record.name}; it keeps that name until it's installed again")
