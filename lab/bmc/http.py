"""HTTP/1.1 for one emulated BMC: requests in, responses out, over asyncio streams. Standard library only."""

import asyncio
import email.utils
import json
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

MAX_HEAD = 32 * 1024
MAX_BODY = 1024 * 1024


class BadRequestError(Exception):
    """The bytes are no HTTP request that we take. `status` is what to answer before closing."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class Request:
    """One request. `path` is decoded, without query and trailing slash; header names are in lower case."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes = b""
    version: str = "HTTP/1.1"

    @property
    def keep_alive(self) -> bool:
        wish = self.headers.get("connection", "").lower()
        return wish != "close" if self.version == "HTTP/1.1" else wish == "keep-alive"


@dataclass
class Response:
    """One response. `body`: a JSON value, bytes (then `headers` has the content type), or None."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next request of a connection; None at its end. Raises BadRequestError, OSError."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise BadRequestError(431, "header too long") from error
    request = _parse(head)
    if "transfer-encoding" in request.headers:
        request.body = await _chunks(reader)
    elif length := request.headers.get("content-length"):
        if not length.isdigit() or int(length) > MAX_BODY:
            raise BadRequestError(413 if length.isdigit() else 400, "content-length")
        try:
            request.body = await reader.readexactly(int(length))
        except asyncio.IncompleteReadError:
            return None
    return request


def _parse(head: bytes) -> Request:
    lines = head.decode("latin-1").split("\r\n")
    try:
        method, target, version = lines[0].split(" ")
        split = urlsplit(target)
        query = dict(parse_qsl(split.query, keep_blank_values=True))
    except ValueError as error:
        raise BadRequestError(400, "request line") from error
    if not version.startswith("HTTP/1."):
        raise BadRequestError(505, version)
    headers: dict[str, str] = {}
    for line in lines[1:]:
        if line:
            name, colon, value = line.partition(":")
            if not colon or name != name.strip():
                raise BadRequestError(400, "header line")
            headers[name.lower()] = value.strip()
    path = unquote(split.path)
    return Request(method, path.rstrip("/") or "/", query, headers, version=version)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while True:
        size_line = await reader.readuntil(b"\r\n")
        try:
            size = int(size_line.split(b";")[0], 16)
        except ValueError as error:
            raise BadRequestError(400, "chunk size") from error
        if size < 0 or len(body) + size > MAX_BODY:
            raise BadRequestError(413, "body too long")
        body += (await reader.readexactly(size + 2))[:-2]
        if size == 0:
            return body


_DATE = ["", 0]


def _date() -> str:
    now = int(time.time())
    if _DATE[1] != now:
        _DATE[:] = [email.utils.formatdate(now, usegmt=True), now]
    return str(_DATE[0])


def encode(response: Response, *, head_only: bool, keep_alive: bool) -> bytes:
    """The bytes of a response."""
    body = response.body
    headers = {"Date": _date(), "Server": "railyard-lab", "OData-Version": "4.0", "Cache-Control": "no-cache"}
    if body is None:
        raw = b""
    elif isinstance(body, bytes):
        raw = body
    else:
        raw = json.dumps(body, separators=(",", ":")).encode()
        headers["Content-Type"] = "application/json; charset=utf-8"
    headers |= response.headers
    if response.status not in {204, 304}:
        headers["Content-Length"] = str(len(raw))
    headers["Connection"] = "keep-alive" if keep_alive else "close"
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {response.status} {phrase}", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1") + (b"" if head_only or response.status in {204, 304} else raw)
