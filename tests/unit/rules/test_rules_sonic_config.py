"""A config_db.json against the plan: what SONiC's YANG models accept and a fabric doesn't."""

import copy

import pytest

from railyard.render.switches import sonic
from railyard.rules.sonic_config import check_config_db
from tests.unit.rules.routing_factory import small_intent

INTENT = small_intent("sonic")
TABLES = sonic(INTENT)
NODE, UP = "Ethernet0", "Ethernet32"
FAMILIES = ["default|FABRIC|ipv4_unicast", "default|FABRIC|ipv6_unicast"]


def found(change):
    tables = copy.deepcopy(TABLES)
    change(tables)
    return [finding.found for finding in check_config_db(tables, INTENT)]


def put(table, key, field, value):
    def change(tables):
        tables[table][key][field] = value

    return change


def drop(table, key=None, field=None):
    def change(tables):
        if key is None:
            del tables[table]
        elif field is None:
            del tables[table][key]
        else:
            del tables[table][key][field]

    return change


def test_our_own_file_holds_together():
    assert check_config_db(TABLES, INTENT) == []


@pytest.mark.parametrize("tables", [{}, {"PORT": None}, {"PORT": [], "QUEUE": {}}, {"PORT": "x"}])
def test_what_is_no_configuration_is_said_to_be_none(tables):
    (finding,) = check_config_db(tables, INTENT)
    assert finding.found in {"no tables", "PORT not a table"}


def test_rows_that_are_none_do_not_stop_it():
    tables = {name: dict.fromkeys(rows, None) for name, rows in TABLES.items()}
    assert check_config_db(tables, INTENT)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        # PFC on another priority on one port: YANG takes it.
        (put("PORT_QOS_MAP", UP, "pfc_enable", "4"),
         ["PFC without a lossless group on Ethernet32", "lossless group without PFC on Ethernet32",
          "pfc_enable is 4 on Ethernet32"]),
        (drop("PORT_QOS_MAP", UP, "pfcwd_sw_enable"), ["pfcwd_sw_enable is nothing on Ethernet32"]),
        # A lossless group without PFC.
        (drop("PORT_QOS_MAP", UP, "pfc_enable"),
         ["lossless group without PFC on Ethernet32", "pfc_enable is nothing on Ethernet32"]),
        (put("BUFFER_PG", f"{UP}|3", "profile", "ingress_lossy_profile"), ["PFC without a lossless group on Ethernet32"]),
        # A lane twice; a speed that no lane carries.
        (put("PORT", UP, "lanes", "32,33,34,35,36,37,38,0"), ["lane 0 is that of Ethernet0, Ethernet32"]),
        (put("PORT", UP, "speed", "3200000"), ["speed 3200000 on 8 lanes of Ethernet32", "speed is 3200000 on 1 ports"]),
        (put("PORT", UP, "speed", "1600000"), ["speed is 1600000 on 1 ports"]),
        (put("PORT", UP, "speed", "1600001"), ["speed 1600001 on 8 lanes of Ethernet32", "speed is 1600001 on 1 ports"]),
        (put("PORT", UP, "speed", "fast"), ["speed fast on 8 lanes of Ethernet32", "speed is fast on 1 ports"]),
        (drop("PORT", UP, "speed"), ["speed is nothing on 1 ports", "speed unset on 8 lanes of Ethernet32"]),
        # RoCE on a lossy class: the stock map.
        (put("DSCP_TO_TC_MAP", "ROCE", "26", "1"), ["map ROCE puts DSCP 26 (RoCE) on class 1"]),
        (put("DSCP_TO_TC_MAP", "ROCE", "48", "3"), ["map ROCE puts DSCP 48 (notifications) on class 3"]),
        (drop("DSCP_TO_TC_MAP", "ROCE", "26"), ["map ROCE puts DSCP 26 (RoCE) on class none"]),
        (put("PORT_QOS_MAP", UP, "dscp_to_tc_map", "AZURE"),
         ["PORT_QOS_MAP uses DSCP_TO_TC_MAP AZURE, which isn't there", "map AZURE puts DSCP 26 (RoCE) on class none",
          "map AZURE puts DSCP 48 (notifications) on class none"]),
        (put("QUEUE", f"{UP}|3", "wred_profile", "gone"), ["QUEUE uses WRED_PROFILE gone, which isn't there"]),
        (drop("SCHEDULER", "scheduler.cnp"), ["QUEUE uses SCHEDULER scheduler.cnp, which isn't there"]),
        (put("BUFFER_PROFILE", "ingress_lossy_profile", "pool", "gone"),
         ["BUFFER_PROFILE uses BUFFER_POOL gone, which isn't there"]),
        # Ports.
        (lambda t: t["QUEUE"].update({"Ethernet999|3": {}}), ["QUEUE names Ethernet999"]),
        (put("PORT", UP, "mtu", "1500"), ["mtu is 1500 on 1 ports"]),
        (put("PORT", UP, "admin_status", "down"), ["admin_status is down on 1 ports"]),
        (put("CABLE_LENGTH", "AZURE", UP, "1m"), ["CABLE_LENGTH is below the cable on Ethernet32"]),
        (put("CABLE_LENGTH", "AZURE", UP, "far"), ["CABLE_LENGTH is below the cable on Ethernet32"]),
        (drop("CABLE_LENGTH", "AZURE", UP), ["CABLE_LENGTH is below the cable on Ethernet32"]),
        # Routing.
        (put("BGP_GLOBALS", "default", "local_asn", "65001"), ["local_asn 65001"]),
        (drop("BGP_GLOBALS"), ["local_asn unset"]),
        (drop("BGP_NEIGHBOR", f"default|{UP}"), ["no neighbour on Ethernet32"]),
        (lambda t: t["BGP_NEIGHBOR"].update({f"default|{NODE}": {"peer_group_name": "FABRIC"}}),
         ["unplanned neighbour on Ethernet0"]),
        (put("BGP_NEIGHBOR", f"default|{UP}", "peer_group_name", "GONE"), ["peer group of default|Ethernet32 isn't defined"]),
        # Without a route map FRR brings the session up and discards its routes.
        (drop("BGP_PEER_GROUP_AF"), [f"no route map in and out in BGP_PEER_GROUP_AF {key}" for key in FAMILIES]),
        (drop("BGP_PEER_GROUP_AF", FAMILIES[0], "route_map_in"), [f"no route map in in BGP_PEER_GROUP_AF {FAMILIES[0]}"]),
        (put("BGP_PEER_GROUP_AF", FAMILIES[1], "route_map_out", ["GONE"]),
         [f"no route map out in BGP_PEER_GROUP_AF {FAMILIES[1]}"]),
        (put("BGP_PEER_GROUP_AF", FAMILIES[1], "route_map_out", "ALL"), []),
        (put("DEVICE_METADATA", "localhost", "frr_mgmt_framework_config", "false"), ["neighbours by interface"]),
    ],
)  # fmt: skip
def test_what_yang_accepts_and_we_do_not(change, words):
    assert sorted(found(change)) == sorted(words)


