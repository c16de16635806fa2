"""Committed stacks through the packs: they pass, every resource is looked at, bad variants fail in the right pack."""

from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from components.facility import hall_name, hall_props
from components.metal import machine_inputs
from components.site import site_props
from policies import common
from policies.fabric import pack as fabric_pack
from policies.hardening import pack as hardening_pack
from policies.power import pack as power_pack
from railyard import load, plan, rules
from railyard.model.networks import OobNetwork
from railyard.model.site import Feed
from railyard.rules.slices import FILE_SYSTEM, HALL, MACHINE, NETWORK, PLATFORM, RACK, REPLICA, SITE, SWITCH
from tests.policy.policy_harness import args, mandatory

ROOT = Path(common.__file__).parent.parent
STACKS = sorted(path.name.split(".")[1] for path in (ROOT / "stacks").glob("Pulumi.*.yaml"))
SITE_TOPICS = ("fabric-size", "cables", "lossless-fabric", "hosts-and-schedulers", "infiniband")
RACK_TOPICS = [topic.name for topic in power_pack.TOPICS if topic.applies(RACK)]
HALL_TOPICS = [topic.name for topic in power_pack.TOPICS if topic.applies(HALL)]
PACKS = {"power": power_pack.POLICIES, "fabric": fabric_pack.POLICIES, "hardening": hardening_pack.POLICIES}


@pytest.fixture(autouse=True)
def _fresh():
    common.SEEN.reset()


def resources(config, planned):
    """What the program registers, in its order, as far as packs judge it."""
    yield args(SITE, site_props(config, planned), planned.site.site)
    yield args(HALL, hall_props(planned), hall_name(planned))
    for rack in planned.racks:
        yield args(RACK, rack.props(), rack.name)
    for switch in planned.switches:
        yield args(SWITCH, switch.props(), switch.name)
    for network in planned.networks:
        yield args(NETWORK, network.props(), network.name)
    for machine in planned.machines:
        if machine.lifecycle == "active":
            yield args(MACHINE, machine_inputs(machine, config.file.bmc, config.file.addresses.ntp_servers), machine.name)
    yield args(PLATFORM, planned.platform.props(), planned.platform.name)
    if planned.file_system:
        yield args(FILE_SYSTEM, planned.file_system.props(), planned.file_system.name)
    if planned.replica:
        yield args(REPLICA, planned.replica.props(), planned.replica.name)


def changed(stack, **sections):
    """A stack with some keys of some sections changed, and its plan."""
    config = load.site_config(ROOT, stack)
    file = config.file
    new = {name: getattr(file, name).model_copy(update=keys) for name, keys in sections.items()}
    config = config.__class__(**{**vars(config), "file": file.model_copy(update=new)})
    return config, plan.plan(config)


@pytest.mark.parametrize("stack", STACKS)
def test_committed_stacks_pass_and_every_policy_looks_at_every_resource(stack):
    config = load.site_config(ROOT, stack)
    planned = plan.plan(config)
    shown = list(resources(config, planned))
    for policies in PACKS.values():
        assert mandatory(policies, *shown) == []
    active = sum(machine.lifecycle == "active" for machine in planned.machines)
    expected = Counter(
        {
            **{(topic, RACK): len(planned.racks) for topic in RACK_TOPICS},
            ("power-notes", RACK): len(RACK_TOPICS) * len(planned.racks),
            **{(topic, HALL): 1 for topic in HALL_TOPICS},
            ("power-notes", HALL): len(HALL_TOPICS),
            ("switch-wiring", SWITCH): len(planned.switches),
            ("routed-switches", SWITCH): len(planned.switches),
            ("fabric-notes", SWITCH): 2 * len(planned.switches),
            ("other-networks", NETWORK): len(planned.networks),
            ("fabric-notes", NETWORK): len(planned.networks),
            **{(topic, SITE): 1 for topic in SITE_TOPICS},
            ("fabric-notes", SITE): len(SITE_TOPICS),
            ("api-server", PLATFORM): 1,
            ("hardening-notes", PLATFORM): 1,
            ("bmc-access", MACHINE): active,
            ("hardening-notes", MACHINE): active,
            ("storage-and-replication", FILE_SYSTEM): int(planned.file_system is not None),
            ("fabric-notes", FILE_SYSTEM): int(planned.file_system is not None),
            ("storage-and-replication", REPLICA): int(planned.replica is not None),
            ("fabric-notes", REPLICA): int(planned.replica is not None),
        }
    )
    expected = +expected  # without what a site doesn't have
    assert expected == common.SEEN.looked
    assert len(planned.racks) > 0
    assert len(planned.switches) > 0


