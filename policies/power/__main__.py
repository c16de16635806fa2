"""Entry point of the policy pack: PolicyPack starts a server and never returns. Policies are in pack.py, which tests import."""

from pulumi_policy import EnforcementLevel, PolicyPack

from policies.power.pack import POLICIES

PolicyPack("railyard-power", POLICIES, EnforcementLevel.MANDATORY)
