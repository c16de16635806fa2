"""Switch configuration: valid by schema, known traps answered, the same bytes every time."""

import copy
import json
import re
from functools import cache
from pathlib import Path

import jsonschema
import pytest

import railyard.render.switches as switches
from railyard import load
from railyard.plan import plan
from railyard.plan.switch_intent import switch_intents
from railyard.render import artefacts
from railyard.render.switches import eos, frr, nvue, sonic, switch_files
from railyard.rules.sonic_config import check_config_db
from railyard.rules.switch_config import check_frr
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N4")

ROOT = Path(__file__).resolve().parents[3]
SCHEMAS = Path(switches.__file__).parent / "schemas"
SPLIT = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 400, "nodesPerUnit": 64, "nosVersion": "5.14.0"}


def schema(name):
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))


@cache
def example():
    return plan(load.site_config(ROOT, "roce"))


@cache
def split():
    """Two links in each cage, no IPv6, no watchdog, receiver-driven, an unknown buffer."""
    lossless = {"watchdog": {"enabled": False}, "congestion": "receiver-driven"}
    return plan(make_site(nodes=3, fabric=SPLIT | {"lossless": lossless, "bfd": {"enabled": False}}))


def problems(tree, name):
    validator = jsonschema.Draft202012Validator(schema(name), format_checker=jsonschema.FormatChecker())
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in validator.iter_errors(tree)]


@cache
def rail_only():
    """Leaves without uplinks and without neighbours."""
    return plan(make_site(nodes=1, fabric=SPLIT | {"layout": "rail-only"}))


@cache
def three_tiers():
    fabric = SPLIT | {"linkGbps": 800, "nodesPerUnit": 32, "scalableUnits": 16, "plannedScalableUnits": 16, "tiers": 3}
    return plan(make_site(nodes=1, fabric=fabric, addresses={"rails": "10.32.0.0/11"}))


@cache
def planes():
    return plan(make_site(nodes=1, fabric=SPLIT | {"planes": 2}))


@pytest.mark.parametrize("name", ["sonic", "nvue"])
def test_the_schemas_are_schemas(name):
    jsonschema.Draft202012Validator.check_schema(schema(name))


def first_of_each_role(planned, nos):
    """A file of 64 ports takes a schema a tenth of a second; switches of a role and plane differ in names and numbers only."""
    return list({(intent.role, intent.plane): intent for intent in switch_intents(planned, nos)}.values())


SHAPES = {"roce": example, "split cages": split, "rail-only": rail_only, "3 tiers": three_tiers, "2 planes": planes}


@pytest.mark.parametrize("planned", SHAPES.values(), ids=SHAPES)
def test_every_file_is_valid(planned):
    for intent in first_of_each_role(planned(), "sonic"):
        tables = sonic(intent)
        assert problems(tables, "sonic") == []
        assert check_config_db(tables, intent) == []
    for intent in first_of_each_role(planned(), "cumulus"):
        assert problems(nvue(intent), "nvue") == []
    for intent in first_of_each_role(planned(), "frr"):
        assert check_frr(frr(intent), intent) == []


def test_rail_only_leaves_hold_one_path():
    """No system takes `maximum-paths 0`."""
    texts = [frr(intent) for intent in switch_intents(rail_only(), "frr")]
    assert len(texts) == 8
    assert all("maximum-paths 1\n" in text and " interface peer-group" not in text for text in texts)


