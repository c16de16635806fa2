"""Power, boot override and virtual media: each reads the state first, acts, and waits for the state."""

from collections.abc import Sequence

from providers.kit import Deadline
from providers.metal import errors
from providers.metal.client import Bmc, Body, link_of

POLL_S = 0.2
POWER_S = 120.0
GRACE_S = 60.0
_BETWEEN = {"PoweringOn": "On", "PoweringOff": "Off"}


def state(bmc: Bmc, path: str) -> str:
    """PowerState now."""
    return _power(bmc.get(path))


def switch(bmc: Bmc, path: str, wanted: str, *, graceful: bool = False) -> None:
    """Brings power to `On` or `Off`. Graceful: shut down first, force after a minute. Raises METAL-020."""
    system = _settled(bmc, path)
    if _power(system) == wanted:
        return
    target, allowed = reset_action(bmc, system)
    if wanted == "On":
        _reset(bmc, path, target, _pick(bmc, allowed, ("On", "ForceOn")), wanted)
    elif graceful and "GracefulShutdown" in allowed:
        _reset(bmc, path, target, "GracefulShutdown", wanted)
        if _wait(bmc, path, wanted, bmc.link.deadline.shorter(GRACE_S)) == wanted:
            return
        _reset(bmc, path, target, "ForceOff", wanted)
    else:
        _reset(bmc, path, target, _pick(bmc, allowed, ("ForceOff", "GracefulShutdown")), wanted)
    limit = bmc.link.deadline.shorter(POWER_S)
    now = _wait(bmc, path, wanted, limit)
    if now != wanted:
        raise errors.power(bmc.where, wanted, now, limit.limit_s)


def settle(bmc: Bmc, path: str) -> str:
    """PowerState once it's stable (or the deadline's last one)."""
    return _power(_settled(bmc, path))


def _settled(bmc: Bmc, path: str) -> Body:
    limit = bmc.link.deadline.shorter(POWER_S)
    system = bmc.get(path)
    while _power(system) in _BETWEEN and not limit.passed():
        bmc.link.cancel.wait(POLL_S, bmc.where)
        system = bmc.get(path)
    return system


def _power(system: Body) -> str:
    return str(system.get("PowerState") or "unknown")


def reset_action(bmc: Bmc, system: Body) -> tuple[str, list[str]]:
    """(target, allowed ResetTypes) of the system, from the inline list or ActionInfo."""
    action = (system.get("Actions") or {}).get("#ComputerSystem.Reset") or {}
    allowed = action.get("ResetType@Redfish.AllowableValues")
    if not allowed:
        info = bmc.find(str(action.get("@Redfish.ActionInfo") or "")) or {}
        named = [one for one in info.get("Parameters") or [] if one.get("Name") == "ResetType"]
        allowed = named[0].get("AllowableValues") if named else None
    if not action.get("target"):
        raise errors.unsupported(bmc.where, "ComputerSystem.Reset")
    return str(action["target"]), list(allowed or ["On", "ForceOff"])


def boot_once(bmc: Bmc, path: str) -> None:
    """Next boot, once, from the virtual CD, by UEFI; read back (Q01). Raises METAL-016, METAL-019."""
    try:
        bmc.patch(path, lambda now: _override(bmc, now, mode=True))
    except errors.MetalError as error:
        if error.kind != "answer" or "BootSourceOverrideMode" not in str(error):  # Q04: mode is read-only on HPE
            raise
        bmc.patch(path, lambda now: _override(bmc, now, mode=False))


def find_slot(bmc: Bmc, system: Body, managers: Sequence[Body]) -> Body:
    """The virtual drive that takes a CD: in the system's collection or a manager's (Q16). Raises METAL-019."""
    for owner in (system, *managers):
        for slot in bmc.members(link_of(owner, "VirtualMedia")):
            if {"CD", "DVD"} & set(slot.get("MediaTypes") or []):
                return slot
    raise errors.unsupported(bmc.where, "virtual CD drive")


