"""Our Python language host over real gRPC, with a stand-in for the program: what it starts, what it reports, how it ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from pathlib import Path

import grpc
import pytest
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import language_pb2 as pb
from pulumi.runtime.proto import language_pb2_grpc as rpc

from engine.paths import ROOT

HOST = ROOT / "engine" / "language_host.py"


class Engine:
    """Plays the engine: a shell that is the host's parent, and the address that the host printed."""

    def __init__(self, folder: Path, program: str) -> None:
        self.folder = folder
        (folder / "runner").write_text(program)
        script = f"'{sys.executable}' -P '{HOST}' '{folder}/runner' 127.0.0.1:1 & echo $! >host; wait"
        self.parent = subprocess.Popen(["sh", "-c", script], cwd=folder, stdout=subprocess.PIPE, text=True)
        assert self.parent.stdout is not None
        port = self.parent.stdout.readline().strip()
        self.host = int((folder / "host").read_text())
        self.stub = rpc.LanguageRuntimeStub(grpc.insecure_channel(f"127.0.0.1:{port}"))

    def info(self) -> pb.ProgramInfo:
        folder = str(self.folder)
        return pb.ProgramInfo(root_directory=folder, program_directory=folder, entry_point=".", options=struct_pb2.Struct())

    def run(self) -> pb.RunResponse:
        request = pb.RunRequest(info=self.info(), project="p", stack="s", dryRun=True, parallel=3, config={"p:a": "1"})
        return self.stub.Run(request, timeout=20)

    def start(self) -> "futures.Future[pb.RunResponse]":
        """Run in the background; returns when the program has written its pid."""
        answer = futures.ThreadPoolExecutor(1).submit(self.run)
        until(lambda: (self.folder / "pid").exists() and (self.folder / "pid").read_text() != "")
        return answer

    def program(self) -> int:
        return int((self.folder / "pid").read_text())

    def close(self) -> None:
        for pid in (self.parent.pid, self.host):
            if running(pid):
                os.kill(pid, signal.SIGKILL)
        self.parent.wait()


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(condition: Callable[[], bool], seconds: float = 10) -> float:
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds
        time.sleep(0.02)
    return time.monotonic() - started


SLEEPING = "import os, time, pathlib\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(60)\n"


@pytest.fixture
def engine_with(tmp_path: Path) -> Iterator[Callable[[str], Engine]]:
    engines: list[Engine] = []

    def start(program: str) -> Engine:
        engines.append(Engine(tmp_path, program))
        return engines[-1]

    yield start
    for engine in engines:
        engine.close()


def test_the_program_gets_its_arguments_and_configuration(engine_with: Callable[[str], Engine], tmp_path: Path) -> None:
    program = """import json, os, pathlib, sys
pathlib.Path("seen").write_text(json.dumps([sys.argv[1:], os.environ["PULUMI_CONFIG"]]))"""
    assert engine_with(program).run() == pb.RunResponse()
    seen = (tmp_path / "seen").read_text()
    for word in (
        '"--engine", "127.0.0.1:1"',
        '"--project", "p"',
        '"--dry_run", "true"',
        '"--parallel", "3"',
        r"{\"p:a\": \"1\"}",
    ):
        assert word in seen


@pytest.mark.parametrize(("code", "bail", "error"), [(32, True, ""), (3, False, "Program exited with non-zero exit code: 3")])
def test_how_a_program_failed(engine_with: Callable[[str], Engine], code: int, bail: bool, error: str) -> None:
    answer = engine_with(f"raise SystemExit({code})").run()
    assert (answer.bail, answer.error) == (bail, error)


def test_cancel_ends_the_program_quietly(engine_with: Callable[[str], Engine]) -> None:
    engine = engine_with(SLEEPING)
    answer = engine.start()
    engine.stub.Cancel(empty_pb2.Empty(), timeout=5)
    assert answer.result(5).bail
    assert not running(engine.program())


def test_a_program_that_somebody_else_ends_is_an_error(engine_with: Callable[[str], Engine]) -> None:
    engine = engine_with(SLEEPING)
    answer = engine.start()
    os.kill(engine.program(), signal.SIGTERM)
    assert answer.result(5).error == "Program exited with non-zero exit code: -15"


def test_nothing_outlives_a_killed_engine(engine_with: Callable[[str], Engine]) -> None:
    engine = engine_with(SLEEPING)
    engine.start()
    engine.parent.kill()
    assert until(lambda: not running(engine.host) and not running(engine.program())) < 1


def test_the_program_ends_with_the_host(engine_with: Callable[[str], Engine]) -> None:
    engine = engine_with(SLEEPING)
    engine.start()
    os.kill(engine.host, signal.SIGTERM)
    until(lambda: not running(engine.host) and not running(engine.program()), 3)


def test_packages_are_those_of_the_programs_environment(engine_with: Callable[[str], Engine]) -> None:
    engine = engine_with("")
    answer = engine.stub.GetRequiredPackages(pb.GetRequiredPackagesRequest(info=engine.info()), timeout=20)
    assert [(package.name, package.version, package.kind) for package in answer.packages] == [
        ("kubernetes", "v4.25.0", "resource")
    ]


def test_a_policy_pack_or_provider_speaks_through_the_host(engine_with: Callable[[str], Engine], tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(
        "import sys, os\nprint(os.environ['A'], *sys.argv[1:])\nprint('w', file=sys.stderr)\nsys.exit(4)"
    )
    engine = engine_with("")
    info = engine.info()
    info.entry_point = "plugin.py"
    request = pb.RunPluginRequest(info=info, pwd=str(tmp_path), args=["x"], env=["A=1=2"], kind="resource")
    answers = list(engine.stub.RunPlugin(request, timeout=20))
    assert b"".join(answer.stdout for answer in answers) == b"1=2 x\n"
    assert b"".join(answer.stderr for answer in answers) == b"w\n"
    assert answers[-1].exitcode == 4
