"""The protocol, against the real process over TLS."""

import json
import signal
import threading
import time

import pytest

from tests.unit.provision.conftest import CANARY


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
    assert service.call_home(seed, "begun") == 409
    assert service.issue(generation=1).status_code == 409


def test_changed_content_ends_the_old_url_until_begun(service):
    old = service.issue().json()["mediaUrl"]
    time.sleep(1.1)
    new = service.issue(seed={"hostname": "other"}).json()["mediaUrl"]
    assert old != new
    assert service.call("GET", old).status_code == 410
    service.call_home(service.seed(new), "begun")
    assert service.issue(seed={"hostname": "third"}).json()["mediaUrl"] == new


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
