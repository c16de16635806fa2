"""Judgements of measured evidence: gates and identity."""

import pytest

from railyard.rules import check_admission, check_facility, check_identity, check_thresholds, missing_machines
from tests.unit.rules.rules_factory import ids, machine


def facility(minimum=4, **rows):
    ready = {"n1": True, "n2": True, "n3": True, "n4": True} | rows
    machines = [{"name": name, "ready": value, "reason": None if value else "unreachable"} for name, value in ready.items()]
    return {"unit": "lab-su001", "minimumReady": minimum, "machines": machines}


def admission(**changes):
    labels = {"railyard.dev/rack": "lab-r001"}
    return {
        "job": "team/probe",
        "admitted": True,
        "gpus": 16,
        "gpusPerNode": 8,
        "topologyLevel": "railyard.dev/rack",
        "planned": {"n1": "lab-r001", "n2": "lab-r001", "n3": "lab-r002"},
        "assigned": [{"name": "n1", "labels": labels}, {"name": "n2", "labels": labels}],
    } | changes


PLANNED = {"name": "lab-su001-gpu01", "serial": "SN1", "gpus": 8, "nics": 8, "macs": ["02:00:00:00:00:01", "02:00:00:00:00:02"]}


def test_facility_passes_with_all_and_with_the_minimum():
    assert check_facility(facility()) == []
    assert check_facility(facility(minimum=3, n2=False)) == []
    assert check_facility(facility(minimum=3.0)) == []
    assert missing_machines(facility(n2=False)) == ["n2"]


def test_facility_names_the_missing_and_those_set_aside():
    evidence = facility(n4=False) | {"quarantined": [{"name": "n9", "reason": "bad fan"}, "n8"]}
    finding, *rest = check_facility(evidence)
    assert rest == []
    assert (finding.id, finding.where) == ("GATE-001", "lab-su001")
    assert finding.found == ("3 of 4 machines are ready; missing: n4 (unreachable); n9 (bad fan) [set aside]; n8 [set aside]")
    assert "4 ready" in finding.limit


def test_facility_that_wants_more_than_there_are():
    assert check_facility(facility(minimum=5))[0].found == "4 of 4 machines are ready; missing: none"


@pytest.mark.parametrize("minimum", [0, 1, 4])
def test_facility_never_passes_without_a_measured_machine(minimum):
    evidence = {"unit": "lab-sto", "minimumReady": minimum, "machines": [], "quarantined": [{"name": "n9", "reason": "fan"}]}
    (finding,) = check_facility(evidence)
    assert finding.found == "0 of 0 machines are ready; missing: n9 (fan) [set aside]"
    assert finding.limit.startswith(f"{max(1, minimum)} ready")


def test_admission_passes():
    assert check_admission(admission()) == []
    assert check_admission(admission(gpus=9)) == []
    assert check_admission(admission(gpus=16.0, gpusPerNode=8.0)) == []


def test_admission_refused():
    finding, *rest = check_admission(admission(admitted=False, message="quota used"))
    assert rest == []
    assert (finding.id, finding.where, finding.found) == ("GATE-002", "team/probe", "the probe was not admitted: quota used")
    assert finding.limit == "16 GPUs admitted"
    assert "no reason given" in check_admission(admission(admitted=False))[0].found


def test_admission_across_racks():
    rows = [{"name": name, "labels": {"railyard.dev/rack": rack}} for name, rack in (("n1", "lab-r001"), ("n3", "lab-r002"))]
    finding, *rest = check_admission(admission(assigned=rows))
    assert rest == []
    assert finding.found == "assigned across 2 racks: lab-r001, lab-r002"


def test_admission_on_wrong_labels():
    rows = [
        {"name": "n1", "labels": {"railyard.dev/rack": "lab-r001"}},
        {"name": "n2", "labels": {"railyard.dev/rack": "lab-r9"}},
    ]
    finding, *rest = check_admission(admission(assigned=rows))
    assert rest == []
    assert (finding.where, finding.found, finding.limit) == (
        "team/probe/n2",
        "n2 has railyard.dev/rack=lab-r9",
        "railyard.dev/rack=lab-r001",
    )
    rows[1]["labels"] = {}
    assert check_admission(admission(assigned=rows))[0].found == "n2 has railyard.dev/rack=(none)"


def test_admission_on_strangers_or_too_few():
    one = admission()["assigned"][0]
    findings = check_admission(admission(assigned=[one, {"name": "alien", "labels": {}}]))
    assert [f.found for f in findings] == ["assigned to alien, which the plan doesn't have"]
    for rows in ([one], [one, one], []):
        (finding,) = check_admission(admission(assigned=rows))
        assert finding.limit == "2 nodes of 8 GPUs"
    assert finding.found == "assigned to 0 nodes: none"


