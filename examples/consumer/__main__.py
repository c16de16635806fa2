"""A data team's stack: where do our jobs go, and is the site ready for them?

cd examples/consumer && pulumi stack init data-team
pulumi config set siteStack organization/railyard/lab    # changes the committed Pulumi.data-team.yaml: keep it out of a commit
pulumi config set team research                          # a tenant of the site; research where it is left out
pulumi up

Everything is read from the site's outputs; their contract is docs/reference/outputs.md.
"""

import re
from collections.abc import Mapping, Sequence

import pulumi

CONTRACT_VERSION = 1
DIGEST = re.compile(r"[0-9a-f]{64}")
NEEDED_PHASES = ("platform",)


def usable(site: str, outputs: Mapping[str, object]) -> Mapping[str, object]:
    """The outputs, if this program knows their contract and every needed phase has passed. Raises `pulumi.RunError`."""
    if outputs["contractVersion"] is None:
        raise pulumi.RunError(f"{site} was never deployed: run `pulumi up --stack {site.rpartition('/')[2]}` there first")
    if outputs["contractVersion"] != CONTRACT_VERSION:
        raise pulumi.RunError(f"{site} has contract version {outputs['contractVersion']}, this stack knows {CONTRACT_VERSION}")
    passed = {phase["name"] for phase in outputs["phases"] or [] if DIGEST.fullmatch(str(phase.get("digest")))}
    if missing := [name for name in NEEDED_PHASES if name not in passed]:
        so_far = ", ".join(sorted(passed)) or "none"
        raise pulumi.RunError(f"{site} has not passed {', '.join(missing)} yet; passed so far: {so_far}")
    return outputs


def readable(site: str, kubeconfig: object) -> str:
    """A secret of a stack with another passphrase arrives as an empty mapping, without any error. Raises `pulumi.RunError`."""
    if not isinstance(kubeconfig, str) or not kubeconfig:
        raise pulumi.RunError(
            f"{site}.kubeconfig can't be decrypted here: set PULUMI_CONFIG_PASSPHRASE_FILE to that site's passphrase file"
        )
    return kubeconfig


def queue_of(team: str, queues: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
    """The team's queue. Raises `pulumi.RunError` where the site has no such tenant."""
    tenants = [str(queue["tenant"]) for queue in queues]
    if team not in tenants:
        fix = "pulumi config set team TENANT"
        raise pulumi.RunError(f"no tenant {team} in {site_stack}; its tenants: {', '.join(tenants) or 'none'} ({fix})")
    return queues[tenants.index(team)]


config = pulumi.Config()
site_stack = config.require("siteStack")
team = config.get("team") or "research"
reference = pulumi.StackReference(site_stack)
# One by one: `reference.outputs` as a whole is secret as soon as one output is.
plain = {name: reference.get_output(name) for name in ("contractVersion", "phases", "queues", "storage", "ncclEnvironment")}
site = pulumi.Output.all(**plain).apply(lambda found: usable(site_stack, found))

pulumi.export("queue", site.apply(lambda found: queue_of(team, found["queues"] or [])))
pulumi.export("checkpoints", site.apply(lambda found: found["storage"]["mounts"]["checkpoints"] if found["storage"] else None))
pulumi.export("ncclEnvironment", site["ncclEnvironment"])
# After `usable`, which knows better than "can't be decrypted" why there is no kubeconfig.
kubeconfig = pulumi.Output.all(site, reference.get_output("kubeconfig"))
pulumi.export("kubeconfig", kubeconfig.apply(lambda both: readable(site_stack, both[1])))
