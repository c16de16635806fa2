"""All rules over one plan; the registry and its document."""

from datetime import date
from types import SimpleNamespace

from railyard.model.errors import Problem
from railyard.model.plan import AddressRow, Cable
from railyard.model.site import Bmc, Compute, Gates, Waiver
from railyard.rules import RULES, check
from railyard.rules.docs import rules_markdown
from tests.unit.rules.host_factory import hosts, one_unit
from tests.unit.rules.network_factory import cabling, network, oob_network, storage_network
from tests.unit.rules.power_factory import power_plan
from tests.unit.rules.rules_factory import (
    addresses,
    fabric,
    file_system,
    ids,
    leaf,
    machine,
    platform,
    queue,
    rack,
    replica,
    stack_file,
    totals,
)

TODAY = date(2026, 6, 1)


def site(**changes):
    return SimpleNamespace(file=stack_file(**changes), inventory=SimpleNamespace(switches=()))


def planned(**changes):
    """The fields of `railyard.plan.Plan` that rules read."""
    fields = {
        "site": totals(),
        "fabric": fabric(),
        "cabling": cabling(),
        "racks": (rack(),),
        "switches": (leaf(),),
        "machines": (machine(), machine(name="lab-su001-gpu02")),
        "cables": (),
        "addresses": (),
        "file_system": file_system(),
        "replica": replica(),
        "queues": (queue(gpus=16),),
        "platform": platform(),
        "networks": (network(), storage_network(), oob_network()),
        "hosts": hosts(),
        "scheduler": one_unit(),
        "routing": None,
        "infiniband": None,
        "partitions": (),
        "nccl": {},
        "problems": (),
        "power": power_plan(),
        "cooling": None,
        "floor": None,
    }
    return SimpleNamespace(**fields | changes)


def test_a_good_plan_has_no_findings():
    assert check(site(), planned(), TODAY) == []


def test_every_family_is_asked():
    waivers = (Waiver(rule="POWER-999", reason="a typing error", expires="2026-12-31"),)
    config = site(
        compute=Compute(node_model="dgx-h100", nodes=129),
        addresses=addresses(pods="10.0.0.0/8"),
        bmc=Bmc(ca_file="ca.crt", account_ref="env:A", factory_ref="env:B", verify_tls=False),
        gates=Gates(minimum_ready=3),
        waivers=waivers,
    )
    rows = tuple(AddressRow(name, "in-band", "bond0", "10.17.0.0", 16) for name in ("n1", "n2"))
    twice = tuple(Cable(str(n), "node-leaf", "n1/mlx5_0", f"leaf/{n}", "", "", 400.0, 2.0, "copper") for n in (1, 2))
    plan = planned(
        site=totals(built_scalable_units=9),
        racks=(rack(air_kw=30.0),),
        switches=(leaf(up_gbps=6400.0),),
        cables=twice,
        addresses=(*rows, AddressRow("n3", "in-band", "bond0", "10.17.0.10", 16)),
        file_system=file_system(usable_tib=90.0),
        replica=replica(achieved_rpo_min=40.0),
        queues=(queue("default", gpus=17),),
        platform=platform(audit_log=False),
        problems=(Problem("PLAN-006", "railyard:addresses.oob", "300 addresses", "254", "a larger block"),),
    )
    assert set(ids(check(config, plan, TODAY))) == {
        "ADDR-001",
        "ADDR-002",
        "ADDR-005",
        "ADDR-006",
        "ADDR-007",
        "BMC-001",
        "CIS-1.2.16",
        "COOL-001",
        "FABRIC-001",
        "FABRIC-004",
        "FABRIC-005",
        "FABRIC-006",
        "FABRIC-007",
        "FABRIC-012",
        "GATE-003",
        "QUEUE-001",
        "QUEUE-002",
        "REPL-001",
        "STORAGE-001",
        "WAIVER-001",
    }
    findings = check(config, plan, TODAY)
    assert findings == sorted(findings, key=lambda finding: finding.key)
    assert findings == check(config, plan, TODAY)


def test_machines_set_aside_lend_no_gpus():
    aside = (machine(), machine(name="lab-su001-gpu02", lifecycle="quarantined", reason="bad fan"))
    fewer = site(gates=Gates(minimum_ready=1), platform=stack_file().platform.model_copy(update={"probe_gpus": 8}))
    assert ids(check(fewer, planned(machines=aside), TODAY)) == ["QUEUE-001"]


def test_without_file_system_replica_and_tenants_nothing_is_asked_of_them():
    bare = planned(file_system=None, replica=None, queues=())
    assert check(site(platform=stack_file().platform.model_copy(update={"probe_gpus": 999})), bare, TODAY) == []


def test_waivers_of_the_stack_file_apply():
    waivers = (Waiver(rule="COOL-001", where="lab-r001", reason="winter test run", expires="2026-12-31"),)
    config = site(waivers=waivers)
    plan = planned(racks=(rack(air_kw=30.0),))
    assert [finding.severity for finding in check(config, plan, TODAY)] == ["waived"]
    lapsed = check(config, plan, date(2027, 1, 1))
    assert [(finding.id, finding.severity) for finding in lapsed] == [("COOL-001", "limit"), ("WAIVER-003", "limit")]
    assert ids(check(config, planned(), TODAY)) == ["WAIVER-003"]


def test_findings_sort_numbers_as_numbers():
    racks = tuple(rack(name=f"lab-r{number}", air_kw=30.0) for number in (10, 9))
    assert [finding.where for finding in check(site(), planned(racks=racks), TODAY)] == ["lab-r9", "lab-r10"]


def test_every_rule_says_all_that_people_need():
    for rule in RULES.values():
        for field in ("title", "why", "inputs", "passes", "fails", "cause", "manual", "fix", "source", "framework"):
            assert getattr(rule, field), (rule.id, field)
        assert rule.url.endswith(f"#{rule.id.lower()}")


def test_the_document_has_every_rule_once_and_every_threshold():
    text = rules_markdown()
    for rule in RULES.values():
        assert text.count(f"\n## {rule.id} ") == 1
    for label in ("Inputs", "Pass", "Fail", "Typical cause", "Manual check"):
        assert text.count(f"- {label}: ") == len(RULES)
    assert "| `survivorPercentMax` | 100 | POWER-001" in text
    assert text.endswith("\n")
    assert "| [ADDR-001](#addr-001) | invariant | - |" in text
    assert "| [POWER-001](#power-001) | limit | power |" in text