def inserted(slot: Body) -> str:
    """The image in the drive, "" if none: BMCs may keep the name after an eject (Q15)."""
    if not slot.get("Inserted") or slot.get("ConnectedVia") == "NotConnected":
        return ""
    return str(slot.get("Image") or slot.get("ImageName") or "?")


def insert(bmc: Bmc, slot: Body, url: str) -> None:
    """Puts the image in and reads back. Whatever was in is ejected first."""
    path = str(slot["@odata.id"])
    if inserted(slot) == url:
        return
    eject(bmc, slot)
    action = _media_action(slot, "InsertMedia")
    if not action:  # Q17
        bmc.patch(path, lambda now: None if inserted(now) else {"Image": url, "Inserted": True})
    else:
        _insert(bmc, path, action, url)
    if not inserted(bmc.get(path)):
        raise errors.not_stored(bmc.where, "virtual media", "inserted", "not inserted")


def _insert(bmc: Bmc, path: str, action: str, url: str) -> None:
    def done() -> bool:
        return bool(inserted(bmc.get(path)))

    try:
        bmc.post(action, {"Image": url}, done, "InsertMedia")
    except errors.MetalError as error:
        if error.kind != "answer" or "Transfer" not in str(error):
            raise
        more = {"TransferProtocolType": "HTTPS", "TransferMethod": "Stream"}  # only where the BMC asks for it
        bmc.post(action, {"Image": url, **more}, done, "InsertMedia")


def eject(bmc: Bmc, slot: Body) -> None:
    """Takes the image out; nothing in is fine."""
    path = str(slot["@odata.id"])
    if not inserted(bmc.get(path)):
        return
    action = _media_action(slot, "EjectMedia")
    if action:
        bmc.post(action, {}, lambda: not inserted(bmc.get(path)), "EjectMedia")
    else:
        bmc.patch(path, lambda now: {"Image": None, "Inserted": False} if inserted(now) else None)
    left = inserted(bmc.get(path))
    if left:
        raise errors.not_stored(bmc.where, "virtual media", "ejected", "still inserted")


def _media_action(slot: Body, name: str) -> str:
    return str(((slot.get("Actions") or {}).get(f"#VirtualMedia.{name}") or {}).get("target") or "")


def _override(bmc: Bmc, now: Body, *, mode: bool) -> Body | None:
    boot = now.get("Boot") or {}
    allowed = boot.get("BootSourceOverrideTarget@Redfish.AllowableValues") or ["Cd"]
    target = next((one for one in ("Cd", "UsbCd") if one in allowed), None)
    if target is None:
        raise errors.unsupported(bmc.where, f"boot from CD (only {', '.join(allowed)})")
    wanted = {"BootSourceOverrideEnabled": "Once", "BootSourceOverrideTarget": target}
    if mode and "BootSourceOverrideMode" in boot:  # Q02, Q03
        wanted["BootSourceOverrideMode"] = "UEFI"
    return None if all(boot.get(key) == value for key, value in wanted.items()) else {"Boot": wanted}


def _reset(bmc: Bmc, path: str, target: str, kind: str, wanted: str) -> None:
    def done() -> bool:
        now = state(bmc, path)
        return _BETWEEN.get(now, now) == wanted

    bmc.post(target, {"ResetType": kind}, done, f"Reset {kind}")


def _pick(bmc: Bmc, allowed: Sequence[str], liked: Sequence[str]) -> str:
    found = next((kind for kind in liked if kind in allowed), None)
    if found is None:
        raise errors.unsupported(bmc.where, f"ResetType {' or '.join(liked)} (only {', '.join(allowed)})")
    return found


def _wait(bmc: Bmc, path: str, wanted: str, limit: Deadline) -> str:
    now = state(bmc, path)
    pause = 0.05
    while now != wanted and not limit.passed():
        bmc.link.cancel.wait(pause, bmc.where)
        pause = min(2.0, pause * 1.6)
        now = state(bmc, path)
    return now
