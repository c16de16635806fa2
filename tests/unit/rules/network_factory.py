"""Slices of the other networks and of the cables that pass every rule, to be changed one field at a time."""

from railyard.model.cabling import BomLine, CableClass, CableEnd, CablingPlan, TrayFill
from railyard.model.networks import NetworkPlan, NetworkTier


def layer(**changes):
    """The two switches of a pair, 41 of 64 ports planned."""
    fields = {
        "role": "pair",
        "switches": 2,
        "first": "lab-mgmt-sw01",
        "last": "lab-mgmt-sw02",
        "ports": 64,
        "used": 41,
        "free": 23,
        "down_gbps": 3900.0,
    }
    return NetworkTier(**fields | changes)


def network(**changes):
    """In-band network of one pair, MLAG."""
    fields = {
        "name": "lab-in-band",
        "kind": "in-band",
        "transport": "ethernet",
        "switch_model": "sn4600c",
        "link_gbps": 100.0,
        "attach": "mlag",
        "carries": ("in-band",),
        "tiers": 1,
        "layers": (layer(),),
        "peer_links": 2,
        "oversubscription": 4.0,
        "ports_per_node": 4,
        "ports_needed": 4,
        "nic_gbps": 400.0,
    }
    return NetworkPlan(**fields | changes)


def storage_network(**changes):
    """Storage network of leaves and spines on InfiniBand: 8 servers of 2 x 400 Gb/s for 120 GB/s, written twice."""
    tiers = (
        layer(role="leaf", switches=16, used=56, free=8, down_gbps=12800.0, up_gbps=9600.0),
        layer(role="spine", switches=8, used=54, free=10, down_gbps=21600.0),
    )
    fields = {
        "name": "lab-storage",
        "kind": "storage",
        "transport": "infiniband",
        "switch_model": "qm9700",
        "link_gbps": 400.0,
        "attach": "independent",
        "carries": ("storage",),
        "tiers": 2,
        "layers": tiers,
        "peer_links": 0,
        "links_per_pair": 3.0,
        "oversubscription": 1.5,
        "node_gb_per_s": 25600.0,
        "server_gb_per_s": 800.0,
        "node_to_server": 32.0,
        "target_gb_per_s": 120.0,
        "copies": 2,
    }
    return network(**fields | changes)


def oob_network(**changes):
    """Out-of-band network of three switches, 46 of 48 ports planned on the fullest."""
    fields = {
        "name": "lab-oob",
        "kind": "oob",
        "switch_model": "sn2201",
        "link_gbps": 1.0,
        "attach": None,
        "carries": ("oob",),
        "layers": (layer(role="access", switches=3, ports=48, used=46, free=2),),
        "peer_links": 0,
        "ports_per_node": None,
        "ports_needed": 0,
        "nic_gbps": None,
        "endpoints": {"bmc": 34, "pdu": 32, "switch": 16},
        "longest_copper_m": 10.0,
        "uplinks_per_switch": 2,
        "uplink_switches": 2,
    }
    return network(**fields | changes)


def cable_end(**changes):
    """A finned twin-port cage with the multimode optic of its own form."""
    fields = {
        "form": "osfp",
        "heat_sink": "finned",
        "ports": 2,
        "port_gbps": 400.0,
        "lane_gbps": 100,
        "optic": "mma4z00-ns",
        "optic_heat_sink": "finned",
        "optic_form": "osfp",
        "connector": "mpo-12-apc",
        "fec": "rs-544",
    }
    return CableEnd(**fields | changes)


def cable_class(**changes):
    """256 leaf-spine cables of OM4, the longest as long as may be, two of one cage 10 m apart."""
    fields = {
        "kind": "leaf-spine",
        "sku": "mfp7e10",
        "medium": "multimode-om4",
        "shape": "straight",
        "polarity": "type-b",
        "segments": 1,
        "links": 256,
        "cables": 256,
        "link_gbps": 400.0,
        "lane_gbps": 100,
        "min_route_m": 10.0,
        "max_route_m": 40.0,
        "max_length_m": 50.0,
        "reach_m": 50.0,
        "longest": "leaf:33",
        "skew_ns": 45.0,
        "skew_at": "R001-U40-P3",
        "loss_db": 0.85,
        "loss_budget_db": 1.55,
        "a": cable_end(),
        "z": cable_end(),
    }
    return CableClass(**fields | changes)


def bom_line(**changes):
    """100 fibres of 10 m with two spares."""
    fields = {
        "item": "cable",
        "sku": "mfp7e10",
        "part": "MFP7E10-N",
        "title": "fibre",
        "length_m": 10.0,
        "count": 100,
        "spares": 2,
        "unit_price_usd": None,
    }
    return BomLine(**fields | changes)


def tray(**changes):
    """A tray segment that is half full."""
    fields = {"segment": "row 1, position 3 to 4", "cables": 2000, "area_mm2": 14137.0, "percent": 50.0, "unknown": 0}
    return TrayFill(**fields | changes)


def cabling(*classes, **changes):
    fields = {
        "slack_percent": 10.0,
        "spares_percent": 2.0,
        "bundle_cables": 24,
        "ports_per_cage": 2,
        "classes": classes or (cable_class(),),
        "bom": (bom_line(),),
        "trays": (tray(),),
        "mixed_cages": (),
        "mixed_cage_count": 0,
        "oob_longest_m": 0.0,
        "oob_longest": "",
    }
    return CablingPlan(**fields | changes)
