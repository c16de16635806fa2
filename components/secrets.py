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
    example = (root / EXAMPLE).read_text().strip()
    path = os.environ.get("PULUMI_CONFIG_PASSPHRASE_FILE", "")
    given = Path(path).read_text() if path and Path(path).is_file() else os.environ.get("PULUMI_CONFIG_PASSPHRASE", "")
    return given.strip() == example
