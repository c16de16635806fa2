"""The connection to a BMC against a peer that breaks off, in every way that matters for what may be sent again."""

import socket
import ssl
import threading

import pytest

from providers.kit import Cancel, Cancelled, Deadline, ProviderError
from providers.metal.transport import Link, Lost
from tests.unit.provision.conftest import certificate, free_port

BODY = b'{"Id": "1"}'
ANSWER = b'HTTP/1.1 200 OK\r\nETag: W/"7"\r\nContent-Length: %d\r\n\r\n' % len(BODY) + BODY


class Peer:
    """A TLS server. `script`: what it does with each request, in order; after that it answers.

    ok: answer; bye: answer and close at once; drop: close without a word; half: a part of an answer; mute: never answer.
    """

    def __init__(self, folder):
        self.script, self.heads, self.connections, self.closed = [], [], 0, threading.Event()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                raw, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(raw,), daemon=True).start()

    def serve(self, raw):
        try:
            with self.context.wrap_socket(raw, server_side=True) as connection:
                self.connections += 1
                while self.answer(connection):
                    pass
        except OSError:
            return
        finally:
            self.closed.set()

    def answer(self, connection) -> bool:
        head = b""
        while b"\r\n\r\n" not in head:
            got = connection.recv(4096)
            if not got:
                return False
            head += got
        text, _, rest = head.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(": ", 1) for line in text.decode().split("\r\n")[1:])
        while len(rest) < int(fields.get("content-length", 0)):
            rest += connection.recv(4096)
        self.heads.append(text.decode())
        action = self.script.pop(0) if self.script else "ok"
        if action == "mute":
            connection.recv(1)
        elif action != "drop":
            connection.sendall(ANSWER[:-5] if action == "half" else ANSWER)
        return action == "ok"

    @property
    def sent(self):
        return [head.split(" HTTP/")[0] for head in self.heads]


@pytest.fixture
def peer(tmp_path):
    certificate(tmp_path)
    running = Peer(tmp_path)
    yield running
    running.listener.close()


@pytest.fixture
def link_to(tmp_path):
    made = []

    def make(address, ca="cert.pem", verify=True, seconds=20.0):
        made.append(Link(address, str(tmp_path / ca), verify, "m1", Cancel(), Deadline(seconds)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_one_connection_for_all_requests_and_what_is_in_them(peer, link_to):
    link = link_to(peer.address)
    reply = link.get("/redfish/v1/")
    assert (reply.status, reply.body, reply.headers.get("etag")) == (200, {"Id": "1"}, 'W/"7"')
    link.token = "t0ken"
    link.mutate("PATCH", "/redfish/v1/x?a=b", {"A": 1}, {"If-Match": "*"})
    link.mutate("DELETE", "/redfish/v1/y", None)
    assert peer.connections == 1
    assert peer.sent == ["GET /redfish/v1/", "PATCH /redfish/v1/x?a=b", "DELETE /redfish/v1/y"]
    first, second, third = (head.lower() for head in peer.heads)
    assert "odata-version: 4.0" in first
    assert "x-auth-token" not in first
    for field in ("x-auth-token: t0ken", "if-match: *", "content-type: application/json", "content-length: 8"):
        assert field in second
    assert "content-type" not in third


@pytest.mark.parametrize("how", ["drop", "half"])
def test_a_get_is_sent_again(peer, link_to, how):
    peer.script = ["ok", how, how]
    link = link_to(peer.address)
    link.get("/a")
    assert link.get("/b").body == {"Id": "1"}
    assert peer.sent == ["GET /a", "GET /b", "GET /b", "GET /b"]


@pytest.mark.parametrize("how", ["drop", "half"])
@pytest.mark.parametrize("before", [0, 1])
def test_a_mutation_is_never_sent_again(peer, link_to, how, before):
    peer.script = ["ok"] * before + [how]
    link = link_to(peer.address)
    for _ in range(before):
        link.get("/a")
    with pytest.raises(Lost, match="the connection broke"):
        link.mutate("POST", "/b", {})
    assert peer.sent[before:] == ["POST /b"]
    assert link.mutate("POST", "/c", {}).ok


def test_a_connection_that_was_closed_while_idle_is_replaced_before_anything_is_sent(peer, link_to):
    peer.script = ["bye"]
    link = link_to(peer.address)
    link.get("/a")
    assert peer.closed.wait(5)
    assert link.mutate("POST", "/b", {}).ok
    assert (peer.sent, peer.connections) == (["GET /a", "POST /b"], 2)


def test_no_answer_and_no_connection_have_their_reasons(peer, link_to):
    peer.script = ["mute"]
    with pytest.raises(Lost, match="no answer within 30 s"):
        link_to(peer.address, seconds=0.5).mutate("POST", "/b", {})
    with pytest.raises(ProviderError, match=r"(?s)METAL-010.*no answer: connection refused"):
        link_to(f"127.0.0.1:{free_port()}", seconds=0.5).get("/a")


@pytest.mark.parametrize(
    ("address", "ca", "reason"),
    [
        ("127.0.0.1", "other/cert.pem", "self-signed certificate"),
        ("localhost", "cert.pem", "Hostname mismatch, certificate is not valid for 'localhost'."),
        ("127.0.0.1", "none.pem", "none.pem: No such file"),
        ("127.0.0.1", "key.pem", "key.pem: "),
    ],
)
def test_nothing_is_sent_to_a_stranger(peer, link_to, tmp_path, monkeypatch, address, ca, reason):
    (tmp_path / "other").mkdir()
    certificate(tmp_path / "other")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "cert.pem"))
    with pytest.raises(ProviderError, match="METAL-015") as caught:
        link_to(peer.address.replace("127.0.0.1", address), ca).mutate("POST", "/b", {})
    assert reason in str(caught.value)
    assert peer.sent == []


def test_the_environment_sets_no_proxy_and_unchecked_tls_is_a_word_of_the_stack(peer, link_to, monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert link_to(peer.address).get("/a").ok
    assert link_to(peer.address, "none.pem", verify=False).get("/a").ok
    assert link_to(peer.address.replace("127.0.0.1", "localhost"), verify=False).get("/a").ok
    with pytest.raises(ProviderError, match="METAL-015"):  # the checked ones still are
        link_to(peer.address.replace("127.0.0.1", "localhost")).get("/a")


def test_a_renewed_authority_is_read_again(peer, link_to, tmp_path):
    ours = (tmp_path / "cert.pem").read_bytes()
    (tmp_path / "other").mkdir()
    certificate(tmp_path / "other")
    with pytest.raises(ProviderError, match="METAL-015"):
        link_to(peer.address, "other/cert.pem").get("/a")
    (tmp_path / "other" / "cert.pem").write_bytes(ours)
    assert link_to(peer.address, "other/cert.pem").get("/a").ok


@pytest.mark.parametrize("path", ["https://elsewhere/redfish/v1", "@elsewhere/", "x"])
def test_a_link_that_leads_elsewhere_is_not_followed(peer, link_to, path):
    with pytest.raises(ProviderError, match="METAL-014"):
        link_to(peer.address).get(path)
    assert peer.sent == []


def test_cancel_comes_before_anything_is_sent(peer, link_to):
    link = link_to(peer.address)
    link.cancel.set()
    with pytest.raises(Cancelled):
        link.mutate("POST", "/b", {})
    assert peer.sent == []
