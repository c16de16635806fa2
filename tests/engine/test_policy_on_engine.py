"""The three packs under the real engine, on prod-site-a: it passes; broken variants fail in the right pack, for every resource.

What each rule says has its cases in tests/policy and tests/unit/rules; here it's about what reaches a pack through the engine.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from railyard import load, plan
from railyard.plan import Plan
from tests.engine.plain import PACKS, edit, plain_yard, said
from tests.engine.yard import ROOT, Yard

VIOLATION = re.compile(
    r"- \[(?P<level>\w+)\] \[severity: (?P<severity>\w+)\]  (?P<policy>\S+)  \(\S+ (?P<resource>\S+)\)\n"
    r"(?P<body>(?: {10}.*\n)+)"
)
FINDING = re.compile(r"^ {10}([A-Z0-9]+-[0-9.]+) (.+)\n +found: (.+)\n +limit: (.+)\n +fix: +(.+)\n +see: +(.+)", re.M)


@dataclass(frozen=True)
class Refusal:
    """One finding that a pack reported on one resource."""

    pack: str
    level: str
    severity: str
    policy: str
    resource: str
    rule: str
    found: str
    limit: str
    fix: str


def refusals(text: str) -> Iterator[Refusal]:
    """The findings of the engine's section `Policies:`."""
    section = text.partition("\nPolicies:\n")[2].partition("\nDiagnostics:")[0] + "\n"
    for part in re.split(r"^ {4}\S+ (?=railyard-)", section, flags=re.M)[1:]:
        pack = part.partition("@")[0].removeprefix("railyard-")
        for match in VIOLATION.finditer(part):
            for rule, _, found, limit, fix, _ in FINDING.findall(match["body"]):
                said_by = (match["level"], match["severity"], match["policy"], match["resource"])
                yield Refusal(pack, *said_by, rule, found, limit, fix)


def judged(yard: Yard) -> tuple[int, str, list[Refusal]]:
    done = yard.preview(*PACKS, PULUMI_SKIP_CHECKPOINTS="true")
    return done.returncode, said(done), list(refusals(done.stdout))


def planned(yard: Yard) -> Plan:
    return plan.plan(load.site_config(ROOT, yard.stack, config_file=yard.stack_file))


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return plain_yard(tmp_path / "yard", "prod-site-a")


def three_units(yard: Yard) -> dict[str, Mapping[str, Any]]:
    """prod-site-a before its fourth unit was delivered."""
    inventory = YAML().load((ROOT / "sites/prod-site-a/inventory.yaml").read_text())
    inventory["machines"] = [machine for machine in inventory["machines"] if "-su004-" not in machine["name"]]
    with yard.inventory_file.open("w") as stream:
        YAML().dump(inventory, stream)
    return {
        "site": {"inventory": str(yard.inventory_file)},
        "compute": {"nodes": 96},
        "fabric": {"scalableUnits": 3, "plannedScalableUnits": 3, "spines": 12, "uplinksPerLeaf": 30},
    }


@pytest.mark.requirement("U2", "X3")
def test_prod_site_a_passes_all_packs(yard: Yard):
    code, text, refused = judged(yard)
    assert code == 0, text
    assert [refusal for refusal in refused if refusal.level == "mandatory"] == []
    for pack in ("power", "fabric", "hardening"):
        assert re.search(rf"[^❌\s]\S* railyard-{pack}@", text), "judged, with notes at most"


