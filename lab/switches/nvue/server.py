"""The NVUE REST API of one switch, over HTTPS with basic authentication: /nvue_v1, port 8765 on a real one."""

import base64
import json
import socket
import ssl
import time
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from lab.bmc.faults import Fault
from lab.switches.agent import Agent
from lab.switches.door import reset
from lab.switches.intended import RefusedError
from lab.switches.nvue import operational, tree
from lab.switches.nvue.meaning import intended
from lab.switches.nvue.revisions import DEFAULT_CONFIRM_S, Revision, Revisions

PREFIX = "nvue_v1"
MAX_BODY = 8 * 1024 * 1024
Answer = tuple[int, Any]


class NvueAgent(Agent):
    """A Cumulus switch. `context` has its certificate."""

    context: ssl.SSLContext
    revisions: Revisions

    def boot(self) -> None:
        applied = self.saved() or self._delivered()
        self.revisions = Revisions(applied, self.act, self.save, self.saved)
        self.act(intended(applied))

    def _delivered(self) -> tree.Tree:
        address = {f"{self.facts.host}/8": {}}
        eth0 = {"type": "eth", "ip": {"address": address, "vrf": "mgmt"}}
        return {"system": {"hostname": "cumulus"}, "interface": {"eth0": eth0}}

    def edit(self, change: Any) -> None:
        self.revisions.edit(tree.merged(self.revisions.applied, [], change))

    def serve(self, connection: socket.socket, peer: str) -> None:
        with self.context.wrap_socket(connection, server_side=True) as secured:
            _Handler(secured, (peer, 0), self)

    # --- the API

    def answer(self, method: str, path: list[str], query: dict[str, str], body: Any) -> Answer:
        """(status, JSON) of one request below /nvue_v1."""
        if path[:1] == ["revision"]:
            return self._revision(method, path[1:], body)
        rev = query.get("rev", "operational" if method == "GET" else "")
        if method == "GET":
            return self._show(path, rev)
        revision = self.revisions.find(rev)
        if revision is None or revision.state != "pending" or not rev.isdigit():
            return _problem(404 if revision is None else 409, f"revision {rev or '(none)'} can't be changed")
        try:
            if method == "PATCH":
                _shape(path, body)
                revision.tree = tree.merged(revision.tree, path, body)
                return 200, body
            revision.tree = tree.without(revision.tree, path)
        except tree.NotThere as error:
            return _problem(404, f"{error.args[0]} is not there")
        except RefusedError as error:
            return _problem(400, str(error))
        return 204, None

    def _revision(self, method: str, path: list[str], body: Any) -> Answer:
        if not path:
            if method == "POST":
                made = self.revisions.create()
                return 200, {made.id: made.shown()}
            return 200, {one.id: one.shown() for one in self.revisions.all().values()}
        revision = self.revisions.find(path[0])
        if revision is None:
            return _problem(404, f"no revision {path[0]}")
        if method == "PATCH":
            return self._change(revision, body if isinstance(body, dict) else {})
        return 200, revision.shown()

    def _change(self, revision: Revision, body: dict[str, Any]) -> Answer:
        state = body.get("state")
        if state == "save":
            self.save(self.revisions.applied)
            return 200, {**revision.shown(), "state": "save"}
        if state in {"confirm_yes", "confirm_no"}:
            if not self.revisions.decide(revision, keep=state == "confirm_yes"):
                return _problem(409, f"revision {revision.id} doesn't wait for a confirmation (state {revision.state})")
            return 200, revision.shown()
        if state != "apply":
            return _problem(400, f"state {state!r} can't be asked for")
        if revision.state not in {"pending", "invalid", "ays_fail", "apply_fail"}:
            return _problem(409, f"revision {revision.id} is {revision.state}")
        confirm = body.get("state-controls", {}).get("confirm")
        wait_s = None if confirm is None else float(confirm) or DEFAULT_CONFIRM_S
        self.revisions.apply(revision, yes=body.get("auto-prompt", {}).get("ays") == "ays_yes", confirm_s=wait_s)
        return 200, revision.shown()

    def _show(self, path: list[str], rev: str) -> Answer:
        if rev in {"operational", ""}:
            found = operational.show(self.device, self.facts, self.revisions.applied, path)
        else:
            revision = self.revisions.find(rev)
            if revision is None:
                return _problem(404, f"no revision {rev}")
            try:
                found = tree.get(revision.tree, path)
            except tree.NotThere:
                found = None
        return _problem(404, f"{'/'.join(path)} is not there") if found is None else (200, found)


def _shape(path: list[str], body: Any) -> None:
    """A wrong type at a known place is refused at once, a wrong value when it is applied. Raises RefusedError."""
    top = path[0] if path else None
    names = [top] if top else list(body) if isinstance(body, dict) else []
    if not path and not isinstance(body, dict):
        raise RefusedError("/", "the body must be an object")
    for name in names:
        if name not in tree.TOP:
            raise RefusedError(str(name), f"unknown object; there are {', '.join(sorted(tree.TOP))}")


def _problem(status: int, detail: str) -> Answer:
    return status, {"type": "about:blank", "title": "Error", "status": status, "detail": detail}


class _Handler(BaseHTTPRequestHandler):
    """HTTP for one connection; `server` is the agent."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "nginx", ""
    server: NvueAgent  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        self._handle()

    do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815

    def _handle(self) -> None:
        agent, started = self.server, time.time()
        split = urlsplit(self.path)
        hit = {one.kind: one for one in agent.faults.take(self.command, unquote(split.path))}
        raw = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MAX_BODY))
        if "slow" in hit:
            time.sleep(float(hit["slow"].spec["delayS"]))
        if "reset" in hit and hit["reset"].spec.get("when", "before") == "before":
            self._end(started, 0, hit)
            return
        status, value = self._fault(hit, raw) or self._answer(split.path, split.query, raw)
        if "reset" in hit:
            self._end(started, status, hit)
            return
        agent.record(self.command, unquote(split.path), status, started, list(hit.values()))
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if "drop" in hit:
            self.wfile.write(body[: hit["drop"].spec.get("afterBytes", len(body) // 2)])
            self.wfile.flush()
            self._end(started, status, hit)
            return
        self.wfile.write(body)

    def _fault(self, hit: dict[str, Fault], raw: bytes) -> Answer | None:
        if "echo" in hit:
            sent = {"authorization": self._login(), "body": raw.decode(errors="replace")}
            return 400, {"title": "Bad Request", "status": 400, "detail": json.dumps(sent)}
        if "status" in hit:
            return _problem(int(hit["status"].spec["status"]), "no")
        return None

    def _answer(self, raw_path: str, raw_query: str, raw: bytes) -> Answer:
        user, _, password = self._login().partition(":")
        if not self.server.admitted(user, password):
            return _problem(401, "Unauthorized")
        parts = [unquote(part) for part in raw_path.split("/") if part]  # a name may have a slash: 10.0.0.1%2F32
        if parts[:1] != [PREFIX]:
            return _problem(404, "not below /nvue_v1")
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            return _problem(400, "the body is not JSON")
        return self.server.answer(self.command, parts[1:], dict(parse_qsl(raw_query)), body)

    def _login(self) -> str:
        kind, _, value = (self.headers.get("Authorization") or "").partition(" ")
        try:
            return base64.b64decode(value).decode() if kind.lower() == "basic" else ""
        except ValueError:
            return ""

    def _end(self, started: float, status: int, hit: dict[str, Fault]) -> None:
        self.server.record(self.command, self.path, status, started, list(hit.values()))
        self.close_connection = True
        reset(self.connection)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Quiet: `record` writes the lines."""
