"""A Python language host for the Pulumi engine.

The official CLI ships `pulumi-language-python`; the engine that we build from Go modules can't, because that program is not to
be had as a Go module. This server speaks the same protocol: `LanguageRuntime` in the SDK's own protobufs. The engine starts it
(through the wrapper that `engine/install.py` writes) with its own address as last argument and reads the port from the first
line of stdout. First argument: the program runner `pulumi-language-python-exec` of the Go SDK.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from importlib import metadata
from pathlib import Path
from typing import IO, Any

import grpc
from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict
from pulumi.runtime.proto import language_pb2 as pb
from pulumi.runtime.proto import language_pb2_grpc as rpc
from pulumi.runtime.proto import plugin_pb2

VERSION = "3.274.1"
ERROR_ALREADY_SHOWN = 32  # the SDK's exit code for an exception whose text the program has sent to the engine
PARENT_POLL_S = 0.25
LARGEST_MESSAGE_BYTES = 400 << 20

LIST_PLUGINS = """
import json
from importlib import metadata
for dist in metadata.distributions():
    for file in dist.files or ():
        if file.name == "pulumi-plugin.json" and len(file.parts) == 2:
            plugin = json.loads(dist.locate_file(file).read_text())
            if plugin.get("resource", True):
                print(json.dumps([plugin["name"], plugin.get("version") or dist.version, plugin.get("server", "")]))
"""


def interpreter(info: Any) -> str:
    """The Python of the program's virtual environment (`runtime.options.virtualenv`, relative to the project's root)."""
    virtualenv = MessageToDict(info.options).get("virtualenv")
    return str(Path(info.root_directory, virtualenv, "bin", "python")) if virtualenv else sys.executable


def required_packages(info: Any) -> Iterator[plugin_pb2.PackageDependency]:
    """Resource plugins that the program's own distributions ask for in their pulumi-plugin.json."""
    listing = subprocess.run([interpreter(info), "-c", LIST_PLUGINS], check=True, capture_output=True, text=True).stdout
    for name, version, server in map(json.loads, listing.splitlines()):
        yield plugin_pb2.PackageDependency(name=name, version="v" + version.removeprefix("v"), kind="resource", server=server)


def program_command(request: Any, runner: Path, engine_address: str) -> list[str]:
    """How the SDK's runner is started for one preview or update."""
    info = request.info
    options = {
        "monitor": request.monitor_address,
        "engine": engine_address,
        "project": request.project,
        "stack": request.stack,
        "organization": request.organization,
        "root_directory": info.root_directory,
        "pwd": info.program_directory,
        "dry_run": "true" if request.dryRun else "false",
        "parallel": str(request.parallel),
    }
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [interpreter(info), "-u", str(runner), *flags, str(Path(info.program_directory, info.entry_point)), *request.args]


def plugin_command(request: Any) -> list[str]:
    """How a policy pack (kind `analyzer`) or a provider written in Python is started; its first line of stdout is its port."""
    if request.kind == "analyzer":
        target = ["-m", "pulumi.policy", *request.args[:1], request.info.program_directory]
    else:
        target = [str(Path(request.info.program_directory, request.info.entry_point)), *request.args]
    return [interpreter(request.info), "-u", *target]


def lines_of(process: subprocess.Popen[bytes]) -> Iterator[tuple[str, bytes]]:
    """Each line of the process as it comes, with the name of its stream; ends when both streams do."""
    lines: queue.Queue[tuple[str, bytes]] = queue.Queue()

    def pump(stream: IO[bytes], name: str) -> None:
        for line in iter(stream.readline, b""):
            lines.put((name, line))
        lines.put(("", b""))

    streams = {"stdout": process.stdout, "stderr": process.stderr}
    for name, stream in streams.items():
        threading.Thread(target=pump, args=(stream, name), daemon=True).start()
    still_open = len(streams)
    while still_open:
        name, line = lines.get()
        if name:
            yield name, line
        else:
            still_open -= 1


