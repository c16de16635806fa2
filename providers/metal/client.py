"""Redfish on one BMC: login, links, collections, ETags; every mutation reads the state before it is sent again."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from providers.kit import Credential, ProviderError
from providers.metal import errors
from providers.metal.transport import Link, Lost, Reply, backoff, retry_after

ROOT = "/redfish/v1/"
TRIES = 4
_ETAG_LADDER = ("strong", "plain", "any", "none")

Body = dict[str, Any]


class Bmc:
    """A logged-in BMC. Use `with`: the session is ended at the end."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.where = link.where
        self.user = ""
        self._credential: Credential | None = None
        self._session = ""
        self._root: Body | None = None
        self._fixed: dict[str, Body] = {}
        self._ladder = 0

    def __enter__(self) -> "Bmc":
        return self

    def __exit__(self, *_: object) -> None:
        self.logout()
        self.link.close()

    # --- login

    def login(self, credential: Credential) -> bool:
        """Opens a session; False if the BMC refuses the credential (401). One try: failures lock accounts."""
        self.link.token = None
        reply = self._login(credential)
        if reply.status in {401, 403} and "PasswordChangeRequired" not in errors.message_ids(reply.body):
            return False
        self._want(reply, "login")
        self.link.token = reply.headers.get("X-Auth-Token")
        if not self.link.token:
            raise errors.malformed(self.where, "login", "no X-Auth-Token")
        place = reply.headers.get("Location") or (reply.body or {}).get("@odata.id", "")
        self._session, self._credential, self.user = urlsplit(place).path, credential, credential.username
        if "PasswordChangeRequired" in errors.message_ids(reply.body):
            raise errors.change_password(self.where, credential.username)
        return True

    def logout(self) -> None:
        """Ends the session. What goes wrong here is of no importance: sessions time out."""
        if not self._session:
            return
        path, self._session = self._session, ""
        with suppress(Lost, ProviderError):
            self.link.mutate("DELETE", path, None)
        self.link.token = None

    def _login(self, credential: Credential) -> Reply:
        path = link_of(self.root(), "Links", "Sessions") or self._sessions()
        body = {"UserName": credential.username, "Password": credential.password}
        for attempt in range(TRIES):
            try:
                reply = self.link.mutate("POST", path, body)
            except Lost as lost:
                if attempt == TRIES - 1:
                    raise errors.unreachable(self.where, str(lost), 0) from None
                self.link.cancel.wait(backoff(attempt), self.where)
                continue
            if reply.status not in {503, 429} or attempt == TRIES - 1:
                return reply
            self.link.cancel.wait(min(retry_after(reply, backoff(attempt)), self.link.deadline.left()), self.where)
        raise AssertionError("unreachable")

    def _sessions(self) -> str:
        service = link_of(self.root(), "SessionService")
        path = link_of(self.get(service), "Sessions") if service else ""
        if not path:
            raise errors.malformed(self.where, "service root", "no link to Sessions")
        return path

    # --- reading

    def root(self) -> Body:
        """The service root; read once."""
        if self._root is None:
            self._root = self.get(ROOT)
        return self._root

    def fixed(self, path: str) -> Body:
        """A resource of which only the links are of interest; read once, {} if it isn't there."""
        if path not in self._fixed:
            self._fixed[path] = self.find(path) or {}
        return self._fixed[path]

    def get(self, path: str) -> Body:
        """A resource. Raises MetalError; on 401 the session is opened again once."""
        return self._get(path)[0]

    def find(self, path: str) -> Body | None:
        """A resource, or None if it isn't there."""
        if not path:
            return None
        try:
            return self.get(path)
        except errors.MetalError as error:
            if error.kind == "missing":
                return None
            raise

    def members(self, path: str) -> Iterator[Body]:
        """Members of a collection, one by one, over all pages; one that can't be read is skipped (Q30)."""
        seen: set[str] = set()
        while path and path not in seen:
            seen.add(path)
            page = self.find(path) or {}
            for item in page.get("Members") or []:
                member = self.find(str(item.get("@odata.id", ""))) if isinstance(item, dict) else None
                if member and "error" not in member:
                    yield member
            path = str(page.get("Members@odata.nextLink") or "")

    def _get(self, path: str) -> tuple[Body, str]:
        reply = self.link.get(path)
        if reply.status == 401 and self._credential and self.link.token:
            credential, self._session = self._credential, ""
            if not self.login(credential):
                raise errors.refused_login(self.where, [credential.username])
            reply = self.link.get(path)
        self._want(reply, f"GET {path}")
        if not isinstance(reply.body, dict):
            raise errors.malformed(self.where, f"GET {path}", "no JSON object")
        return reply.body, reply.headers.get("ETag") or str(reply.body.get("@odata.etag") or "")

    # --- writing

    def patch(self, path: str, wanted: Callable[[Body], Body | None], *, readable: bool = True) -> Body:
        """Brings a resource to what is wanted and returns it as read back.

        `wanted(current)` gives the body to send, or None when nothing is left to do. It is asked again, on fresh state, after
        412, busy, or a lost answer; and after success, so that a BMC that accepts without storing (Q01) is found out.
        `readable` False: the value can't be read back (a password), so acceptance is the end.
        """
        sent: Body | None = None
        for attempt in range(TRIES + len(_ETAG_LADDER)):
            current, etag = self._get(path)
            body = wanted(current)
            if body is None:
                return current
            if sent == body and not readable:
                return current
            if sent == body:
                raise errors.not_stored(self.where, path, body, {key: current.get(key) for key in body})
            sent = self._send("PATCH", path, body, etag, attempt)
        raise errors.busy(self.where, f"PATCH {path}", self.link.deadline.limit_s)

    def _send(self, method: str, path: str, body: Body, etag: str, attempt: int) -> Body | None:
        """The body if it was accepted, None if it has to be looked at again."""
        try:
            reply = self.link.mutate(method, path, body, self._match(etag))
        except Lost:
            self.link.cancel.wait(backoff(attempt), self.where)
            return None
        if reply.status in {412, 428}:
            self._ladder = min(self._ladder + 1, len(_ETAG_LADDER) - 1) if attempt else self._ladder
            return None
        if reply.status in {503, 429} or _in_use(reply):
            self.link.cancel.wait(min(retry_after(reply, backoff(attempt)), self.link.deadline.left()), self.where)
            return None
        self._want(reply, f"{method} {path}")
        return body

    def _match(self, etag: str) -> dict[str, str]:
        step = _ETAG_LADDER[self._ladder]
        if step == "none" or (not etag and step != "any"):
            return {}
        return {"If-Match": {"strong": etag, "plain": etag.removeprefix("W/"), "any": "*"}[step]}

    def post(self, path: str, body: Body, done: Callable[[], bool], what: str) -> Reply | None:
        """An action or a create. `done()` reads the state: asked before each sending but the first; nothing is done twice."""
        for attempt in range(TRIES):
            if attempt and done():
                return None
            try:
                reply = self.link.mutate("POST", path, body)
            except Lost:
                self.link.cancel.wait(backoff(attempt), self.where)
                continue
            if reply.status not in {503, 429} and not _in_use(reply):
                if not reply.ok and done():
                    return None  # e.g. 409 for a host that is already off (Q25)
                self._want(reply, what)
                return reply
            self.link.cancel.wait(min(retry_after(reply, backoff(attempt)), self.link.deadline.left()), self.where)
        if done():
            return None
        raise errors.busy(self.where, what, self.link.deadline.limit_s)

    def delete(self, path: str) -> None:
        """Deletes a resource; gone already is fine."""
        for attempt in range(TRIES):
            try:
                reply = self.link.mutate("DELETE", path, None)
            except Lost:
                self.link.cancel.wait(backoff(attempt), self.where)
                if self.find(path) is None:
                    return
                continue
            if reply.status in {503, 429}:
                self.link.cancel.wait(min(retry_after(reply, backoff(attempt)), self.link.deadline.left()), self.where)
                continue
            if reply.status != 404:
                self._want(reply, f"DELETE {path}")
            return
        raise errors.busy(self.where, f"DELETE {path}", self.link.deadline.limit_s)

    def _want(self, reply: Reply, what: str) -> None:
        if reply.ok:
            return
        if reply.status == 403 and "PasswordChangeRequired" in errors.message_ids(reply.body):
            raise errors.change_password(self.where, self.user)
        if reply.status in {503, 429}:
            raise errors.busy(self.where, what, self.link.deadline.limit_s)
        raise errors.answer(self.where, what, reply.status, reply.body)


def link_of(body: Body, *keys: str) -> str:
    """`@odata.id` below some keys, "" where it's absent."""
    value: Any = body
    for key in (*keys, "@odata.id"):
        value = value.get(key) if isinstance(value, dict) else None
    return str(value or "")


def _in_use(reply: Reply) -> bool:
    """Busy in other words: a boot change during POST (Q05), a resource in transition."""
    return reply.status >= 400 and bool(
        {"ResourceInUse", "UnableToModifyDuringSystemPOST"} & set(errors.message_ids(reply.body))
    )
