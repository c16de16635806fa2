"""Blocks that overlap, by value and all of them; free ranges; usable counts (cases 35, 36 and 39)."""

from ipaddress import ip_network

import pytest

from railyard.model.blocks import Ipv6Blocks, ReservedBlock
from railyard.model.plan import AddressRow
from railyard.rules import check_addresses, check_given
from railyard.rules.address_blocks import BlockText, blocks_of, free_range, key_of
from tests.unit.rules.rules_factory import addresses


def of(findings, rule):
    return [finding for finding in findings if finding.id == rule]


def reserve(*pairs, **needs):
    return tuple(ReservedBlock(name=name, cidr=cidr, **needs) for name, cidr in pairs)


def test_case_35_nine_overlaps_and_a_free_range():
    """Nodes 192.168.50.0/24, rails 192.168.1-8.0/24, pods 192.168.0.0/16: the pods hide all nine."""
    rails = [(f"rail-{rail}", f"192.168.{rail}.0/24") for rail in range(1, 9)]
    site = addresses(in_band="192.168.50.0/24", pods="192.168.0.0/16", reserved=reserve(*rails))
    findings = of(check_addresses(site), "ADDR-001")
    assert len(findings) == 9
    assert {finding.found for finding in findings} == {
        "inBand 192.168.50.0/24 and pods 192.168.0.0/16 overlap",
        *(f"pods 192.168.0.0/16 and reserved rail-{rail} 192.168.{rail}.0/24 overlap" for rail in range(1, 9)),
    }
    fixes = {finding.fix for finding in findings}
    assert fixes == {"move pods, e.g. to 10.0.0.0/16, which is free"}
    moved = site.model_copy(update={"pods": "10.0.0.0/16"})
    assert check_addresses(moved) == []


@pytest.mark.parametrize(
    ("written", "real", "hidden"),
    [("192.167.0.0/12", "192.160.0.0/12", "192.168.50.0/24"), ("10.149.0.0/12", "10.144.0.0/12", "10.150.100.0/24")],
)
def test_case_36_host_bits_are_set_and_the_real_network_overlaps(written, real, hidden):
    findings = check_addresses(addresses(pods=written, in_band=hidden))
    (bits,) = of(findings, "ADDR-003")
    assert (bits.found, bits.fix) == (f"{written} is really {real}", f"write {real}")
    assert [finding.found for finding in of(findings, "ADDR-001")] == [f"inBand {hidden} and pods {real} overlap"]


def test_another_spelling_is_no_host_bit():
    site = addresses(ipv6=Ipv6Blocks(rails="FD00:0052:0:0::/48", oob="fd00:0053::0/64"))
    assert check_addresses(site) == []
    (bits,) = check_addresses(addresses(ipv6=Ipv6Blocks(rails="FD00:0052::1/48")))
    assert bits.found == "FD00:0052::1/48 is really fd00:52::/48"


@pytest.mark.parametrize(
    ("key", "text", "what"),
    [
        ("in_band", "224.0.0.0/18", "multicast (224.0.0.0/4)"),
        ("pods", "240.0.0.0/8", "reserved (240.0.0.0/4)"),
        ("oob", "169.254.0.0/18", "link-local (169.254.0.0/16)"),
        ("storage", "0.0.0.0/18", "this network (0.0.0.0/8)"),
        ("rails", "fe80::/48", "link-local in IPv6 (fe80::/10)"),
        ("rails", "ff05::/48", "multicast in IPv6 (ff00::/8)"),
        ("rails", "::ffff:10.0.0.0/104", "IPv4 in IPv6 (::ffff:0:0/96)"),
    ],
)
def test_a_block_that_is_not_for_hosts(key, text, what):
    findings = check_addresses(addresses(**{key: text}))
    assert [(one.id, one.severity, one.where) for one in findings] == [
        ("ADDR-006", "invariant", f"railyard:addresses.{'inBand' if key == 'in_band' else key}")
    ]
    assert findings[0].found.endswith(f"is {what}")


