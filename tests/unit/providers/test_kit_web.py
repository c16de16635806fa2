"""Why a request got no answer, and the JSON of one: the same words for every client of ours."""

import pytest
import urllib3
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError, ProtocolError, ReadTimeoutError, SSLError

from providers.kit.web import json_of, why_lost, why_untrusted

pytestmark = pytest.mark.requirement("C6")
POOL = urllib3.HTTPConnectionPool("192.0.2.1")
LINK = urllib3.connection.HTTPConnection("192.0.2.1")
VERIFY = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)"


@pytest.mark.parametrize(("raw", "value"), [(b"", None), (b"{", None), (b'{"a": 1}', {"a": 1}), (b"\xff", None), (b"[]", [])])
def test_json(raw, value):
    assert json_of(raw) == value


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectTimeoutError(POOL, "x"), "no connection within 5 s"),
        (ReadTimeoutError(POOL, "/", "x"), "no answer within 30 s"),
        (NewConnectionError(LINK, "[Errno 111] Connection refused"), "connection refused"),
        (NewConnectionError(LINK, "[Errno 113] No route to host"), "no route"),
        (NewConnectionError(LINK, "[Errno 101] Network is unreachable"), "network unreachable"),
        (ProtocolError("Connection aborted.", ConnectionResetError(104, "reset")), "the connection broke"),
        (OSError("whatever, with a password in it"), "the connection broke"),
    ],
)
def test_reasons(error, words):
    assert why_lost(error, 5, 30) == words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (VERIFY, "self-signed certificate"),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] odd", "odd"),
        ("certificate unknown", "verification failed"),
        ("[SSL: UNEXPECTED_EOF] EOF occurred", None),
    ],
)
def test_what_is_wrong_with_a_certificate(text, found):
    assert why_untrusted(SSLError(text)) == found
