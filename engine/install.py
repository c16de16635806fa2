"""`python -m engine install`: puts a `bin` folder and the kubernetes plugin in place for this checkout."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from engine.build import build_all, say
from engine.cache import Cache, disk_errors
from engine.official import (
    Official,
    download_plugin,
    find_official,
    installed_plugin,
    official_home,
    plugin_folder,
)
from engine.paths import BIN, ROOT, pulumi_home
from engine.recipes import BY_NAME, KUBERNETES_PLUGIN_VERSION, RECIPES, Recipe

PLUGIN = "pulumi-resource-kubernetes"
RUNNER = "pulumi-language-python-exec"
RECIPE_MARK = ".recipe"
WRAPPER = """#!/bin/sh
# The engine starts this as its Python language host. -P: no module of the current folder may stand in for a library.
exec '{python}' -P '{host}' '{runner}' "$@"
"""


def put_link(target: Path, link: Path) -> None:
    """Point `link` at `target`, replacing what was there in one step (a running program keeps its file)."""
    if link.is_symlink() and link.readlink() == target:
        return
    temporary = link.with_name(f".{link.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target)
    temporary.replace(link)


def put_copy(source: Path, target: Path) -> None:
    """A hard link where the disk allows it, else a copy: the engine wants real files where it compares or resolves paths."""
    if target.is_file() and not target.is_symlink() and (target.samefile(source) or _same_size_and_age(source, target)):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    try:
        temporary.hardlink_to(source.resolve())
    except OSError:
        shutil.copy2(source, temporary)
    temporary.replace(target)


def _same_size_and_age(a: Path, b: Path) -> bool:
    return (a.stat().st_size, int(a.stat().st_mtime)) == (b.stat().st_size, int(b.stat().st_mtime))


def put_language_host(bin_folder: Path, runner: Path, root: Path = ROOT) -> None:
    """The two files by which the engine finds our language host."""
    put_link(runner, bin_folder / RUNNER)
    wrapper = bin_folder / "pulumi-language-python"
    text = WRAPPER.format(python=root / ".venv/bin/python", host=root / "engine/language_host.py", runner=bin_folder / RUNNER)
    if wrapper.exists() and wrapper.read_text() == text:
        return
    temporary = bin_folder / f".pulumi-language-python.{os.getpid()}"
    temporary.write_text(text)
    temporary.chmod(0o755)
    temporary.replace(wrapper)


def remove_language_host(bin_folder: Path) -> None:
    """An official CLI brings its own; ours on PATH would win over it."""
    for name in ("pulumi-language-python", RUNNER):
        (bin_folder / name).unlink(missing_ok=True)


def made_by(plugin: Path) -> str:
    """The hash of the recipe that built a plugin of ours; empty for one that somebody else put there."""
    mark = plugin.with_name(RECIPE_MARK)
    return mark.read_text().strip() if mark.is_file() else ""


def find_plugin(official: Official | None, home: Path, environment: dict[str, str], recipe_hash: str) -> Path | None:
    """A kubernetes plugin that needn't be built: in our PULUMI_HOME, in the official one, or from the official download."""
    version = KUBERNETES_PLUGIN_VERSION
    here = installed_plugin(home, version)
    if here and made_by(here) in ("", recipe_hash):
        return here
    if official is None:
        return None
    return installed_plugin(official_home(environment), version) or download_plugin(official, home, version)


def put_foreign_plugin(plugin: Path, home: Path) -> None:
    """Copy a plugin that lies elsewhere into our PULUMI_HOME; it replaces one of ours, and its mark."""
    target = plugin_folder(home, KUBERNETES_PLUGIN_VERSION) / PLUGIN
    if plugin != target:
        put_copy(plugin, target)
        target.with_name(RECIPE_MARK).unlink(missing_ok=True)


def install(recipes: tuple[Recipe, ...] = RECIPES, cache: Cache | None = None, bin_folder: Path = BIN) -> None:
    """Install `recipes` (all, or those that a caller needs), building what neither the cache nor an official CLI has."""
    cache = cache or Cache()
    names = [recipe.name for recipe in recipes]
    home = pulumi_home()
    official = find_official(os.environ.get("PATH", ""), bin_folder, cache.root)
    with disk_errors(bin_folder):
        bin_folder.mkdir(parents=True, exist_ok=True)
    if official and "pulumi" in names:
        say(f"using pulumi {official.version} of {official.pulumi}")
        with disk_errors(bin_folder):
            put_link(official.pulumi.resolve(), bin_folder / "pulumi")
            remove_language_host(bin_folder)
        names.remove("pulumi")
    wanted = BY_NAME[PLUGIN].hash(cache.engine_dir)
    plugin = find_plugin(official, home, dict(os.environ), wanted) if PLUGIN in names else None
    if plugin:
        with disk_errors(home):
            put_foreign_plugin(plugin, home)
        names.remove(PLUGIN)

    def put(recipe: Recipe) -> None:
        with disk_errors(bin_folder):
            _put(recipe.name, cache, home, bin_folder)

    build_all([BY_NAME[name] for name in names], cache, put)


def _put(name: str, cache: Cache, home: Path, bin_folder: Path) -> None:
    binary = cache.binary(BY_NAME[name])
    if name == PLUGIN:
        folder = plugin_folder(home, KUBERNETES_PLUGIN_VERSION)
        put_copy(binary, folder / PLUGIN)
        (folder / RECIPE_MARK).write_text(cache.folder(BY_NAME[PLUGIN]).name)
        return
    if name != "pulumi":
        put_link(binary, bin_folder / name)
    else:  # the engine warns about a language host that doesn't lie beside its own executable, symlinks resolved
        put_copy(binary, bin_folder / name)
        put_language_host(bin_folder, binary.with_name(RUNNER))
