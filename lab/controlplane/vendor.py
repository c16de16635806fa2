"""`python -m lab.controlplane.vendor`: renews `manifests/` from the Go modules that the programs were built from.

A clean clone with a warm binary cache has no Go module cache, so what the lab applies is committed. Run this after a version
change in `engine/recipes.py`; `git diff` then shows what upstream changed.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from ruamel.yaml import YAML

from lab.controlplane.layout import MANIFESTS, ROOT

KUEUE_MODULE = "sigs.k8s.io/kueue"
KWOK_MODULE = "sigs.k8s.io/kwok"
KUEUE_API = "v1beta2"
WEBHOOK_GROUPS = {"kueue.x-k8s.io", "batch"}
KUEUE_ROLES = (
    "role", "role_binding", "manager_secrets_role", "manager_secrets_role_binding", "batch_admin_role", "batch_user_role",
    "job_editor_role", "job_viewer_role", "localqueue_viewer_role", "clusterqueue_viewer_role", "workload_viewer_role",
)  # fmt: skip
STAGES = ("node/fast/node-initialize", "node/heartbeat-with-lease/node-heartbeat-with-lease", "pod/fast/pod-ready",
          "pod/fast/pod-complete", "pod/fast/pod-delete")  # fmt: skip


def module_dir(module: str, folder: str) -> Path:
    """The folder of a module in the Go module cache, by the go.mod that pins it."""
    command = ["go", "list", "-m", "-f", "{{.Dir}}", module]
    return Path(
        subprocess.run(command, cwd=ROOT / "engine" / folder, capture_output=True, text=True, check=True).stdout.strip()
    )


def documents(path: Path) -> list[dict]:
    return [doc for doc in YAML(typ="safe").load_all(path.read_text()) if doc]


def without_descriptions(schema: object) -> object:
    """A schema without its prose: two thirds of its size, and the API server holds it in memory several times."""
    if isinstance(schema, list):
        return [without_descriptions(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: without_descriptions(v) for k, v in schema.items() if not (k == "description" and isinstance(v, str))}


def crds(kueue: Path) -> list[object]:
    """Kueue's CRDs with the one version that it works with: the others need its conversion webhook."""
    result = []
    for path in sorted((kueue / "config/components/crd/bases").glob("*.yaml")):
        (crd,) = documents(path)
        crd["spec"]["versions"] = [v for v in crd["spec"]["versions"] if v["name"] == KUEUE_API]
        if not crd["spec"]["versions"]:
            raise SystemExit(f"{path.name}: no version {KUEUE_API}")
        result.append(without_descriptions(crd))
    return result


def webhooks(kueue: Path) -> list[dict]:
    """The webhook configurations, cut to the API groups that exist in the lab; `service` stays, the lab replaces it."""
    configurations = documents(kueue / "config/components/webhook/manifests.yaml")
    for configuration in configurations:
        configuration["metadata"]["name"] = f"kueue-{configuration['metadata']['name']}"
        configuration["webhooks"] = [w for w in configuration["webhooks"] if set(w["rules"][0]["apiGroups"]) <= WEBHOOK_GROUPS]
    return configurations


def roles(kueue: Path) -> list[dict]:
    """Kueue's own roles, named and bound as its kustomization does it (prefix `kueue-`, namespace `kueue-system`)."""
    result = []
    for name in KUEUE_ROLES:
        (role,) = documents(kueue / f"config/components/rbac/{name}.yaml")
        role["metadata"]["name"] = f"kueue-{role['metadata']['name']}"
        if "namespace" in role["metadata"]:
            role["metadata"]["namespace"] = "kueue-system"
        for subject in role.get("subjects", ()):
            subject |= {"name": "kueue-controller-manager", "namespace": "kueue-system"}
        if "roleRef" in role:
            role["roleRef"]["name"] = f"kueue-{role['roleRef']['name']}"
        result.append(role)
    return result


def stages(kwok: Path) -> list[dict]:
    return [doc for name in STAGES for doc in documents(kwok / f"kustomize/stage/{name}.yaml")]


def write(name: str, items: list) -> None:
    text = json.dumps(items, indent=1, sort_keys=True)
    (MANIFESTS / f"{name}.json").write_text(text + "\n")


def main() -> None:
    kueue, kwok = module_dir(KUEUE_MODULE, "kueue"), module_dir(KWOK_MODULE, "kwok")
    write("kueue-crds", crds(kueue))
    write("kueue-webhooks", webhooks(kueue))
    write("kueue-roles", roles(kueue))
    write("kwok-roles", documents(kwok / "kustomize/rbac/role.yaml"))
    write("kwok-stages", stages(kwok))
    print(f"manifests of {kueue.name} and {kwok.name}")


if __name__ == "__main__":
    main()
