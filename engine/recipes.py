"""What is built from which Go module: the pinned versions and, from them, the name of each binary's place in the cache.

A module is a folder beside this file (`go.mod`, `go.sum` and sometimes `main.go`): one per upstream, so that their version
selections can't fight. The hash covers those files and the recipe itself, nothing of the machine but its platform.
"""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

ENGINE_DIR = Path(__file__).resolve().parent
PULUMI_VERSION = "3.274.1"
KUBERNETES_PLUGIN_VERSION = "4.25.0"
KUBE_VERSION = "1.36.3"
TAGS = "osusergo,grpcnotrace"


@dataclass(frozen=True)
class ModuleFile:
    """A file that is copied out of a Go module: into the build folder (`embedded`) or beside the finished binary."""

    module: str
    path: str
    embedded: bool = False
    executable: bool = False
    set_version: str = ""

    @property
    def name(self) -> str:
        return Path(self.path).name


@dataclass(frozen=True)
class Recipe:
    """One binary. `expected_s` is its build time on 2 idle cores with nothing cached, `disk_gib` what that adds to the disk."""

    name: str
    folder: str
    package: str
    version: str
    ldflags: str
    expected_s: int
    disk_gib: float
    files: tuple[ModuleFile, ...] = ()

    def hash(self, engine_dir: Path = ENGINE_DIR) -> str:
        """The first 16 hex digits of a SHA-256 over everything that decides what the binary is."""
        digest = hashlib.sha256()
        identity = {key: value for key, value in asdict(self).items() if key not in ("expected_s", "disk_gib")}
        identity |= {"tags": TAGS, "platform": f"{platform.system()}-{platform.machine()}"}
        digest.update(json.dumps(identity, sort_keys=True).encode())
        for name in ("go.mod", "go.sum", "main.go"):
            source = engine_dir / self.folder / name
            digest.update(f"\0{name}\0".encode() + (source.read_bytes() if source.exists() else b""))
        return digest.hexdigest()[:16]


def _set(variable: str, value: str) -> str:
    return f"-X {variable}={value}"


_PULUMI_SDK = "github.com/pulumi/pulumi/sdk/v3"
_KUBERNETES_PROVIDER = "github.com/pulumi/pulumi-kubernetes/provider/v4"
# Clients parse the API server's version; a binary without these says v0.0.0.
_KUBE_LDFLAGS = " ".join(
    _set(f"k8s.io/component-base/version.git{part}", value)
    for part, value in (("Version", f"v{KUBE_VERSION}"), ("Major", "1"), ("Minor", "36"))
)


def _kube(name: str, expected_s: int, disk_gib: float) -> Recipe:
    return Recipe(name, "kube", f"k8s.io/kubernetes/cmd/{name}", KUBE_VERSION, _KUBE_LDFLAGS, expected_s, disk_gib)


RECIPES = (
    Recipe(
        "pulumi",
        "pulumi",
        "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        PULUMI_VERSION,
        _set(f"{_PULUMI_SDK}/go/common/version.Version", f"v{PULUMI_VERSION}"),
        280,
        3.0,
        (ModuleFile(_PULUMI_SDK, "python/cmd/pulumi-language-python-exec", executable=True),),
    ),
    Recipe("etcd", "etcd", "go.etcd.io/etcd/server/v3", "3.6.13", "", 24, 0.4),
    _kube("kube-apiserver", 205, 2.5),
    _kube("kube-scheduler", 17, 0.3),
    _kube("kube-controller-manager", 43, 0.6),
    _kube("kubectl", 24, 0.4),
    Recipe("kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok", "0.8.0", "", 63, 0.8),
    Recipe("kueue", "kueue", "sigs.k8s.io/kueue/cmd/kueue", "0.17.0", "", 189, 1.5),
    Recipe(
        "pulumi-resource-kubernetes",
        "kubernetes",
        ".",
        KUBERNETES_PLUGIN_VERSION,
        _set(f"{_KUBERNETES_PROVIDER}/pkg/version.Version", KUBERNETES_PLUGIN_VERSION),
        720,
        5.0,
        (
            ModuleFile(
                _KUBERNETES_PROVIDER,
                "cmd/pulumi-resource-kubernetes/schema.json",
                embedded=True,
                set_version=KUBERNETES_PLUGIN_VERSION,
            ),
            ModuleFile(_KUBERNETES_PROVIDER, "cmd/pulumi-resource-kubernetes/terraform-mapping.json", embedded=True),
        ),
    ),
)
BY_NAME = {recipe.name: recipe for recipe in RECIPES}
CONTROL_PLANE = tuple(r.name for r in RECIPES if r.name not in ("pulumi", "pulumi-resource-kubernetes"))
