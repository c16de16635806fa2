"""A small Kubernetes client: JSON over HTTPS, the server checked against one CA and nothing else. No pulumi."""

from __future__ import annotations

import hashlib
import json
import ssl
import tempfile
from pathlib import Path
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter

from providers.kit.redaction import redact
from providers.kit.references import resolve_path
from providers.kube import errors
from providers.kube.kubeconfig import Kubeconfig

CONNECT_S = 2.0
READ_S = 10.0
Object = dict[str, Any]
_JSON = "application/json"


class _Pinned(HTTPAdapter):
    """One TLS context: our CA, our client certificate. No retries: a mutation is never repeated blindly."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__(max_retries=0)

    def init_poolmanager(self, *arguments: Any, **keywords: Any) -> None:
        super().init_poolmanager(*arguments, ssl_context=self._context, **keywords)


def ca_path(ca_file: str) -> Path:
    """The CA's file. Raises KubeError KUBE-008."""
    path = resolve_path(ca_file)
    try:
        ssl.create_default_context(cafile=str(path))
    except (OSError, ssl.SSLError) as error:
        raise errors.bad_ca(ca_file, getattr(error, "strerror", None) or "no PEM certificate in it") from None
    return path


def fingerprints(pem: str) -> list[str]:
    """SHA-256 (hex) of each certificate in a PEM text, in order."""
    parts = pem.split("-----END CERTIFICATE-----")[:-1]
    bodies = [part.partition("-----BEGIN CERTIFICATE-----")[2] for part in parts]
    return [hashlib.sha256(ssl.PEM_cert_to_DER_cert(_block(body))).hexdigest() for body in bodies]


def _block(body: str) -> str:
    return f"-----BEGIN CERTIFICATE-----\n{body.strip()}\n-----END CERTIFICATE-----\n"


class Client:
    """The API server at `endpoint`. Errors are KubeError; 404 is NotFoundError."""

    def __init__(self, endpoint: str, ca_file: str, config: Kubeconfig) -> None:
        self.endpoint = endpoint.rstrip("/")
        self.ca_file = ca_file
        path = ca_path(ca_file)
        context = ssl.create_default_context(cafile=str(path))
        if config.cert and config.key:
            _load_client_certificate(context, config)
        self._session = requests.Session()
        self._session.trust_env = False  # a CA bundle or proxy in the environment would silently win over `verify`
        self._session.verify = str(path)
        self._session.mount("https://", _Pinned(context))
        if config.token:
            self._session.headers["Authorization"] = f"Bearer {config.token}"

    def get(self, path: str, **query: str) -> Object:
        """The object (or list) at `path`."""
        return self._call("GET", path, query=query)

    def text(self, path: str) -> str:
        """The plain text at `path`, e.g. /readyz."""
        return self._send("GET", path).text

    def create(self, path: str, body: Object) -> Object:
        """Create an object in the collection at `path`."""
        return self._call("POST", path, body)

    def patch(self, path: str, body: Object) -> Object:
        """Merge `body` (RFC 7396: null takes a key away) into the object at `path`."""
        return self._call("PATCH", path, body, kind="application/merge-patch+json")

    def delete(self, path: str) -> bool:
        """Delete an object and what belongs to it; False if it wasn't there."""
        try:
            self._call("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"})
        except errors.NotFoundError:
            return False
        return True

    def _call(
        self, method: str, path: str, body: Object | None = None, query: dict[str, str] | None = None, kind: str = _JSON
    ) -> Object:
        response = self._send(method, path, body, query, kind)
        try:
            return response.json()
        except ValueError:
            raise errors.not_ready(f"{self.endpoint}{path}", "an answer that isn't JSON") from None

    def _send(
        self, method: str, path: str, body: Object | None = None, query: dict[str, str] | None = None, kind: str = _JSON
    ) -> requests.Response:
        url, data = self.endpoint + path, None if body is None else json.dumps(body)
        try:
            response = self._session.request(
                method, url, data=data, params=query, headers={"Content-Type": kind},
                timeout=(CONNECT_S, READ_S), allow_redirects=False,
            )  # fmt: skip
        except requests.exceptions.SSLError as error:
            raise errors.wrong_certificate(self.endpoint, _reason(error), self.ca_file) from None
        except requests.exceptions.RequestException as error:
            raise errors.unreachable(self.endpoint, _reason(error)) from None
        if not response.ok:
            raise errors.refused(f"{method} {url}", response.status_code, _message(response))
        return response


def _load_client_certificate(context: ssl.SSLContext, config: Kubeconfig) -> None:
    # Python loads a key from a file only: one of mode 0600 that is gone when this returns.
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(f"{config.cert}\n{config.key}\n")
        file.flush()
        try:
            context.load_cert_chain(file.name)
        except (OSError, ssl.SSLError):
            raise errors.bad_kubeconfig("kubeconfig", "client certificate and key don't belong together", "a pair") from None


def _message(response: requests.Response) -> str:
    """The API server's own words; at most 600 characters. Redacted before the cut: half a secret is none that we know."""
    try:
        return redact(str(response.json().get("message") or response.reason))[:600]
    except (ValueError, AttributeError):
        return redact(response.text or response.reason)[:200]


def _reason(error: BaseException) -> str:
    """The innermost cause in words, without the address that urllib3 repeats and without object ids."""
    causes = _causes(error)
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"certificate refused: {cause.verify_message}"
    for cause in reversed(causes):  # urllib3 wraps even a refused connection as a timeout
        if isinstance(cause, ConnectionRefusedError):
            return "connection refused"
        if isinstance(cause, OSError) and cause.strerror and not isinstance(cause, requests.RequestException):
            return cause.strerror
        if isinstance(cause, TimeoutError | urllib3.exceptions.TimeoutError):
            return "no answer in time"
    return type(error).__name__


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what it came from, outermost first."""
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        inner = next((a for a in (getattr(cause, "reason", None), *cause.args) if isinstance(a, BaseException)), None)
        cause = inner or cause.__cause__ or cause.__context__
    return found
