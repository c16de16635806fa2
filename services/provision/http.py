"""HTTPS around `Site`: one thread per connection, keep-alive, one range per request; no secret in the log."""

import base64
import hashlib
import hmac
import json
import re
import socket
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from services.provision.journal import JournalError
from services.provision.site import Refused, Site

BODY_BYTES = 1 << 20
CHUNK = 1 << 16
_RANGE = re.compile(r"^bytes=(\d*)-(\d*)$")


class Server(ThreadingHTTPServer):
    """The listening server. TLS hands are shaken in the connection's own thread, so a slow client holds up nobody."""

    daemon_threads = True
    request_queue_size = 1024
    allow_reuse_address = True

    site: Site  # set before serving begins

    def __init__(self, address: tuple[str, int], context: ssl.SSLContext | None, admin: tuple[str, str]) -> None:
        self.admin = base64.b64encode(f"{admin[0]}:{admin[1]}".encode())
        self._context = context
        super().__init__(address, Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        connection.settimeout(75)
        if self._context is None:
            return connection, address
        return self._context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        error = sys.exception()
        if not isinstance(error, OSError):  # a client that went away is no news
            print(f"error {type(error).__name__}", file=sys.stderr, flush=True)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "railyard-provision"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = CHUNK

    def do_GET(self) -> None:
        self._answer(self._get)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ARG002
        path = re.sub(r"^/v1/media/[^/]*", "/v1/media/***", urlsplit(self.path).path)
        print(f"{self.client_address[0]} {self.command} {path} {args[1] if len(args) > 1 else ''}".rstrip(), flush=True)

    # --- routes

    def _get(self) -> None:
        url = urlsplit(self.path)
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        match parts:
            case ["v1", "health"]:
                self._json(200, {"status": "ok"})
            case ["v1", "installations", serial]:
                self._admin()
                self._json(200, self.server.site.record(serial))
            case ["v1", "changes"]:
                self._admin()
                query = parse_qs(url.query)
                self._json(200, self.server.site.changes(_number(query, "after"), _number(query, "wait")))
            case ["v1", "media", token, "install.iso"]:
                content = self.server.site.medium(token)
                self._bytes(content, hashlib.sha256(content).hexdigest())
            case ["v1", "images", name]:
                self._file(self.server.site.image_path(name))
            case _:
                raise Refused(404, "no such place")

    def _post(self) -> None:
        body = self._body()
        match [unquote(part) for part in urlsplit(self.path).path.strip("/").split("/")]:
            case ["v1", "installations"]:
                self._admin()
                self._json(201, self.server.site.issue(body))
            case ["v1", "callhome", serial, generation] if generation.isdigit():
                signature = self.headers.get("X-Railyard-Signature", "")
                self.server.site.call_home(serial, int(generation), body, signature)
                self._head(204, {})
            case _:
                raise Refused(404, "no such place")

    # --- parts

    def _answer(self, work: Any) -> None:
        try:
            work()
        except Refused as answer:
            more = {"WWW-Authenticate": 'Basic realm="railyard"'} if answer.status == 401 else {}
            self._json(answer.status, answer.body, more)
        except JournalError as error:  # nothing was noted, so nothing may go on: a machine tries again, a person reads it
            print(f"error {error}", file=sys.stderr, flush=True)
            self._json(500, {"error": str(error)})
        self.wfile.flush()

    def _admin(self) -> None:
        scheme, _, given = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "basic" or not hmac.compare_digest(given.strip().encode("utf-8", "replace"), self.server.admin):
            raise Refused(401, "the admin credential is missing or wrong")

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > BODY_BYTES:
            self.close_connection = True
            raise Refused(413 if length.isdigit() else 411, "a body with a length of at most 1 MiB is needed")
        return self.rfile.read(int(length))

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers and status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def _json(self, status: int, value: Any, more: dict[str, str] | None = None) -> None:
        body = json.dumps(value, sort_keys=True).encode()
        self._head(status, {"Content-Type": "application/json", "Content-Length": str(len(body)), **(more or {})})
        if self.command != "HEAD":
            self.wfile.write(body)

    def _bytes(self, content: bytes, etag: str) -> None:
        start, length = self._range(len(content), etag)
        if self.command != "HEAD" and length:
            self.wfile.write(content[start : start + length])

    def _file(self, path: Path) -> None:
        status = path.stat()
        start, left = self._range(status.st_size, f"{status.st_mtime_ns:x}-{status.st_size:x}")
        if self.command == "HEAD":
            return
        with path.open("rb") as stream:
            stream.seek(start)
            while left > 0 and (chunk := stream.read(min(CHUNK, left))):
                self.wfile.write(chunk)
                left -= len(chunk)

    def _range(self, size: int, etag: str) -> tuple[int, int]:
        """Sends the head and returns (start, length) of what to send."""
        headers = {"Content-Type": "application/octet-stream", "Accept-Ranges": "bytes", "ETag": f'"{etag}"'}
        if f'"{etag}"' in self.headers.get("If-None-Match", ""):
            self._head(304, {**headers, "Content-Length": "0"})
            return 0, 0
        found = _RANGE.match(self.headers.get("Range", "").strip())
        if not found or found.groups() == ("", "") or self.headers.get("If-Range", f'"{etag}"') != f'"{etag}"':
            self._head(200, {**headers, "Content-Length": str(size)})
            return 0, size
        first, last = found.groups()
        start = int(first) if first else max(0, size - int(last))
        end = min(int(last), size - 1) if first and last else size - 1
        if start >= size or end < start:
            self._head(416, {**headers, "Content-Range": f"bytes */{size}"})
            return 0, 0
        extra = {"Content-Range": f"bytes {start}-{end}/{size}", "Content-Length": str(end - start + 1)}
        self._head(206, {**headers, **extra})
        return start, end - start + 1


def _number(query: dict[str, list[str]], key: str) -> int:
    text = query.get(key, ["0"])[0]
    if not text.isdigit():
        raise Refused(400, f"{key}: a whole number is needed")
    return int(text)


def run(server: Server) -> None:
    """Serves until `server.shutdown()` is called from another thread."""
    threading.current_thread().name = "accept"
    server.serve_forever(poll_interval=0.2)
