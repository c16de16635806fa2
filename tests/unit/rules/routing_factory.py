"""A routed fabric that passes every rule, to be changed one field at a time; and a small planned one, made once."""

from functools import cache

from railyard import catalog
from railyard.model.lossless import Bfd, Lossless
from railyard.model.switch_intent import RoutingPlan, SwitchRouting
from railyard.plan import plan
from railyard.plan.switch_intent import switch_intents
from tests.planned_site import make_site
from tests.unit.rules.rules_factory import leaf

ASIC = catalog.load().asics["spectrum-4"]


def contract(**changes):
    return Lossless(**changes)


def routing(**changes):
    fields = {
        "nos": "cumulus",
        "nos_named": True,
        "nos_version": "5.14.0",
        "asic": "spectrum-4",
        "box": ASIC.boxes["sn5600"],
        "link_gbps": 400.0,
        "tiers": 2,
        "asn_base": 4_200_000_000,
        "asn_last": 4_200_010_007,
        "leaves": 8,
        "leaf_asns": 8,
        "spine_groups": 1,
        "spine_asns": 1,
        "uplinks": 32,
        "lossless": contract(),
        "bfd": Bfd(),
        "headroom": tuple(row for row in ASIC.headroom if row.gbps == 400),
        "headroom_source": "a table",
        "shared_buffer_bytes": 158_229_504,
        "shared_buffer_source": "a file",
        "max_paths_limit": 128,
        "adaptive_routing": True,
        "bad_releases": ASIC.bad_releases,
        "ntp_servers": ("10.17.0.2",),
        "syslog_servers": ("10.17.0.4",),
        "management": ("10.16.0.0/18",),
        "management_gateway": "10.16.0.1",
        "rails_v6": False,
        "systems": ASIC.systems,
    }
    return RoutingPlan(**fields | changes)


def routed_leaf(**changes):
    """A leaf with 64 ports on 40 m cables at 400 Gb/s."""
    fields = {
        "asn": 4_200_010_000,
        "router_id": "10.51.0.1",
        "uplinks": 32,
        "maximum_paths": 32,
        "subnets": ("10.52.0.0/26",),
        "lossless_ports": 64,
        "headroom_bytes": 64 * 303_104,
        "headroom_unknown": (),
        "longest_m": 40.0,
        "link_gbps": 400.0,
        "shared_buffer_bytes": 158_229_504,
        "kmax_bytes": 1_500_000,
    }
    return leaf(routing=SwitchRouting(**fields | changes))


@cache
def small_plan(nos="sonic", **lossless):
    """Two nodes on a unit of 4 slots: 8 leaves with 4 uplinks; IPv6 beside IPv4."""
    fabric = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 800, "nodesPerUnit": 4, "nos": nos, "nosVersion": "1"}
    addresses = {"ipv6": {"rails": "fd00:32::/48"}, "syslogServers": ["10.2.0.4"]}
    return plan(make_site(nodes=2, fabric=fabric, addresses=addresses))


@cache
def small_intent(nos):
    """The first leaf of the small plan, with a system's port names."""
    return next(switch_intents(small_plan(), nos))