def paths_of(stack, kind, **keys):
    """The power path of a stack with other figures for one kind of segment."""
    power = load.site_config(ROOT, stack).file.power
    return tuple(path.model_copy(update=keys) if path.kind == kind else path for path in power.paths)


def feeds_of(model, **keys):
    return tuple(Feed(name=name, pdu_model=model, **keys) for name in ("a", "b"))


BAD = {
    "overloaded rack": ({"facility": {"nodes_per_rack": 5}}, "power", "POWER-001"),
    "panel that trips in the failover": (
        {"power": {"paths": paths_of("prod-site-a", "panel", breaker_a=1200.0)}},
        "power",
        "POWER-009",
    ),
    "panel that trips at once": ({"power": {"paths": paths_of("prod-site-a", "panel", breaker_a=600.0)}}, "power", "POWER-008"),
    "UPS for half of the load": ({"power": {"paths": paths_of("prod-site-a", "ups", rated_kva=1000.0)}}, "power", "POWER-010"),
    "100 % breaker without evidence": (
        {"power": {"paths": paths_of("prod-site-a", "busway", continuous_rating=1.0)}},
        "power",
        "POWER-021",
    ),
    "strips with 16 A banks": ({"facility": {"feeds": feeds_of("raritan-px3-5730-v2")}}, "power", "POWER-011"),
    "strips with too few C19": ({"facility": {"feeds": feeds_of("hp-af527a")}}, "power", "POWER-012"),
    "supplies all on one feed": ({"power": {"psu_feeds": {"dgx-h100": ("a",) * 6}}}, "power", "POWER-012"),
    "breaker smaller than a supply": (
        {"facility": {"feeds": feeds_of("strip-415v-60a-12x20a", breaker_a=10.0)}},
        "power",
        "POWER-019",
    ),
    "blocking leaf": ({"fabric": {"uplinks_per_leaf": 30}}, "fabric", "FABRIC-001"),
    "12 spines for 3 units": (
        {"fabric": {"scalable_units": 3, "planned_scalable_units": 3, "spines": 12}},
        "fabric",
        "FABRIC-002",
    ),
    "management on one uplink": ({"networks": {"oob": OobNetwork(uplinks=1)}}, "fabric", "FABRIC-049"),
    "unencrypted API server": ({"platform": {}}, "hardening", "CIS-1.2.27"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_variants_of_prod_site_a_fail_in_the_right_pack(case):
    sections, pack, rule = BAD[case]
    if pack == "hardening":
        server = load.site_config(ROOT, "prod-site-a").file.platform.control_plane
        sections = {"platform": {"control_plane": server.model_copy(update={"encrypt_secrets": False})}}
    config, planned = changed("prod-site-a", **sections)
    shown = list(resources(config, planned))
    refused = {name: {found for _, found in mandatory(policies, *shown)} for name, policies in PACKS.items()}
    assert rule in refused[pack]
    for name, found in refused.items():
        assert name == pack or not found
    assert rule in {finding.id for finding in rules.check(config, planned, date(2026, 6, 1))}


def test_program_and_pack_say_the_same():
    """One predicate, three users: what the program finds on racks and the hall is what the pack refuses, word for word."""
    config, planned = changed("prod-site-a", facility={"nodes_per_rack": 5})
    judged = [
        found for found in rules.check(config, planned, datetime.now(UTC).date()) if rules.RULES[found.id].pack == "power"
    ]
    program = {str(finding) for finding in judged if finding.severity in ("limit", "invariant")}
    texts = set()
    for resource in resources(config, planned):
        for policy in power_pack.POLICIES[:-1]:
            policy.validate(resource, lambda text, urn=None: texts.add(text))
    assert texts == program