def test_identity_passes_and_macs_have_no_case():
    found = PLANNED | {"macs": ["02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:AA"]}
    assert check_identity(PLANNED, found) == []
    assert check_identity(PLANNED, PLANNED | {"macs": [mac.upper() for mac in PLANNED["macs"]]}) == []
    assert check_identity(PLANNED | {"gpus": 8.0}, PLANNED) == []


def test_identity_differences_name_found_and_planned():
    findings = check_identity(PLANNED | {"gpus": 8.0}, {"serial": "SN2", "gpus": 7.0, "nics": 6, "macs": ["02:00:00:00:00:02"]})
    assert [(f.id, f.severity, f.found, f.limit) for f in findings] == [
        ("METAL-001", "invariant", "serial SN2", "serial SN1 (planned)"),
        ("METAL-002", "invariant", "gpus 7", "gpus 8 (planned)"),
        (
            "METAL-003",
            "invariant",
            "no NIC with 02:00:00:00:00:01; found 02:00:00:00:00:02",
            "02:00:00:00:00:01 (planned)",
        ),
        ("METAL-004", "invariant", "nics 6", "nics 8 (planned)"),
    ]
    assert {f.where for f in findings} == {"lab-su001-gpu01"}


def test_what_a_bmc_does_not_say_is_not_compared():
    assert check_identity(PLANNED, {"serial": "SN1"}) == []
    assert check_identity({"serial": "SN1"}, PLANNED) == []
    assert ids(check_identity({"serial": "SN1"}, {"serial": "SN2"})) == ["METAL-001"]
    assert ids(check_identity(PLANNED, {"serial": "SN1", "macs": []})) == ["METAL-003"]


@pytest.mark.parametrize("found", [{"gpus": 8}, {"serial": None}, {"serial": ""}])
def test_a_machine_without_a_serial_may_be_any_machine(found):
    (finding,) = check_identity({"name": "n1", "serial": "SN1"}, found)
    assert (finding.id, finding.found, finding.limit) == ("METAL-001", "serial (none shown)", "serial SN1 (planned)")


TWO_UNITS = (
    machine(name="a", unit=1, rack="r1"),
    machine(name="b", unit=1, rack="r1"),
    machine(name="c", unit=2, rack="r2"),
    machine(name="d", unit=2, rack="r2", lifecycle="quarantined", reason="fan"),
    machine(name="s", unit=None, rack="r3", role="storage", gpus=0),
)


def test_thresholds_that_can_be_met():
    assert check_thresholds(TWO_UNITS, 1, 16) == []
    assert check_thresholds(TWO_UNITS, 1, None, 1) == []
    assert check_thresholds(TWO_UNITS[:3], None, None) == []


def test_more_machines_than_a_unit_has():
    finding, *rest = check_thresholds(TWO_UNITS, 2, 16)
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("GATE-003", "invariant", "railyard:gates.minimumReady")
    assert (finding.found, finding.limit) == ("2 machines of unit 2", "1, all that are active")
    assert len(check_thresholds(TWO_UNITS, 3, 16)) == 2


def test_a_unit_that_is_set_aside_whole_never_passes():
    aside = (*TWO_UNITS[:2], TWO_UNITS[3])
    assert [f.found for f in check_thresholds(aside, None, None)] == ["1 machines of unit 2"]


def test_without_a_number_all_machines_are_wanted_those_set_aside_too():
    """As the gate itself wants them: else it would say so only after the whole installation."""
    finding, *rest = check_thresholds(TWO_UNITS, None, None)
    assert rest == []
    assert (finding.where, finding.found) == ("railyard:gates.minimumReady", "2 machines of unit 2")


@pytest.mark.parametrize(("number", "wanted"), [(None, 2), (2, 2), (1, None)])
def test_a_storage_machine_that_is_set_aside_takes_a_number_of_its_own(number, wanted):
    aside = machine(name="s2", unit=None, rack="r3", role="storage", gpus=0, lifecycle="quarantined", reason="fan")
    found = [(f.id, f.where, f.found, f.limit) for f in check_thresholds((*TWO_UNITS[:3], TWO_UNITS[4], aside), 1, 16, number)]
    said = ("GATE-003", "railyard:gates.storageMinimumReady", f"{wanted} machines of storage", "1, all that are active")
    assert found == ([said] if wanted else [])


def test_a_probe_larger_than_a_rack():
    finding, *rest = check_thresholds(TWO_UNITS, 1, 17)
    assert rest == []
    assert (finding.where, finding.found) == ("railyard:platform.probeGpus", "a probe of 17 GPUs")
    assert finding.limit == "16 GPUs of r1, the most in one rack: the probe must fit into one"
    assert check_thresholds((), None, 1)[0].limit.startswith("0 GPUs of no rack")
