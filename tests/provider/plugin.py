"""A provider process and the engine's side of it: real gRPC, the engine's log captured, urns made up."""

import os
import signal
import subprocess
import threading
import time
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2
from google.rpc import status_pb2
from pulumi.runtime.proto import engine_pb2_grpc
from pulumi.runtime.proto import provider_pb2 as pb
from pulumi.runtime.proto import provider_pb2_grpc as rpc

from providers.kit.values import to_python, to_struct

ROOT = Path(__file__).resolve().parents[2]


class Log(engine_pb2_grpc.EngineServicer):
    """Collects what the provider says to the user."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def Log(self, request, context):
        self.lines.append(request.message)
        return empty_pb2.Empty()


@dataclass
class Failed(Exception):  # noqa: N818
    """A call that failed: the text, and the partial state if there is one."""

    text: str
    code: str
    partial: pb.ErrorResourceInitFailed | None

    def __post_init__(self) -> None:
        assert "Traceback" not in self.text

    def __str__(self) -> str:
        return self.text


class Plugin:
    """One running provider."""

    def __init__(self, name: str, **env: str) -> None:
        self.log = Log()
        self._engine = grpc.server(futures.ThreadPoolExecutor(4))
        engine_pb2_grpc.add_EngineServicer_to_server(self.log, self._engine)
        port = self._engine.add_insecure_port("127.0.0.1:0")
        self._engine.start()
        argv = [str(ROOT / "providers" / name / f"pulumi-resource-{name}"), f"127.0.0.1:{port}"]
        self.process = subprocess.Popen(
            argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **env}, cwd="/"
        )
        self.port = int(self.process.stdout.readline())
        options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
        self.stub = rpc.ResourceProviderStub(grpc.insecure_channel(f"127.0.0.1:{self.port}", options=options))
        self.stub.Configure(pb.ConfigureRequest())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        self._engine.stop(0)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def check(self, kind: str, inputs: dict[str, Any]) -> list[tuple[str, str]]:
        reply = self.stub.Check(pb.CheckRequest(urn=urn(kind), news=to_struct(inputs)))
        return [(failure.property, failure.reason) for failure in reply.failures]

    def condensed(self, kind: str, new: dict[str, Any], old: dict[str, Any] | None = None) -> dict[str, Any]:
        """The inputs as the engine stores them, and hands them to every other call."""
        request = pb.CheckRequest(urn=urn(kind, new), news=to_struct(new), olds=to_struct(old or {}))
        reply = self.stub.Check(request)
        assert not reply.failures
        return to_python(reply.inputs)

    def diff(self, kind: str, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
        request = pb.DiffRequest(id="x", urn=urn(kind), olds=to_struct(old), old_inputs=to_struct(old), news=to_struct(new))
        reply = self.stub.Diff(request)
        assert not reply.replaces
        assert (reply.changes == pb.DiffResponse.DIFF_SOME) == bool(reply.detailedDiff)
        return sorted(reply.detailedDiff)

    def create(
        self, kind: str, inputs: dict[str, Any], *, preview: bool = False, timeout: float = 0
    ) -> tuple[str, dict[str, Any]]:
        request = pb.CreateRequest(urn=urn(kind, inputs), properties=to_struct(inputs), preview=preview, timeout=timeout)
        reply = call(self.stub.Create, request)
        return reply.id, to_python(reply.properties)

    def update(
        self, kind: str, ident: str, old: dict[str, Any], new: dict[str, Any], *, preview: bool = False
    ) -> dict[str, Any]:
        request = pb.UpdateRequest(
            id=ident, urn=urn(kind, new), olds=to_struct(old), old_inputs=to_struct(old), news=to_struct(new), preview=preview
        )
        return to_python(call(self.stub.Update, request).properties)

    def read(
        self, kind: str, ident: str, state: dict[str, Any], inputs: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        request = pb.ReadRequest(id=ident, urn=urn(kind, inputs), properties=to_struct(state), inputs=to_struct(inputs))
        reply = call(self.stub.Read, request)
        return to_python(reply.properties), to_python(reply.inputs)

    def delete(self, kind: str, ident: str, state: dict[str, Any]) -> None:
        call(self.stub.Delete, pb.DeleteRequest(id=ident, urn=urn(kind, state), properties=to_struct(state)))

    def cancel(self) -> None:
        self.stub.Cancel(empty_pb2.Empty())


def urn(kind: str, inputs: dict[str, Any] | None = None) -> str:
    name = (inputs or {}).get("name") or (inputs or {}).get("unit") or "lab-su001-gpu01"
    return f"urn:pulumi:lab::railyard::railyard:site:Site${kind}::{name}"


def call(method: Any, request: Any) -> Any:
    """The reply, or Failed with the partial state of the status details."""
    try:
        return method(request, timeout=120)
    except grpc.RpcError as error:
        partial = None
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                detail = status_pb2.Status.FromString(value).details[0]
                partial = pb.ErrorResourceInitFailed()
                detail.Unpack(partial)
        raise Failed(str(error.details()), error.code().name, partial) from None


class Background:
    """A call in a thread; `result()` gives its value or raises what it raised."""

    def __init__(self, function: Any, *args: Any, **more: Any) -> None:
        self._value: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(function, args, more), daemon=True)
        self.began = time.monotonic()
        self.took = 0.0
        self._thread.start()

    def _run(self, function: Any, args: Any, more: Any) -> None:
        try:
            self._value = function(*args, **more)
        except BaseException as error:  # noqa: BLE001
            self._error = error
        self.took = time.monotonic() - self.began

    def result(self, timeout: float = 60) -> Any:
        self._thread.join(timeout)
        assert not self._thread.is_alive(), "still running"
        if self._error:
            raise self._error
        return self._value
