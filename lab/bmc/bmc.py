"""One emulated BMC: answers requests from its tree. Transport is in server.py, what it says in tree/."""

import hashlib
import inspect
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.bmc import auth, state, tree
from lab.bmc.auth import Caller, Guard
from lab.bmc.board import Board
from lab.bmc.http import Request, Response
from lab.bmc.messages import RefusalError, refuse
from lab.bmc.resource import Resource
from lab.inventory import MachineFacts

METHODS = {"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT"}
VERSION = "25.06.27"
BIOS = "1.06.07"
NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")


class Bmc:
    """The BMC of one machine. `path` keeps its state."""

    def __init__(
        self, facts: MachineFacts, path: Path, factory: state.Account, board_of: Callable[[state.BmcState], Board]
    ) -> None:
        self.facts, self.path = facts, path
        self.state = state.load(path, factory)
        self.guard = Guard(self.state)
        self.board = board_of(self.state)
        self.board.changed = self.save
        self.uuid = str(uuid.uuid5(NAMESPACE, f"railyard-lab/{facts.serial}"))
        self.restart: Callable[[], None] = lambda: None

    def save(self) -> None:
        state.save(self.path, self.state)

    async def answer(self, request: Request) -> tuple[Response, bool]:
        """(response, True when the request was a write to the machine). Never raises for a bad request."""
        resource = tree.find(self, request.path) if request.method in METHODS else None
        write = request.method in {"POST", "PATCH", "PUT", "DELETE"} and not (resource is not None and resource.is_session)
        try:
            response = await self._answer(request, resource)
        except RefusalError as error:
            response = error.response()
        if response.status == 401:
            response.headers.setdefault("WWW-Authenticate", 'Basic realm="railyard-lab"')
        return response, write

    async def _answer(self, request: Request, resource: Resource | None) -> Response:
        if request.method not in METHODS:
            raise refuse(501, "OperationNotAllowed")
        self._headers(request)
        caller = self._caller(request, resource)
        if resource is None:
            raise refuse(404, "ResourceMissingAtURI", request.path)
        if request.method in {"GET", "HEAD"} and "GET" in resource.allow():
            return self._get(request, resource)
        handler = resource.handler(request.method)
        if handler is None:
            raise self._not_allowed(resource)
        self._permit(caller, resource, request)
        self._precondition(request, resource)
        result = handler(self._json(request), caller)
        response = await result if inspect.isawaitable(result) else result
        if not resource.is_session:
            self.save()
        return response

    def _not_allowed(self, resource: Resource) -> RefusalError:
        refusal = refuse(405, "OperationNotAllowed")
        refusal.headers["Allow"] = ", ".join(resource.allow())
        return refusal

    def _headers(self, request: Request) -> None:
        if request.headers.get("odata-version", "4.0") != "4.0":
            raise refuse(412, "HeaderInvalid", "OData-Version")
        for key in request.query:
            if key.startswith("$"):
                raise refuse(501, "QueryParameterUnsupported", key)
            if key in {"only", "excerpt"}:
                raise refuse(400, "QueryParameterUnsupported", key)

    def _caller(self, request: Request, resource: Resource | None) -> Caller | None:
        """Who asks. Raises RefusalError: 401 without a login where one is needed, 403 before a forced change of password."""
        reading = request.method in {"GET", "HEAD"}
        if resource is not None and ((reading and resource.public) or (request.method == "POST" and resource.open_post)):
            return None
        caller = self.guard.caller(request)
        if caller is None:
            raise refuse(401, "NoValidSession" if "x-auth-token" in request.headers else "InsufficientPrivilege")
        own = f"/redfish/v1/AccountService/Accounts/{caller.account.id}"
        logging_out = request.method == "DELETE" and resource is not None and resource.is_session
        if caller.account.change_required and request.path != own and not logging_out:
            raise refuse(403, "PasswordChangeRequired", own)
        return caller

    def _permit(self, caller: Caller | None, resource: Resource, request: Request) -> None:
        if request.method == "POST" and resource.open_post:
            return
        own = caller is not None and resource.own_account == caller.account.id and caller.may("ConfigureSelf")
        if caller is None or not (caller.may(resource.privilege) or own):
            raise refuse(403, "InsufficientPrivilege")

    def _get(self, request: Request, resource: Resource) -> Response:
        allow = {"Allow": ", ".join(resource.allow())}
        if resource.raw is not None:
            return Response(200, resource.raw.body, {**allow, **resource.raw.headers})
        tag = etag(resource.body)
        headers = {**allow, "ETag": tag}
        kind = str((resource.body or {}).get("@odata.type", ""))
        if kind:
            name = kind[1:].split(".")
            file = f"{name[0]}.{name[1]}.json" if len(name) == 3 else f"{name[0]}.json"
            headers["Link"] = f"<http://redfish.dmtf.org/schemas/v1/{file}>; rel=describedby"
        if tag in [one.strip() for one in request.headers.get("if-none-match", "").split(",")]:
            return Response(304, None, headers)
        return Response(200, {**(resource.body or {}), "@odata.etag": tag} if kind else resource.body, headers)

    def _precondition(self, request: Request, resource: Resource) -> None:
        """If-Match on PATCH and DELETE. Raises RefusalError (412) and changes nothing when it names another state."""
        wanted = request.headers.get("if-match")
        if wanted is None or wanted.strip() == "*" or request.method == "POST" or resource.body is None:
            return
        if etag(resource.body) not in [one.strip() for one in wanted.split(",")]:
            raise refuse(412, "PreconditionFailed")

    def _json(self, request: Request) -> Any:
        if not request.body:
            if request.method == "PATCH":
                raise refuse(400, "MalformedJSON")
            return {}
        kind = request.headers.get("content-type", "application/json").split(";")[0].strip().lower()
        if kind != "application/json":
            raise refuse(415, "HeaderInvalid", "Content-Type")
        try:
            return json.loads(request.body)
        except (ValueError, RecursionError) as error:
            raise refuse(400, "MalformedJSON") from error


def etag(body: Any) -> str:
    """A strong entity tag over a resource, without what changes by itself."""
    stable = {key: value for key, value in body.items() if key not in {"DateTime", "Members@odata.count"}}
    return f'"{hashlib.sha256(json.dumps(stable, sort_keys=True).encode()).hexdigest()[:16]}"'


def factory_account(name: str, password: str) -> state.Account:
    """The account that the machine leaves the factory with."""
    return auth.new_account("1", name, password, "Administrator")