@pytest.mark.requirement("U2", "C3", "N1", "X3")
def test_everything_that_is_wrong_is_refused_by_its_pack_on_every_resource(yard: Yard):
    """Overloaded racks, blocking leaves, 12 spines for 3 units, an unencrypted API server, BMCs of unknown certificate."""
    broken = {
        "facility": {"nodesPerRack": 5, "airLimitKw": 0.1},
        "platform": {"controlPlane": {"encryptSecrets": False}},
        "bmc": {"verifyTls": False},
    }
    edit(yard, three_units(yard) | broken)
    code, text, refused = judged(yard)
    assert code != 0
    refused = [refusal for refusal in refused if refusal.level == "mandatory"]
    rules = {pack: {refusal.rule for refusal in refused if refusal.pack == pack} for pack in ("power", "fabric", "hardening")}
    assert rules == {
        "power": {"POWER-001", "POWER-012", "POWER-030", "POWER-031", "COOL-001"},
        "fabric": {"FABRIC-001", "FABRIC-002"},
        "hardening": {"CIS-1.2.27", "BMC-001"},
    }, text
    said_of = {rule: {r.resource for r in refused if r.rule == rule} for names in rules.values() for rule in names}
    site = planned(yard)
    leaves = {switch.name for switch in site.switches if switch.role == "leaf"}
    assert said_of == {
        "POWER-001": {rack.name for rack in site.racks if any(f.survivor_kva > f.capacity_kw for f in rack.feeds)},
        **{rule: {"prod-site-a-hall"} for rule in ("POWER-012", "POWER-030", "POWER-031")},
        "COOL-001": {rack.name for rack in site.racks},
        "FABRIC-001": leaves,
        "FABRIC-002": leaves | {"prod-site-a"},
        "CIS-1.2.27": {"prod-site-a-platform"},
        "BMC-001": {machine.name for machine in site.machines},
    }, "each policy looked at every resource that the plan has"
    assert len(said_of["POWER-001"]) == 18
    facts = {(r.rule, r.resource): r for r in refused}
    full = facts["POWER-001", "prod-site-a-r001"]
    assert "(49.50 kW) after losing feed" in full.found  # three of six supplies give 9.9 of 10.2 kW
    assert full.limit.startswith("34.50 kVA")
    assert "nodesPerRack" in full.fix
    leaf = facts["FABRIC-001", "prod-site-a-su001-leaf-r0"]
    assert (leaf.found, leaf.limit) == ("32:30 = 1.067:1", "1:1")
    assert "2 more uplinks" in leaf.fix
    spines = facts["FABRIC-002", "prod-site-a"]
    assert "12 spines do not divide 30 uplinks" in spines.found
    assert "15, a divisor of 30" in spines.fix
    server = facts["CIS-1.2.27", "prod-site-a-platform"]
    assert (server.found, server.limit, server.severity) == ("encryptSecrets: false", "true", "critical")


@pytest.mark.requirement("U2")
def test_a_waiver_makes_a_pack_pass_until_it_lapses(yard: Yard):
    edit(yard, {"fabric": {"uplinksPerLeaf": 30}, "platform": {"controlPlane": {"encryptSecrets": False}}})
    reason, last = "accepted by the owner of the site", (datetime.now(UTC).date() + timedelta(days=300)).isoformat()
    with yard.editing(yard.stack_file) as document:
        document["config"].setdefault("railyard:waivers", [])
        document["config"]["railyard:waivers"] += [
            {"rule": "FABRIC-001", "where": "*-leaf-*", "reason": reason, "expires": last},
            {"rule": "CIS-1.2.27", "reason": reason, "expires": "2020-01-01"},
        ]
    code, text, refused = judged(yard)
    assert code != 0, "one waiver has lapsed"
    mandatory = [refusal for refusal in refused if refusal.level == "mandatory"]
    assert [(r.pack, r.rule, r.resource) for r in mandatory] == [("hardening", "CIS-1.2.27", "prod-site-a-platform")]
    assert mandatory[0].found == f"encryptSecrets: false [waiver lapsed on 2020-01-01: {reason}]"
    waived = [refusal for refusal in refused if refusal.level == "advisory" and refusal.pack == "fabric"]
    assert {refusal.rule for refusal in waived} == {"FABRIC-001"}
    assert len(waived) == 32
    assert all(f"[waived until {last}: {reason}]" in refusal.found for refusal in waived)
    assert not re.search(r"❌ railyard-(fabric|power)@", text)
