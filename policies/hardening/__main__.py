"""Entry point of the policy pack: PolicyPack starts a server and never returns. Policies are in pack.py, which tests import."""

from pulumi_policy import EnforcementLevel, PolicyPack

from policies.hardening.pack import POLICIES

PolicyPack("railyard-hardening", POLICIES, EnforcementLevel.MANDATORY)
