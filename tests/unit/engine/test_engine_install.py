"""Which pulumi is used, and what `install` puts where."""

from pathlib import Path

import pytest

from engine import install as installing
from engine.build import Builder
from engine.cache import Cache
from engine.install import put_copy, put_language_host, put_link
from engine.official import download_plugin, find_official, installed_plugin
from engine.recipes import BY_NAME, KUBERNETES_PLUGIN_VERSION

PLUGIN = "pulumi-resource-kubernetes"


def executable(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def official_in(folder: Path, version: str = "3.280.1", script: str = "") -> Path:
    executable(folder / "pulumi-language-python", "exit 0")
    return executable(folder / "pulumi", f'if [ "$1" = version ]; then echo v{version}; exit; fi\n{script}')


def test_an_official_cli_is_recognised(tmp_path: Path) -> None:
    pulumi = official_in(tmp_path / "official")
    found = find_official(f"/nowhere:{tmp_path}/official", tmp_path / "ours", tmp_path / "cache")
    assert found is not None
    assert (found.pulumi, found.version) == (pulumi, "3.280.1")


@pytest.mark.parametrize("version", ["3.269.9", "2.300.0", "nonsense"])
def test_an_old_cli_is_not_used(tmp_path: Path, version: str) -> None:
    official_in(tmp_path / "official", version)
    assert find_official(f"{tmp_path}/official", tmp_path / "ours", tmp_path / "cache") is None


def test_a_cli_without_language_host_is_not_used(tmp_path: Path) -> None:
    official_in(tmp_path / "official")
    (tmp_path / "official" / "pulumi-language-python").unlink()
    assert find_official(f"{tmp_path}/official", tmp_path / "ours", tmp_path / "cache") is None


def test_ours_is_not_official(tmp_path: Path) -> None:
    official_in(tmp_path / "ours")
    official_in(tmp_path / "cache" / "hash")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "pulumi").symlink_to(tmp_path / "cache" / "hash" / "pulumi")
    path = f"{tmp_path}/ours:{tmp_path}/linked"
    assert find_official(path, tmp_path / "ours", tmp_path / "cache") is None


def test_the_plugin_is_downloaded_by_an_official_cli(tmp_path: Path) -> None:
    script = f'''folder="$PULUMI_HOME/plugins/$3-$4-$5"
mkdir -p "$folder" && echo x > "$folder/{PLUGIN}" && chmod +x "$folder/{PLUGIN}"'''
    official_in(tmp_path / "official", script=script)
    official = find_official(f"{tmp_path}/official", tmp_path / "ours", tmp_path / "cache")
    assert official is not None
    assert download_plugin(official, tmp_path / "home", KUBERNETES_PLUGIN_VERSION) is not None


@pytest.mark.parametrize("script", ["exit 1", "exec sleep 5"])
def test_no_network_for_the_plugin(tmp_path: Path, script: str) -> None:
    official_in(tmp_path / "official", script=script)
    official = find_official(f"{tmp_path}/official", tmp_path / "ours", tmp_path / "cache")
    assert official is not None
    assert download_plugin(official, tmp_path / "home", KUBERNETES_PLUGIN_VERSION, timeout_s=0.3) is None


def test_install_with_an_official_cli_builds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pulumi = official_in(tmp_path / "official")
    theirs = tmp_path / ".pulumi" / "plugins" / f"resource-kubernetes-v{KUBERNETES_PLUGIN_VERSION}" / PLUGIN
    executable(theirs, "exit 0")
    ours = tmp_path / "ours"
    executable(ours / "pulumi-language-python", "exit 0")
    for name, value in {"PATH": f"{tmp_path}/official", "HOME": tmp_path, "PULUMI_HOME": tmp_path / "home"}.items():
        monkeypatch.setenv(name, str(value))
    installing.install((BY_NAME["pulumi"], BY_NAME[PLUGIN]), Cache(tmp_path / "cache"), ours)
    assert (ours / "pulumi").resolve() == pulumi
    assert not (ours / "pulumi-language-python").exists()
    plugin = installed_plugin(tmp_path / "home", KUBERNETES_PLUGIN_VERSION)
    assert plugin is not None
    assert not plugin.parent.is_symlink()
    assert plugin.samefile(theirs)


def test_install_puts_built_binaries_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, ours = Cache(tmp_path / "cache"), tmp_path / "ours"
    for name in ("pulumi", "etcd", PLUGIN):
        executable(cache.binary(BY_NAME[name]), "exit 0")
    executable(cache.folder(BY_NAME["pulumi"]) / "pulumi-language-python-exec", "exit 0")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(Builder, "build", lambda *_: pytest.fail("nothing is missing"))
    for _ in range(2):
        installing.install(tuple(BY_NAME[name] for name in ("pulumi", "etcd", PLUGIN)), cache, ours)
    assert sorted(path.name for path in ours.iterdir()) == [
        "etcd",
        "pulumi",
        "pulumi-language-python",
        "pulumi-language-python-exec",
    ]
    assert not (ours / "pulumi").is_symlink()
    assert installed_plugin(tmp_path / "home", KUBERNETES_PLUGIN_VERSION) is not None


@pytest.mark.parametrize(("mark", "used"), [(None, True), ("old", False), ("new", True)])
def test_a_plugin_of_an_older_recipe_is_renewed(tmp_path: Path, mark: str | None, used: bool) -> None:
    plugin = tmp_path / "plugins" / f"resource-kubernetes-v{KUBERNETES_PLUGIN_VERSION}" / PLUGIN
    executable(plugin, "exit 0")
    if mark:
        plugin.with_name(".recipe").write_text(mark)
    assert (installing.find_plugin(None, tmp_path, {}, "new") == plugin) == used


def test_links_and_copies_are_renewed(tmp_path: Path) -> None:
    old, new = executable(tmp_path / "old", "echo old"), executable(tmp_path / "new", "echo newer")
    for source in (old, new, new):
        put_link(source, tmp_path / "link")
        put_copy(source, tmp_path / "folder" / "copy")
    assert (tmp_path / "link").resolve() == new
    assert (tmp_path / "folder" / "copy").samefile(new)
    put_copy(old, tmp_path / "link")
    assert not (tmp_path / "link").is_symlink()


def test_the_language_host_runs_with_the_projects_python(tmp_path: Path) -> None:
    runner = executable(tmp_path / "runner", "exit 0")
    (tmp_path / "bin").mkdir()
    put_language_host(tmp_path / "bin", runner, tmp_path / "root")
    wrapper = tmp_path / "bin" / "pulumi-language-python"
    assert f"exec '{tmp_path}/root/.venv/bin/python' -P '{tmp_path}/root/engine/language_host.py'" in wrapper.read_text()
    assert wrapper.stat().st_mode & 0o111
