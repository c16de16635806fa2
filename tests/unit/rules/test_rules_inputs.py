"""Addresses, hardening, queues, slots and planner problems: passing and failing."""

from railyard.model.errors import Problem
from railyard.model.site import Bmc
from railyard.rules import (
    check_addresses,
    check_bmc,
    check_control_plane,
    check_kubernetes_provider,
    check_namespaces,
    check_passphrase,
    check_problems,
    check_queues,
    check_slots,
)
from tests.unit.rules.rules_factory import addresses, ids, platform, queue


def bmc(**changes):
    return Bmc(ca_file="ca.crt", account_ref="env:A", factory_ref="env:B", **changes)


def test_blocks_that_touch_do_not_overlap():
    assert check_addresses(addresses()) == []
    assert check_addresses(addresses(oob="10.0.0.0/25", in_band="10.0.0.128/25")) == []


def test_every_overlap_is_named():
    findings = check_addresses(addresses(pods="10.0.0.0/8"))
    assert [f.where for f in findings] == ["railyard:addresses.pods"] * 4 + ["railyard:addresses.services"]
    assert all(f.id == "ADDR-001" and f.severity == "invariant" for f in findings)
    assert "oob 10.16.0.0/16 and pods 10.0.0.0/8 overlap" in [f.found for f in findings]


def test_case_36_host_bits_hide_an_overlap():
    """192.167.0.0/12 is really 192.160.0.0/12, which contains 192.168.50.0/24."""
    findings = check_addresses(addresses(pods="192.167.0.0/12", in_band="192.168.50.0/24"))
    assert ids(findings) == ["ADDR-001", "ADDR-003"]
    assert findings[0].found == "inBand 192.168.50.0/24 and pods 192.160.0.0/12 overlap"
    assert findings[1].fix == "write 192.160.0.0/12"


def test_both_families_live_side_by_side():
    assert check_addresses(addresses(oob="fd00:16::/64")) == []
    assert ids(check_addresses(addresses(oob="fd00:16::/64", pods="fd00:16::/56"))) == ["ADDR-001"]


def test_control_plane():
    assert check_control_plane(platform()) == []
    findings = check_control_plane(platform(encrypt_secrets=False, anonymous_auth=True, audit_log=False))
    assert [(f.id, f.where.rpartition(".")[2], f.found, f.limit) for f in findings] == [
        ("CIS-1.2.1", "anonymousAuth", "anonymousAuth: true", "false"),
        ("CIS-1.2.16", "auditLog", "auditLog: false", "true"),
        ("CIS-1.2.27", "encryptSecrets", "encryptSecrets: false", "true"),
    ]


def test_bmc():
    assert check_bmc(bmc()) == []
    assert [(f.id, f.where) for f in check_bmc(bmc(verify_tls=False))] == [("BMC-001", "railyard:bmc.verifyTls")]
    assert [(f.id, f.where) for f in check_bmc(bmc(remove_factory_account=False))] == [
        ("BMC-002", "railyard:bmc.removeFactoryAccount")
    ]


def test_default_kubernetes_provider():
    token = "kubernetes:core/v1:Namespace"
    assert check_kubernetes_provider(token, "x", "lab") == []
    assert check_kubernetes_provider(token, "x", None) == []
    assert check_kubernetes_provider(token, "x", "defaults-are-bad") == []
    assert check_kubernetes_provider("metal:index:Machine", "x", "default") == []
    for provider in ("default", "default_4_25_0"):
        finding, *rest = check_kubernetes_provider(token, "x", provider)
        assert rest == []
        assert (finding.id, finding.where) == ("K8S-001", "x")


def test_example_passphrase():
    loopback = ["127.77.1.1:8443", "[::1]:443", "localhost:1", "127.0.0.1", "::1"]
    assert check_passphrase("v1:salt", True, False, loopback) == []
    assert check_passphrase(None, True, True, ["10.0.0.1"]) == []
    assert check_passphrase("v1:salt", False, True, ["10.0.0.1"]) == []
    assert ids(check_passphrase("v1:salt", True, True, loopback)) == ["SEC-001"]
    for host in ("10.0.0.1", "10.0.0.1:443", "[fd00::1]:443", "fd00::1", "bmc.example"):
        finding, *rest = check_passphrase("v1:salt", True, False, [*loopback, host])
        assert rest == []
        assert host in finding.found
        assert "127" not in finding.found
        assert finding.found.partition(" while ")[2].startswith("it has BMCs that are not on loopback: ")
    assert len(check_passphrase("v1:salt", True, True, ["10.0.0.1"])) == 2


def test_long_lists_are_cut():
    (finding,) = check_passphrase("v1:salt", True, False, [f"10.0.0.{n}" for n in range(1, 6)])
    assert "10.0.0.1, 10.0.0.2, 10.0.0.3 and 2 more" in finding.found
    (finding,) = check_passphrase("v1:salt", True, False, [f"10.0.0.{n}" for n in range(1, 4)])
    assert finding.found.endswith("10.0.0.1, 10.0.0.2, 10.0.0.3")


def test_quotas():
    assert check_queues([queue("a", 16), queue("b", 16)], 32) == []
    finding, *rest = check_queues([queue("b", 16), queue("a", 17)], 32)
    assert rest == []
    assert (finding.id, finding.found, finding.limit) == (
        "QUEUE-001",
        "quotas of 33 GPUs (a 17, b 16)",
        "32 GPUs in active machines",
    )


def test_namespaces_of_the_cluster_are_no_tenants():
    assert check_namespaces([queue("research"), queue("kubeflow"), queue("defaults")]) == []
    findings = check_namespaces([queue(name) for name in ("default", "kube-system", "kube-public", "kueue-system")])
    assert ids(findings) == ["QUEUE-002"] * 4
    assert (findings[1].severity, findings[1].found) == ("invariant", "tenant kube-system")


def test_slots():
    assert check_slots(128, 4, 32) == []
    finding, *rest = check_slots(129, 4, 32)
    assert rest == []
    assert (finding.id, finding.severity, finding.limit) == ("FABRIC-006", "invariant", "128 slots")


def test_every_kind_of_planner_problem_has_a_rule():
    kinds = [f"PLAN-{n:03d}" for n in range(4, 15)]
    findings = check_problems([Problem(kind, "here", "found", "limit", "fix") for kind in kinds])
    assert ids(findings) == [
        "PLAN-004",
        "PLAN-005",
        "ADDR-002",
        "PLAN-007",
        "PLAN-008",
        "ADDR-004",
        "PLAN-010",
        "PLAN-011",
        "PLAN-012",
        "PLAN-013",
        "PLAN-014",
    ]
    assert [f.severity for f in findings] == ["invariant"] * 4 + ["undecided", "limit", "limit"] + ["invariant"] * 4
