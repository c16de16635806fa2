"""Runs policies as the SDK's server does: properties as floats without nulls, behind proxies that raise on unknowns."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyCustomTimeouts,
    PolicyProviderResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
)
from pulumi_policy.proxy import UNKNOWN_NUMBER_VALUE, unknown_checking_proxy

UNKNOWN = UNKNOWN_NUMBER_VALUE


def wire(value):
    """Numbers as floats and nulls left out, as the engine hands properties to a pack."""
    if isinstance(value, dict):
        return {key: wire(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [wire(inner) for inner in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def args(token, props, name="thing", provider=None, config=None):
    options = PolicyResourceOptions(False, [], None, [], PolicyCustomTimeouts(0, 0, 0), [])
    made_by = PolicyProviderResource("pulumi:providers:kubernetes", {}, "urn", provider) if provider else None
    urn = f"urn:pulumi:test::railyard::{token}::{name}"
    return ResourceValidationArgs(token, unknown_checking_proxy(wire(props)), urn, name, options, made_by, config)


def violations(policies, *resources):
    """(policy, level, first line) of every violation, resources in the order that the engine shows them."""
    found = []
    for resource in resources:
        for policy in policies:
            level = policy.enforcement_level

            def report(message, urn=None, *, policy=policy, level=level, resource=resource):
                assert urn == resource.urn
                assert "  found: " in message
                assert "  limit: " in message
                assert "  fix:   " in message
                found.append((policy.name, level, message))

            policy.validate(resource, report)
    return found


def mandatory(policies, *resources):
    """(policy, rule id) of what stops a run."""
    return [
        (name, text.split()[0]) for name, level, text in violations(policies, *resources) if level is EnforcementLevel.MANDATORY
    ]


def advisory(policies, *resources):
    """(policy, rule id, severity) of what is only said."""
    notes = [(name, text) for name, level, text in violations(policies, *resources) if level is EnforcementLevel.ADVISORY]
    rows = [(name, text.splitlines()[0]) for name, text in notes]
    return [(name, line.split()[0], line.rpartition("(")[2].rstrip(")")) for name, line in rows]
