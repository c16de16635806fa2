"""railyard's program, in five verbs: load, plan, check, build, export."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pulumi

from components.previous import deployed_outputs
from components.secrets import refuse_example_passphrase
from components.site import Site
from railyard import load, rules
from railyard import plan as planning
from railyard.model.errors import ProblemsError
from railyard.render.consequences import consequences

ROOT = Path(__file__).parent


def check(config: load.SiteConfig, plan: planning.Plan) -> None:
    """Stop with all findings where the plan is impossible; warn where it is unwise (the policy packs stop that)."""
    findings = rules.check(config, plan, datetime.now(UTC).date())
    impossible = [finding for finding in findings if finding.severity == "invariant"]
    if impossible:
        raise pulumi.RunError("\n".join(str(finding) for finding in impossible))
    for finding in rules.grouped(findings):
        log = pulumi.log.info if finding.severity in ("waived", "notice") else pulumi.log.warn
        log(str(finding))


def main() -> None:
    """Bad input ends here, with every problem named and nothing registered."""
    stack = pulumi.get_stack()
    try:
        config = load.from_engine(ROOT, stack, json.loads(os.environ.get("PULUMI_CONFIG", "{}")))
        plan = planning.plan(config)
    except ProblemsError as error:
        raise pulumi.RunError(str(error)) from None
    check(config, plan)
    refuse_example_passphrase(ROOT, config)
    before = deployed_outputs(f"{pulumi.get_organization()}/{pulumi.get_project()}/{stack}")
    pulumi.log.info(consequences(plan.site, before.get("totals")))
    peer = config.file.peer
    site = Site(config, plan, deployed_outputs(peer.stack) if peer else None)
    for name, value in site.outputs().items():
        pulumi.export(name, value)


main()
