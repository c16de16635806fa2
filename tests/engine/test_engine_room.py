"""`python -m engine` as people and make use it: the real pulumi on a throw-away project, with faults around it."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from engine.paths import ROOT

PROJECT = """name: railyard
runtime: {name: python, options: {toolchain: pip, virtualenv: VENV}}
stackConfigDir: stacks
"""
PROGRAM = """import pulumi

part = pulumi.ComponentResource("test:index:Part", "part")
pulumi.export("answer", 42)
"""
# Comments, number spellings and blank lines that a rewrite of the file would change.
STACK_FILE = """# kept as it is
encryptionsalt: {salt}

config:
  railyard:ratio:   30.0
"""


class Yard:
    """A Pulumi project in a folder with its own backend and passphrase."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "stacks").mkdir()
        (root / "state").mkdir()
        (root / "passphrase").write_text("correct horse")
        (root / "Pulumi.yaml").write_text(PROJECT.replace("VENV", str(ROOT / ".venv")))
        (root / "__main__.py").write_text(PROGRAM)
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PULUMI_", "RAILYARD_"))}
        self.environment = own | {
            "PULUMI_BACKEND_URL": f"file://{root}/state",
            "PULUMI_CONFIG_PASSPHRASE_FILE": str(root / "passphrase"),
        }

    def run(self, command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
        answer = subprocess.run(
            command,
            cwd=self.root,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert "Traceback" not in answer.stdout + answer.stderr
        return answer

    def engine(self, name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "engine", name, "--project", str(self.root), *arguments]
        return self.run(command, **environment)

    def pulumi(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run(["bash", "-c", f'. "{ROOT}/.envrc" && exec pulumi "$@" --non-interactive', "-", *arguments])

    def salted_stack_file(self) -> Path:
        """A committed stack file: its salt belongs to our passphrase, its text is nobody's to change."""
        path = self.root / "stacks" / "Pulumi.t.yaml"
        path.write_text("config: {}\n")
        assert self.pulumi("stack", "init", "t", "--no-select").returncode == 0
        salt = next(line.split(": ", 1)[1] for line in path.read_text().splitlines() if line.startswith("encryptionsalt"))
        assert self.pulumi("stack", "rm", "t", "--yes", "--preserve-config").returncode == 0
        path.write_text(STACK_FILE.format(salt=salt))
        return path

    def put_lock(self, pid: int) -> Path:
        path = self.root / "state" / ".pulumi" / "locks" / "organization" / "railyard" / "t" / "0.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        now = "2026-01-02T03:04:05Z"
        path.write_text(json.dumps({"pid": pid, "username": "ann", "hostname": socket.gethostname(), "timestamp": now}))
        return path


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


def test_up_twice_after_a_killed_run(yard: Yard) -> None:
    stack_file = yard.salted_stack_file()
    text = stack_file.read_text()
    first = yard.engine("stack-up", "t")
    assert first.returncode == 0, first.stderr
    assert "created stack t" in first.stdout
    assert stack_file.read_text() == text

    state_file = yard.root / "state" / ".pulumi" / "stacks" / "railyard" / "t.json"  # import would drop pending operations
    state = json.loads(state_file.read_text())
    half = {"urn": "urn:pulumi:t::railyard::lab:index:Thing::half", "custom": True, "type": "lab:index:Thing", "inputs": {}}
    state["checkpoint"]["latest"]["pending_operations"] = [{"resource": half, "type": "creating"}]
    state_file.write_text(json.dumps(state))
    gone = subprocess.Popen(["true"])
    gone.wait()
    lock = yard.put_lock(gone.pid)

    second = yard.engine("stack-up", "t")
    assert second.returncode == 0, second.stdout + second.stderr
    assert f"removed the lock of stack t: ann@{socket.gethostname()}, pid {gone.pid} (gone)" in second.stdout
    assert "left 1 operations open" in second.stdout
    assert "2 unchanged" in second.stdout
    assert not lock.exists()
    state = json.loads(yard.pulumi("stack", "export", "--stack", "t").stdout)
    assert not state["deployment"].get("pending_operations")
    assert stack_file.read_text() == text


def test_a_stack_that_another_run_holds(yard: Yard) -> None:
    yard.salted_stack_file()
    assert yard.engine("stack-preview", "t").returncode == 0
    lock = yard.put_lock(os.getpid())
    for command in ("stack-up", "unlock"):
        answer = yard.engine(command, "t")
        assert answer.returncode == 2
        assert answer.stderr.startswith(
            f"ENGINE-008 stack t\n  found:  locked by ann@{socket.gethostname()}, pid {os.getpid()} (alive)"
        )
    assert lock.exists()
    assert "removed the lock" in yard.engine("unlock", "t", "--force").stdout
    assert not lock.exists()


def test_preview_passes_arguments_and_exit_code_on(yard: Yard) -> None:
    yard.salted_stack_file()
    assert yard.engine("stack-up", "t").returncode == 0
    same = yard.engine("stack-preview", "t", "--", "--expect-no-changes")
    assert same.returncode == 0
    (yard.root / "__main__.py").write_text(PROGRAM + 'other = pulumi.ComponentResource("test:index:Part", "other")\n')
    changed = yard.engine("stack-preview", "t", "--", "--expect-no-changes")
    assert changed.returncode not in (0, 2)


def test_preview_leaves_the_peer_alone(yard: Yard) -> None:
    """The program asks the engine for its peer's outputs, which need not exist: nothing is made for it."""
    stack_file = yard.salted_stack_file()
    peer = stack_file.with_name("Pulumi.far.yaml")
    peer.write_text(stack_file.read_text())
    stack_file.write_text(stack_file.read_text() + "  railyard:peer: {stack: far}\n")
    answer = yard.engine("stack-preview", "t")
    assert answer.returncode == 0, answer.stderr
    assert "far" not in yard.pulumi("stack", "ls").stdout


def test_no_deployed_state_is_not_analysed(yard: Yard) -> None:
    yard.salted_stack_file()
    for pack in ("power", "fabric", "hardening"):
        folder = yard.root / "policies" / pack
        folder.mkdir(parents=True)
        (folder / "PulumiPolicy.yaml").write_text(
            f"runtime: {{name: python, options: {{toolchain: pip, virtualenv: {ROOT}/.venv}}}}\nversion: 0.0.1\n"
        )
        (folder / "__main__.py").write_text(
            f'from pulumi_policy import PolicyPack, ResourceValidationPolicy\nPolicyPack("{pack}", policies=['
            'ResourceValidationPolicy("never", "Never.", lambda args, report: None)])\n'
        )
    before = yard.engine("stack-policy", "t")
    assert before.returncode == 0, before.stdout + before.stderr
    assert "no deployed state of t: nothing analysed" in before.stdout
    assert yard.engine("stack-up", "t").returncode == 0
    after = yard.engine("stack-policy", "t")
    assert after.returncode == 0, after.stdout + after.stderr
    assert "the deployed state of t:" in after.stdout


@pytest.mark.parametrize(
    ("environment", "ident", "found"),
    [
        ({"PULUMI_HOME": "empty"}, "ENGINE-006", "no kubernetes plugin"),
        ({"PULUMI_CONFIG_PASSPHRASE_FILE": "nowhere"}, "ENGINE-007", "nowhere: no such file"),
        ({"PULUMI_CONFIG_PASSPHRASE_FILE": "wrong"}, "ENGINE-010", "incorrect passphrase"),
    ],
)
def test_what_is_missing_is_named(yard: Yard, environment: dict[str, str], ident: str, found: str) -> None:
    yard.salted_stack_file()
    (yard.root / "wrong").write_text("battery staple")
    answer = yard.engine("stack-up", "t", **{name: str(yard.root / value) for name, value in environment.items()})
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"{ident} ")
    assert found in answer.stderr
    assert yard.engine("stack-up", "t").returncode == 0


def test_a_stack_without_a_file(yard: Yard) -> None:
    yard.salted_stack_file()
    answer = yard.engine("stack-up", "x")
    assert answer.returncode == 2
    assert answer.stderr.startswith("ENGINE-009 stack x\n")
    assert "needed: one of t\n" in answer.stderr


def test_doctor_finds_everything_after_setup() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "engine", "doctor", "--json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    rows = {row["name"]: row for row in json.loads(answer.stdout)}
    tools = [row for name, row in rows.items() if "pulumi" in name or "plugin" in name or "(lab)" in name]
    assert [row["name"] for row in tools if row["status"] != "ok"] == []


def test_no_go_and_no_package_index(tmp_path: Path) -> None:
    """The command as a user sees it: an id, what to do, exit code 2, no traceback."""
    environment = {"PATH": "/nowhere", "HOME": str(tmp_path), "RAILYARD_CACHE": str(tmp_path / "cache")}
    environment |= {
        "RAILYARD_MIN_FREE_GIB": "0",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path),
        "PIP_CONFIG_FILE": "/dev/null",
    }
    command = [sys.executable, "-m", "engine", "build", "etcd"]
    answer = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert answer.stderr.startswith("ENGINE-001 Go toolchain\n  found:  no go on PATH")
    assert "Traceback" not in answer.stderr


def test_a_full_cache(tmp_path: Path) -> None:
    """A real Go build into a file system of 1 MiB: an id, no traceback, no half binary; with space it then works."""
    for name in ("go.mod", "go.sum", "main.go"):
        (tmp_path / "engine" / "tiny").mkdir(parents=True, exist_ok=True)
        (tmp_path / "engine" / "tiny" / name).touch()
    (tmp_path / "engine" / "tiny" / "go.mod").write_text("module tiny\n\ngo 1.21\n")
    (tmp_path / "engine" / "tiny" / "main.go").write_text(
        'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("built") }\n'
    )
    (tmp_path / "build.py").write_text(
        "import sys\nfrom pathlib import Path\nfrom engine import errors, build, cache, recipes\n"
        "tiny = recipes.Recipe('tiny', 'tiny', '.', '1', '', 1, 0.0)\nhere = Path(sys.argv[1])\n"
        "kept = cache.Cache(here / 'cache', here / 'engine')\n"
        "try:\n    build.build_all([tiny], kept, lambda recipe: print(kept.binary(recipe)))\n"
        "except errors.EngineError as error:\n    print(error, list((here / 'cache').glob('*/tiny')))\n"
    )
    (tmp_path / "cache").mkdir()
    run = f"'{sys.executable}' '{tmp_path}/build.py' '{tmp_path}'"
    private = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    mounted = [*private, "sh", "-c", f"mount -t tmpfs -o size=1m tmpfs '{tmp_path}/cache' && {run}"]
    environment = os.environ | {"RAILYARD_MIN_FREE_GIB": "0"}
    full = subprocess.run(mounted, env=environment, capture_output=True, text=True, check=True)
    assert "ENGINE-002 build of tiny 1\n" in full.stdout
    assert "no space left on device" in full.stdout
    assert full.stdout.endswith("[]\n")
    built = subprocess.run(["sh", "-c", run], env=environment, capture_output=True, text=True, check=True).stdout.splitlines()[
        -1
    ]
    assert subprocess.run([built], capture_output=True, text=True, check=True).stdout == "built\n"
    shutil.rmtree(tmp_path / "cache")
