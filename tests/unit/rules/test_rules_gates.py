"""Judgements of measured evidence: gates and identity."""

from railyard.rules import check_admission, check_facility, check_identity, missing_machines
from tests.unit.rules.rules_factory import ids


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
    assert ids(check_identity(PLANNED, {"macs": []})) == ["METAL-003"]
