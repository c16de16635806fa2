"""The protocol, against the real process over TLS."""

import json
import signal
import subprocess
import threading
import time

import pytest

from tests.unit.provision.conftest import CANARY, ROOT, Service, free_port


def install(service, generation=1):
    url = service.issue(generation=generation).json()["mediaUrl"]
    seed = service.seed(url)
    assert service.call_home(seed, "begun") == 204
    assert service.call_home(seed, "finished") == 204
    return url, seed


def test_issue_is_idempotent_and_needs_the_admin(service):
    first = service.issue()
    assert first.status_code == 201
    assert service.issue().json()["mediaUrl"] == first.json()["mediaUrl"]
    assert service.call("POST", "/v1/installations", json={}).status_code == 401
    assert service.call("GET", "/v1/installations/SN1").status_code == 401
    assert service.admin("GET", "/v1/installations/SN2").status_code == 404


@pytest.mark.parametrize(
    ("change", "status", "word"),
    [
        ({"imageSha256": "0" * 64}, 422, "SHA-256"),
        ({"image": "other.img"}, 422, "is not in"),
        ({"image": "../admin"}, 400, "image"),
        ({"surprise": 1}, 400, "surprise"),
        ({"generation": 0}, 400, "generation"),
    ],
)
def test_wrong_requests_are_named(service, change, status, word):
    answer = service.issue(**change)
    assert answer.status_code == status
    assert word in answer.json()["error"]


def test_an_installation_goes_through_its_states(service):
    url, seed = install(service)
    assert seed["labels"] == {"railyard.dev/rack": "lab-r001"}
    record = service.admin("GET", "/v1/installations/SN1").json()
    assert (record["state"], record["hostKeyFingerprint"]) == ("finished", "SHA256:abc")
    assert service.call("GET", url).status_code == 410
    assert service.issue().status_code == 409
    assert service.issue().json()["state"] == "finished"


def test_begun_after_finished_tells_the_machine_to_stop(service):
    _, seed = install(service)
    assert service.call_home(seed, "begun") == 409


def test_a_wrong_signature_changes_nothing(service):
    seed = service.seed(service.issue().json()["mediaUrl"])
    assert service.call_home(seed, "begun", key="00" * 32) == 401
    assert service.admin("GET", "/v1/installations/SN1").json()["state"] == "issued"


def test_finished_needs_begun_and_an_old_generation_is_refused(service):
    seed = service.seed(service.issue().json()["mediaUrl"])
    assert service.call_home(seed, "finished") == 409
    service.issue(generation=2)
    assert service.call_home(seed, "begun") == 401, "its key is worth nothing any more"
    assert service.issue(generation=1).status_code == 409


def test_a_second_attempt_never_begins(service):
    url = service.issue().json()["mediaUrl"]
    seed = service.seed(url)
    assert service.call_home(seed, "begun", attempt="SHA256:one") == 204
    assert service.call_home(seed, "begun", attempt="SHA256:one") == 204, "the same attempt may ask again"
    assert service.call_home(seed, "begun", attempt="SHA256:two") == 409
    assert service.call_home(seed, "finished", attempt="SHA256:two") == 409
    assert service.call_home(seed, "begun", attempt=None) == 400
    assert service.admin("GET", "/v1/installations/SN1").json()["hostKeyFingerprint"] == "SHA256:one"
    assert service.call_home(seed, "finished", attempt="SHA256:one") == 204
    assert service.call_home(seed, "finished", attempt="SHA256:one") == 204
    assert service.call_home(seed, "finished", attempt="SHA256:two") == 409


def test_the_medium_is_gone_and_none_is_issued_once_it_has_begun(service):
    url = service.issue().json()["mediaUrl"]
    service.call_home(service.seed(url), "begun")
    assert service.call("GET", url).status_code == 410
    for change in ({}, {"renew": True}, {"seed": {"hostname": "other"}}):
        answer = service.issue(**change)
        assert (answer.status_code, answer.json()["state"]) == (409, "begun")
    assert service.issue(generation=2).status_code == 201, "raising the generation is the operator's way out"


@pytest.mark.parametrize("change", [{"seed": {"hostname": "other"}}, {"renew": True}])
def test_a_new_issue_ends_the_old_medium_and_its_key(service, change):
    old = service.issue().json()["mediaUrl"]
    seed = service.seed(old)
    new = service.issue(**change).json()["mediaUrl"]
    assert old != new
    assert service.call("GET", old).status_code == 410
    assert service.call_home(seed, "begun") == 401
    assert service.call_home(service.seed(new), "begun") == 204


