"""A data team's stack: where do our jobs go, and is the site ready for them?

`pulumi config set siteStack organization/railyard/lab`, then `pulumi up`. Everything is read from the site's outputs; the contract
is docs/reference/outputs.md.
"""

import re
from collections.abc import Mapping

import pulumi

CONTRACT_VERSION = 1
DIGEST = re.compile(r"[0-9a-f]{64}")
NEEDED_PHASES = ("platform",)


def usable(site: str, outputs: Mapping[str, object]) -> Mapping[str, object]:
    """The outputs, if this program knows their contract and every needed phase has passed. Raises `pulumi.RunError`."""
    if not outputs:
        raise pulumi.RunError(f"{site} was never deployed: run `pulumi up --stack {site.rpartition('/')[2]}` there first")
    if outputs.get("contractVersion") != CONTRACT_VERSION:
        raise pulumi.RunError(f"{site} has contract version {outputs.get('contractVersion')}, this stack knows {CONTRACT_VERSION}")
    passed = {phase["name"] for phase in outputs.get("phases", []) if DIGEST.fullmatch(str(phase.get("digest")))}
    if missing := [name for name in NEEDED_PHASES if name not in passed]:
        raise pulumi.RunError(f"{site} has not passed {', '.join(missing)} yet; passed so far: {', '.join(sorted(passed)) or 'none'}")
    return outputs


def readable_kubeconfig(site: str, kubeconfig: object) -> str:
    """A secret of a stack with another passphrase arrives as an empty mapping, without any error. Raises `pulumi.RunError`."""
    if not isinstance(kubeconfig, str) or not kubeconfig:
        raise pulumi.RunError(f"{site}.kubeconfig can't be decrypted here: set PULUMI_CONFIG_PASSPHRASE_FILE to that site's passphrase")
    return kubeconfig


config = pulumi.Config()
site_stack = config.require("siteStack")
team = config.get("team") or "research"
reference = pulumi.StackReference(site_stack)
outputs = reference.outputs.apply(lambda found: usable(site_stack, found))

pulumi.export("queue", outputs.apply(lambda found: next(queue for queue in found["queues"] if queue["tenant"] == team)))
pulumi.export("checkpoints", outputs.apply(lambda found: found["storage"]["mounts"]["checkpoints"] if found["storage"] else None))
pulumi.export("ncclEnvironment", outputs.apply(lambda found: found["ncclEnvironment"]))
pulumi.export("kubeconfig", pulumi.Output.secret(outputs.apply(lambda found: readable_kubeconfig(site_stack, found.get("kubeconfig")))))
