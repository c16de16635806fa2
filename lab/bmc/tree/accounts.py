"""AccountService: accounts with roles; the last administrator stays."""

from typing import TYPE_CHECKING, Any

from lab.bmc.auth import ROLES, Caller, digest, new_account
from lab.bmc.http import Response
from lab.bmc.messages import refuse
from lab.bmc.patch import Is, check, required
from lab.bmc.resource import Resource
from lab.bmc.schema import V1, collection, head, health, link
from lab.bmc.state import Account

if TYPE_CHECKING:
    from lab.bmc.bmc import Bmc

SERVICE = f"{V1}/AccountService"
ACCOUNTS, ROLE_PATH = f"{SERVICE}/Accounts", f"{SERVICE}/Roles"
MAX_ACCOUNTS = 15
PASSWORD = Is(str, low=8, high=64)
NAME = Is(str, pattern=r"[A-Za-z_][A-Za-z0-9_.-]{0,31}")
ROLE = Is(str, values=tuple(ROLES))
FIELDS = {"UserName": NAME, "Password": PASSWORD, "RoleId": ROLE, "Enabled": Is(bool), "PasswordChangeRequired": Is(bool)}


def _service(bmc: "Bmc") -> Resource:
    state = bmc.state
    shown = head(
        SERVICE, "AccountService", "AccountService", "Account Service",
        ServiceEnabled=True, Status=health(), MinPasswordLength=PASSWORD.low, MaxPasswordLength=PASSWORD.high,
        AccountLockoutThreshold=state.lockout_threshold, AccountLockoutDuration=state.lockout_duration_s,
        AccountLockoutCounterResetAfter=state.lockout_reset_s, AccountLockoutCounterResetEnabled=True,
        Accounts=link(ACCOUNTS), Roles=link(ROLE_PATH),
    )  # fmt: skip

    def patch(body: Any, _caller: Caller | None) -> Response:
        number = Is(int, low=0, high=86_400)
        keys = ("AccountLockoutThreshold", "AccountLockoutDuration", "AccountLockoutCounterResetAfter")
        asked = check(dict.fromkeys(keys, number), body, shown)
        merged = {**shown, **asked}
        if merged[keys[2]] > merged[keys[1]]:
            raise refuse(400, "PropertyValueFormatError", merged[keys[2]], keys[2], related=f"#/{keys[2]}")
        state.lockout_threshold, state.lockout_duration_s, state.lockout_reset_s = (merged[key] for key in keys)
        return Response(200, merged)

    return Resource(shown, patch=patch, privilege="ConfigureUsers")


def _accounts(bmc: "Bmc") -> Resource:
    shown = collection(ACCOUNTS, "ManagerAccount", "Accounts", [one.id for one in bmc.state.accounts])

    def post(body: Any, _caller: Caller | None) -> Response:
        required(body, "UserName", "Password", "RoleId")
        asked = check(FIELDS, body, {})
        _free_name(bmc, asked["UserName"])
        if len(bmc.state.accounts) >= MAX_ACCOUNTS:
            raise refuse(400, "CreateLimitReachedForResource")
        account = new_account(str(bmc.state.next_account), asked["UserName"], asked["Password"], asked["RoleId"])
        account.enabled = asked.get("Enabled", True)
        account.change_required = asked.get("PasswordChangeRequired", False)
        bmc.state.next_account += 1
        bmc.state.accounts.append(account)
        return Response(201, _shown(bmc, account), {"Location": f"{ACCOUNTS}/{account.id}"})

    return Resource(shown, post=post, privilege="ConfigureUsers")


def _free_name(bmc: "Bmc", name: str) -> None:
    if any(one.name == name for one in bmc.state.accounts):
        raise refuse(400, "ResourceAlreadyExists", "ManagerAccount", "UserName", name, related="#/UserName")


def _shown(bmc: "Bmc", account: Account) -> dict[str, Any]:
    return head(
        f"{ACCOUNTS}/{account.id}", "ManagerAccount", account.id, "User Account",
        UserName=account.name, Password=None, RoleId=account.role, Enabled=account.enabled, Locked=bmc.guard.locked(account.id),
        PasswordChangeRequired=account.change_required, AccountTypes=["Redfish"],
        Links={"Role": link(f"{ROLE_PATH}/{account.role}")},
    )  # fmt: skip


def _account(bmc: "Bmc", ident: str) -> Resource | None:
    account = next((one for one in bmc.state.accounts if one.id == ident), None)
    if account is None:
        return None
    shown = _shown(bmc, account)

    def patch(body: Any, caller: Caller | None) -> Response:
        asked = check({**FIELDS, "Locked": Is(bool, values=(False,))}, body, shown)
        # With ConfigureSelf alone a user may change the own password, nothing else.
        if caller is None or not (caller.may("ConfigureUsers") or set(asked) == {"Password"}):
            raise refuse(403, "InsufficientPrivilege")
        if asked.get("UserName", account.name) != account.name:
            _free_name(bmc, asked["UserName"])
        stays = asked.get("RoleId", account.role) == "Administrator" and asked.get("Enabled", account.enabled)
        if not stays:
            _not_last(bmc, account)
        _apply(bmc, account, asked)
        return Response(200, _shown(bmc, account))

    def delete(_body: Any, caller: Caller | None) -> Response:
        if caller is None or not caller.may("ConfigureUsers"):
            raise refuse(403, "InsufficientPrivilege")
        _not_last(bmc, account)
        bmc.state.accounts.remove(account)
        bmc.guard.drop(ident)
        return Response(204)

    return Resource(shown, patch=patch, delete=delete, privilege="ConfigureUsers", own_account=ident)


def _apply(bmc: "Bmc", account: Account, asked: dict[str, Any]) -> None:
    if "Password" in asked:
        account.digest = digest(asked["Password"], account.salt)
        account.change_required = False
    account.name = asked.get("UserName", account.name)
    account.role = asked.get("RoleId", account.role)
    account.enabled = asked.get("Enabled", account.enabled)
    account.change_required = asked.get("PasswordChangeRequired", account.change_required)
    if "Locked" in asked:
        bmc.guard.unlock(account.id)
    if not account.enabled:
        bmc.guard.drop(account.id)


def _not_last(bmc: "Bmc", account: Account) -> None:
    others = (one for one in bmc.state.accounts if one is not account and one.enabled)
    if account.enabled and account.role == "Administrator" and not any(one.role == "Administrator" for one in others):
        raise refuse(403, "ResourceCannotBeDeleted")


def _role(_bmc: "Bmc", name: str) -> Resource | None:
    if name not in ROLES:
        return None
    shown = head(f"{ROLE_PATH}/{name}", "Role", name, name, RoleId=name, IsPredefined=True, AssignedPrivileges=ROLES[name])
    return Resource({**shown, "OemPrivileges": []})


ROUTES = {
    "/redfish/v1/AccountService": _service,
    "/redfish/v1/AccountService/Accounts": _accounts,
    "/redfish/v1/AccountService/Accounts/*": _account,
    "/redfish/v1/AccountService/Roles": lambda _bmc: Resource(collection(ROLE_PATH, "Role", "Roles", list(ROLES))),
    "/redfish/v1/AccountService/Roles/*": _role,
}
