"""Where the control plane of one lab instance lies (paths below its directory) and listens (addresses of its loopback /16)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = Path(__file__).resolve().parent / "manifests"
PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "kueue")
API_PORT = 6443
ETCD_PORT = 2379
ETCD_PEER_PORT = 2380
MANAGER_PORT = 10257
SCHEDULER_PORT = 10259
KWOK_PORT = 10247
KUEUE_WEBHOOK_PORT = 9443
KUEUE_HEALTH_PORT = 8081
KUEUE_NAMESPACE = "kueue-system"


@dataclass(frozen=True)
class Layout:
    """`directory` is the instance D, `network` its first two octets ("127.77"); `bin_dir` holds the programs."""

    directory: Path
    network: str
    bin_dir: Path = ROOT / ".pulumi-home" / "bin"

    @property
    def home(self) -> Path:
        """Everything of the control plane that nobody else needs (mode 0700)."""
        return self.directory / "controlplane"

    @property
    def users(self) -> Path:
        """Client certificates of the API server and the ServiceAccount keys."""
        return self.home / "users"

    @property
    def etcd_pki(self) -> Path:
        return self.home / "etcd-pki"

    @property
    def bootstrapped(self) -> Path:
        """Exists once the cluster has what its controllers need; removed before each start."""
        return self.home / "bootstrapped"

    @property
    def kueue_certs(self) -> Path:
        return self.home / "kueue-certs"

    @property
    def logs(self) -> Path:
        return self.directory / "logs"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig: what people, the provider and pulumi-kubernetes use."""
        return self.directory / "kubeconfig"

    @property
    def ca_cert(self) -> Path:
        """The instance CA: signs every server certificate of the lab, the API server's too."""
        return self.directory / "pki" / "ca.crt"

    @property
    def api_host(self) -> str:
        return f"{self.network}.0.10"

    @property
    def etcd_host(self) -> str:
        return f"{self.network}.0.12"

    @property
    def kueue_host(self) -> str:
        return f"{self.network}.0.13"

    @property
    def endpoint(self) -> str:
        return f"https://{self.api_host}:{API_PORT}"

    def client_config(self, name: str) -> Path:
        """The kubeconfig of one component (`manager`, `scheduler`, `kwok`, `kueue`, `node-agent`, `bootstrap`)."""
        return self.home / f"{name}.kubeconfig"

    def program(self, name: str) -> str:
        """The path of a program; LabError (LAB-020) if it was never built."""
        path = self.bin_dir / name
        if not path.exists():
            fix = f".venv/bin/python -m engine install {name}"
            raise LabError("LAB-020", str(path), "no such file", "the control plane's programs are built once", fix)
        return str(path)
