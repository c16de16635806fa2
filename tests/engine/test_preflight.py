"""What `make up`, `preview` and `policy` refuse before they start anything: unreadable files, passphrases that don't fit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.passphrase import opens, salt_of
from tests.engine.yard import HOME, ROOT

LAB = (ROOT / "stacks/Pulumi.lab.yaml").read_bytes()
ROOMS = ("Pulumi.yaml", "__main__.py", "components", "engine", "policies", "providers", "railyard", "sites")
STACK_FILE = "stacks/Pulumi.lab.yaml"
BROKEN: dict[str, tuple[bytes, str, str]] = {
    "tab": (LAB.replace(b"  railyard:fabric:", b"\trailyard:fabric:", 1), "LOAD-002", "(line "),
    "duplicate key": (
        LAB.replace(b"  railyard:fabric:", b"  railyard:fabric: {}\n  railyard:fabric:", 1),
        "LOAD-003",
        "(line ",
    ),
    "Latin-1": (LAB + b"# caf\xe9\n", "LOAD-001", "is no UTF-8"),
    "config is a number": (b"config: 5\n", "LOAD-006", "config (line 1)"),
    "a list": (b"- 1\n", "LOAD-007", "no mapping"),
    "half a bracket": (LAB.replace(b"https://127.77.0.11:8443", b"'https://[10'", 1), "LOAD-007", "install.serviceUrl (line "),
    "negative": (LAB.replace(b"    nodes: 4 ", b"    nodes: -4 ", 1), "LOAD-008", "compute.nodes (line "),
}


class Checkout:
    """The checkout's rooms with stack files, a passphrase, a backend and a lab folder of our own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("stacks", "state", "lab"):
            (root / name).mkdir()
        for room in ROOMS:
            (root / room).symlink_to(ROOT / room)
        (root / "lab/passphrase").write_bytes((ROOT / "lab/passphrase").read_bytes())
        self.write("lab", LAB)

    def write(self, stack: str, content: bytes) -> None:
        (self.root / f"stacks/Pulumi.{stack}.yaml").write_bytes(content)

    def engine(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("PULUMI_", "RAILYARD_"))}
        own = {"PULUMI_BACKEND_URL": f"file://{self.root}/state", "RAILYARD_LAB": f"{self.root}/.lab"}
        command = [sys.executable, "-m", "engine", arguments[0], "--project", str(self.root), *arguments[1:]]
        environment = keep | own | environment
        done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
        return done

    def untouched(self) -> bool:
        """No lab was started and no stack made."""
        return not (self.root / ".lab").exists() and not list((self.root / "state").rglob("lab*.json"))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.requirement("U5")
@pytest.mark.parametrize(
    ("command", "case"),
    [
        *(("stack-preview", case) for case in BROKEN),
        ("stack-up", "tab"),
        ("stack-up", "half a bracket"),
        ("stack-policy", "negative"),
    ],
)
def test_a_stack_file_that_cannot_be_read_ends_it_with_the_loaders_words(checkout: Checkout, command: str, case: str) -> None:
    content, ident, said = BROKEN[case]
    assert content != LAB
    checkout.write("lab", content)
    done = checkout.engine(command, "lab")
    assert done.returncode == 2
    assert done.stdout == "", "no pack has judged anything"
    assert f"{ident} {STACK_FILE}" in done.stderr
    assert said in done.stderr
    assert {"found:", "limit:", "fix:"} <= set(done.stderr.split())
    assert checkout.untouched()


def test_a_project_file_that_is_no_yaml(checkout: Checkout) -> None:
    (checkout.root / "Pulumi.yaml").unlink()
    (checkout.root / "Pulumi.yaml").write_text("name: railyard\n\tstackConfigDir: stacks\n")
    done = checkout.engine("stack-preview", "lab")
    assert done.returncode == 2
    assert done.stderr.startswith(f"ENGINE-014 {checkout.root}/Pulumi.yaml (line 2)\n  found:  found character '\\t'")


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("command", ["stack-up", "stack-preview", "stack-policy"])
def test_a_wrong_passphrase_is_said_before_anything_is_started(checkout: Checkout, tmp_path: Path, command: str) -> None:
    (tmp_path / "mine").write_text("battery staple\n")
    done = checkout.engine(command, "lab", PULUMI_CONFIG_PASSPHRASE_FILE=str(tmp_path / "mine"))
    assert done.returncode == 2
    assert done.stderr.startswith("ENGINE-010 stack lab\n  found:  incorrect passphrase: ")
    assert f"PULUMI_CONFIG_PASSPHRASE_FILE ({tmp_path}/mine) doesn't open Pulumi.lab.yaml" in done.stderr
    assert "fix:    the examples' own opens it: unset PULUMI_CONFIG_PASSPHRASE PULUMI_CONFIG_PASSPHRASE_FILE" in done.stderr
    assert checkout.untouched()


