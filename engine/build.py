"""`python -m engine build`: builds what the cache lacks, one binary after the other (each build uses every core)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.cache import Cache, check_free_space, disk_errors
from engine.errors import EngineError
from engine.golang import build_cache_folder, find_go, go_environment
from engine.recipes import TAGS, ModuleFile, Recipe

PROGRESS_EVERY_S = 20.0
NETWORK_WORDS = re.compile(
    r"dial tcp|no such host|connection refused|i/o timeout|network is unreachable|TLS handshake|proxyconnect"
    r"|EOF$|unexpected status|50[234] |module lookup disabled",
    re.MULTILINE,
)


def say(line: str) -> None:
    print(line, flush=True)


def duration(seconds: float) -> str:
    """4 min 40 s."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@dataclass(frozen=True)
class Builder:
    """Builds recipes into a cache with one `go`."""

    cache: Cache
    go: str
    progress_every_s: float = PROGRESS_EVERY_S
    out: Callable[[str], None] = say

    def build(self, recipe: Recipe) -> Path:
        """The finished binary's path, built now if the cache lacks it. Raises EngineError; leaves no partial binary."""
        with self.cache.locked(recipe):
            if not self.cache.has(recipe):
                with disk_errors(self.cache.root):
                    self._build_now(recipe)
        return self.cache.binary(recipe)

    def _build_now(self, recipe: Recipe) -> None:
        expected, measured = self.cache.last_seconds(recipe)
        note = f"last time {duration(expected)}" if measured else f"about {duration(expected)} on 2 cores"
        self.out(f"building {recipe.name} {recipe.version} ({note}) …")
        started = time.monotonic()
        folder = self.cache.folder(recipe)
        with tempfile.TemporaryDirectory(prefix="build-", dir=folder) as stage_name:
            stage = Path(stage_name)
            for name in ("go.mod", "go.sum", "main.go"):
                if (source := self.cache.engine_dir / recipe.folder / name).exists():
                    shutil.copyfile(source, stage / name)
            beside = [self._module_file(recipe, file, stage) for file in recipe.files]
            self._compile(recipe, stage, note)
            for path in filter(None, beside):
                self.cache.put(recipe, path, path.name)
            self.cache.put(recipe, stage / "out" / recipe.name)
        seconds = time.monotonic() - started
        self.cache.record_seconds(recipe, seconds)
        self.out(f"built {recipe.name} {recipe.version} in {duration(seconds)}")

    def _module_file(self, recipe: Recipe, file: ModuleFile, stage: Path) -> Path | None:
        """Copy one file out of its Go module; the module cache is read-only, so the copy gets its own mode."""
        command = [self.go, "mod", "download", "-json", file.module]
        answer = subprocess.run(command, cwd=stage, env=go_environment(self.go), capture_output=True, text=True, check=False)
        if answer.returncode:
            raise failure(recipe, answer.stdout + answer.stderr, "")
        target = stage / file.name
        shutil.copyfile(Path(json.loads(answer.stdout)["Dir"]) / file.path, target)
        target.chmod(0o755 if file.executable else 0o644)
        if file.set_version:
            target.write_text(json.dumps(json.loads(target.read_text()) | {"version": file.set_version}))
        return None if file.embedded else target

    def _compile(self, recipe: Recipe, stage: Path, note: str) -> None:
        flags = ["-v", "-tags", TAGS, "-trimpath", "-ldflags", f"-s -w {recipe.ldflags}".strip()]
        command = [self.go, "build", *flags, "-o", f"{stage / 'out'}{os.sep}{recipe.name}", recipe.package]
        log = self.cache.root / f"build-{recipe.name}.log"
        (stage / "out").mkdir()
        started = told = time.monotonic()
        with log.open("wb") as sink:
            process = subprocess.Popen(
                command, cwd=stage, env=go_environment(self.go), stdin=subprocess.DEVNULL, stdout=sink, stderr=sink
            )
            try:
                while (code := _wait(process, 0.2)) is None:
                    if time.monotonic() - told >= self.progress_every_s:
                        told = time.monotonic()
                        packages = log.read_bytes().count(b"\n")
                        self.out(f"  {recipe.name}: {duration(told - started)} ({note}), {packages} packages compiled")
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        if code:
            raise failure(recipe, log.read_text(errors="replace"), str(log))


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def failure(recipe: Recipe, output: str, log: str) -> EngineError:
    """Which of the three ways a build ends badly this was, from what Go wrote."""
    where = f"build of {recipe.name} {recipe.version}"
    lines = [line for line in output.splitlines() if line.strip() and (" " in line or ":" in line)]
    found = "; ".join(lines[-3:])[-600:] or "no output"
    if "no space left on device" in output or "disk quota exceeded" in output:
        fix = "free some space, or set RAILYARD_CACHE, GOCACHE and TMPDIR to folders on another disk"
        return EngineError("ENGINE-002", where, found, f"{recipe.disk_gib} GiB for this build", fix)
    if NETWORK_WORDS.search(output):
        fix = "check the network and GOPROXY, or install the official pulumi CLI with its plugins; then run it again"
        return EngineError("ENGINE-003", where, found, "a Go module proxy that can be reached", fix)
    return EngineError(
        "ENGINE-004", where, found, "a build without errors", f"read {log or 'the lines above'}; then run it again"
    )


def build_all(recipes: Iterable[Recipe], cache: Cache | None = None, ready: Callable[[Recipe], None] | None = None) -> None:
    """Build every recipe that is missing, in order, and call `ready` for each as soon as its binary is there.

    Looks for Go and for space, for all of them together, only if something is missing.
    """
    cache = cache or Cache()
    recipes = list(recipes)
    missing = [recipe for recipe in recipes if not cache.has(recipe)]
    builder = prepare(missing, cache) if missing else None
    for recipe in recipes:
        if builder and recipe in missing:
            builder.build(recipe)
        if ready:
            ready(recipe)


def prepare(missing: list[Recipe], cache: Cache) -> Builder:
    """What all builds need, looked for before the first one starts."""
    needed_gib = sum(recipe.disk_gib for recipe in missing)
    check_free_space(cache.root, needed_gib)
    go = find_go(cache.root, cache.engine_dir)
    check_free_space(build_cache_folder(go), needed_gib)
    expected = duration(sum(cache.last_seconds(recipe)[0] for recipe in missing))
    say(f"{len(missing)} to build, about {expected} (once; kept in {cache.root})")
    return Builder(cache, go)