def test_a_port_of_the_plan_is_missing():
    words = found(drop("PORT", UP))
    assert "no port Ethernet32" in words
    assert "BUFFER_PG names Ethernet32" in words
    assert not [word for word in words if word.startswith(("mtu", "speed", "admin_status"))]


def test_a_length_as_long_as_the_cable_is_enough():
    port = next(port for port in INTENT.wired() if port.native == UP)
    assert found(put("CABLE_LENGTH", "AZURE", UP, f"{int(port.cable_m)}m")) == []


def test_without_neighbours_the_framework_is_not_asked_for():
    words = found(
        lambda t: (t.update({"BGP_NEIGHBOR": {}}), t["DEVICE_METADATA"]["localhost"].pop("frr_mgmt_framework_config"))
    )
    assert words == ["no neighbour on Ethernet32, Ethernet40, Ethernet48 and 1 more"]


def test_a_watchdog_that_is_off_by_contract_is_not_missed():
    watchdog = INTENT.site.lossless.watchdog.model_copy(update={"enabled": False})
    lossless = INTENT.site.lossless.model_copy(update={"watchdog": watchdog})
    fields = {name: getattr(INTENT, name) for name in INTENT.__struct_fields__}
    intent = type(INTENT)(**fields | {"site": INTENT.site.model_copy(update={"lossless": lossless})})
    tables = sonic(intent)
    assert "PFC_WD" not in tables
    assert check_config_db(tables, intent) == []


def test_a_port_without_a_row_of_headroom_needs_no_group():
    """Where no table answers, FABRIC-053 refuses the plan; the file then has no profile for that port."""
    ports = tuple(
        type(port)(
            **{name: getattr(port, name) for name in port.__struct_fields__} | ({"headroom": None} if port.native == UP else {})
        )
        for port in INTENT.ports
    )
    fields = {name: getattr(INTENT, name) for name in INTENT.__struct_fields__}
    intent = type(INTENT)(**fields | {"ports": ports})
    assert check_config_db(sonic(intent), intent) == []
