"""`metal:index:Installation`: never a second wipe (rule 17). `wiping` says what is asked before anything starts, and why."""

import hashlib
import json
from contextlib import suppress
from typing import Any

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
    has_unknown,
)
from providers.kit.resource import Properties
from providers.metal import accounts, errors, facts, power, wiping
from providers.metal.client import Bmc, Body, link_of
from providers.metal.hold import hold
from providers.metal.machine import connect, own_credential
from providers.metal.models import InstallationInputs
from providers.metal.service import Provisioner, Record, Seen, provisioner

TOKEN = "installed"  # noqa: S105  (the phase's name)
MARGIN_S = 300.0
CONTENT = ("image", "imageSha256", "name", "seed")


class Installation(ResourceType):
    """See `models.InstallationInputs`. id = serial."""

    inputs_model = InstallationInputs
    output_names = ("installationId", "hostKeyFingerprint", "journalId", "installedImageSha256", "installedSeedSha256")

    def diff(self, old: Properties, new: Properties, call: Call) -> dict[str, diffing.Kind]:
        """Only another generation or another machine counts; other changed content is reported, never acted on."""
        changes = diffing.diff(old, new)
        acting = {path: kind for path, kind in changes.items() if path in {"generation", "serial"}}
        content = sorted(path for path in changes if path.split(".", 1)[0].split("[", 1)[0] in CONTENT)
        # The engine stores changed inputs although nothing is done: from the next run on only the outputs still tell.
        content = content or _outdated(new, call.state.get("installedImageSha256"), call.state.get("installedSeedSha256"))
        if content and not acting:
            _warn(content, call)
        return acting

    def preview(self, inputs: Properties, old_outputs: Properties | None) -> Properties:  # noqa: ARG002
        return {"token": TOKEN, **dict.fromkeys(self.output_names, UNKNOWN)}

    def create(self, inputs: Properties, call: Call) -> Created:
        serial = inputs["serial"]
        return Created(serial, self._run(serial, inputs, {}, call))

    def update(self, id: str, old: Properties, new: Properties, old_outputs: Properties, call: Call) -> Properties:  # noqa: A002, ARG002
        return self._run(id, new, old_outputs, call)

    def read(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> ReadBack:  # noqa: A002, ARG002
        if "serviceUrl" not in inputs:
            return ReadBack(inputs, outputs)
        serial = inputs["serial"]
        seen = provisioner(inputs).look(serial, call.cancel)
        wiping.check_journal(seen, wiping.Known.parse(serial, outputs), call.name, serial)
        record = seen.record
        if record is None or record.state != "finished":
            state = record.state if record else "nothing is recorded, nor does Pulumi's state know of an installation"
            fix = "run up: what has begun is waited for, never begun again; what was never begun is installed"
            raise ProviderError(Problem("METAL-035", call.name, f"journal: {state}", "finished", fix))
        content = _outdated(inputs, record.image_sha256, record.seed_sha256)
        if content:
            _warn(content, call)
        return ReadBack({**inputs, "generation": record.generation}, _outputs(serial, seen.journal_id, record))

    def delete(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> None:  # noqa: A002, ARG002
        call.info(f"{call.name}: management ended; the operating system and its data stay")

    def _run(self, id: str, inputs: Properties, old_outputs: Properties, call: Call) -> Properties:  # noqa: A002
        deadline = call.deadline(inputs["deadlineS"] + MARGIN_S)
        service, serial = provisioner(inputs), inputs["serial"]
        known = wiping.Known.parse(serial, old_outputs)
        with hold((inputs["bmc"], serial), call.name, call.cancel, deadline):
            seen = service.look(serial, call.cancel)
            if not wiping.confirmed_anew(known, inputs):
                wiping.check_journal(seen, known, call.name, serial)
            step = wiping.decide(seen.record, inputs, call.name)
            job = _Job(id, inputs, call, service, deadline, seen)
            if step == "adopt" and seen.record:
                _report_name(seen.record, inputs, call)
                return job.finish(seen.record)
            return job.install(start=step == "start")


class _Job:
    """One installation under way."""

    def __init__(
        self,
        id: str,  # noqa: A002
        inputs: Properties,
        call: Call,
        service: Provisioner,
        deadline: Deadline,
        seen: Seen,
    ) -> None:
        self.id = id
        self.journal_id = seen.journal_id
        self.inputs = inputs
        self.call = call
        self.service = service
        self.deadline = deadline
        self.prefix = f"{inputs['serviceUrl']}/v1/media/"

    def install(self, *, start: bool) -> Properties:
        """Starts (if told so), waits for the call home, takes the medium out unless an installer may be reading it."""
        limit = self.deadline.shorter(self.inputs["deadlineS"])
        url = self._issue() if start else ""
        try:
            if url:
                self._start(url)
            record = self._wait(limit)
        except Cancelled:
            # The machine may be reading the medium right now: it stays in, and the next run waits for the call home.
            raise InitFailed(self.id, self._started(), errors.cancelled(self.call.name).problems) from None
        except ProviderError as error:
            lost = getattr(error, "kind", "") in {"unreachable", "login", "tls"}  # then there is nobody to clean up with
            media = [] if lost or self._begun() else self._clean_up()
            raise InitFailed(self.id, self._started(), [*error.problems, *media]) from None
        if record is None or record.state != "finished" or record.generation < self.inputs["generation"]:
            raise self._late(record, limit)
        return self.finish(record)

    def _late(self, record: Record | None, limit: Deadline) -> InitFailed:
        """At the deadline: an installer that is at it keeps its medium, for it may only be slow."""
        if record and record.state == "begun":
            late = wiping.cut_off(self.call.name, self.inputs["serial"], record.generation, limit.limit_s)
            return InitFailed(self.id, self._started(), late.problems)
        media = self._clean_up()
        told = "the medium was taken out" if not media else "the medium is still in"
        late = errors.no_call_home(self.call.name, self.service.known(record), limit.limit_s, told)
        return InitFailed(self.id, self._started(), [*late.problems, *media])

    def _started(self) -> Properties:
        """Outputs of what is half done: enough to notice in the next run that the journal was lost meanwhile."""
        number = f"{self.inputs['serial']}/{self.inputs['generation']}"
        return {"token": TOKEN, "installationId": number, "journalId": self.journal_id}

    def _begun(self) -> bool:
        """True if the machine may be installing itself; also if the journal can't be read."""
        try:
            record = self.service.look(self.inputs["serial"], self.call.cancel).record
        except Cancelled:
            raise
        except ProviderError:
            return True
        return record is not None and record.state == "begun"

    def _issue(self, *, renew: bool = False) -> str:
        return self.service.issue(_request(self.inputs), self.call.name, self.call.cancel, renew=renew)

    def finish(self, record: Record) -> Properties:
        """Reads back: medium out, power on. What isn't so makes it half done."""
        problems = self._clean_up(check_power=True)
        outputs = _outputs(self.inputs["serial"], self.journal_id, record)
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
        Otherwise all media that are out are ended before the power is touched: from then on the machine can't begin, whoever
        else started it; if it has begun already, nothing is touched.
        """
        with self._login() as bmc:
            host = facts.find_host(bmc, self.inputs["serial"])
            self._same_machine(bmc, host)
            slot = power.find_slot(bmc, host.system, _managers(bmc, host))
            if power.inserted(slot) == url and power.settle(bmc, host.path) == "On":
                return
            wiping.check_device(host.system, self.inputs, bmc.where)
            url = self._issue(renew=True)
            if not url:
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


def _outputs(serial: str, journal_id: str, record: Record) -> Properties:
    return {
        "token": TOKEN,
        "installationId": f"{serial}/{record.generation}",
        "hostKeyFingerprint": record.fingerprint,
        "journalId": journal_id,
        "installedImageSha256": record.image_sha256,
        "installedSeedSha256": record.seed_sha256,
    }


def _outdated(inputs: Properties, image_sha256: Any, seed_sha256: Any) -> list[str]:
    """What the plan has otherwise than the disk, as far as that is known."""
    planned = {"imageSha256": inputs.get("imageSha256"), "seed": _digest(inputs.get("seed"))}
    installed = {"imageSha256": image_sha256, "seed": seed_sha256}
    return [key for key, value in installed.items() if value and not has_unknown(planned[key]) and value != planned[key]]


def _digest(seed: Any) -> Any:
    """As the provisioning service makes it: SHA-256 of the seed as sorted JSON."""
    if has_unknown(seed):
        return UNKNOWN
    return hashlib.sha256(json.dumps(seed, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _warn(content: list[str], call: Call) -> None:
    text = f"{call.name}: {', '.join(content)} differs from what is installed, which stays. To install it again"
    call.log.warning_once(f"{text} raise installGeneration and repeat the serial as confirmSerial", call.urn)


def _report_name(record: Record, inputs: Properties, call: Call) -> None:
    if record.name and record.name != inputs["name"]:
        call.warning(f"{call.name}: installed as {record.name}; it keeps that name until it's installed again")