def broken(change):
    tables = copy.deepcopy(sonic(next(switch_intents(example(), "sonic"))))
    change(tables)
    return problems(tables, "sonic")


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t["PORT"]["Ethernet0"].update(mtu=9216),
        lambda t: t["PORT"]["Ethernet0"].update(mtu="9217"),
        lambda t: t["PORT"]["Ethernet0"].update(unknown="1"),
        lambda t: t["PORT"].update(swp1={}),
        lambda t: t["PORT_QOS_MAP"]["Ethernet0"].update(pfc_enable="3-4"),
        lambda t: t["PFC_WD"]["GLOBAL"].update(POLL_INTERVAL="99"),
        lambda t: t["PFC_WD"]["Ethernet0"].update(detection_time="5001"),
        lambda t: t["DSCP_TO_TC_MAP"]["ROCE"].pop("63"),
        lambda t: t["DSCP_TO_TC_MAP"]["ROCE"].update({"64": "0"}),
        lambda t: t["BGP_GLOBALS_AF"]["default|ipv4_unicast"].update(max_ebgp_paths="257"),
        lambda t: t["BGP_NEIGHBOR"].update({"Ethernet0": {"peer_group_name": "FABRIC"}}),
        lambda t: t["WRED_PROFILE"]["ROCE_ECN"].update(green_drop_probability="101"),
        lambda t: t["CABLE_LENGTH"]["AZURE"].update(Ethernet0="5"),
        lambda t: t["SCHEDULER"]["scheduler.roce"].pop("weight"),
        lambda t: t["DEVICE_METADATA"]["localhost"].update(hostname="a_b"),
        lambda t: t.pop("NTP_SERVER"),
        lambda t: t.update(STRANGE={}),
    ],
)  # fmt: skip
def test_the_schema_refuses(change):
    assert broken(change)


def test_stock_maps_are_overridden_on_all_64_code_points():
    """SONiC's own map puts DSCP 26 on class 1, which is lossy (qos_config.j2)."""
    tables = sonic(next(switch_intents(example(), "sonic")))
    points = tables["DSCP_TO_TC_MAP"]["ROCE"]
    assert (len(points), points["26"], points["48"]) == (64, "3", "6")
    assert {point for point, to in points.items() if to == "3"} == {"26"}, "nothing else rides lossless, not even DSCP 3"
    assert {row["dscp_to_tc_map"] for row in tables["PORT_QOS_MAP"].values()} == {"ROCE"}
    assert tables["DEVICE_METADATA"]["localhost"]["frr_mgmt_framework_config"] == "true"


def leaves(tree):
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in leaves(value)]
    return [leaf for value in tree for leaf in leaves(value)] if isinstance(tree, list) else [tree]


def test_every_value_is_a_string():
    for intent in switch_intents(example(), "sonic"):
        assert all(isinstance(leaf, str) for leaf in leaves(sonic(intent)))


def test_cable_length_and_profile_follow_the_ordered_cable():
    for intent in switch_intents(example(), "sonic"):
        tables = sonic(intent)
        for port in intent.wired():
            length = tables["CABLE_LENGTH"]["AZURE"][port.native]
            assert int(length[:-1]) >= port.cable_m > 0
            profile = tables["BUFFER_PROFILE"][tables["BUFFER_PG"][f"{port.native}|3"]["profile"]]
            assert int(profile["xoff"]) == port.headroom.xoff_bytes
            assert profile["size"] == str(port.headroom.size_bytes)
        for port in intent.ports:
            if port.role == "unused":
                assert tables["PORT"][port.native]["admin_status"] == "down"
                assert tables["CABLE_LENGTH"]["AZURE"][port.native] == "0m"
                assert port.native not in tables["PORT_QOS_MAP"]


def test_pools_hold_what_headroom_leaves():
    intent = next(switch_intents(example(), "sonic"))
    pool = sonic(intent)["BUFFER_POOL"]
    taken = 64 * intent.wired()[0].headroom.size_bytes
    assert len(intent.wired()) < 64, "ports without a cable yet reserve, too"
    left = 158_229_504 - taken
    assert int(pool["ingress_lossless_pool"]["size"]) == left // 1024 * 1024
    lossless = {"headroom": [{"gbps": 200, "cableM": 300, "xoffBytes": 355328}], "source": "a table for tests"}
    fabric = {"transport": "roce", "switchModel": "sn4600", "linkGbps": 200, "nodesPerUnit": 32, "lossless": lossless}
    unknown = plan(make_site(fabric=fabric, compute={"nodeModel": "dgx-a100"}))
    tables = sonic(next(switch_intents(unknown, "sonic")))
    assert all("size" not in row for row in tables["BUFFER_POOL"].values())
    assert tables["DEVICE_METADATA"]["localhost"]["buffer_model"] == "dynamic"
    assert tables["BUFFER_PROFILE"]["pg_lossless_200000_300m_profile"]["size"] == "355328"
    assert problems(tables, "sonic") == []


