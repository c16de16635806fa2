"""Policies of the hardening pack."""

from collections.abc import Sequence
from datetime import date

from pulumi_policy import Policy, ResourceValidationArgs, Severity

from policies.common import Topic, policies, slice_topic
from railyard.model.site import Waiver
from railyard.rules import Finding, apply_waivers, check_kubernetes_provider
from railyard.rules.slices import MACHINE, PLATFORM


def _kubernetes(token: str) -> bool:
    return token.startswith("kubernetes:")


def _provider(args: ResourceValidationArgs, waivers: Sequence[Waiver], today: date) -> list[Finding]:
    provider = args.provider.name if args.provider else None
    return apply_waivers(check_kubernetes_provider(args.resource_type, args.name, provider), waivers, today)


TOPICS = (
    slice_topic(
        "api-server",
        "The API server encrypts secrets, refuses anonymous requests and keeps an audit log",
        (PLATFORM,),
        ("CIS-1.2.1", "CIS-1.2.16", "CIS-1.2.27"),
        Severity.CRITICAL,
    ),
    slice_topic(
        "bmc-access",
        "BMC certificates are checked and factory accounts removed",
        (MACHINE,),
        ("BMC-001", "BMC-002"),
        Severity.CRITICAL,
    ),
    Topic(
        "kubernetes-provider",
        "Kubernetes resources have an explicit provider",
        ("K8S-001",),
        _kubernetes,
        Severity.HIGH,
        _provider,
    ),
)
POLICIES: list[Policy] = [*policies("hardening", TOPICS)]