def test_each_journal_has_an_id_that_survives_restarts_and_ends_old_media(service):
    url = service.issue().json()["mediaUrl"]
    seed = service.seed(url)
    known = service.admin("GET", "/v1/installations/SN1").json()["journalId"]
    assert len(known) == 32
    service.kill()
    service.start()
    assert service.admin("GET", "/v1/installations/SN2").json()["journalId"] == known
    assert service.admin("GET", "/v1/changes").json()["journalId"] == known
    service.kill()
    (service.folder / "journal.jsonl").unlink()
    service.start()
    answer = service.admin("GET", "/v1/installations/SN1")
    assert answer.status_code == 404
    assert answer.json()["journalId"] != known
    assert service.call_home(seed, "begun") == 401
    service.issue()
    assert service.call_home(seed, "begun") == 401, "issued again, but in another journal"
    assert service.call("GET", url).status_code == 404


def test_a_second_process_leaves_the_journal_alone(service):
    install(service)
    path = service.folder / "journal.jsonl"
    with path.open("ab") as stream:
        stream.write(b'{"event": "iss')  # as if the first process were in the middle of a line
    before = path.read_bytes()
    for port, status in ((service.port, 3), (free_port(), 4)):
        other = Service(service.folder, port)
        done = subprocess.run(other.argv(), cwd=ROOT, capture_output=True, text=True, timeout=20)
        assert done.returncode == status, done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert path.read_bytes() == before


def test_ranges_head_and_repeats(service):
    url = service.issue().json()["mediaUrl"]
    whole = service.call("GET", url)
    head = service.call("HEAD", url)
    assert int(head.headers["Content-Length"]) == len(whole.content)
    assert not head.content
    part = service.call("GET", url, headers={"Range": "bytes=32768-34815"})
    assert part.status_code == 206
    assert part.content == whole.content[32768:34816]
    assert service.call("GET", url, headers={"Range": "bytes=-10"}).content == whole.content[-10:]
    assert service.call("GET", url, headers={"Range": f"bytes={len(whole.content)}-"}).status_code == 416
    assert service.call("GET", url, headers={"If-None-Match": whole.headers["ETag"]}).status_code == 304


def test_tokens_that_we_did_not_make_and_expired_ones(service):
    url = service.issue(deadlineS=1).json()["mediaUrl"]
    assert service.call("GET", url.replace("/media/", "/media/x")).status_code == 404
    assert service.call("GET", "/v1/media/aaaa.bbbb/install.iso").status_code == 404


def test_the_journal_survives_a_kill_and_a_torn_line(service):
    install(service)
    pending = service.issue("SN2").json()["mediaUrl"]
    before = service.call("GET", pending).content
    service.kill()
    with (service.folder / "journal.jsonl").open("ab") as stream:
        stream.write(b'{"event": "issued", "ser')
    service.start()
    assert service.admin("GET", "/v1/installations/SN1").json()["state"] == "finished"
    assert service.issue("SN2").json()["mediaUrl"] == pending
    assert service.call("GET", pending).content == before
    assert "cut 24 bytes" in (service.folder / "log").read_text()
    for line in (service.folder / "journal.jsonl").read_text().splitlines():
        json.loads(line)


def test_a_damaged_journal_stops_the_start(service):
    install(service)
    service.kill()
    path = service.folder / "journal.jsonl"
    path.write_text("{}\n" + path.read_text())
    with pytest.raises(AssertionError, match=r"journal.jsonl:1: unreadable"):
        service.start()
    assert service.process.wait(5) == 4


def test_changes_wait_for_the_next_line(service):
    service.issue()
    first = service.admin("GET", "/v1/changes?after=0").json()
    assert [record["state"] for record in first["installations"]] == ["issued"]
    got = []
    path = f"/v1/changes?after={first['next']}&wait=10"
    watcher = threading.Thread(target=lambda: got.append(service.admin("GET", path).json()))
    watcher.start()
    time.sleep(0.3)
    service.call_home(service.seed(service.issue().json()["mediaUrl"]), "begun")
    watcher.join(5)
    assert got[0]["installations"][0]["state"] == "begun"
    assert service.admin("GET", "/v1/changes?after=no").status_code == 400


def test_no_secret_is_written(service):
    url, seed = install(service)
    assert service.kill(signal.SIGTERM) == 0
    text = (service.folder / "journal.jsonl").read_text() + (service.folder / "log").read_text()
    token = url.split("/")[-2]
    for secret in (CANARY, seed["callHomeKey"], token):
        assert secret not in text
    assert (service.folder / "journal.jsonl.key").stat().st_mode & 0o777 == 0o600