def test_split_cages_in_every_system():
    by_nos = {nos: next(switch_intents(split(), nos)) for nos in ("sonic", "cumulus", "eos")}
    tables = sonic(by_nos["sonic"])
    assert len(tables["PORT"]) == 128
    assert tables["PORT"]["Ethernet4"]["lanes"] == "4,5,6,7"
    assert tables["PORT"]["Ethernet4"]["alias"] == "etp1b"
    assert tables["BREAKOUT_CFG"]["Ethernet0"] == {"brkout_mode": "2x400G[200G,100G,50G,40G,25G,10G]"}
    assert len(tables["BREAKOUT_CFG"]) == 64
    tree = nvue(by_nos["cumulus"])
    assert tree["interface"]["swp1"]["link"]["breakout"] == {"2x": {"lanes-per-port": "4"}}
    assert tree["interface"]["swp1s1"]["link"]["speed"] == "400G"
    assert "interface Ethernet1/5\n" in eos(by_nos["eos"])


def test_what_is_switched_off_is_not_written():
    intent = next(switch_intents(split(), "sonic"))
    tables = sonic(intent)
    assert not {"WRED_PROFILE", "PFC_WD"} & set(tables)
    assert "pfcwd_sw_enable" not in tables["PORT_QOS_MAP"]["Ethernet0"]
    assert "bfd" not in tables["BGP_PEER_GROUP"]["default|FABRIC"]
    tree = nvue(next(switch_intents(split(), "cumulus")))
    assert "pfc-watchdog" not in tree["qos"]
    marks = tree["qos"]["congestion-control"]["default-global"]["traffic-class"]
    assert marks == {"3": {"ecn": "disable"}}, "`qos roce` would mark by itself"
    assert "bfd" not in tree["vrf"]["default"]["router"]["bgp"]["peer-group"]["FABRIC"]
    text = frr(next(switch_intents(split(), "frr")))
    assert "bfd" not in text
    assert "ipv6 unicast" not in text


@pytest.mark.parametrize(
    ("version", "words"),
    [("5.14.0", {"enable": "on"}), ("5.15.0", {"state": "enabled"}), ("6.0", {"state": "enabled"}), ("5.9", {"enable": "on"})],
)
def test_adaptive_routing_in_the_words_of_the_release(version, words):
    fabric = SPLIT | {"nosVersion": version, "lossless": {"spread": "adaptive-routing"}}
    tree = nvue(next(switch_intents(plan(make_site(nodes=1, fabric=fabric)), "cumulus")))
    assert tree["router"]["adaptive-routing"] == words
    with_it = {name for name, port in tree["interface"].items() if "router" in port}
    assert with_it == set(tree["vrf"]["default"]["router"]["bgp"]["neighbor"]), "on links between switches, not to nodes"
    assert problems(tree, "nvue") == []


def test_nvue_says_the_contract_beside_roce():
    tree = nvue(next(switch_intents(example(), "cumulus")))
    qos = tree["qos"]
    assert qos["roce"] == {"enable": "on", "mode": "lossless"}
    priorities = {int(point): row["switch-priority"] for point, row in qos["mapping"]["default-global"]["dscp"].items()}
    assert {point: priority for point, priority in priorities.items() if priority != "0"} == {26: "3", 48: "6"}
    assert set(priorities) == {*range(24, 32), *range(48, 56)}, "what stock maps bring beside them goes elsewhere"
    assert qos["congestion-control"]["default-global"]["traffic-class"]["3"] == {
        "ecn": "enable",
        "min-threshold": 250_000,
        "max-threshold": 1_500_000,
        "probability": 100,
    }
    assert qos["pfc-watchdog"] == {"polling-interval": 100, "robustness": 2}
    longest = max(port.cable_m for port in next(switch_intents(example(), "cumulus")).wired())
    assert qos["pfc"]["default-global"]["cable-length"] >= longest
    assert tree["interface"]["swp33"]["link"]["mtu"] == 9216
    assert tree["router"]["bgp"] == {"enable": "on", "autonomous-system": 4_200_010_000, "router-id": "10.51.0.1"}


