"""What can go wrong with a BMC or the provisioning service: ids METAL-010 and up (METAL-001 to -004 are rules: identity)."""

from typing import Any

from providers.kit.errors import KindError


class MetalError(KindError):
    """One problem with one machine. `kind` is for code that branches."""


_error = MetalError.of


def unreachable(where: str, reason: str, tried_s: float) -> MetalError:
    """METAL-010: no connection."""
    fix = "check power and cable of the BMC, its address in the inventory, and the route to the out-of-band network"
    return _error("unreachable", "METAL-010", where, f"no answer: {reason}", f"an answer within {tried_s:.0f} s", fix)


def refused_login(where: str, users: list[str]) -> MetalError:
    """METAL-011: no credential is accepted. Each was tried once, to stay below the BMC's lock-out."""
    fix = "correct the credential files, or unlock the account on the BMC (too many failures lock it for a while)"
    found = f"login refused (401) for {' and '.join(users)}, one try each"
    return _error("login", "METAL-011", where, found, "a login with accountRef or factoryRef", fix)


def busy(where: str, what: str, tried_s: float) -> MetalError:
    """METAL-012: 503 or 429 until the deadline."""
    fix = "wait until the BMC is idle (POST, firmware update), then run up again"
    return _error("busy", "METAL-012", where, f"{what}: still busy", f"ready within {tried_s:.0f} s", fix)


def answer(where: str, what: str, status: int, body: Any) -> MetalError:
    """METAL-013: an error answer; the text is the BMC's own."""
    kind = {401: "login", 403: "forbidden", 404: "missing", 412: "stale"}.get(status, "answer")
    found = f"{what}: {status} {'; '.join(messages(body)) or 'without a text'}"
    return _error(kind, "METAL-013", where, found, "success", "see what the BMC says; then run up again")


def malformed(where: str, what: str, found: str) -> MetalError:
    """METAL-014: not what Redfish promises."""
    return _error(
        "malformed", "METAL-014", where, f"{what}: {found}", "a Redfish resource", "update the BMC's firmware, or report it"
    )


def untrusted(where: str, reason: str) -> MetalError:
    """METAL-015: TLS. Nothing was sent."""
    fix = "give caFile the authority that signed the BMC's certificate, and address the BMC by a name in it"
    return _error("tls", "METAL-015", where, f"certificate not trusted: {reason}", "a certificate signed by caFile", fix)


def not_stored(where: str, what: str, sent: Any, seen: Any) -> MetalError:
    """METAL-016: accepted, but the read-back differs."""
    fix = "set it on the BMC by hand once and see whether it stays; update its firmware"
    return _error("not-stored", "METAL-016", where, f"{what} reads back as {seen}", f"{what} {sent}", fix)


def held(where: str, holder: str, waited_s: float) -> MetalError:
    """METAL-017: another process works on this machine."""
    fix = "wait for it or end it; two runs on one machine are never allowed"
    return _error("held", "METAL-017", where, f"held by {holder}", f"free within {waited_s:.0f} s", fix)


def change_password(where: str, user: str) -> MetalError:
    """METAL-018: the BMC shows nothing before the password is changed; writing before the identity is known is not allowed."""
    fix = "change it once on the BMC's page and write the new one into the credential file"
    return _error(
        "password", "METAL-018", where, f"the BMC wants a new password for {user} first", "an account that may read", fix
    )


def unsupported(where: str, what: str) -> MetalError:
    """METAL-019: this BMC can't do it."""
    return _error(
        "unsupported", "METAL-019", where, f"the BMC offers no {what}", what, "enable it on the BMC, or update its firmware"
    )


def power(where: str, wanted: str, seen: str, waited_s: float) -> MetalError:
    """METAL-020: the power state wasn't reached."""
    fix = "look at the machine's console and power supply"
    return _error("power", "METAL-020", where, f"power is {seen}", f"{wanted} within {waited_s:.0f} s", fix)


def unconfirmed(where: str, serial: str, confirmed: str, generation: int, known: str) -> MetalError:
    """METAL-030: installing again needs the serial as confirmation."""
    found = f"generation {generation} would wipe the machine ({known}); confirmSerial is {confirmed or 'not set'}"
    fix = f"inventory: confirmSerial: {serial} beside installGeneration: {generation}; or set installGeneration back"
    return _error("unconfirmed", "METAL-030", where, found, f"confirmSerial {serial}", fix)


def older(where: str, generation: int, installed: int) -> MetalError:
    """METAL-031: the plan is older than what was installed."""
    found = f"the journal has generation {installed}, the plan says {generation}"
    return _error("older", "METAL-031", where, found, f"at least {installed}", f"inventory: installGeneration: {installed}")


def no_call_home(where: str, state: str, waited_s: float, media: str) -> MetalError:
    """METAL-032: the deadline passed."""
    found = f"no call home ({state}); {media}"
    fix = "look at the machine's console (did it boot from the virtual CD?) and at the provisioning service's log"
    if "begun" in state:  # it may be half written: only the operator can decide to wipe it again
        fix += "; to install it again raise installGeneration and repeat the serial as confirmSerial"
    return _error("call-home", "METAL-032", where, found, f"installed within {waited_s:.0f} s", fix)


def service_down(url: str, reason: str) -> MetalError:
    """METAL-033: the provisioning service doesn't answer."""
    fix = "start it (services/provision) or correct railyard:install.serviceUrl and serviceCaFile"
    return _error("service", "METAL-033", url, f"provisioning service: {reason}", "an answer", fix)


def service_refused(where: str, status: int, text: str) -> MetalError:
    """METAL-034: the provisioning service says no."""
    fix = "correct railyard:install (image, imageSha256, adminRef)"
    return _error("service-refused", "METAL-034", where, f"provisioning service: {status} {text}", "a medium", fix)


def cancelled(where: str) -> MetalError:
    """METAL-036: cancelled in the middle of an installation, which goes on without us."""
    found = "cancelled while the machine may be installing itself; the medium stays in"
    return _error(
        "cancelled", "METAL-036", where, found, "", "run `pulumi up` again: it waits for the call home, installs nothing twice"
    )


def messages(body: Any) -> list[str]:
    """Texts of a Redfish error body as they came: they may repeat what was sent; the kit redacts what leaves the process."""
    return [str(item.get("Message") or item.get("MessageId")) for item in extended(body)]


def message_ids(body: Any) -> list[str]:
    """Last parts of the MessageIds: `PropertyUnknown`. Code branches on these, never on texts or registry versions."""
    return [str(item.get("MessageId", "")).rpartition(".")[2] for item in extended(body)]


def extended(body: Any) -> list[dict[str, Any]]:
    """`@Message.ExtendedInfo` wherever a BMC puts it."""
    if not isinstance(body, dict):
        return []
    error = body.get("error")
    found = (error if isinstance(error, dict) else body).get("@Message.ExtendedInfo", [])
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
