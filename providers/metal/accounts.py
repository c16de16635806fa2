"""Logging in, and the section `accounts`: our own account first, proved by a fresh login, only then the factory's goes."""

from collections.abc import Iterator, Mapping
from typing import Any

from providers.kit import Credential, ProviderError, read_reference
from providers.metal import errors
from providers.metal.client import Bmc, Body, link_of

ROLE = "Administrator"


def enter(bmc: Bmc, own: Credential, factory_ref: str | None) -> None:
    """Logs in with our own account, else with the factory's. One try each. Raises METAL-011."""
    if bmc.login(own):
        return
    if not factory_ref:
        raise errors.refused_login(bmc.where, [own.username])
    factory = read_reference(factory_ref, f"{bmc.where} factoryRef")
    if not bmc.login(factory):
        raise errors.refused_login(bmc.where, [own.username, factory.username])


def factory_name(inputs: Mapping[str, Any], own: Credential) -> str | None:
    """User name of the factory account; None if its reference can't be read any more (it's only needed once) or is our own."""
    if not inputs.get("factoryRef"):
        return None
    try:
        name = read_reference(inputs["factoryRef"]).username
    except ProviderError:
        return None
    return name if name != own.username else None


def ensure_own(bmc: Bmc, fresh: Bmc, own: Credential) -> Bmc:
    """Makes our account if we came in as somebody else; returns a session of our own (`fresh`, logged in)."""
    if bmc.user == own.username:
        return bmc
    _make(bmc, own)
    if not fresh.login(own):
        raise errors.not_stored(bmc.where, f"account {own.username}", "that can log in", "refused (401)")
    bmc.logout()
    return fresh


def remove(bmc: Bmc, name: str) -> None:
    """Deletes an account, or disables it where the BMC keeps it. Only ever called in a session of our own account."""
    account = _find(bmc, name)
    if account is None or bmc.user == name:
        return
    path = str(account["@odata.id"])
    try:
        bmc.delete(path)
    except errors.MetalError as error:
        if error.kind not in {"answer", "forbidden", "missing"}:
            raise
        bmc.patch(path, lambda now: {"Enabled": False} if now.get("Enabled") else None)


def has_factory(bmc: Bmc, name: str | None) -> bool:
    """True if the factory account is there and enabled."""
    account = _find(bmc, name) if name else None
    return bool(account and account.get("Enabled", True))


def _all(bmc: Bmc) -> Iterator[Body]:
    return bmc.members(_collection(bmc))


def _collection(bmc: Bmc) -> str:
    path = link_of(bmc.fixed(link_of(bmc.root(), "AccountService")), "Accounts")
    if not path:
        raise errors.unsupported(bmc.where, "AccountService")
    return path


def _find(bmc: Bmc, name: str) -> Body | None:
    return next((account for account in _all(bmc) if account.get("UserName") == name), None)


def _make(bmc: Bmc, own: Credential) -> None:
    body = {"UserName": own.username, "Password": own.password, "RoleId": ROLE, "Enabled": True}
    known = _find(bmc, own.username)
    if known is None:
        try:
            bmc.post(_collection(bmc), body, lambda: _find(bmc, own.username) is not None, f"create account {own.username}")
        except errors.MetalError as error:
            if error.kind not in {"answer", "missing"}:
                raise
            known = next((one for one in _all(bmc) if not one.get("UserName")), None)  # BMCs with fixed slots
            if known is None:
                raise
    if known is not None:
        _write(bmc, str(known["@odata.id"]), body)


def _write(bmc: Bmc, path: str, body: Body) -> None:
    """A password can't be read back: sent until it was accepted once; the login that follows is the proof."""
    bmc.patch(path, lambda _: body, readable=False)
