"""The command line of a SONiC switch, as far as its configuration goes: what a login shell would run.

`config checkpoint|delete-checkpoint|list-checkpoints|apply-patch [--dry-run]|replace|rollback|save`,
`show runningconfiguration all`, `sonic-cfggen -d --print-data`, `decode-syseeprom -s`, `vtysh -c`, `lldpctl -f json0`,
`ip -j link show`, `systemd-run --on-active`, `systemctl is-active|stop|start` of such a timer; `cat`, `tee`, `rm -f` of files
below /tmp. `sudo` in front is taken off.
"""

import json
import shlex
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lab.switches.device import Device
from lab.switches.intended import Intended, RefusedError
from lab.switches.sonic.meaning import Tables, intended
from lab.switches.sonic.patch import patched


@dataclass
class Done:
    """What a command leaves: exit status, output, errors."""

    status: int = 0
    out: str = ""
    err: str = ""


@dataclass
class Timer:
    """A transient unit of systemd: a command that runs later, whoever is logged in then."""

    command: list[str]
    due: float
    timer: threading.Timer


def _json(value: Any) -> str:
    return json.dumps(value, indent=4, sort_keys=True) + "\n"


@dataclass
class Shell:
    """The state behind the command line. `act` makes tables effective, `save` keeps them over a reboot, `saved` gives those."""

    device: Device
    serial: str
    tables: Tables
    act: Callable[[Intended], None]
    save: Callable[[Tables], None]
    saved: Callable[[], Tables | None]
    files: dict[str, str] = field(default_factory=dict)
    checkpoints: dict[str, Tables] = field(default_factory=dict)
    timers: dict[str, Timer] = field(default_factory=dict)
    fired: set[str] = field(default_factory=set)  # units whose command runs now: stopping the timer doesn't stop it
    _lock: Any = field(default_factory=threading.RLock)

    def run(self, line: str, stdin: str = "") -> Done:
        """Runs one command line (no pipes, no variables)."""
        try:
            words = shlex.split(line)
        except ValueError as error:
            return Done(2, err=f"-bash: {error}\n")
        while words[:1] == ["sudo"]:
            words = [word for word in words[1:] if word != "-n"]
        return self._words(words, stdin)

    def _words(self, words: list[str], stdin: str) -> Done:
        try:
            match words:
                case ["config", *rest]:
                    with self._lock:  # the real one has a lock, too
                        return self._config(rest)
                case ["systemd-run", *rest]:
                    return self._systemd_run(rest)
                case ["systemctl", verb, unit]:
                    return self._systemctl(verb, unit)
                case ["tee", path] | ["cat", path] | ["rm", "-f", path]:
                    return self._file(words[0], path, stdin)
        except RefusedError as error:
            return Done(1, err=f"Error: {error}\n")
        return self._show(words) or Done(127, err=f"-bash: {words[0] if words else ''}: command not found\n")

    def _show(self, words: list[str]) -> Done | None:
        match words:
            case ["show", "runningconfiguration", "all"] | ["sonic-cfggen", "-d", "--print-data"]:
                return Done(out=_json(self.tables))
            case ["sonic-cfggen", "-j", "/etc/sonic/config_db.json", "--print-data"]:
                return Done(out=_json(self.saved() or {}))
            case ["decode-syseeprom", "-s"]:
                return Done(out=f"{self.serial}\n")
            case ["vtysh", "-c", command]:
                return Done(*self.device.vtysh(command))
            case ["lldpctl", "-f", "json0"]:
                return Done(out=_json(self.device.lldp()))
            case ["ip", "-j", "link", "show"]:
                rows = self.device.links().items()
                return Done(out=_json([{"ifname": name, **_flags(row)} for name, row in rows]))
        return None

    def _file(self, verb: str, path: str, stdin: str) -> Done:
        if not path.startswith("/tmp/"):  # noqa: S108 (a path on the emulated switch)
            return Done(1, err=f"{verb}: {path}: Permission denied\n")
        if verb == "tee":
            self.files[path] = stdin
            return Done(out=stdin)
        if verb == "rm":
            self.files.pop(path, None)
            return Done()
        found = self.files.get(path)
        return Done(1, err=f"cat: {path}: No such file or directory\n") if found is None else Done(out=found)

    # --- config

    def _config(self, words: list[str]) -> Done:
        options = {word for word in words if word.startswith("-")}
        plain = [word for word in words if not word.startswith("-")]
        match plain:
            case ["checkpoint", name]:
                if name in self.checkpoints:
                    raise RefusedError(name, f"Checkpoint name {name} is taken")
                self.checkpoints[name] = json.loads(json.dumps(self.tables))
                return Done(out="Checkpoint created successfully.\n")
            case ["delete-checkpoint", name]:
                self._checkpoint(name)
                del self.checkpoints[name]
                return Done(out="Checkpoint deleted successfully.\n")
            case ["list-checkpoints"]:
                return Done(out=_json(sorted(self.checkpoints)))
            case ["rollback", name]:
                self._become(self._checkpoint(name))
                return Done(out="Config rolled back successfully.\n")
            case ["apply-patch" | "replace" as verb, path]:
                return self._apply(verb, path, dry="--dry-run" in options or "-d" in options)
            case ["save"]:
                if "-y" not in options:
                    return Done(1, err="Aborted!\n")
                self.save(self.tables)
                return Done()
        return Done(2, err=f"Usage: config [OPTIONS] COMMAND [ARGS]...\n\nError: No such command '{' '.join(words)}'.\n")

    def _checkpoint(self, name: str) -> Tables:
        if name not in self.checkpoints:
            raise RefusedError(name, f"Checkpoint '{name}' does not exist")
        return self.checkpoints[name]

    def _apply(self, verb: str, path: str, *, dry: bool) -> Done:
        if path not in self.files:
            return Done(2, err=f"Error: Invalid value for '{path}': No such file or directory\n")
        try:
            value = json.loads(self.files[path])
        except ValueError as error:
            raise RefusedError(path, f"not JSON: {error}") from None
        wanted = patched(self.tables, value) if verb == "apply-patch" else value
        wanted = {table: rows for table, rows in wanted.items() if rows}  # an empty table isn't kept
        if dry:
            intended(wanted)
            return Done(out="** DRY RUN EXECUTION **\nPatch applied successfully.\n")
        self._become(wanted)
        return Done(out="Patch applied successfully.\n" if verb == "apply-patch" else "Config replaced successfully.\n")

    def _become(self, tables: Tables) -> None:
        wanted, before = intended(tables), self.tables
        self.tables = tables
        try:
            self.act(wanted)
        except RefusedError:
            self.tables = before
            self.act(intended(before))
            raise

    def edit(self, operations: Any) -> None:
        """What an administrator changes at the console, kept over a reboot."""
        with self._lock:
            self._become(patched(self.tables, operations))
            self.save(self.tables)

    # --- systemd

    def _systemd_run(self, words: list[str]) -> Done:
        options = dict(word.lstrip("-").split("=", 1) for word in words if word.startswith("--") and "=" in word)
        command = [word for word in words if not word.startswith("--")]
        unit, after = options.get("unit", "run-1"), options.get("on-active", "")
        if not after.removesuffix("s").replace(".", "", 1).isdigit():
            return Done(1, err=f"Failed to parse timer value: {after}\n")
        if unit in self.timers:
            return Done(1, err=f"Failed to start transient timer unit: Unit {unit}.timer was already loaded.\n")
        # systemd may take the whole of AccuracySec, and we always do: who counts on less finds out here.
        seconds = float(after.removesuffix("s")) + _accuracy_s(words)
        timer = threading.Timer(seconds, self._fire, (unit,))
        timer.daemon = True
        self.timers[unit] = Timer(command, time.monotonic() + seconds, timer)
        timer.start()
        return Done(err=f"Running timer as unit: {unit}.timer\nWill run service as unit: {unit}.service\n")

    def _fire(self, unit: str) -> None:
        if unit in self.timers:
            program, *rest = self.timers[unit].command
            self.fired.add(unit)
            self._words([program.rpartition("/")[2], *rest], "")
            self.fired.discard(unit)
            self.timers.pop(unit, None)

    def _systemctl(self, verb: str, unit: str) -> Done:
        name = unit.removesuffix(".timer").removesuffix(".service")
        known = self.timers.get(name)
        if verb == "is-active":
            active = name in self.fired if unit.endswith(".service") else known is not None
            return Done(0, out="active\n") if active else Done(3, out="inactive\n")
        if known is None:
            return Done(5, err=f"Failed to {verb} {unit}: Unit {unit} not loaded.\n")
        if verb == "stop":
            known.timer.cancel()
            self.timers.pop(name, None)
            return Done()
        if verb == "start":
            known.timer.cancel()
            self._fire(name)
            return Done()
        return Done(1, err=f"Unknown command verb {verb}.\n")


def _accuracy_s(words: list[str]) -> float:
    given = [word.rpartition("=")[2] for word in words if word.startswith("--timer-property=AccuracySec=")]
    return float(given[-1].removesuffix("s")) if given else 60.0


def _flags(row: dict[str, Any]) -> dict[str, Any]:
    return {"mtu": row["mtu"], "flags": ["UP"] if row["admin"] else [], "operstate": "UP" if row["oper"] else "DOWN"}
