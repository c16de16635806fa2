"""The control plane's processes, in the order in which they start; they stop the other way round (etcd last)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from lab.controlplane.layout import (
    API_PORT,
    ETCD_PEER_PORT,
    ETCD_PORT,
    KUEUE_HEALTH_PORT,
    KWOK_PORT,
    MANAGER_PORT,
    ROOT,
    SCHEDULER_PORT,
    Layout,
)
from lab.controlplane.probe import answers
from lab.errors import LabError
from lab.service import Service

SERVICE_RANGE = "10.96.0.0/16"
CIPHERS = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"
# Starts beside the API server's other clients and waits for its roles and CRDs; the process id stays the same.
AFTER_BOOTSTRAP = """
n=0
while [ ! -e "$0" ]; do
  n=$((n + 1))
  [ $n -lt 600 ] || { echo "LAB-022 the cluster was not bootstrapped after 30 s: see node-agent.log" >&2; exit 1; }
  sleep 0.05
done
exec "$@"
"""
# A bind mount of our small /etc, in a mount namespace that only this process sees.
OVER_ETC = 'mount --bind "$0" /etc && exec "$@"'


def services(layout: Layout) -> list[Service]:
    """All processes. Each starts once the one before it is `ready` (a function that never blocks for more than a second)."""
    return [
        _etcd(layout),
        _apiserver(layout),
        _node_agent(layout),
        _scheduler(layout),
        _manager(layout),
        _kwok(layout),
        _kueue(layout),
    ]


def _after_bootstrap(layout: Layout) -> list[str]:
    return ["/bin/sh", "-c", AFTER_BOOTSTRAP, str(layout.bootstrapped)]


def _service(layout: Layout, name: str, argv: list[str], ready: Callable[[], bool] | None) -> Service:
    # No proxy stands between loopback addresses, whatever the caller's environment says.
    env = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin:/usr/sbin:/sbin"),
        "HOME": str(layout.home),
        "GOGC": "60",
        "NO_PROXY": "*",
    }
    return Service(name=name, argv=tuple(argv), env=env, ready=ready)


def _etcd(layout: Layout) -> Service:
    pki = layout.etcd_pki
    ca, cert, key = pki / "ca.crt", pki / "server.crt", pki / "server.key"
    url, peer = f"https://{layout.etcd_host}:{ETCD_PORT}", f"https://{layout.etcd_host}:{ETCD_PEER_PORT}"
    argv = [
        layout.program("etcd"), "--name=lab", f"--data-dir={layout.home / 'etcd'}",
        f"--listen-client-urls={url}", f"--advertise-client-urls={url}",
        f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=lab={peer}",
        f"--cert-file={cert}", f"--key-file={key}", "--client-cert-auth", f"--trusted-ca-file={ca}",
        f"--peer-cert-file={cert}", f"--peer-key-file={key}", "--peer-client-cert-auth", f"--peer-trusted-ca-file={ca}",
        "--unsafe-no-fsync",  # a lab survives a killed process, not a power cut of the host
        "--auto-compaction-retention=10m", "--log-level=warn",
    ]  # fmt: skip
    return _service(layout, "etcd", argv, answers(f"{url}/health", ca, (pki / "client.crt", pki / "client.key")))


def _apiserver(layout: Layout) -> Service:
    home, pki, users, etcd = layout.home, layout.directory / "pki", layout.users, layout.etcd_pki
    argv = [
        # When the supervisor is killed all get a signal at once, and an API server whose etcd is gone never ends by SIGTERM.
        "setpriv", "--pdeathsig", "KILL", layout.program("kube-apiserver"),
        f"--etcd-servers=https://{layout.etcd_host}:{ETCD_PORT}", f"--etcd-cafile={etcd / 'ca.crt'}",
        f"--etcd-certfile={etcd / 'client.crt'}", f"--etcd-keyfile={etcd / 'client.key'}",
        f"--bind-address={layout.api_host}", f"--advertise-address={layout.api_host}", f"--secure-port={API_PORT}",
        f"--tls-cert-file={pki / 'kube-apiserver.crt'}", f"--tls-private-key-file={pki / 'kube-apiserver.key'}",
        "--tls-min-version=VersionTLS12", f"--tls-cipher-suites={CIPHERS}",
        f"--client-ca-file={users / 'ca.crt'}", "--anonymous-auth=false", "--authorization-mode=Node,RBAC",
        f"--service-account-key-file={layout.users / 'service-account.pub'}",
        f"--service-account-signing-key-file={layout.users / 'service-account.key'}",
        "--service-account-issuer=https://kubernetes.default.svc", "--service-account-extend-token-expiration=false",
        f"--service-cluster-ip-range={SERVICE_RANGE}", "--endpoint-reconciler-type=none",
        "--enable-admission-plugins=NodeRestriction,DenyServiceExternalIPs", "--profiling=false",
        f"--encryption-provider-config={home / 'encryption.json'}",
        f"--audit-policy-file={home / 'audit-policy.json'}", f"--audit-log-path={layout.logs / 'audit.log'}",
        "--audit-log-maxage=30", "--audit-log-maxbackup=10", "--audit-log-maxsize=100",
    ]  # fmt: skip
    admin = (users / "bootstrap.crt", users / "bootstrap.key")
    return _service(layout, "kube-apiserver", argv, answers(f"{layout.endpoint}/readyz", layout.ca_cert, admin))


def _node_agent(layout: Layout) -> Service:
    argv = [sys.executable, "-m", "lab.controlplane.node_agent", "--dir", str(layout.directory), "--network", layout.network]
    service = _service(layout, "node-agent", argv, None)  # those that need its work wait for it, the others needn't
    layout.bootstrapped.unlink(missing_ok=True)
    service.env["PYTHONPATH"] = str(ROOT)
    return service


def _manager(layout: Layout) -> Service:
    """Its garbage collector looks for new CRDs every 30 s; till then Workloads of deleted Jobs would stay and hold quota."""
    config = layout.client_config("manager")
    argv = [
        *_after_bootstrap(layout), layout.program("kube-controller-manager"),
        f"--kubeconfig={config}", f"--authentication-kubeconfig={config}", f"--authorization-kubeconfig={config}",
        f"--bind-address={layout.api_host}", f"--secure-port={MANAGER_PORT}", "--leader-elect=false", "--profiling=false",
        f"--service-account-private-key-file={layout.users / 'service-account.key'}", f"--root-ca-file={layout.ca_cert}",
        "--use-service-account-credentials=true", "--allocate-node-cidrs=false", "--terminated-pod-gc-threshold=1000",
        "--kube-api-qps=100", "--kube-api-burst=200",
    ]  # fmt: skip
    return _service(layout, "kube-controller-manager", argv, _healthz(layout, MANAGER_PORT))


def _scheduler(layout: Layout) -> Service:
    config = layout.client_config("scheduler")
    argv = [
        layout.program("kube-scheduler"),
        f"--kubeconfig={config}", f"--authentication-kubeconfig={config}", f"--authorization-kubeconfig={config}",
        f"--bind-address={layout.api_host}", f"--secure-port={SCHEDULER_PORT}", "--leader-elect=false", "--profiling=false",
        "--kube-api-qps=100", "--kube-api-burst=200",
    ]  # fmt: skip
    return _service(layout, "kube-scheduler", argv, _healthz(layout, SCHEDULER_PORT))


def _healthz(layout: Layout, port: int) -> Callable[[], bool]:
    # Both make a certificate of their own in memory; nothing secret is asked or answered here.
    return answers(f"https://{layout.api_host}:{port}/healthz", None)


def _kwok(layout: Layout) -> Service:
    argv = [
        *_after_bootstrap(layout), layout.program("kwok"), f"--kubeconfig={layout.client_config('kwok')}",
        f"--config={layout.home / 'kwok.yaml'}",
        "--manage-all-nodes", "--node-lease-duration-seconds=40", f"--node-ip={layout.api_host}", "--cidr=10.244.0.0/16",
        f"--server-address={layout.api_host}:{KWOK_PORT}",
    ]  # fmt: skip
    return _service(layout, "kwok", argv, answers(f"http://{layout.api_host}:{KWOK_PORT}/healthz", None))


def _kueue(layout: Layout) -> Service:
    argv = [
        *_after_bootstrap(layout), *mount_namespace(), "/bin/sh", "-c", OVER_ETC, str(layout.home / "etc"),
        layout.program("kueue"), f"--config={layout.home / 'kueue.json'}", "--feature-gates=VisibilityOnDemand=false",
    ]  # fmt: skip
    service = _service(layout, "kueue", argv, answers(f"http://{layout.kueue_host}:{KUEUE_HEALTH_PORT}/readyz", None))
    service.env["KUBECONFIG"] = str(layout.client_config("kueue"))
    return service


@cache
def mount_namespace() -> tuple[str, ...]:
    """The command that gives a process its own mounts: an ordinary user gets a user namespace with it.

    Raises LabError (LAB-021) where the kernel or a container forbids both.
    """
    choices = (("unshare", "--mount"), ("unshare", "--user", "--map-root-user", "--mount"))
    for command in choices if os.geteuid() == 0 else choices[1:]:
        trial = [*command, "/bin/sh", "-c", OVER_ETC, "/tmp", "true"]  # noqa: S108
        if subprocess.run(trial, capture_output=True, check=False, cwd=Path("/")).returncode == 0:
            return command
    raise LabError(
        "LAB-021",
        "kueue",
        "neither `unshare --mount` nor `unshare --user --mount` works",
        "Kueue reads /etc/kueue/metrics/certs, which the lab mounts for it alone",
        "sysctl kernel.unprivileged_userns_clone=1, or run the container with CAP_SYS_ADMIN",
    )
