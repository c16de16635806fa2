"""A yard to break things in: one lab instance, one stack file, one state folder, and the real engine over them."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".pulumi-home"
QUICK = "--skip-preview"
ENGINE_PROGRAMS = ("bin/pulumi ", "language_host.py", "pulumi-language-python", "pulumi-resource-", "-m providers.")


@dataclass
class Yard:
    """Everything that one test or one module owns; nothing of the checkout's own lab or state is touched."""

    folder: Path
    stack: str = "lab"
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def instance(self) -> Path:
        return self.folder / "lab" / self.stack

    @property
    def stack_file(self) -> Path:
        return self.instance / f"Pulumi.{self.stack}.yaml"

    @property
    def inventory_file(self) -> Path:
        return self.instance / "inventory.yaml"

    # -- the lab
    def lab(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        verb, *rest = arguments
        command = [sys.executable, "-m", "lab", verb, "--dir", str(self.instance), *rest]
        return self._run(command, check=check, timeout=120)

    def fault(self, machine: str, **fault: object) -> None:
        self.lab("fault", machine, json.dumps(fault))

    def clear_faults(self) -> None:
        self.lab("fault", "--clear")

    def requests(self) -> list[dict[str, Any]]:
        return _json_lines(self.instance / "logs" / "bmc.jsonl")

    def installs(self) -> Counter[str]:
        """How often each disk was wiped for an installation, by the emulated machines' own log."""
        return self._installs("begun")

    def installed(self) -> Counter[str]:
        """How often the installation of each serial came to its end."""
        return self._installs("finished")

    def _installs(self, event: str) -> Counter[str]:
        log = _json_lines(self.instance / "logs" / "installs.jsonl")
        return Counter(entry["serial"] for entry in log if entry["event"] == event)

    def renew(self, *lab_arguments: str) -> None:
        """The same instance (addresses, CA, secrets) with new machines, an empty cluster, and a stack never deployed."""
        self.lab("down")
        for folder in ("state", "logs", "controlplane/etcd"):
            shutil.rmtree(self.instance / folder)
        shutil.rmtree(self.folder / "state")
        (self.folder / "state").mkdir()
        self.lab("up", *lab_arguments)
        self.init()

    # -- the engine
    def pulumi(
        self, *arguments: str, check: bool = False, timeout: float = 300, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return self._run([str(HOME / "bin" / "pulumi"), *arguments, "--non-interactive"], check, timeout, environment)

    def start_up(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """An `up` to be interrupted: in a process group of its own."""
        command = [str(HOME / "bin" / "pulumi"), *self._stack_arguments("up", "--yes", "--skip-preview", *arguments)]
        return subprocess.Popen(
            [*command, "--non-interactive"],
            cwd=ROOT,
            env=self._env(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def init(self) -> None:
        self.pulumi("stack", "init", self.stack, check=True)

    def up(self, *arguments: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        command = self._stack_arguments("up", "--yes", "--skip-preview", *arguments)
        return self.pulumi(*command, check=check, **environment)

    def make_up(self, *arguments: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        """What `make up` runs: the lab (this yard's), freeing the stack of what a killed run left behind, then `pulumi up`.

        Only for a yard of a committed site: the lab's copies are written anew where the inventory is another one. With
        QUICK as argument (`ARGS=--skip-preview`) pulumi doesn't plan everything a first time only to show it.
        """
        command = [sys.executable, "-m", "engine", "stack-up", self.stack, "--", *arguments]
        return self._run(command, check, 300, {"RAILYARD_LAB": str(self.folder / "lab"), **environment})

    def preview(
        self, *arguments: str, check: bool = False, timeout: float = 300, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return self.pulumi(*self._stack_arguments("preview", *arguments), check=check, timeout=timeout, **environment)

    def changes(self, *arguments: str) -> dict[str, str]:
        """What a preview would do: `type::name` -> operation, without what stays the same."""
        result = self.preview("--json", *arguments, check=True)
        steps = json.loads(result.stdout)["steps"]
        return {_short(step["urn"]): step["op"] for step in steps if step["op"] not in ("same", "read")}

    def state(self) -> list[dict[str, Any]]:
        exported = json.loads(self.pulumi("stack", "export", "--stack", self.stack, check=True).stdout)
        return exported["deployment"].get("resources", [])

    def pending(self) -> list[dict[str, Any]]:
        exported = json.loads(self.pulumi("stack", "export", "--stack", self.stack, check=True).stdout)
        return exported["deployment"].get("pending_operations", [])

    def outputs(self) -> dict[str, Any]:
        return json.loads(self.pulumi("stack", "output", "--json", "--stack", self.stack, check=True).stdout)

    # -- the stack file and the inventory
    @contextmanager
    def editing(self, path: Path) -> Iterator[Any]:
        """The YAML document at `path`, written back afterwards."""
        yaml = YAML()
        document = yaml.load(path.read_text())
        yield document
        with path.open("w") as stream:
            yaml.dump(document, stream)

    def processes(self) -> list[int]:
        """Processes whose command line or environment names this yard's state folder."""
        return [pid for pid in self._pids() if "pulumi" in _command(pid)]

    def _pids(self) -> Iterator[int]:
        needle = str(self.folder).encode()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    if needle in (entry / "environ").read_bytes():
                        yield int(entry.name)
                except OSError:
                    continue

    def engine_processes(self) -> dict[int, str]:
        """Live engines, language hosts, programs and providers of this yard (a zombie has no command line): pid -> command."""
        found = {}
        for pid in self._pids():
            command = _command(pid)
            if any(word in command for word in ENGINE_PROGRAMS):
                found[pid] = command
        return found

    def close(self) -> None:
        self.lab("down", check=False)
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)

    def _stack_arguments(self, verb: str, *arguments: str) -> list[str]:
        return [verb, "--stack", self.stack, "--config-file", str(self.stack_file), *arguments]

    def _env(self, extra: Mapping[str, str]) -> dict[str, str]:
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("PULUMI_", "RAILYARD_", "KUBE"))}
        return (
            keep
            | {
                "PATH": f"{HOME / 'bin'}:{ROOT / '.venv' / 'bin'}:{keep['PATH']}",
                "PULUMI_HOME": str(HOME),
                "PULUMI_BACKEND_URL": f"file://{self.folder / 'state'}",
                "PULUMI_CONFIG_PASSPHRASE_FILE": str(ROOT / "lab" / "passphrase"),
                "PULUMI_SKIP_UPDATE_CHECK": "true",
                "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
                "PULUMI_DISABLE_REGISTRY_RESOLVE": "true",
            }
            | self.environment
            | dict(extra)
        )

    def _run(
        self, command: list[str], check: bool, timeout: float, extra: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=self._env(extra or {}),
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
        if check:
            assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done


def open_yard(yard: Yard, *lab_arguments: str, site: Path | None = None) -> None:
    """Start the yard's lab instance (of `sites/<stack>`, or of an inventory elsewhere) and make its stack."""
    (yard.folder / "state").mkdir()
    inventory = site or ROOT / "sites" / yard.stack / "inventory.yaml"
    yard.lab("up", "--site", str(inventory), "--stack", yard.stack, *lab_arguments)
    yard.init()


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()] if path.exists() else []


def _command(pid: int) -> str:
    """The words of a process, or nothing where it is gone or a zombie."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _short(urn: str) -> str:
    kind, _, name = urn.rpartition("::")
    return f"{kind.rpartition('::')[2].rpartition('$')[2]}::{name}"
