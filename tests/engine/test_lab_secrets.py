"""No secret in clear, anywhere: after runs that fail in chatty ways, after one that succeeds, and while they are at work."""

import re
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.engine import canaries
from tests.engine.yard import HOME, ROOT, Yard

FAULTS = (  # one machine each, in the inventory's order
    {"kind": "echo"},
    {"kind": "echo", "path": "*/AccountService/Accounts*"},
    {"kind": "echo", "path": "*/VirtualMedia*"},
    {"kind": "wrong-password"},
    {"kind": "no-call-home"},
)


@dataclass
class Story:
    """What is left of the runs."""

    yard: Yard
    canaries: canaries.Canaries
    failed: str = ""
    printed: dict[str, str] = field(default_factory=dict)
    command_lines: set[bytes] = field(default_factory=set)
    began: float = field(default_factory=time.time)

    def told(self, name: str, done: subprocess.CompletedProcess[str]) -> str:
        self.printed[name] = done.stdout + done.stderr
        return self.printed[name]


@pytest.fixture(scope="module")
def story(open_lab, tmp_path_factory) -> Story:
    yard = open_lab()
    aside = yard.folder / "aside"
    (aside / "tmp").mkdir(parents=True)
    yard.environment |= {"RAILYARD_LOG_DIR": str(aside / "logs"), "TMPDIR": str(aside / "tmp")}
    story = Story(yard, canaries.of(yard))
    serials = [machine["serial"] for machine in YAML().load(yard.inventory_file.read_text())["machines"]]
    for serial, fault in zip(serials, FAULTS, strict=False):
        yard.fault(serial, **fault)
    with canaries.Watch(yard, story.canaries) as watch:
        fail(story)
        yard.clear_faults()
        succeed(story)
    story.command_lines = watch.command_lines
    assert watch.media
    return story


def fail(story: Story) -> None:
    """Every machine but the last fails in its own way."""
    yard = story.yard
    with yard.editing(yard.stack_file) as stack:
        known = stack["config"]["railyard:install"]["deadlineS"]
        stack["config"]["railyard:install"]["deadlineS"] = 8
    done = yard.up("--continue-on-error", check=False)
    assert done.returncode != 0
    story.failed = story.told("failing up", done)
    story.told("failing refresh", yard.pulumi(*yard._stack_arguments("refresh", "--yes"), check=False))
    story.told("export after failure", yard.pulumi("stack", "export", "--stack", yard.stack, check=True))
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:install"]["deadlineS"] = known


def succeed(story: Story) -> None:
    yard = story.yard
    story.told("preview", yard.preview("--diff", check=True))
    story.told("up", yard.up())
    story.told("refresh", yard.pulumi(*yard._stack_arguments("refresh", "--yes"), check=True))
    story.told("preview again", yard.preview("--diff", "--json", check=True))
    story.told("export", yard.pulumi("stack", "export", "--stack", yard.stack, check=True))
    story.told("outputs", yard.pulumi("stack", "output", "--json", "--stack", yard.stack, check=True))
    command = [str(ROOT / ".venv/bin/railyard"), "plan", yard.stack, "--config-file", str(yard.stack_file)]
    command += ["--out", str(yard.folder / "out")]
    story.told("plan", subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, timeout=60))


@pytest.mark.requirement("X4")
def test_the_failures_were_the_ones_that_show_secrets(story: Story):
    """Else the tests below would look for nothing."""
    assert story.failed.count("The value '***' for the property Password") >= 2
    assert "/v1/media/***/install.iso' for the property Image" in story.failed
    assert "METAL-011" in story.failed
    assert "METAL-032" in story.failed
    kinds = " ".join(story.canaries.values)
    for kind in ("bmc-account", "bmc-factory", "provision-admin", "client key", "secret of the", "medium 1", "call-home key"):
        assert kind in kinds


@pytest.mark.requirement("X4")
def test_a_secret_would_be_found_in_every_spelling(story: Story):
    name, secret = next(iter(story.canaries.values.items()))
    for form in canaries.spellings(secret):
        assert name in story.canaries.found(b'{"x": "' + form + b'"}')
    assert story.canaries.found(b"GET /v1/media/UlkxAAExNzAw." + b"a1" * 32)


@pytest.mark.requirement("X4")
def test_no_secret_is_printed(story: Story):
    assert {name: found for name, text in story.printed.items() if (found := story.canaries.found(text.encode()))} == {}


@pytest.mark.requirement("X4")
def test_no_secret_is_on_a_command_line(story: Story):
    ours = [line for line in story.command_lines if b"pulumi-resource-metal" in line or b"providers.metal" in line]
    assert ours, "the providers were seen at work"
    values = {name: canaries.spellings(secret) for name, secret in story.canaries.values.items()}
    assert not [name for name, forms in values.items() for line in story.command_lines for form in forms if form in line]


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("place", ["state", "out", "lab/logs", "lab/state", "aside/logs"])
def test_no_secret_is_in_a_file(story: Story, place: str):
    """`lab/state` holds the journal and the emulated machines; the server's own secret lies there by design (mode 600)."""
    of_lab = place.startswith("lab/")
    folder = story.yard.instance / place.removeprefix("lab/") if of_lab else story.yard.folder / place
    leaks, read = story.canaries.in_files(folder, leave_out=("journal.jsonl.key",))
    assert leaks == []
    assert read or place == "aside/logs"
    for key in folder.rglob("*.key"):
        assert key.stat().st_mode & 0o077 == 0


@pytest.mark.requirement("X4")
def test_only_the_kubernetes_provider_leaves_secrets_in_tmp_and_for_this_user_only(story: Story):
    """pulumi-kubernetes 4.25 writes the kubeconfig to $TMPDIR/kubeconfigNNN at each start and never removes it."""
    folder = story.yard.folder / "aside" / "tmp"
    known = {path for path in folder.glob("kubeconfig*") if path.is_file()}
    assert {path.stat().st_mode & 0o777 for path in known} <= {0o600}
    leaks, _ = story.canaries.in_files(folder, leave_out=tuple(path.name for path in known))
    assert leaks == []


@pytest.mark.requirement("X4")
def test_no_secret_is_in_a_log_of_this_user(story: Story):
    places = [HOME / "logs", Path.home() / ".cache" / "railyard", Path.home() / ".pulumi"]
    leaks = []
    for path in (path for place in places for path in canaries.files(place)):
        try:
            if path.stat().st_mtime >= story.began and (found := story.canaries.found(path.read_bytes())):
                leaks.append((path, found))
        except FileNotFoundError:
            continue  # the log of another run that has just ended
    assert leaks == []


@pytest.mark.requirement("X4")
def test_the_kubeconfig_is_in_the_state_as_ciphertext_only(story: Story):
    exported = story.printed["export"]
    assert re.search(r'"kubeconfig": \{\s*"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"', exported)
    assert '"plaintext"' not in exported
