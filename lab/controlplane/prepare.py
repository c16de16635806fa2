"""Certificates, kubeconfigs and configuration files of the control plane: made once per instance, kept and reused.

Three authorities, so that a certificate is good for one thing only: the instance CA signs servers, `users` signs clients of the
API server (a BMC's certificate must not log in), `etcd` signs both ends of etcd.
"""

from __future__ import annotations

import json
import secrets
import shutil
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from lab import files
from lab.controlplane import configs
from lab.controlplane.layout import MANIFESTS, Layout
from lab.pki import Authority

ADMIN_GROUP = "railyard:administrators"
NODE_AGENT_USER = "railyard:node-agent"
CLIENTS = {  # kubeconfig -> user name (the two ServiceAccounts by certificate: stable, where a token would expire), groups
    "bootstrap": ("railyard-bootstrap", ("system:masters",)),
    "node-agent": (NODE_AGENT_USER, ()),
    "manager": ("system:kube-controller-manager", ()),
    "scheduler": ("system:kube-scheduler", ()),
    "kwok": ("system:serviceaccount:kube-system:kwok-controller", ("system:serviceaccounts",)),
    "kueue": ("system:serviceaccount:kueue-system:kueue-controller-manager", ("system:serviceaccounts",)),
}


def prepare(layout: Layout) -> None:
    """Write whatever is missing. Idempotent; existing keys are never replaced, so kubeconfigs stay the same text."""
    layout.home.mkdir(parents=True, exist_ok=True)
    layout.home.chmod(0o700)
    layout.logs.mkdir(exist_ok=True)
    _servers(layout)
    _clients(layout)
    _etcd(layout)
    _configs(layout)
    _kueue_files(layout)


def _servers(layout: Layout) -> None:
    ca = Authority(layout.directory / "pki", "railyard lab")
    names = ("kubernetes", "kubernetes.default", "kubernetes.default.svc")
    ca.issue("kube-apiserver", ips=(layout.api_host, "10.96.0.1"), dns=names)
    ca.issue("kueue", ips=(layout.kueue_host,))


def _clients(layout: Layout) -> None:
    ca = Authority(layout.users, "railyard lab users")
    for name, (user, groups) in CLIENTS.items():
        client = ca.issue(name, common_name=user, organizations=groups)
        _kubeconfig(layout, layout.client_config(name), user, client)
    admin = ca.issue("admin", common_name="railyard-admin", organizations=(ADMIN_GROUP,))
    _kubeconfig(layout, layout.kubeconfig, "railyard-admin", admin)
    _service_account_keys(layout.users)


def _kubeconfig(layout: Layout, path: Path, user: str, client: tuple[Path, Path]) -> None:
    text = configs.kubeconfig(layout.endpoint, layout.ca_cert, user, client)
    if not path.exists() or path.read_text() != text:
        files.write(path, text, mode=0o600)


def _service_account_keys(folder: Path) -> None:
    """The key pair that signs ServiceAccount tokens (RSA, as kubeadm makes it)."""
    private, public = folder / "service-account.key", folder / "service-account.pub"
    if private.exists() and public.exists():
        return
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    files.write(private, key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain), mode=0o600)
    files.write(public, key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo))


def _etcd(layout: Layout) -> None:
    ca = Authority(layout.etcd_pki, "railyard lab etcd")
    ca.issue("server", ips=(layout.etcd_host,))
    ca.issue("client", common_name="kube-apiserver")
    data = layout.home / "etcd"
    data.mkdir(exist_ok=True)
    data.chmod(0o700)


def _configs(layout: Layout) -> None:
    encryption = layout.home / "encryption.json"
    if not encryption.exists():
        files.write_json(encryption, configs.encryption(secrets.token_bytes(32)), mode=0o600)
    files.write_json(layout.home / "audit-policy.json", configs.audit_policy())
    files.write_json(layout.home / "kueue.json", configs.kueue(layout))
    stages = configs.kwok_stages(json.loads((MANIFESTS / "kwok-stages.json").read_text()))
    files.write(layout.home / "kwok.yaml", "\n---\n".join(json.dumps(stage, indent=1) for stage in stages))


def _kueue_files(layout: Layout) -> None:
    """Kueue reads /etc/kueue/metrics/certs, a path that can't be configured: a small /etc of its own is mounted over it."""
    etc, cert, key = layout.home / "etc", layout.directory / "pki" / "kueue.crt", layout.directory / "pki" / "kueue.key"
    for folder in (layout.kueue_certs, etc / "kueue" / "metrics" / "certs"):
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(cert, folder / "tls.crt")
        files.write(folder / "tls.key", key.read_bytes(), mode=0o600)
    files.write(etc / "hosts", "127.0.0.1 localhost\n")
    files.write(etc / "nsswitch.conf", "hosts: files\n")
    files.write(etc / "passwd", "root:x:0:0:root:/:/bin/sh\n")
