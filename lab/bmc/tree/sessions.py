"""SessionService: log in, log out."""

from typing import TYPE_CHECKING, Any

from lab.bmc.auth import Caller, Session
from lab.bmc.http import Response
from lab.bmc.messages import body as error_body
from lab.bmc.messages import message, refuse
from lab.bmc.patch import Is, check, required
from lab.bmc.resource import Resource
from lab.bmc.schema import V1, collection, head, health, link

if TYPE_CHECKING:
    from lab.bmc.bmc import Bmc

SERVICE = f"{V1}/SessionService"
SESSIONS = f"{SERVICE}/Sessions"


def _service(bmc: "Bmc") -> Resource:
    shown = head(
        SERVICE, "SessionService", "SessionService", "Session Service",
        ServiceEnabled=True, Status=health(), SessionTimeout=bmc.state.session_timeout_s, Sessions=link(SESSIONS),
    )  # fmt: skip

    def patch(body: Any, _caller: Caller | None) -> Response:
        asked = check({"SessionTimeout": Is(int, low=30, high=86_400)}, body, shown)
        bmc.state.session_timeout_s = asked["SessionTimeout"]
        return Response(200, {**shown, **asked})

    return Resource(shown, patch=patch)


def _sessions(bmc: "Bmc") -> Resource:
    bmc.guard.expire()
    shown = collection(SESSIONS, "Session", "Sessions", list(bmc.guard.sessions))

    def post(body: Any, _caller: Caller | None) -> Response:
        required(body, "UserName", "Password")
        check({"UserName": Is(str), "Password": Is(str)}, body, {})
        account = bmc.guard.login(body["UserName"], body["Password"])
        if account is None:
            raise refuse(401, "ResourceAtUriUnauthorized", SESSIONS, "invalid username or password")
        session = bmc.guard.open(account)
        headers = {"X-Auth-Token": session.token, "Location": f"{SESSIONS}/{session.id}"}
        answer = _shown(bmc, session)
        if account.change_required:
            own = f"{V1}/AccountService/Accounts/{account.id}"
            answer["@Message.ExtendedInfo"] = error_body(message("PasswordChangeRequired", own))["error"][
                "@Message.ExtendedInfo"
            ]
        return Response(201, answer, headers)

    return Resource(shown, post=post, open_post=True, is_session=True)


def _shown(bmc: "Bmc", session: Session) -> dict[str, Any]:
    user = next((one.name for one in bmc.state.accounts if one.id == session.account), "")
    return head(
        f"{SESSIONS}/{session.id}", "Session", session.id, "User Session",
        UserName=user, SessionType="Redfish", CreatedTime=session.created, Password=None,
    )  # fmt: skip


def _session(bmc: "Bmc", ident: str) -> Resource | None:
    bmc.guard.expire()
    session = bmc.guard.sessions.get(ident)
    if session is None:
        return None

    def delete(_body: Any, _caller: Caller | None) -> Response:
        bmc.guard.sessions.pop(ident, None)
        return Response(204)

    return Resource(_shown(bmc, session), delete=delete, own_account=session.account, is_session=True)


ROUTES = {
    "/redfish/v1/SessionService": _service,
    "/redfish/v1/SessionService/Sessions": _sessions,
    "/redfish/v1/SessionService/Sessions/Members": lambda bmc: Resource(
        post=_sessions(bmc).post, open_post=True, is_session=True
    ),
    "/redfish/v1/SessionService/Sessions/*": _session,
}
