"""All rules over one plan; the registry and its document."""

from datetime import date
from types import SimpleNamespace

from railyard.model.errors import Problem
from railyard.model.plan import Cable
from railyard.model.site import Bmc, Compute, Fabric, Waiver
from railyard.rules import RULES, check
from railyard.rules.docs import rules_markdown
from tests.unit.rules.rules_factory import addresses, fabric, ids, leaf, machine, platform, queue, rack, totals

TODAY = date(2026, 6, 1)


def stack_file(**changes):
    fields = {
        "compute": Compute(node_model="dgx-h100", nodes=128),
        "fabric": Fabric(transport="infiniband", switch_model="qm9700", link_gbps=400, nodes_per_unit=32, scalable_units=4),
        "addresses": addresses(),
        "bmc": Bmc(ca_file="ca.crt", account_ref="env:A", factory_ref="env:B"),
        "waivers": (),
    }
    return SimpleNamespace(file=SimpleNamespace(**fields | changes))


def planned(**changes):
    """The fields of `railyard.plan.Plan` that rules read."""
    fields = {
        "site": totals(),
        "fabric": fabric(),
        "racks": (rack(),),
        "switches": (leaf(),),
        "machines": (machine(), machine(name="lab-su001-gpu02")),
        "cables": (),
        "queues": (queue(gpus=16),),
        "platform": platform(),
        "problems": (),
    }
    return SimpleNamespace(**fields | changes)


def test_a_good_plan_has_no_findings():
    assert check(stack_file(), planned(), TODAY) == []


def test_every_family_is_asked():
    waivers = (Waiver(rule="POWER-999", reason="a typing error", expires="2026-12-31"),)
    config = stack_file(
        compute=Compute(node_model="dgx-h100", nodes=129),
        addresses=addresses(pods="10.0.0.0/8"),
        bmc=Bmc(ca_file="ca.crt", account_ref="env:A", factory_ref="env:B", verify_tls=False),
        waivers=waivers,
    )
    twice = tuple(Cable(str(n), "node-leaf", "n1/mlx5_0", f"leaf/{n}", "", "", 400.0, 2.0, "copper") for n in (1, 2))
    plan = planned(
        site=totals(built_scalable_units=9),
        racks=(rack(air_kw=30.0),),
        switches=(leaf(up_gbps=6400.0),),
        cables=twice,
        queues=(queue(gpus=17),),
        platform=platform(audit_log=False),
        problems=(Problem("PLAN-006", "railyard:addresses.oob", "300 addresses", "254", "a larger block"),),
    )
    assert set(ids(check(config, plan, TODAY))) == {
        "ADDR-001",
        "ADDR-002",
        "BMC-001",
        "CIS-1.2.16",
        "COOL-001",
        "FABRIC-001",
        "FABRIC-004",
        "FABRIC-005",
        "FABRIC-006",
        "FABRIC-007",
        "QUEUE-001",
        "WAIVER-001",
    }
    findings = check(config, plan, TODAY)
    assert findings == sorted(findings, key=lambda finding: finding.key)
    assert findings == check(config, plan, TODAY)


def test_machines_set_aside_lend_no_gpus():
    aside = (machine(), machine(name="lab-su001-gpu02", lifecycle="quarantined", reason="bad fan"))
    assert ids(check(stack_file(), planned(machines=aside), TODAY)) == ["QUEUE-001"]


def test_waivers_of_the_stack_file_apply():
    waivers = (Waiver(rule="COOL-001", where="lab-r001", reason="winter test run", expires="2026-12-31"),)
    config = stack_file(waivers=waivers)
    plan = planned(racks=(rack(air_kw=30.0),))
    assert [finding.severity for finding in check(config, plan, TODAY)] == ["waived"]
    assert [finding.severity for finding in check(config, plan, date(2027, 1, 1))] == ["limit"]


def test_findings_sort_numbers_as_numbers():
    racks = tuple(rack(name=f"lab-r{number}", air_kw=30.0) for number in (10, 9))
    assert [finding.where for finding in check(stack_file(), planned(racks=racks), TODAY)] == ["lab-r9", "lab-r10"]


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
