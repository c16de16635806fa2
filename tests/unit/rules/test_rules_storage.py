"""File system and replica: quotas, mirrors, freshness; passing, at the limit, one step over."""

from railyard.rules import Thresholds, check_file_system, check_replica
from tests.unit.rules.rules_factory import file_system, ids, replica, target


def test_quotas_up_to_80_percent_pass_and_more_names_both_numbers():
    assert check_file_system(file_system()) == []
    finding, *rest = check_file_system(file_system(quota_tib={"datasets": 50.0, "logs": 30.1}))
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("STORAGE-001", "limit", "lab-beegfs")
    assert finding.found == "quotas of 80.1 TiB (datasets 50, logs 30.1)"
    assert finding.limit == "80.0 TiB, 80 % of 100.0 TiB usable"
    assert "take 0.1 TiB off" in finding.fix


def test_80000_tib_on_2235():
    (finding,) = check_file_system(file_system(usable_tib=2235.2, quota_tib={"scratch": 80000.0}))
    assert finding.found == "quotas of 80,000.0 TiB (scratch 80000)"
    assert "of 2,235.2 TiB usable" in finding.limit


def test_the_fill_limit_can_be_tuned_and_no_class_is_no_quota():
    assert check_file_system(file_system(usable_tib=80.0), Thresholds(storage_fill_percent_max=100)) == []
    assert check_file_system(file_system(usable_tib=0.0, quota_tib={})) == []


def test_mirrors_that_protect_nothing():
    own = (
        target("sto01-data00", "sto01", "sto01-data01"),
        target("sto01-data01", "sto01", "sto02-data00"),
        target("x", "sto02"),
    )
    findings = check_file_system(file_system(targets=own))
    assert ids(findings) == ["STORAGE-002"] * 3
    assert [(f.where, f.found) for f in findings] == [
        ("lab-beegfs/sto01-data00", "a mirror on sto01, its own server"),
        ("lab-beegfs/sto01-data01", "a mirror, sto02-data00, that is no target"),
        ("lab-beegfs/x", "a target without a mirror"),
    ]


def test_without_mirroring_no_mirror_is_missed():
    assert check_file_system(file_system(mirrored=False, targets=(target("x", "sto01"),))) == []


def test_lustre_mirrors_data_and_never_metadata():
    meta = (*file_system().targets, target("sto01-meta00", "sto01", kind="metadata"))
    assert check_file_system(file_system(backend="lustre", targets=meta)) == []
    assert ids(check_file_system(file_system(targets=meta))) == ["STORAGE-002"]
    data = (*file_system().targets, target("sto03-data00", "sto03"))
    assert ids(check_file_system(file_system(backend="lustre", targets=data))) == ["STORAGE-002"]


def test_a_copy_as_fresh_as_wanted():
    assert check_replica(replica()) == []
    finding, *rest = check_replica(replica(achieved_rpo_min=39.1, copy_min=9.1))
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("REPL-001", "limit", "lab-replica")
    assert finding.found == "an RPO of 39.1 min: a copy takes 9.1 min, every checkpoint is copied"
    assert finding.limit == "39 min (railyard:replication.rpoMin)"


def test_a_copy_that_outlasts_the_interval_says_how_many_checkpoints_are_left_out():
    def copied(minutes):
        return check_replica(replica(copy_min=minutes, achieved_rpo_min=999.0))[0].found.rpartition(", ")[2]

    assert copied(30.0) == "every checkpoint is copied"
    assert copied(30.1) == "one of 2 checkpoints is copied"
    assert copied(60.1) == "one of 3 checkpoints is copied"