class Children:
    """The processes that this host has started: none may outlive it."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def start(self, command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise RuntimeError("the language host is ending")
            process = subprocess.Popen(command, **options)
            self._running.add(process)
        return process

    def wait(self, process: subprocess.Popen[bytes]) -> int:
        code = process.wait()
        with self._lock:
            self._running.discard(process)
        return code

    def end(self, signum: int = signal.SIGTERM, *, last: bool = True) -> None:
        """Signal all of them. SIGINT would end in a KeyboardInterrupt traceback on the user's screen."""
        with self._lock:
            self._closed = self._closed or last
            for process in self._running:
                if process.poll() is None:
                    process.send_signal(signum)


class LanguageHost(rpc.LanguageRuntimeServicer):
    """The requests of the engine that a Python program needs; names and messages are the protocol's."""

    def __init__(self, runner: Path, engine_address: str, programs: Children, plugins: Children) -> None:
        self.runner, self.engine_address = runner, engine_address
        self.programs, self.plugins = programs, plugins
        self.cancelled = False

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> pb.LanguageHandshakeResponse:  # noqa: ARG002, N802
        return pb.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:  # noqa: ARG002, N802
        return plugin_pb2.PluginInfo(version=VERSION)

    def GetRequiredPackages(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ARG002, N802
        return pb.GetRequiredPackagesResponse(packages=list(required_packages(request.info)))

    def About(self, request: Any, context: grpc.ServicerContext) -> pb.AboutResponse:  # noqa: ARG002, N802
        return pb.AboutResponse(executable=sys.executable, version=sys.version.split()[0])

    def InstallDependencies(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:  # noqa: ARG002, N802
        """Nothing: `make setup` installs them."""
        return iter(())

    def GetProgramDependencies(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ARG002, N802
        found = [pb.DependencyInfo(name=d.metadata["Name"], version=d.version) for d in metadata.distributions()]
        return pb.GetProgramDependenciesResponse(dependencies=found)

    def Run(self, request: Any, context: grpc.ServicerContext) -> pb.RunResponse:  # noqa: ARG002, N802
        config = {
            "PULUMI_CONFIG": json.dumps(dict(request.config)),
            "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
        }
        command = program_command(request, self.runner, self.engine_address)
        try:
            code = self.programs.wait(self.programs.start(command, env=os.environ | config))
        except OSError as error:
            return pb.RunResponse(error=f"the program does not start: {error}")
        if code == 0:
            return pb.RunResponse()
        if code == ERROR_ALREADY_SHOWN or (self.cancelled and code == -signal.SIGTERM):
            return pb.RunResponse(bail=True)
        return pb.RunResponse(error=f"Program exited with non-zero exit code: {code}")

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Empty:  # noqa: ARG002, N802
        self.cancelled = True
        self.programs.end(last=False)
        return Empty()

    def RunPlugin(self, request: Any, context: grpc.ServicerContext) -> Iterator[pb.RunPluginResponse]:  # noqa: N802
        environment = dict(pair.split("=", 1) for pair in request.env) or dict(os.environ)
        process = self.plugins.start(
            plugin_command(request),
            cwd=request.pwd or None,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        context.add_callback(lambda: process.poll() is None and process.terminate())
        for name, line in lines_of(process):
            yield pb.RunPluginResponse(stdout=line) if name == "stdout" else pb.RunPluginResponse(stderr=line)
        yield pb.RunPluginResponse(exitcode=self.plugins.wait(process))


def exit_with_parent(parent: int, *children: Children) -> None:
    """End when the engine is gone: nobody else would stop the program and this server, and they would go on creating."""
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_S)
    for group in children:
        group.end(signal.SIGKILL)
    os._exit(1)


def main() -> None:
    parent = os.getppid()
    programs, plugins = Children(), Children()
    host = LanguageHost(Path(sys.argv[1]), sys.argv[-1], programs, plugins)
    options = [(f"grpc.max_{way}_message_length", LARGEST_MESSAGE_BYTES) for way in ("receive", "send")]
    server = grpc.server(futures.ThreadPoolExecutor(64), options=options)
    rpc.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")

    def end(*_: object) -> None:
        programs.end()
        plugins.end()
        server.stop(0)

    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, end)
    threading.Thread(target=exit_with_parent, args=(parent, programs, plugins), daemon=True).start()
    server.start()
    print(port, flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
