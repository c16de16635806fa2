"""What the cluster needs before its controllers start: namespaces, identities, Kueue's CRDs and webhooks."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from lab.controlplane.api import Api
from lab.controlplane.layout import KUEUE_NAMESPACE, KUEUE_WEBHOOK_PORT, MANIFESTS, Layout
from lab.controlplane.prepare import ADMIN_GROUP, NODE_AGENT_USER
from lab.errors import LabError

ESTABLISHED_S = 30.0
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "MutatingWebhookConfiguration": "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    "ValidatingWebhookConfiguration": "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
}
RBAC = "rbac.authorization.k8s.io"


def load(name: str) -> list[dict[str, Any]]:
    """The objects of one vendored file."""
    return json.loads((MANIFESTS / f"{name}.json").read_text())


def bootstrap(api: Api, layout: Layout) -> None:
    """Put everything there; again changes nothing. Raises LabError (LAB-022) if a CRD isn't Established in 30 s."""
    definitions = load("kueue-crds")
    for definition in definitions:
        put(api, definition)
    for item in identities():
        put(api, item)
    for namespace, name in (("kube-system", "kwok-controller"), (KUEUE_NAMESPACE, "kueue-controller-manager")):
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}
        api.apply(f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}", account)
    for item in (*load("kwok-roles"), *load("kueue-roles")):
        put(api, item)
    wait_established(api, [definition["metadata"]["name"] for definition in definitions])
    for item in webhooks(layout):
        put(api, item)


def put(api: Api, item: dict[str, Any]) -> None:
    collection = PATHS[item["kind"]].format(namespace=item["metadata"].get("namespace"))
    api.apply(f"{collection}/{item['metadata']['name']}", item)


def identities() -> list[dict[str, Any]]:
    """Namespaces, and who may do what: the administrator by group, the node agent (our kubelet) for nodes only."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": KUEUE_NAMESPACE}}
    verbs = ["get", "list", "watch", "create", "delete", "patch", "update"]
    rules = [{"apiGroups": [""], "resources": ["nodes", "nodes/status"], "verbs": verbs}]
    role = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": "railyard-node-agent"}, "rules": rules}
    kwok = {"kind": "ServiceAccount", "name": "kwok-controller", "namespace": "kube-system"}
    return [
        namespace,
        role,
        binding("railyard-administrators", "cluster-admin", {"kind": "Group", "name": ADMIN_GROUP, "apiGroup": RBAC}),
        binding("railyard-node-agent", "railyard-node-agent", {"kind": "User", "name": NODE_AGENT_USER, "apiGroup": RBAC}),
        binding("kwok-controller", "kwok-controller", kwok),
    ]


def binding(name: str, role: str, subject: dict[str, str]) -> dict[str, Any]:
    reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": role}
    kind = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding"}
    return {**kind, "metadata": {"name": name}, "roleRef": reference, "subjects": [subject]}


def webhooks(layout: Layout) -> list[dict[str, Any]]:
    """Kueue's webhooks, reached by address (there is no pod network for a Service); they fail closed as upstream."""
    bundle = base64.b64encode(layout.ca_cert.read_bytes()).decode()
    base = f"https://{layout.kueue_host}:{KUEUE_WEBHOOK_PORT}"
    configurations = load("kueue-webhooks")
    for configuration in configurations:
        for webhook in configuration["webhooks"]:
            webhook["clientConfig"] = {"url": base + webhook["clientConfig"]["service"]["path"], "caBundle": bundle}
    return configurations


def wait_established(api: Api, names: list[str]) -> None:
    """Kueue exits with `no matches for kind "Workload"` if it starts before this."""
    deadline = time.monotonic() + ESTABLISHED_S
    missing = set(names)
    while missing:
        for item in api.get(PATHS["CustomResourceDefinition"])["items"]:
            conditions = item.get("status", {}).get("conditions") or ()
            if any(c["type"] == "Established" and c["status"] == "True" for c in conditions):
                missing.discard(item["metadata"]["name"])
        if missing and time.monotonic() > deadline:
            found = f"not established: {', '.join(sorted(missing))}"
            raise LabError("LAB-022", "API server", found, f"{ESTABLISHED_S:.0f} s", "see logs/kube-apiserver.log")
        if missing:
            time.sleep(0.1)