@pytest.mark.requirement("X4")
def test_a_variable_that_hides_the_right_file(checkout: Checkout) -> None:
    own = "encryptionsalt: v1:TWn4QGzBTc8=:v1:EIEiBDYWbFbVzUzQ:Q0QgcNWuIxn1oAc3pBv4Fl5nUjXqWA=="
    lines = [line for line in LAB.decode().splitlines() if not line.startswith("encryptionsalt")]
    checkout.write("lab", "\n".join([*lines, own, ""]).encode())
    done = checkout.engine("stack-up", "lab", PULUMI_CONFIG_PASSPHRASE="")
    assert done.returncode == 2
    assert "that of PULUMI_CONFIG_PASSPHRASE doesn't open" in done.stderr
    assert "fix:    unset PULUMI_CONFIG_PASSPHRASE; set PULUMI_CONFIG_PASSPHRASE_FILE to the file with that" in done.stderr


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("salted", [True, False])
def test_a_real_site_with_the_example_passphrase_leaves_no_stack(checkout: Checkout, salted: bool) -> None:
    """With the example's salt, and without: pulumi would write one of the passphrase in use."""
    text = (ROOT / "stacks/Pulumi.prod-site-b.yaml").read_text().splitlines(keepends=True)
    kept = [line for line in text if salted or not line.startswith("encryptionsalt")]
    checkout.write("lab-mine", "".join(kept).encode())
    done = checkout.engine("stack-up", "lab-mine")
    assert done.returncode == 2
    assert done.stderr.startswith("SEC-001 stack lab-mine\n  found:  the published example passphrase would guard 36 BMCs")
    assert "change-secrets-provider passphrase --stack lab-mine < MY-FILE" in done.stderr
    assert checkout.untouched()
    checkout.write("prod-site-b", "".join(kept).encode())
    example = checkout.engine("stack-up", "prod-site-b").stderr
    assert "make a site of your own" in example
    assert "change-secrets-provider" not in example, "nobody should rewrite a committed example"


@pytest.mark.requirement("X4")
def test_the_fix_of_sec_001_does_what_it_says(checkout: Checkout, tmp_path: Path) -> None:
    """A stack with a secret, made with one passphrase, gets another one from stdin; without input it would get an empty one."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/Pulumi.yaml").write_text(f"name: s\nruntime: {{name: python, options: {{virtualenv: {ROOT}/.venv}}}}\n")
    (tmp_path / "mine").write_text("battery staple\n")
    file = tmp_path / "site/Pulumi.mine.yaml"
    base = {name: value for name, value in os.environ.items() if not name.startswith("PULUMI_")}
    base |= {"PULUMI_BACKEND_URL": f"file://{tmp_path}/state", "PULUMI_HOME": str(HOME)}
    base |= {"PATH": f"{HOME}/bin:{os.environ['PATH']}", "PULUMI_SKIP_UPDATE_CHECK": "true"}

    def run(command: str, passphrase: Path) -> subprocess.CompletedProcess[str]:
        environment = base | {"PULUMI_CONFIG_PASSPHRASE_FILE": str(passphrase)}
        return subprocess.run(["bash", "-c", command], cwd=file.parent, env=environment, capture_output=True, text=True)

    published = ROOT / "lab/passphrase"
    for command in ("stack init mine", "config set --secret token canary --stack mine"):
        assert run(f"pulumi {command} --non-interactive", published).returncode == 0
    changed = run(f"pulumi stack change-secrets-provider passphrase --stack mine < {tmp_path}/mine", published)
    assert changed.returncode == 0, changed.stderr
    assert opens(salt_of(file.read_text()) or "", "battery staple")
    assert run("pulumi config get token --stack mine", tmp_path / "mine").stdout == "canary\n"


@pytest.mark.parametrize(("name", "where"), [("", "stack (no name)"), ("nosuch", "stack nosuch")])
@pytest.mark.parametrize("command", ["stack-preview", "unlock"])
def test_a_stack_that_does_not_exist(checkout: Checkout, command: str, name: str, where: str) -> None:
    done = checkout.engine(command, name)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"ENGINE-009 {where}\n")
    assert "needed: one of lab\n" in done.stderr


def test_a_stack_that_exists_is_not_locked(checkout: Checkout) -> None:
    done = checkout.engine("unlock", "lab")
    assert (done.returncode, done.stdout) == (0, "stack lab is not locked\n")


def test_make_without_a_stacks_name() -> None:
    done = subprocess.run(["make", "-n", "preview", "STACK="], cwd=ROOT, capture_output=True, text=True, check=True)
    assert 'python -m engine stack-preview "" --' in done.stdout


def test_the_preflight_only_loads(checkout: Checkout) -> None:
    """Planning 2,048 nodes takes a second: nothing of the planner is even imported."""
    code = (
        "import sys; from railyard.load.__main__ import main; print(main(['lab', sys.argv[1]]), 'railyard.plan' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(checkout.root / STACK_FILE)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == "0 False\n", done.stderr
