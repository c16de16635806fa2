"""A routing file against the plan: what `vtysh -C` accepts and a fabric doesn't."""

import pytest

from railyard.render.switches import frr
from railyard.rules.switch_config import check_frr
from tests.unit.rules.routing_factory import small_intent

INTENT = small_intent("frr")
TEXT = frr(INTENT)
GROUP = " neighbor FABRIC peer-group\n"
FIRST = " neighbor swp5 interface peer-group FABRIC\n"


def found(text, intent=INTENT):
    return [finding.found for finding in check_frr(text, intent)]


def without(part, text=TEXT):
    assert part in text, part
    return text.replace(part, "", 1)


def changed(old, new, text=TEXT):
    assert old in text, old
    return text.replace(old, new, 1)


def test_our_own_file_says_what_the_plan_says():
    assert check_frr(TEXT, INTENT) == []


def test_an_empty_file_and_one_of_comments():
    for text in ("", "!\n!\nend\n", "frr version 8.4.4\nhostname x\n", "\u0000\ufffd"):
        assert found(text) == ["no router and no interface in it"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (without(GROUP), ["peer-group FABRIC isn't defined"]),
        (
            changed(FIRST, " neighbor swp5 interface peer-group OTHER\n"),
            ["peer-group OTHER isn't defined"],
        ),
        (without(" neighbor FABRIC remote-as external\n"), ["peer-group FABRIC doesn't say remote-as external"]),
        (
            changed("remote-as external", "remote-as 4200000001"),
            ["peer-group FABRIC doesn't say remote-as external"],
        ),
        (changed("router bgp 4200010000", "router bgp 4200010001"), ["router bgp 4200010001"]),
        (
            changed("ip prefix-list", "router bgp 65001\n bgp router-id 10.47.0.1\nexit\n!\nip prefix-list"),
            ["bgp router-id 10.47.0.1, bgp router-id 10.47.0.1", "router bgp 4200010000, router bgp 65001"],
        ),
        (without(" bgp router-id 10.47.0.1\n"), ["no bgp router-id"]),
        (changed("router-id 10.47.0.1", "router-id 10.47.0.2"), ["bgp router-id 10.47.0.2"]),
        (without(FIRST), ["no neighbour swp5"]),
        (changed(FIRST, FIRST + " neighbor swp9 interface peer-group FABRIC\n"), ["unplanned neighbour swp9"]),
        (changed(FIRST, FIRST + FIRST), ["neighbour swp5 more than once"]),
        (without("  maximum-paths 4\n"), ["ipv4 without maximum-paths"]),
        (changed("maximum-paths 4", "maximum-paths 3"), ["ipv4 maximum-paths 3"]),
        (changed("route-map CONNECTED permit 10", "route-map OTHER permit 10"), ["route-map CONNECTED isn't defined"]),
        (
            changed("ip prefix-list LOCAL seq 10", "ip prefix-list L seq 10", changed("LOCAL seq 20", "L seq 20")),
            ["prefix-list LOCAL isn't defined"],
        ),
        (without("  aggregate-address 10.32.0.0/29 summary-only\n"), ["no ipv4 aggregate 10.32.0.0/29"]),
        (changed("aggregate-address 10.32.0.0/29", "aggregate-address 10.32.0.0/28"),
         ["no ipv4 aggregate 10.32.0.0/29", "unplanned ipv4 aggregate 10.32.0.0/28"]),
        (without(" ip address 10.32.0.0/31\n"), ["no address swp1 10.32.0.0/31"]),
        (
            changed(" ip address 10.32.0.2/31\n", " ip address 10.32.0.0/31\n"),
            ["10.32.0.0 stands on 2 interfaces", "no address swp2 10.32.0.2/31", "unplanned address swp2 10.32.0.0/31"],
        ),
        (
            changed(" ip address 10.32.0.2/31\n", " ip address 10.32.0.2/31\n ip address 10.32.0.2/31\n"),
            ["10.32.0.2 stands on 2 interfaces", "address swp2 10.32.0.2/31 more than once"],
        ),
        (changed("swp1\n description", "swp3\n description"),
         ["no address swp1 10.32.0.0/31, swp1 fd00:32::/127", "unplanned address swp3 10.32.0.0/31, swp3 fd00:32::/127"]),
    ],
)  # fmt: skip
def test_what_the_shell_accepts_and_we_do_not(text, words):
    assert sorted(found(text)) == sorted(words)


def test_the_second_family_is_judged_too():
    head, family, rest = TEXT.partition(" address-family ipv6 unicast\n")
    text = head + family + without("  maximum-paths 4\n", rest)
    assert found(text) == ["ipv6 without maximum-paths"]
    text = head + family + without("  aggregate-address fd00:32::/64 summary-only\n", rest)
    assert found(text) == ["no ipv6 aggregate fd00:32::/64"]
    assert found(changed("  aggregate-address fd00:32::/64", "  aggregate-address fd00:33::/64")) == [
        "no ipv6 aggregate fd00:32::/64",
        "unplanned ipv6 aggregate fd00:33::/64",
    ]


def test_a_fabric_without_ipv6_is_not_asked_for_it():
    four = small_intent("frr").site.model_copy(update={"rails_v6": False})
    fields = {name: getattr(INTENT, name) for name in INTENT.__struct_fields__}
    intent = type(INTENT)(**fields | {"site": four, "loopbacks": INTENT.loopbacks[:1], "subnets": INTENT.subnets[:1]})
    ports = tuple(
        type(port)(**{name: getattr(port, name) for name in port.__struct_fields__} | {"addresses": port.addresses[:1]})
        for port in intent.ports
    )
    intent = type(INTENT)(**{name: getattr(intent, name) for name in intent.__struct_fields__} | {"ports": ports})
    text = frr(intent)
    assert "ipv6 unicast" not in text
    assert check_frr(text, intent) == []


def test_another_switchs_file_is_found_out():
    from railyard.plan.switch_intent import switch_intents
    from tests.unit.rules.routing_factory import small_plan

    other = list(switch_intents(small_plan(), "frr"))[1]
    findings = check_frr(frr(other), INTENT)
    assert {finding.id for finding in findings} == {"FABRIC-065"}
    assert any("router bgp 4200010001" in finding.found for finding in findings)