def test_eos_thresholds_carry_their_unit():
    text = eos(next(switch_intents(example(), "eos")))
    line = next(line for line in text.splitlines() if "random-detect ecn minimum" in line)
    words = "random-detect ecn minimum-threshold 250 kbytes maximum-threshold 1500 kbytes max-mark-probability 100 weight 0"
    assert line.strip() == words
    assert "qos map traffic-class 3 to dscp 26" in text
    assert "priority-flow-control priority 3 no-drop" in text
    assert text.count("service-profile ROCE") == 36, "4 node ports and 32 uplinks"


def test_no_system_lets_everybody_log_in():
    tree = nvue(next(switch_intents(example(), "cumulus")))
    rules = [tree["acl"]["MANAGEMENT"]["rule"][key] for key in sorted(tree["acl"]["MANAGEMENT"]["rule"], key=int)]
    assert [rule["match"]["ip"]["source-ip"] for rule in rules] == [*["10.48.0.0/18"] * 3, *["10.49.0.0/27"] * 3, *["ANY"] * 3]
    assert [next(iter(rule["action"])) for rule in rules] == ["permit"] * 6 + ["deny"] * 3
    tables = sonic(next(switch_intents(example(), "sonic")))
    assert {row["SRC_IP"] for row in tables["ACL_RULE"].values()} == {"10.48.0.0/18", "10.49.0.0/27"}


def test_log_in_from_both_ip_versions_has_a_list_for_each():
    """caclmgrd takes a list's version from its first rule and drops the other ones."""
    site = make_site(nodes=1, fabric=SPLIT, addresses={"management": ["fd00:16::/64", "10.16.0.0/18"]})
    tables = sonic(next(switch_intents(plan(site), "sonic")))
    assert problems(tables, "sonic") == []
    assert {name: row["services"] for name, row in tables["ACL_TABLE"].items()} == {
        "MANAGEMENT": ["SSH", "SNMP"],
        "MANAGEMENT6": ["SSH", "SNMP"],
    }
    rules = {key.partition("|")[0]: set(row) - {"PRIORITY", "PACKET_ACTION"} for key, row in tables["ACL_RULE"].items()}
    assert rules == {"MANAGEMENT": {"SRC_IP"}, "MANAGEMENT6": {"SRC_IPV6"}}


def test_logs_leave_by_the_management_network_in_every_system():
    """The default VRF has no way to the log server."""
    assert sonic(next(switch_intents(example(), "sonic")))["SYSLOG_SERVER"] == {"10.49.0.4": {"vrf": "mgmt"}}
    assert nvue(next(switch_intents(example(), "cumulus")))["service"]["syslog"] == {"mgmt": {"server": {"10.49.0.4": {}}}}
    assert "logging vrf MGMT host 10.49.0.4\n" in eos(next(switch_intents(example(), "eos")))


def test_eos_routes_ipv4_over_ports_that_have_ipv6_only():
    text = eos(next(switch_intents(example(), "eos")))
    assert "\nip routing ipv6 interfaces\n" in text
    assert "\nip routing\n" not in text


@pytest.mark.parametrize(
    ("lossless", "queues"),
    [
        ({}, None),
        ({"priority": 4}, {"3": "0", "4": "3"}),
        ({"cnpClass": 5}, {"5": "6", "6": "0"}),
        ({"pfcPriorities": [3, 4]}, {"4": "3"}),
        ({"priority": 6, "cnpClass": 3}, {"3": "6", "6": "3"}),
    ],
)
def test_nvue_brings_roce_to_its_class_whatever_its_priority(lossless, queues):
    """`qos roce` sends only priority 3 to the lossless class and 6 to the strict one; thresholds stay with the class."""
    qos = nvue(next(switch_intents(plan(make_site(nodes=1, fabric=SPLIT | {"lossless": lossless})), "cumulus")))["qos"]
    found = qos.get("egress-queue-mapping", {}).get("default-global", {}).get("switch-priority")
    assert found == (queues and {priority: {"traffic-class": name} for priority, name in queues.items()})
    assert set(qos["congestion-control"]["default-global"]["traffic-class"]) == {"3"}


