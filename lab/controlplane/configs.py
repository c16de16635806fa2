"""Text of the control plane's configuration files, as plain values (written by `prepare`)."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from lab.controlplane.layout import KUEUE_HEALTH_PORT, KUEUE_NAMESPACE, KUEUE_WEBHOOK_PORT, Layout

RUN_FOR = "railyard.dev/lab-run-for"  # pod annotation, Go duration: how long an emulated container runs (default: not at all)


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def kubeconfig(endpoint: str, ca: Path, user: str, client: tuple[Path, Path]) -> str:
    """A kubeconfig with everything inside; the same files give the same text."""
    return f"""apiVersion: v1
kind: Config
clusters:
- name: railyard-lab
  cluster:
    server: {endpoint}
    certificate-authority-data: {_base64(ca)}
users:
- name: {user}
  user:
    client-certificate-data: {_base64(client[0])}
    client-key-data: {_base64(client[1])}
contexts:
- name: railyard-lab
  context: {{cluster: railyard-lab, user: {user}}}
current-context: railyard-lab
"""


def encryption(key: bytes) -> dict[str, Any]:
    """Secrets are written with secretbox; `identity` last, so that what was there before can still be read."""
    keys = [{"name": "key1", "secret": base64.b64encode(key).decode()}]
    providers = [{"secretbox": {"keys": keys}}, {"identity": {}}]
    return {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "EncryptionConfiguration",
        "resources": [{"resources": ["secrets"], "providers": providers}],
    }


def audit_policy() -> dict[str, Any]:
    """Who touched secrets and pods (never their content), what changed in volumes; heartbeats and reads are noise."""
    secrets = [{"group": "", "resources": ["secrets", "serviceaccounts/token"]},
               {"group": "authentication.k8s.io", "resources": ["tokenreviews"]}]  # fmt: skip
    volumes = [{"group": "", "resources": ["persistentvolumes", "persistentvolumeclaims"]}]
    entries = [{"group": "", "resources": ["pods/exec", "pods/attach", "pods/portforward", "pods/ephemeralcontainers"]}]
    noise = [{"group": "coordination.k8s.io", "resources": ["leases"]}, {"group": "", "resources": ["events"]}]
    return {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [
            {"level": "Metadata", "resources": secrets},
            {"level": "Metadata", "resources": entries},
            {"level": "RequestResponse", "resources": volumes, "verbs": ["create", "update", "patch", "delete"]},
            {"level": "None", "resources": noise},
            {"level": "None", "verbs": ["get", "list", "watch"]},
            {"level": "Metadata"},
        ],
    }


def kueue(layout: Layout) -> dict[str, Any]:
    """Kueue for batch Jobs; it listens on the instance's own address only."""
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "namespace": KUEUE_NAMESPACE,
        "health": {"healthProbeBindAddress": f"{layout.kueue_host}:{KUEUE_HEALTH_PORT}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": layout.kueue_host, "port": KUEUE_WEBHOOK_PORT, "certDir": str(layout.kueue_certs)},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "clientConnection": {"qps": 100, "burst": 200},
        "integrations": {"frameworks": ["batch/job"]},
    }


def kwok_stages(upstream: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Upstream's stages; a Job's pod completes after its annotation `railyard.dev/lab-run-for`, at once without one."""
    delay = {"durationMilliseconds": 0, "durationFrom": {"expressionFrom": f'.metadata.annotations["{RUN_FOR}"]'}}
    return [
        stage | {"spec": stage["spec"] | {"delay": delay}} if stage["metadata"]["name"] == "pod-complete" else stage
        for stage in upstream
    ]
