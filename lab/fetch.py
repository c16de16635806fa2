"""A small HTTP/1.1 client for what runs inside an emulated machine or BMC (asyncio, standard library, own code)."""

import asyncio
import contextlib
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_ANSWER = 64 * 1024 * 1024


class FetchError(Exception):
    """No HTTP answer: the peer can't be reached, isn't trusted, or broke off."""


@dataclass(frozen=True)
class Reply:
    """One answer; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Origin:
    """One kept connection to the server of a URL. `context` verifies an https peer."""

    def __init__(self, url: str, context: ssl.SSLContext, timeout_s: float = 10.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise FetchError(f"{url}: not an http or https URL")
        self.host, self.tls = parts.hostname, parts.scheme == "https"
        self.port = parts.port or (443 if self.tls else 80)
        self.target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.context, self.timeout_s = context, timeout_s
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, method: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Reply:
        """Sends one request to the URL. A kept connection that the server has closed meanwhile is opened again once.

        Raises FetchError.
        """
        kept = self._streams is not None
        try:
            # Not wait_for: before Python 3.12 it swallows a cancel that meets the answer; a machine would outlive its power.
            async with asyncio.timeout(self.timeout_s):
                return await self._exchange(method, headers or {}, body)
        except (OSError, EOFError, ValueError, TimeoutError, asyncio.LimitOverrunError) as error:
            self.close()
            if not kept or isinstance(error, TimeoutError):
                raise FetchError(f"{self.host}:{self.port}: {type(error).__name__} {error}") from error
        return await self.request(method, headers, body)

    async def _exchange(self, method: str, headers: dict[str, str], body: bytes) -> Reply:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port, ssl=self.context if self.tls else None)
        reader, writer = self._streams
        fields = {"Host": f"{self.host}:{self.port}", "User-Agent": "railyard-lab-machine", **headers}
        if body or method == "POST":
            fields["Content-Length"] = str(len(body))
        lines = [f"{method} {self.target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        await writer.drain()
        reply = await _read(reader, method)
        if reply.headers.get("connection", "").lower() == "close":
            self.close()
        return reply

    def close(self) -> None:
        """Drops the connection."""
        if self._streams is not None:
            with contextlib.suppress(OSError, RuntimeError):
                self._streams[1].close()
            self._streams = None


async def _read(reader: asyncio.StreamReader, method: str) -> Reply:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(head[0].split(" ")[1])
    headers = {}
    for line in head[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    if method == "HEAD" or status in {204, 304}:
        return Reply(status, headers, b"")
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return Reply(status, headers, await _chunks(reader))
    if "content-length" in headers:
        length = int(headers["content-length"])
        if not 0 <= length <= MAX_ANSWER:
            raise ValueError(f"answer of {length} bytes")
        return Reply(status, headers, await reader.readexactly(length))
    headers["connection"] = "close"
    return Reply(status, headers, await reader.read(MAX_ANSWER))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while True:
        size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
        body += (await reader.readexactly(size + 2))[:-2]
        if size == 0 or len(body) > MAX_ANSWER:
            return body
