"""Entry point of the policy pack: PolicyPack starts a server and never returns. Policies are in pack.py, which tests import."""

from pulumi_policy import EnforcementLevel, PolicyPack

from policies.fabric.pack import POLICIES

PolicyPack("railyard-fabric", POLICIES, EnforcementLevel.MANDATORY)
