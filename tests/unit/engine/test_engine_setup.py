"""The files that a user meets first: .envrc, the Makefile, CI, and doctor's verdicts."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.cache import Cache
from engine.doctor import Row, as_json, as_text, examine
from engine.errors import EngineError
from engine.paths import ROOT, envrc

SHELLS = [shell for shell in ("bash", "dash", "zsh") if shutil.which(shell)]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Something that looks like a checkout, with our .envrc; its name has a space."""
    root = tmp_path / "my yard"
    (root / "engine").mkdir(parents=True)
    (root / "engine" / "paths.py").touch()
    shutil.copy(ROOT / ".envrc", root)
    return root


def source(shell: str, root: Path, script: str = ". ./.envrc", **environment: str) -> dict[str, str]:
    clean = {"PATH": os.defpath, "HOME": "/root"} | environment
    command = [shutil.which(shell) or shell, "-euc", f"{script}; env -0"]
    answer = subprocess.run(command, cwd=root, env=clean, capture_output=True, text=True, check=True)
    return dict(pair.split("=", 1) for pair in answer.stdout.split("\0") if pair)


@pytest.mark.parametrize("shell", SHELLS)
def test_envrc_gives_the_cli_its_environment(shell: str, checkout: Path) -> None:
    got = source(shell, checkout, ". ./.envrc; . ./.envrc")
    assert got["PATH"] == f"{checkout}/.pulumi-home/bin:{checkout}/.venv/bin:{os.defpath}"
    assert got["PULUMI_HOME"] == f"{checkout}/.pulumi-home"
    assert got["PULUMI_BACKEND_URL"] == f"file://{checkout}/.pulumi-state"
    assert (checkout / ".pulumi-state").is_dir()
    assert got["PULUMI_CONFIG_PASSPHRASE_FILE"] == f"{checkout}/lab/passphrase"
    assert got["KUBECONFIG"] == f"{checkout}/.lab/lab/kubeconfig"
    assert got["PULUMI_PARALLEL"] == "32"
    assert not [name for name in got if name.startswith("_railyard")]
    for name in ("SKIP_UPDATE_CHECK", "DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "DISABLE_REGISTRY_RESOLVE"):
        assert got[f"PULUMI_{name}"] == "true"


@pytest.mark.parametrize("shell", SHELLS)
def test_envrc_keeps_what_people_set(shell: str, checkout: Path) -> None:
    own = {"PULUMI_BACKEND_URL": "s3://mine", "PULUMI_HOME": "/my/home", "PULUMI_CONFIG_PASSPHRASE_FILE": "/my/passphrase"}
    got = source(shell, checkout, **own)
    assert {name: got[name] for name in own} == own
    assert not (checkout / ".pulumi-state").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_envrc_with_a_passphrase_of_ones_own(shell: str, checkout: Path) -> None:
    assert "PULUMI_CONFIG_PASSPHRASE_FILE" not in source(shell, checkout, PULUMI_CONFIG_PASSPHRASE="mine")


@pytest.mark.parametrize("shell", SHELLS)
def test_envrc_of_another_checkout_takes_over(shell: str, checkout: Path) -> None:
    other = checkout.parent / "other"
    shutil.copytree(checkout, other)
    first = source(shell, other)
    got = source(shell, checkout, **first)
    assert not [value for value in got.values() if str(other) in value and value != str(other)]
    assert got["PULUMI_HOME"] == f"{checkout}/.pulumi-home"


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shell != "dash"])
def test_envrc_from_another_folder(shell: str, checkout: Path) -> None:
    assert source(shell, Path("/"), f". '{checkout}/.envrc'")["RAILYARD_ROOT"] == str(checkout)


