"""Stacks that the published example passphrase opens: fine to preview, never to deploy on real hardware (rule SEC-001)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from engine.emulated import is_loopback
from engine.passphrase import opens, published, salt_of

EXAMPLES = frozenset({"lab", "lab-b", "lab-roce", "prod-site-a", "prod-site-b", "roce", "starter"})
"""The stack files that come with this repository. All of them use the example passphrase."""
_BMC = re.compile(r"""(?<![\w-])["']?bmc["']?\s*:\s*["']?(\[[0-9a-fA-F:]+\]|[^\s"',}:]+)""")
_INVENTORY = re.compile(r"""^\s*["']?inventory["']?\s*:\s*["']?([^\s"'#]+)""", re.MULTILINE)
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)


@dataclass(frozen=True)
class Opened:
    """A stack file whose salt the example passphrase opens. `reasons` is why that is not good enough; empty: it is."""

    stack: str
    reasons: tuple[str, ...]
    deployed: bool

    @property
    def harmful(self) -> bool:
        """An example that nobody deployed may stay as it is: it is there to be looked at."""
        return bool(self.reasons) and (self.deployed or self.stack not in EXAMPLES)


def example_stacks(root: Path, stacks: Path, states: Path | None) -> list[Opened]:
    """Every stack file in `stacks` that `lab/passphrase` opens. `states`: this project's states in a file backend."""
    secret = published(root)
    if secret is None:
        return []
    files = sorted(stacks.glob("Pulumi.?*.yaml"))
    with ThreadPoolExecutor(4) as pool:  # a third of a second each, by design of the key derivation
        found = pool.map(lambda path: _look(root, path, secret, states), files)
    return [opened for opened in found if opened]


def _look(root: Path, path: Path, secret: str, states: Path | None) -> Opened | None:
    text = path.read_text(encoding="utf-8", errors="replace")
    salt = salt_of(text)
    if salt is None or not opens(salt, secret):
        return None
    stack = path.name.removeprefix("Pulumi.").removesuffix(".yaml")
    return Opened(stack, tuple(reasons(root, text)), states is not None and is_deployed(states / f"{stack}.json"))


def reasons(root: Path, text: str) -> Iterator[str]:
    """Why a stack file of this text must not hang on the published passphrase; none: it guards nothing real."""
    if re.search(r"^\s+secure:|\{\s*secure:", text, re.MULTILINE):
        yield "secure: values"
    named = _INVENTORY.search(text)
    inventory = root / named[1] if named else None
    if inventory and inventory.is_file():
        hosts = _BMC.findall(_COMMENT.sub("", inventory.read_text(encoding="utf-8", errors="replace")))
        real = [host for host in hosts if not is_loopback(host.strip("[]"))]
        if real:
            yield f"{len(real)} BMCs that are not on loopback ({real[0]} …)"


def own_passphrase(stack: str) -> str:
    """What to do where `stack` hangs on the published passphrase."""
    if stack.rpartition("/")[2] in EXAMPLES:
        return "make a site of your own (README.md, A site of your own); an example is there to be previewed"
    # Without a terminal it reads the new passphrase from its input, and makes it empty where there is none.
    change = f"pulumi stack change-secrets-provider passphrase --stack {stack} < MY-FILE"
    return f"write a passphrase of your own into MY-FILE; {change}; then export PULUMI_CONFIG_PASSPHRASE_FILE=MY-FILE"


def is_deployed(state: Path) -> bool:
    """Whether a file backend's state has resources (beside the stack itself, which a refused `up` leaves, too)."""
    try:
        latest = json.loads(state.read_text(encoding="utf-8"))["checkpoint"]["latest"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return any(one.get("type") != "pulumi:pulumi:Stack" for one in (latest or {}).get("resources") or [])