def test_what_others_reserve_and_emulated_sites_may_be_anything():
    assert check_addresses(addresses(oob="127.77.0.0/20", reserved=reserve(("metadata", "169.254.0.0/16")))) == []


@pytest.mark.parametrize(("needs", "fits"), [(15, False), (14, True), (None, True)])
def test_case_39_a_28_has_14_usable_addresses(needs, fits):
    """Twelve nodes, a gateway, a virtual address and a spare are 15."""
    site = addresses(reserved=reserve(("provisioning", "198.51.100.240/28"), needs=needs))
    findings = check_addresses(site)
    assert (findings == []) is fits
    for finding in findings:
        assert (finding.id, finding.where) == ("ADDR-008", "railyard:addresses.reserved[0].cidr")
        assert finding.found == "198.51.100.240/28 has 14 usable addresses"
        assert finding.limit == "15 for provisioning"


def test_every_kind_of_block_is_compared_with_every_other():
    site = addresses(
        loopbacks="10.16.0.0/24",
        ipv6=Ipv6Blocks(rails="fd00:1::/48", pods="fd00:1:0:5::/64", oob="fd00:2::/64"),
        reserved=reserve(("vpn", "10.17.4.0/22"), ("other-site", "fd00:2::/32")),
    )
    assert sorted(finding.found for finding in of(check_addresses(site), "ADDR-001")) == [
        "inBand 10.17.0.0/16 and reserved vpn 10.17.4.0/22 overlap",
        "ipv6.oob fd00:2::/64 and reserved other-site fd00:2::/32 overlap",
        "ipv6.rails fd00:1::/48 and ipv6.pods fd00:1:0:5::/64 overlap",
        "oob 10.16.0.0/16 and loopbacks 10.16.0.0/24 overlap",
    ]


def test_what_others_reserve_may_lie_in_each_other():
    assert check_addresses(addresses(reserved=reserve(("company", "10.0.0.0/12"), ("vpn", "10.8.0.0/16")))) == []


def test_the_virtual_block_moves_and_the_reserved_one_never():
    vpn = reserve(("vpn", "10.17.0.0/16"))
    (finding,) = of(check_addresses(addresses(reserved=vpn)), "ADDR-001")
    assert finding.fix.startswith("move inBand, e.g. to 10.0.0.0/16")
    (finding,) = of(check_addresses(addresses(pods="10.16.0.0/18")), "ADDR-001")
    assert finding.fix.startswith("move pods,"), "not the BMCs, which are cabled"
    (finding,) = of(check_addresses(addresses(services="10.16.0.0/18")), "ADDR-001")
    assert finding.fix.startswith("move services,")
    six = addresses(ipv6=Ipv6Blocks(pods="fd00:1::/64", in_band="fd00:1::/64"))
    assert of(check_addresses(six), "ADDR-001")[0].fix == "move ipv6.pods, e.g. to fd00::/64, which is free"


def nets(*texts):
    return [ip_network(text) for text in texts]


@pytest.mark.parametrize(
    ("wanted", "taken", "free"),
    [
        ("10.0.0.0/8", [], "10.0.0.0/8"),
        ("10.0.0.0/16", ["10.0.0.0/16"], "10.1.0.0/16"),
        ("10.0.0.0/16", ["10.1.0.0/16"], "10.0.0.0/16"),
        ("10.0.0.0/16", ["10.0.0.0/32"], "10.1.0.0/16"),
        ("10.0.0.0/16", ["10.0.0.0/17", "10.0.128.0/17", "10.1.0.0/30"], "10.2.0.0/16"),
        ("10.0.0.0/16", ["10.0.0.0/15", "10.3.255.255/32"], "10.2.0.0/16"),
        ("10.0.0.0/12", ["10.0.0.0/8"], "172.16.0.0/12"),
        ("10.0.0.0/12", ["10.0.0.0/8", "172.16.0.0/24"], None),
        ("10.0.0.0/16", ["10.0.0.0/8", "172.16.0.0/12"], "192.168.0.0/16"),
        ("10.0.0.0/16", ["10.0.0.0/8", "172.16.0.0/12", "192.168.255.255/32"], None),
        ("10.0.0.0/9", ["10.0.0.0/10"], "10.128.0.0/9"),
        ("10.0.0.0/7", [], None),
        ("fd12::/48", [], "fd00::/48"),
        ("fd12::/48", ["fd00::/47", "10.0.0.0/8"], "fd00:0:2::/48"),
        ("0.0.0.0/0", [], None),
    ],
)
def test_the_first_free_range(wanted, taken, free):
    assert free_range(ip_network(wanted), nets(*taken)) == free


