"""Where built binaries are kept: `<cache>/<recipe hash>/<binary>`, complete or not there at all, built once at a time."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import EngineError
from engine.recipes import ENGINE_DIR, Recipe

GIB = 1 << 30


def cache_root() -> Path:
    """`$RAILYARD_CACHE`, else `~/.cache/railyard`."""
    return Path(os.environ.get("RAILYARD_CACHE") or Path.home() / ".cache" / "railyard")


class Cache:
    """The folder of finished binaries. `engine_dir` is where the modules' folders lie (tests bring their own)."""

    def __init__(self, root: Path | None = None, engine_dir: Path = ENGINE_DIR) -> None:
        self.root = root or cache_root()
        self.engine_dir = engine_dir

    def folder(self, recipe: Recipe) -> Path:
        return self.root / recipe.hash(self.engine_dir)

    def binary(self, recipe: Recipe) -> Path:
        return self.folder(recipe) / recipe.name

    def has(self, recipe: Recipe) -> bool:
        """True only for a recipe of which everything is there: the binary is put in place last."""
        return self.binary(recipe).is_file()

    @contextmanager
    def locked(self, recipe: Recipe) -> Iterator[None]:
        """Hold the recipe's lock: a second run waits here and then finds the binary. The lock dies with its process."""
        with disk_errors(self.root):
            self.folder(recipe).mkdir(parents=True, exist_ok=True)
            handle = (self.folder(recipe) / ".lock").open("a")
        with handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def put(self, recipe: Recipe, source: Path, name: str = "") -> None:
        """Move `source` (in the recipe's folder) to its final name, on the disk before it is visible."""
        with source.open("rb+") as handle:
            os.fsync(handle.fileno())
        source.rename(self.folder(recipe) / (name or recipe.name))
        folder = os.open(self.folder(recipe), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def last_seconds(self, recipe: Recipe) -> tuple[float, bool]:
        """How long the build took last time and True; before the first one, the recipe's expectation and False."""
        try:
            return float(json.loads(self._times().read_text())[recipe.name]), True
        except (OSError, ValueError, KeyError, TypeError):
            return recipe.expected_s, False

    def record_seconds(self, recipe: Recipe, seconds: float) -> None:
        """Remember a build's duration under the binary's name, so that it also serves after a version changed."""
        path = self._times()
        try:
            times = json.loads(path.read_text())
        except (OSError, ValueError):
            times = {}
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(times | {recipe.name: round(seconds, 1)}, sort_keys=True))
        temporary.replace(path)

    def _times(self) -> Path:
        return self.root / "times.json"


@contextmanager
def disk_errors(where: Path) -> Iterator[None]:
    """Turn an OSError of the cache (full, read-only, not ours) into an EngineError."""
    try:
        yield
    except OSError as error:
        raise EngineError(
            "ENGINE-002",
            f"cache {where}",
            f"{error.strerror or error}: {error.filename or where}",
            "a folder that this user can write, with space for what is built",
            "free some space, or set RAILYARD_CACHE to a folder on another disk",
        ) from error


def existing_parent(path: Path) -> Path:
    """The nearest folder above `path` that exists: where its space would come from."""
    while not path.exists():
        path = path.parent
    return path


def check_free_space(path: Path, needed_gib: float) -> None:
    """Refuse to start a build that can't end. `$RAILYARD_MIN_FREE_GIB` replaces what the recipes say."""
    needed_gib = float(os.environ.get("RAILYARD_MIN_FREE_GIB") or needed_gib)
    free_gib = shutil.disk_usage(existing_parent(path)).free / GIB
    if free_gib < needed_gib:
        raise EngineError(
            "ENGINE-002",
            f"disk of {path}",
            f"{free_gib:.1f} GiB free",
            f"{needed_gib:.1f} GiB for the builds that are missing",
            "free some space, or set RAILYARD_CACHE and GOCACHE to folders on another disk",
        )
