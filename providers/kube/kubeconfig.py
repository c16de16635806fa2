"""Reads a kubeconfig: the server and the credentials of its current context, nothing else."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML, YAMLError

from providers.kit.redaction import learn
from providers.kit.references import resolve_path
from providers.kube.errors import bad_kubeconfig

SECRETS = ("client-key-data", "token", "password")


@dataclass(frozen=True, slots=True)
class Kubeconfig:
    """Where and as whom. Secrets never show in `repr`. `ca`, `cert` and `key` are PEM texts ("" if there is none)."""

    server: str
    ca: str = ""
    cert: str = field(default="", repr=False)
    key: str = field(default="", repr=False)
    token: str = field(default="", repr=False)


def parse(text: str, where: str) -> Kubeconfig:
    """The current context of a kubeconfig. Raises KubeError KUBE-003: not YAML, a name that leads nowhere, no credentials."""
    try:
        document = YAML(typ="safe").load(text)
    except YAMLError:
        raise bad_kubeconfig(where, "not YAML", "a kubeconfig") from None  # the parser's message would quote the content
    if not isinstance(document, Mapping):
        raise bad_kubeconfig(where, "not a mapping", "a kubeconfig")
    _learn_all(document)
    context = _named(document, "contexts", document.get("current-context"), "context", where)
    cluster = _named(document, "clusters", context.get("cluster"), "cluster", where)
    user = _named(document, "users", context.get("user"), "user", where)
    if not isinstance(cluster.get("server"), str):
        raise bad_kubeconfig(where, "no server", "clusters[].cluster.server")
    config = Kubeconfig(
        server=cluster["server"].rstrip("/"),
        ca=_pem(cluster, "certificate-authority", where),
        cert=_pem(user, "client-certificate", where),
        key=_pem(user, "client-key", where),
        token=_token(user),
    )
    learn(config.key, config.token)
    if not config.token and not (config.cert and config.key):
        raise bad_kubeconfig(where, "no credentials that work without another program", "token or client certificate and key")
    return config


def _learn_all(document: Mapping[str, Any]) -> None:
    """The secrets of all users, before anything can fail: an error must not show any of them."""
    listed = document.get("users")
    for item in listed if isinstance(listed, list) else ():
        user = item.get("user") if isinstance(item, Mapping) else None
        if isinstance(user, Mapping):
            learn(*(str(user[key]) for key in SECRETS if user.get(key)))


def _named(document: Mapping[str, Any], listing: str, name: object, key: str, where: str) -> Mapping[str, Any]:
    for item in document.get(listing) or ():
        if isinstance(item, Mapping) and item.get("name") == name and isinstance(item.get(key), Mapping):
            return item[key]
    raise bad_kubeconfig(where, f"no {key} named {name!r}", f"an entry of {listing} with that name")


def _pem(section: Mapping[str, Any], key: str, where: str) -> str:
    data = section.get(f"{key}-data")
    try:
        if data:
            return base64.b64decode(str(data), validate=True).decode()
        if section.get(key):
            return resolve_path(str(section[key])).read_text()
    except (binascii.Error, UnicodeDecodeError):
        raise bad_kubeconfig(where, f"{key}-data isn't base64 of a PEM text", "base64") from None
    except OSError as error:
        raise bad_kubeconfig(where, f"{key}: {error.strerror}", "a readable file") from None
    return ""


def _token(user: Mapping[str, Any]) -> str:
    if user.get("tokenFile"):
        try:
            return resolve_path(str(user["tokenFile"])).read_text().strip()
        except OSError:
            return ""
    return str(user.get("token") or "")
