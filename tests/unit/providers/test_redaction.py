"""Whatever was read as a secret doesn't leave the process in a text, however it's spelt there."""

import base64
import json
import re
from urllib.parse import quote

import pytest
from pulumi.runtime.proto import provider_pb2 as pb

from lab.pki import Authority
from providers.kit import Cancel, InitFailed, Problem, ProviderError, ResourceType, read_reference
from providers.kit.log import EngineLog, write_crash
from providers.kit.redaction import learn, redact
from providers.kit.servicer import Servicer
from providers.kube.client import _message
from providers.kube.errors import KubeError
from providers.kube.kubeconfig import parse
from providers.metal import errors

PASSWORD = "c4n&ry'\"\\ <pä55>/word"
URL = "https://10.0.0.1:8443/v1/media/UlkxAAExNzAw.{}/install.iso".format("a1" * 32)


@pytest.fixture(autouse=True)
def password(tmp_path):
    path = tmp_path / "account"
    path.write_text(f"username: railyard\npassword: {PASSWORD}\n")
    return read_reference(f"file:{path}").password


@pytest.mark.parametrize(
    "spelt",
    [
        PASSWORD,
        json.dumps(PASSWORD),
        json.dumps(PASSWORD, ensure_ascii=False),
        repr({"Password": PASSWORD}),
        quote(PASSWORD, safe=""),
        base64.b64encode(PASSWORD.encode()).decode(),
        f"Basic {base64.b64encode(f'railyard:{PASSWORD}'.encode()).decode()}",
    ],
)
def test_a_password_is_hidden_in_every_spelling(spelt):
    shown = redact(f"the value {spelt} of railyard is bad")
    assert "***" in shown
    assert spelt.strip("\"{}'") not in shown
    assert shown.startswith("the value ")
    assert shown.endswith(" of railyard is bad")


def test_credentials_of_the_environment_count_too(monkeypatch):
    monkeypatch.setenv("CANARY_LOGIN", "admin:canary-env-4711")
    assert read_reference("env:CANARY_LOGIN").username == "admin"
    assert redact("admin canary-env-4711") == "admin ***"


def test_a_short_value_hides_nothing():
    learn("a", "on", "")
    assert redact("power is on at a rack") == "power is on at a rack"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (URL, "https://10.0.0.1:8443/v1/media/***/install.iso"),
        (f"{{'Image': '{URL}'}}", "{'Image': 'https://10.0.0.1:8443/v1/media/***/install.iso'}"),
        (quote(URL, safe=""), "https%3A%2F%2F10.0.0.1%3A8443%2Fv1%2Fmedia%2F***%2Finstall.iso"),
        (f"token {URL.split('/')[5]}.", "token ***."),
        ("https://admin:hunter2@bmc/redfish", "https://***@bmc/redfish"),
        ("lab-su001 sha256 " + "a1" * 32, "lab-su001 sha256 " + "a1" * 32),
    ],
)
def test_capabilities_are_hidden_by_their_form(text, shown):
    assert redact(text) == shown


def test_the_medium_is_not_shown_where_a_bmc_does_not_store_it():
    error = errors.not_stored("bmc", "/VirtualMedia/1", {"Image": URL, "Inserted": True}, {"Image": None})
    assert "/v1/media/***/install.iso" in redact(str(error))


def kubeconfig(**user) -> str:
    return json.dumps(
        {
            "current-context": "a",
            "contexts": [{"name": "a", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": "https://h:6443"}}],
            "users": [{"name": "u", "user": user}, {"name": "other", "user": {"token": "canary-of-another-user"}}],
        }
    )


def test_keys_and_tokens_of_a_kubeconfig_are_hidden(tmp_path):
    Authority(tmp_path, "canary")
    key = (tmp_path / "ca.key").read_text()
    data = base64.b64encode(key.encode()).decode()
    parse(kubeconfig(token="canary-token-4711", **{"client-key-data": data}), "k")
    line = key.splitlines()[1]
    assert redact(f"{key.strip()}|{data}|{line}|canary-token-4711|canary-of-another-user") == "***|***|***|***|***"


def test_a_kubeconfig_that_is_refused_is_known_all_the_same():
    with pytest.raises(KubeError):
        parse(kubeconfig(**{"client-key-data": "%canary-no-base64"}), "k")
    assert redact("%canary-no-base64") == "***"


def test_a_cut_does_not_leave_half_a_secret():
    learn("canary-" + "x" * 40)

    class Answer:
        reason = "Bad"

        def json(self):
            return {"message": "m" * 580 + " canary-" + "x" * 40}

    assert _message(Answer()) == "m" * 580 + " ***"


class Chatty(ResourceType):
    """Fails with its secret in every way there is."""

    def check(self, inputs):
        return [("password", f"bad {PASSWORD}")]

    def create(self, inputs, call):
        call.warning(f"warning {PASSWORD}")
        problem = Problem("X-001", "bmc", f"'{PASSWORD}' no", URL, "")
        match inputs["how"]:
            case "half":
                raise InitFailed("id", {}, [problem])
            case "crash":
                raise ValueError(PASSWORD)
        raise ProviderError(problem)


class Aborted(Exception):  # noqa: N818
    pass


class Context:
    def __init__(self):
        self.seen = []

    def abort(self, code, text):
        self.seen.append(text)
        raise Aborted

    def set_trailing_metadata(self, pairs):
        self.seen += [value.decode(errors="replace") for _, value in pairs]


@pytest.mark.parametrize("how", ["fail", "half", "crash"])
def test_nothing_leaves_the_servicer_in_clear(how, tmp_path, monkeypatch):
    monkeypatch.setenv("RAILYARD_LOG_DIR", str(tmp_path / "logs"))
    said = []
    log = EngineLog(None)
    log._stub = type("Stub", (), {"Log": lambda self, request, timeout: said.append(request.message)})()
    servicer, context = Servicer("x", "1", {"x:index:X": Chatty()}, Cancel(), log), Context()
    request = pb.CreateRequest(urn="urn:pulumi:s::p::x:index:X::n")
    request.properties.update({"how": how})
    with pytest.raises(Aborted):
        servicer.Create(request, context)
    crashes = [path.read_text() for path in tmp_path.glob("logs/*")]
    told = "\n".join([*context.seen, *said, *crashes])
    assert "***" in told
    assert "warning ***" in said
    assert bool(crashes) == (how == "crash")
    assert not re.search(r"pä55|UlkxAAE", told), told
    reply = servicer.Check(pb.CheckRequest(urn=request.urn), context)
    assert reply.failures[0].reason == "bad ***"


def test_a_crash_file_holds_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("RAILYARD_LOG_DIR", str(tmp_path))
    try:
        int(PASSWORD)
    except ValueError:
        path = write_crash("x", f"Create of {URL}")
    assert "with base 10: '***'" in path.read_text()
    assert "UlkxAAE" not in path.read_text()