def test_a_proposal_is_free_of_everything_else():
    site = addresses(pods="10.17.0.0/18", services="10.0.0.0/18", reserved=reserve(("vpn", "10.0.64.0/18")))
    (finding,) = of(check_addresses(site), "ADDR-001")
    assert finding.fix == "move pods, e.g. to 10.0.128.0/18, which is free"


def test_no_free_range_leaves_the_rules_own_words():
    full = reserve(("ten", "10.0.0.0/8"), ("other", "172.16.0.0/12"), ("small", "192.168.0.0/16"))
    findings = of(check_addresses(addresses(reserved=full)), "ADDR-001")
    assert findings
    assert all(finding.fix.startswith("move one of the blocks") for finding in findings)


def row(device, network, address, interface="x0", prefix=18):
    return AddressRow(device, network, interface, address, prefix)


def test_doubles_behind_an_overlap_are_the_overlaps():
    """ADDR-005 fired behind ADDR-001, with words about a BMC that had nothing to do with it."""
    rows = [row("n1", "in-band", "10.17.0.40"), row("n2", "storage", "10.17.0.40")]
    one = addresses(storage="10.17.0.0/18")
    assert of(check_addresses(one), "ADDR-001")
    assert check_given(rows, one) == []
    assert [finding.id for finding in check_given(rows, addresses())] == ["ADDR-005"], "the blocks themselves don't overlap"
    assert [finding.id for finding in check_given(rows)] == ["ADDR-005"]


def test_doubles_inside_of_one_network_stay_in_spite_of_an_overlap_elsewhere():
    rows = [row("n1", "in-band", "10.17.0.40"), row("n2", "in-band", "10.17.0.40")]
    assert [finding.id for finding in check_given(rows, addresses(storage="10.17.0.0/18"))] == ["ADDR-005"]


def test_who_is_told_to_change_what():
    bmc = [row("leaf", "oob", "10.16.0.40", "mgmt0"), row("n1", "oob", "10.16.0.40", "bmc")]
    assert check_given(bmc)[0].fix.startswith("correct the BMC's address in the inventory")
    assert check_given(bmc[::-1])[0].fix.startswith("correct the BMC's address in the inventory")
    planned = [row("leaf", "oob", "10.16.0.40", "mgmt0"), row("spine", "oob", "10.16.0.40", "mgmt0")]
    assert check_given(planned)[0].fix.startswith("a larger railyard:addresses.oob")
    rails = [row("n1", "rail-0", "10.20.0.40", "mlx5_0"), row("n2", "rail-0", "10.20.0.40", "mlx5_0")]
    assert check_given(rails)[0].fix.startswith("a larger railyard:addresses.rails")


def test_keys_of_networks():
    assert [key_of(name) for name in ("oob", "in-band", "storage", "rail-3", "rail-3-p1", "loopback")] == [
        "oob", "inBand", "storage", "rails", "rails", "loopbacks",
    ]  # fmt: skip


def test_blocks_of_two_versions_never_meet():
    four, six = BlockText("a", "a", "0.0.0.0/0"), BlockText("b", "b", "::/0")
    assert not four.overlaps(six)
    assert not six.overlaps(four)
    assert six.overlaps(BlockText("c", "c", "fd00::/8"))
    assert [block.name for block in blocks_of(addresses())] == ["oob", "inBand", "storage", "rails", "pods", "services"]