def test_envrc_says_where_it_must_be_sourced(tmp_path: Path) -> None:
    command = ["dash", "-c", f". {ROOT}/.envrc; echo $?"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert answer.stdout == "1\n"
    assert "cd there first" in answer.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_envrc_before_make_setup_says_so(shell: str, checkout: Path) -> None:
    command = [shell, "-euc", ". ./.envrc"]
    before = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    assert "run make setup" in before.stderr
    (checkout / ".venv/bin").mkdir(parents=True)
    (checkout / ".venv/bin/python").symlink_to("/bin/true")
    after = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    assert after.stderr == ""


def test_clean_leaves_nothing_that_setup_and_tests_made(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in (
        "railyard.egg-info",
        "railyard/__pycache__",
        ".venv/lib",
        "out/lab",
        ".ruff_cache",
        ".git/__pycache__",
        "sites/mine",
    ):
        (tmp_path / name).mkdir(parents=True)
    subprocess.run(["make", "clean"], cwd=tmp_path, capture_output=True, text=True, check=True)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_dir()}
    assert left == {"railyard", ".git", ".git/__pycache__", "sites", "sites/mine"}


def test_the_package_reads_the_same_file(checkout: Path) -> None:
    assert envrc(checkout)["RAILYARD_ROOT"] == str(checkout)


def test_makefile_is_short_and_helps_first() -> None:
    text = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^([a-z][a-z-]*):(?!=)", text, re.MULTILINE)
    assert targets == ["help", "setup", "up", "down", "test", "check", "bench", "policy", "preview", "report", "docs", "clean"]
    answer = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    for target in targets:
        assert re.search(rf"^  make {target} +\S", answer.stdout, re.MULTILINE)


def test_ci_runs_the_readmes_command() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert script.rstrip().endswith("make test")


def test_setup_refuses_an_old_python(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    shutil.copy(ROOT / "engine" / "setup.sh", tmp_path / "engine")
    (tmp_path / "pyproject.toml").touch()
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\ncase $2 in *exit*) exit 1 ;; esac\necho 3.9\n")
    old.chmod(0o755)
    answer = subprocess.run(
        ["sh", "engine/setup.sh"],
        cwd=tmp_path,
        env=os.environ | {"PYTHON": str(old)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"ENGINE-011 Python\n  found:  {old} is 3.9\n")


def test_doctor_names_what_is_missing(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "PULUMI_BACKEND_URL",
        "PULUMI_HOME",
        "PULUMI_CONFIG_PASSPHRASE_FILE",
        "PULUMI_CONFIG_PASSPHRASE",
        "RAILYARD_ROOT",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", os.defpath)
    rows = examine(Cache(tmp_path / "cache"), checkout / ".pulumi-home" / "bin", checkout)
    by_name = {row.name: row for row in rows}
    assert by_name["Python"].status == "ok"
    for name in ("virtual environment", "pulumi", "kubernetes plugin", "etcd (lab)", "passphrase"):
        assert by_name[name].status == "missing"
        assert by_name[name].fix
    assert by_name["loopback addresses (lab)"].status == "ok"
    assert not (tmp_path / "cache").exists()


def test_doctors_table_ends_with_what_to_do() -> None:
    rows = [
        Row("ENGINE-011", "Python", "ok", "3.11.7"),
        Row("ENGINE-006", "plugin", "missing", "none", "v4", "run `make setup`"),
    ]
    assert as_text(rows).splitlines()[:3] == ["ok       Python  3.11.7", "missing  plugin  none", ""]
    assert "ENGINE-006 plugin\n  found:  none\n  needed: v4\n  fix:    run `make setup`" in as_text(rows)
    assert as_text(rows[:1]).endswith("everything needed is there")
    assert as_text(rows).endswith("\n1 problem")
    assert as_text([*rows, rows[1]]).endswith("\n2 problems")
    assert '"status": "missing"' in as_json(rows)


def test_an_error_is_four_lines() -> None:
    assert str(EngineError("ENGINE-002", "disk", "1 GiB", "8 GiB", "free some")) == (
        "ENGINE-002 disk\n  found:  1 GiB\n  needed: 8 GiB\n  fix:    free some"
    )
