"""The example passphrase is published with this repository: nothing real may be encrypted with it."""

import json
import os
from pathlib import Path

import pulumi

from railyard.model.config import SiteConfig
from railyard.rules import check_passphrase

EXAMPLE = Path("lab/passphrase")


def refuse_example_passphrase(root: Path, config: SiteConfig) -> None:
    """SEC-001: warn in preview (the example stacks are there to be previewed), refuse to deploy."""
    bmcs = [machine.bmc for machine in config.inventory.machines]
    has_secure = bool(json.loads(os.environ.get("PULUMI_CONFIG_SECRET_KEYS", "[]")))
    findings = check_passphrase("used", _in_use(root), has_secure, bmcs)
    if not findings:
        return
    text = "\n".join(str(finding) for finding in findings)
    if not pulumi.runtime.is_dry_run():
        raise pulumi.RunError(text)
    pulumi.log.warn(text)


def _in_use(root: Path) -> bool:
    """Whether the passphrase that the engine uses is the example: the variable wins over the file, even where it is empty."""
    example = (root / EXAMPLE).read_text(encoding="utf-8").strip()
    given = os.environ.get("PULUMI_CONFIG_PASSPHRASE")
    if given is None:
        path = Path(os.environ.get("PULUMI_CONFIG_PASSPHRASE_FILE", ""))
        given = path.read_text(encoding="utf-8") if path.is_file() else ""
    return given.strip() == example
