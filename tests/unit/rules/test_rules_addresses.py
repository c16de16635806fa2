"""Addresses that are given twice, that belong to nobody, that hide services."""

import pytest

from railyard.model.plan import AddressRow
from railyard.model.site import Peer, Replication
from railyard.rules import check_given, check_services
from tests.unit.rules.rules_factory import addresses, stack_file


def row(device, address, prefix=16, interface="bond0"):
    return AddressRow(device, "in-band", interface, address, prefix)


def test_every_address_once():
    assert check_given([row("n1", "10.17.0.34"), row("n2", "10.17.0.35")]) == []
    findings = check_given([row("leaf", "10.16.0.34", interface="mgmt0"), row("n1", "10.16.0.34", interface="bmc")])
    assert [(f.id, f.severity, f.where) for f in findings] == [("ADDR-005", "invariant", "n1/bmc")]
    assert findings[0].found == "10.16.0.34 is that of leaf/mgmt0 and of n1/bmc"


@pytest.mark.parametrize(
    ("address", "prefix", "what"),
    [
        ("10.16.0.0", 18, "the network itself"),
        ("10.16.0.1", 18, "kept for the gateway"),
        ("10.16.63.255", 18, "the broadcast address"),
        ("10.16.64.0", 18, "the network itself"),
        ("fd00:16::", 64, "the network itself"),
        ("fd00:16::1", 64, "kept for the gateway"),
        ("10.0.0.3", 30, "the broadcast address"),
    ],
)
def test_addresses_of_the_network_itself(address, prefix, what):
    (finding,) = check_given([row("n1", address, prefix)])
    assert (finding.id, finding.severity, finding.where) == ("ADDR-006", "invariant", "n1/bond0")
    assert finding.found == f"{address}/{prefix} is {what}"


@pytest.mark.parametrize(
    ("address", "prefix"),
    [
        ("10.16.0.2", 18),
        ("10.16.63.254", 18),
        ("10.16.1.0", 18),
        ("10.16.0.255", 18),
        ("fd00:16::2", 64),
        ("fd00:16::ffff:ffff:ffff:ffff", 64),
        ("10.0.0.0", 31),
        ("10.0.0.1", 31),
        ("10.0.0.1", 32),
        ("10.0.0.2", 30),
        ("127.77.1.1", 24),
        ("127.77.1.0", 24),
    ],
)
def test_addresses_for_hosts(address, prefix):
    assert check_given([row("n1", address, prefix)]) == []


def said(findings):
    return [(finding.id, finding.where, finding.found) for finding in findings]


def test_services_on_addresses_of_their_own():
    assert check_services(stack_file(), [row("n1", "10.17.0.12")]) == []


def test_services_on_the_address_of_a_device():
    rows = [row("gpu01", "10.17.0.2"), row("gpu04", "10.17.0.11"), row("gpu09", "10.17.0.10")]
    file = stack_file(addresses=addresses(ntp_servers=("time.example", "10.17.0.2")))
    findings = check_services(file, rows)
    assert {f.severity for f in findings} == {"invariant"}
    assert said(findings) == [
        ("ADDR-007", "railyard:addresses.ntpServers[1]", "10.17.0.2 is given to gpu01/bond0"),
        ("ADDR-007", "railyard:install.serviceUrl", "10.17.0.11 is given to gpu04/bond0"),
        ("ADDR-007", "railyard:platform.controlPlane.endpoint", "10.17.0.10 is given to gpu09/bond0"),
    ]


def test_a_log_server_is_a_service_like_a_time_server():
    file = stack_file(addresses=addresses(syslog_servers=("log.example", "10.17.0.44", "10.128.0.4"), pods="10.128.0.0/12"))
    assert said(check_services(file, [row("gpu13", "10.17.0.44")])) == [
        ("ADDR-007", "railyard:addresses.syslogServers[1]", "10.17.0.44 is given to gpu13/bond0"),
        ("ADDR-007", "railyard:addresses.syslogServers[2]", "10.128.0.4 lies in pods 10.128.0.0/12"),
    ]


def test_services_behind_pods_or_virtual_services():
    replication = Replication(
        checkpoint_tib=1, interval_min=30, rpo_min=60, link_gbps=10, endpoint="https://10.66.0.20:9000/bucket"
    )
    peer = Peer(stack="s", contract_version=1, replication_gbps=1, usable_tib=1, endpoint="https://[fd00::9]:9000")
    file = stack_file(addresses=addresses(pods="10.66.0.0/16", services="fd00::/64"), replication=replication, peer=peer)
    assert said(check_services(file, [])) == [
        ("ADDR-007", "railyard:peer.endpoint", "fd00::9 lies in services fd00::/64"),
        ("ADDR-007", "railyard:replication.endpoint", "10.66.0.20 lies in pods 10.66.0.0/16"),
    ]
    elsewhere = addresses(oob="10.66.0.0/16", pods="10.128.0.0/12")
    assert check_services(stack_file(addresses=elsewhere, replication=replication), []) == []
