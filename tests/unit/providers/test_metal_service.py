"""The one watcher of the provisioning service: whatever it meets, no machine waits its whole deadline because of it."""

import threading

import pytest

from providers.kit import Cancel, Deadline, Problem, ProviderError
from providers.metal import service
from providers.metal.service import Provisioner


def row(state, serial="SN1"):
    return {"serial": serial, "generation": 1, "state": state}


class Fake(Provisioner):
    """A service whose answers are a script; the last one stays. `installed`: what the journal says when it is asked."""

    def __init__(self, *changes, installed="finished"):
        super().__init__("https://service", "ca.crt", "env:NONE")
        self.changes, self.installed, self.asked = list(changes), installed, []
        self.idle = threading.Event()

    def _once(self, method, path, body):
        if "/changes" not in path:
            return 200, row(self.installed) | {"journalId": "a"}
        self.asked.append(path)
        if not self.changes:
            self.idle.wait(30)
            raise OSError("the test is over")
        answer = self.changes.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


DONE = (200, {"next": 3, "installations": [row("finished")], "journalId": "a"})


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(service, "backoff", lambda attempt: 0.01)


@pytest.fixture
def wait():
    cancel = Cancel()
    made = []

    def run(fake, seconds=10.0):
        made.append(fake)
        return fake.wait("SN1", 1, cancel, Deadline(seconds), "m")

    yield run
    cancel.set()
    for one in made:
        one.idle.set()


@pytest.mark.parametrize(
    "trouble",
    [
        ProviderError(Problem("KIT-011", "admin", "no such file", "", "")),
        KeyError("next"),
        OSError("connection refused"),
        (200, {}),
        (200, {"next": "soon", "installations": []}),
        (200, {"next": 2, "installations": [{"state": "odd"}]}),
        (401, {}),
    ],
)
def test_one_error_does_not_end_the_watch(wait, trouble):
    assert wait(Fake(trouble, DONE)).state == "finished"


def test_a_shorter_journal_is_read_from_the_start(wait):
    ahead = (200, {"next": 900, "installations": [], "journalId": "a"})
    back = (200, {"next": 2, "installations": [], "journalId": "a"})
    fake = Fake(ahead, back, DONE)
    assert wait(fake).state == "finished"
    assert [path.partition("after=")[2].partition("&")[0] for path in fake.asked[:3]] == ["0", "900", "0"]


def test_another_journal_is_read_from_the_start(wait):
    ahead = (200, {"next": 2, "installations": [], "journalId": "b"})
    other = (200, {"next": 5, "installations": [], "journalId": "a"})
    fake = Fake(ahead, other, DONE)
    assert wait(fake).state == "finished"
    assert [path.partition("after=")[2].partition("&")[0] for path in fake.asked[:3]] == ["0", "2", "0"]


def test_the_journal_is_read_before_the_deadline_is_declared(wait):
    assert wait(Fake(), 0.2).state == "finished"
    assert wait(Fake(installed="begun"), 0.2).state == "begun"


def test_what_the_watcher_heard_of_a_lost_journal_ends_no_wait(wait):
    assert wait(Fake(DONE, installed="issued"), 0.5).state == "issued"
