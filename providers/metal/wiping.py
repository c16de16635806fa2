"""May this machine be wiped? Rule 17 in one place: what is known, from where, and what each source protects against.

| what happens | what protects |
|---|---|
| a run is killed, the state knows nothing | the journal: finished is adopted, begun is waited for |
| two hosts, a power cut, a medium that starts again | the service: one attempt per installation, whoever started it |
| the journal is lost, new or an old copy (METAL-037) | Pulumi's state: generation, fingerprint, the journal's id |
| journal and state are lost, generation 1 | the device: what runs an operating system isn't switched off (METAL-030) |
| journal and state are lost, generation 2 and up | `confirmSerial` alone: take it out of the inventory once it was used |

A machine that runs a system nobody recorded can't be adopted: restore the journal, or confirm that it may be wiped.
"""

from dataclasses import dataclass
from typing import Any, Literal

from providers.kit import ProviderError
from providers.kit.errors import problem
from providers.metal import errors
from providers.metal.service import Record, Seen

Step = Literal["adopt", "wait", "start"]
RUNNING = {"OSBootStarted", "OSRunning"}


@dataclass(frozen=True, slots=True)
class Known:
    """What the state remembers of an installation: at least `generation` was started; `finished` means it was."""

    generation: int
    finished: bool
    journal_id: str

    @classmethod
    def parse(cls, serial: str, outputs: dict[str, Any]) -> "Known | None":
        """From outputs; None if they are about no installation of this serial."""
        owner, slash, generation = str(outputs.get("installationId") or "").rpartition("/")
        if not slash or owner != serial or not generation.isdigit():
            return None
        return cls(int(generation), bool(outputs.get("hostKeyFingerprint")), str(outputs.get("journalId") or ""))


def decide(record: Record | None, inputs: dict[str, Any], where: str) -> Step:
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


def check_journal(seen: Seen, known: Known | None, where: str, serial: str) -> None:
    """Raises METAL-037 if the journal lacks what the state knows: then it proves nothing about this machine."""
    if known is None:
        return
    record = seen.record
    if known.journal_id and seen.journal_id != known.journal_id:
        found = "another journal than the one that recorded this installation"
    elif record is None or record.generation < known.generation:
        found = f"generation {record.generation}" if record else "nothing about this machine"
    elif known.finished and record.generation == known.generation and record.state != "finished":
        found = f"generation {record.generation}, {record.state}"
    else:
        return
    limit = f"generation {known.generation}{', finished' if known.finished else ''} (Pulumi's state)"
    fix = (
        "restore the provisioning service's journal and its .key file from the backup; or, to wipe this machine, set "
        f"installGeneration: {max(known.generation, record.generation if record else 0) + 1} and confirmSerial: {serial}"
    )
    raise _error("METAL-037", where, f"journal: {found}", limit, fix)


def confirmed_anew(known: Known | None, inputs: dict[str, Any]) -> bool:
    """True if the operator raised the generation beyond what the state knows, and named the serial."""
    return known is not None and inputs["generation"] > known.generation and inputs.get("confirmSerial") == inputs["serial"]


def check_device(system: dict[str, Any], inputs: dict[str, Any], where: str) -> None:
    """Raises METAL-030 if the machine runs an operating system that nobody confirmed to lose. Many BMCs don't tell."""
    last = str((system.get("BootProgress") or {}).get("LastState") or "")
    confirmed = inputs.get("confirmSerial") or ""
    if last in RUNNING and confirmed != inputs["serial"]:
        known = f"BMC: {last}, journal: never finished"
        raise errors.unconfirmed(where, inputs["serial"], confirmed, inputs["generation"], known)


def cut_off(where: str, serial: str, generation: int, waited_s: float) -> ProviderError:
    """METAL-038: begun and not finished. The disk may be half written, or a slow installer may still be at it."""
    found = f"generation {generation} has begun and never finished (power cut, installer that stopped?); the medium stays in"
    fix = (
        "look at the machine's console; if it still installs, run up again later; to wipe it again set "
        f"installGeneration: {generation + 1} and confirmSerial: {serial} in the inventory"
    )
    return _error("METAL-038", where, found, f"installed within {waited_s:.0f} s", fix)


def _error(id: str, where: str, found: str, limit: str, fix: str) -> ProviderError:  # noqa: A002
    return ProviderError(problem(id, where, found, limit, fix))