def test_a_plan_writes_the_files_of_its_system_and_of_no_other():
    files = artefacts(example(), [])
    mine = [name for name in files if name.startswith("switches/")]
    assert len(mine) == 12
    assert all(re.fullmatch(r"switches/cumulus/roce-(su001-leaf-r\d|spine00\d)/nvue\.json", name) for name in mine)
    assert [name for name in artefacts(plan(make_site()), []) if name.startswith("switches/")] == []


def test_the_same_plan_gives_the_same_bytes():
    again = plan(load.site_config(ROOT, "roce"))
    assert dict(switch_files(again)) == dict(switch_files(example()))


@pytest.mark.parametrize("nos", ["sonic", "cumulus", "eos", "frr"])
def test_each_system_has_a_file_for_each_switch(nos):
    planned = plan(make_site(nodes=1, fabric=SPLIT | {"nos": nos}))
    files = dict(switch_files(planned))
    assert len(files) == len(planned.switches)
    assert all(content.endswith(b"\n") for content in files.values())
    assert len(set(files.values())) == len(files)


def test_a_new_node_changes_one_port_of_each_leaf_and_no_spine():
    before = dict(switch_files(plan(make_site(nodes=3, fabric=SPLIT | {"nos": "sonic"}))))
    after = dict(switch_files(plan(make_site(nodes=4, fabric=SPLIT | {"nos": "sonic"}))))
    changed = {name for name in before if before[name] != after[name]}
    assert len(changed) == 8
    assert all("-leaf-" in name for name in changed)


def test_what_the_yang_models_point_at_is_there():
    """Leafrefs and types of SONiC's models (read in their public repository): what a dangling one would refuse."""
    tables = sonic(next(switch_intents(example(), "sonic")))
    assert {key.partition("|")[0] for key in tables["MGMT_INTERFACE"]} <= set(tables["MGMT_PORT"])
    assert tables["ROUTE_MAP"]["CONNECTED|10"]["match_prefix_set"] == "LOCAL"
    assert tables["ROUTE_MAP"]["CONNECTED6|10"]["match_ipv6_prefix_set"] == "LOCAL6", "IPv6 has a leaf of its own"
    assert {row["match_prefix_set"] for row in tables["ROUTE_MAP"].values() if "match_prefix_set" in row} <= set(
        tables["PREFIX_SET"]
    )
    used = {row[way][0] for row in tables["BGP_PEER_GROUP_AF"].values() for way in ("route_map_in", "route_map_out")}
    assert used == {"ALL"} <= set(tables["ROUTE_MAP_SET"])
    assert all(key.partition("|")[0] in tables["INTERFACE"] for key in tables["INTERFACE"]), "a prefix needs its interface"
    assert {key.rpartition("|")[0] for key in tables["BGP_NEIGHBOR_AF"]} == set(tables["BGP_NEIGHBOR"])
    poll = int(tables["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"])
    times = [int(row[key]) for row in tables["PFC_WD"].values() for key in ("detection_time", "restoration_time") if key in row]
    assert min(times) >= poll
    assert all(row["green_drop_probability"].isdigit() for row in tables["WRED_PROFILE"].values())


@pytest.mark.parametrize(("percent", "written"), [(0.3, "1"), (4.6, "5"), (100, "100")])
def test_a_probability_is_whole_percent_and_never_none(percent, written):
    fabric = SPLIT | {"lossless": {"pmaxPercent": percent}}
    tables = sonic(next(switch_intents(plan(make_site(nodes=1, fabric=fabric)), "sonic")))
    assert tables["WRED_PROFILE"]["ROCE_ECN"]["green_drop_probability"] == written
    marks = nvue(next(switch_intents(plan(make_site(nodes=1, fabric=fabric)), "cumulus")))["qos"]["congestion-control"]
    assert marks["default-global"]["traffic-class"]["3"]["probability"] == int(written)
    assert f" max-mark-probability {written} weight" in eos(
        next(switch_intents(plan(make_site(nodes=1, fabric=fabric)), "eos"))
    )
    assert problems(tables, "sonic") == []
