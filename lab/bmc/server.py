"""The listener of one BMC: TLS, connections, faults, request log."""

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lab.bmc import messages
from lab.bmc.bmc import Bmc
from lab.bmc.faults import Fault, Faults
from lab.bmc.http import BadRequestError, Request, Response, encode, read_request
from lab.bmc.messages import body, message

IDLE_S = 60.0
BACKLOG = 128
LINGER_RST = struct.pack("ii", 1, 0)


@dataclass
class Load:
    """Counters over all BMCs of a process, for tests of the client's limits."""

    requests: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    most_writes_per_bmc: int = 0


class BmcServer:
    """Serves one BMC. `log` takes one record per request."""

    def __init__(
        self, bmc: Bmc, faults: Faults, context: ssl.SSLContext, log: Callable[[dict[str, Any]], None], load: Load
    ) -> None:
        self.bmc, self.faults, self.context, self.log, self.load = bmc, faults, context, log, load
        self.serial = bmc.facts.serial
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._writes = 0
        self._restart: asyncio.Task[None] | None = None
        bmc.restart = self._manager_reset

    async def listen(self) -> None:
        """Opens the listener. Raises OSError."""
        if self._server is None:
            facts = self.bmc.facts
            self._server = await asyncio.start_server(
                self._connection,
                facts.host,
                facts.port,
                ssl=self.context,
                backlog=BACKLOG,
                ssl_handshake_timeout=20,
                limit=64 * 1024,
            )

    def close(self) -> None:
        """Closes the listener and resets all connections."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._open):
            _reset(writer)

    async def apply(self) -> None:
        """Brings the listener and the logins in line with the faults."""
        self.bmc.guard.deny = self.faults.has("wrong-password")
        if self.faults.has("unreachable"):
            self.close()
        elif self._restart is None:
            await self.listen()

    def _manager_reset(self) -> None:
        self._restart = asyncio.get_running_loop().create_task(self._come_back())

    async def _come_back(self) -> None:
        """Manager.Reset: the answer gets out, then the BMC is away for a while and has forgotten its sessions."""
        await asyncio.sleep(0.02)
        self.close()
        self.bmc.guard.sessions.clear()
        await asyncio.sleep(self.bmc.board.timing["managerResetS"])
        self._restart = None
        await self.apply()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self._open.discard(writer)
            with contextlib.suppress(OSError, RuntimeError):
                writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serves one request; True when the connection stays open."""
        try:
            request = await asyncio.wait_for(read_request(reader), IDLE_S)
        except BadRequestError as error:
            answer = Response(error.status, body(message("MalformedJSON" if error.status == 400 else "GeneralError")))
            writer.write(encode(answer, head_only=False, keep_alive=False))
            await writer.drain()
            return False
        if request is None:
            return False
        self.load.requests += 1
        self.load.in_flight += 1
        self.load.most_in_flight = max(self.load.most_in_flight, self.load.in_flight)
        try:
            return await self._serve(request, writer)
        finally:
            self.load.in_flight -= 1

    async def _serve(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        started, hit = time.time(), {one.kind: one for one in self.faults.take(request.method, request.path)}
        if "slow" in hit:
            await asyncio.sleep(float(hit["slow"].spec["delayS"]))
        early = hit.get("reset") is not None and hit["reset"].spec.get("when", "before") == "before"
        response, write = Response(0), False
        if not early:
            response, write = await self._answer(request, hit.get("status"), echo="echo" in hit)
        kinds = sorted(hit)
        self._log(request, started, response.status, write, kinds)
        if "reset" in hit:
            _reset(writer)
            return False
        raw = encode(response, head_only=request.method == "HEAD", keep_alive=request.keep_alive)
        if "drop" in hit:
            writer.write(raw[: hit["drop"].spec.get("afterBytes", len(raw) // 2)])
            await writer.drain()
            writer.transport.abort()
            return False
        writer.write(raw)
        await writer.drain()
        return request.keep_alive

    async def _answer(self, request: Request, fault: Fault | None, *, echo: bool = False) -> tuple[Response, bool]:
        if echo:
            return messages.echo(request.body), False
        if fault is not None:
            status = fault.spec["status"]
            headers = {str(key): str(value) for key, value in fault.spec.get("headers", {}).items()}
            if status == 503:
                headers.setdefault("Retry-After", "1")
            name = "ServiceTemporarilyUnavailable" if status == 503 else "InternalError"
            default = body(message(name, *(["1"] if status == 503 else [])))
            return Response(status, fault.spec.get("body", default), headers), False
        writing = request.method in {"POST", "PATCH", "PUT", "DELETE"} and "/SessionService/Sessions" not in request.path
        self._writes += writing
        self.load.most_writes_per_bmc = max(self.load.most_writes_per_bmc, self._writes)
        try:
            return await self.bmc.answer(request)
        except Exception as error:  # noqa: BLE001 (a BMC answers 500, the other 255 go on; the log has the cause)
            self.log({"t": time.time(), "serial": self.serial, "error": f"{type(error).__name__}: {error}"})
            return Response(500, body(message("InternalError"))), writing
        finally:
            self._writes -= writing

    def _log(self, request: Request, started: float, status: int, write: bool, kinds: list[str]) -> None:
        took_ms = round((time.time() - started) * 1000, 2)
        record = {
            "t": round(started, 4),
            "serial": self.serial,
            "method": request.method,
            "path": request.path,
            "status": status,
        }
        self.log({**record, "write": write, "ms": took_ms, **({"faults": kinds} if kinds else {})})


def _reset(writer: asyncio.StreamWriter) -> None:
    """Ends a connection with a TCP RST instead of a FIN."""
    raw = writer.get_extra_info("socket")
    with contextlib.suppress(OSError, AttributeError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_RST)
    writer.transport.abort()


def line(record: dict[str, Any]) -> str:
    """A record as one line of a .jsonl file."""
    return json.dumps(record, separators=(",", ":")) + "\n"
