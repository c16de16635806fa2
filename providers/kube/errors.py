"""What can be wrong with a cluster, each with its id (KUBE-0nn), where, found, limit, fix."""

from __future__ import annotations

from providers.kit.errors import Problem, ProviderError

URL = "providers/kube/README.md"


class KubeError(ProviderError):
    """One problem. `final`: waiting longer can't help. `status`: of the answer, 0 if there was none."""

    def __init__(self, problem: Problem, *, final: bool = False, status: int = 0) -> None:
        self.final = final
        self.status = status
        super().__init__(problem)


class NotFoundError(KubeError):
    """The object isn't there (404)."""


def unreachable(where: str, reason: str) -> KubeError:
    return KubeError(Problem("KUBE-001", where, reason, "an API server that answers", "start it, or correct the endpoint", URL))


def wrong_certificate(where: str, reason: str, ca_file: str) -> KubeError:
    limit, fix = f"a certificate for this address signed by {ca_file}", "correct caFile, or find out who answers there"
    return KubeError(Problem("KUBE-002", where, reason, limit, fix, URL), final=True)


def bad_kubeconfig(where: str, found: str, limit: str) -> KubeError:
    return KubeError(Problem("KUBE-003", where, found, limit, "write the kubeconfig of this cluster there", URL), final=True)


def other_server(where: str, found: str, endpoint: str) -> KubeError:
    fix = "correct kubeconfigRef or endpoint: they must mean the same cluster"
    return KubeError(Problem("KUBE-004", where, f"server {found}", endpoint, fix, URL), final=True)


def other_version(where: str, found: str, wanted: str) -> KubeError:
    fix = "upgrade the cluster, or set railyard:platform.controlPlane.version to what runs"
    return KubeError(Problem("KUBE-005", where, f"Kubernetes {found}", f"the minor version of {wanted}", fix, URL), final=True)


def not_ready(where: str, found: str) -> KubeError:
    return KubeError(Problem("KUBE-006", where, found, "/readyz answers ok", "look at the API server's log", URL))


def refused(where: str, status: int, message: str) -> KubeError:
    """An answer with an error status; 401, 403 and 422 don't get better by waiting."""
    problem = Problem("KUBE-007", where, f"{status} {message}", "", "see the message of the API server", URL)
    if status == 404:
        return NotFoundError(problem, status=status)
    return KubeError(problem, final=status in (400, 401, 403, 405, 409, 415, 422), status=status)


def bad_ca(where: str, found: str) -> KubeError:
    limit = "a readable PEM file with the certificate of the cluster's CA"
    return KubeError(Problem("KUBE-008", where, found, limit, "correct caFile", URL), final=True)


def other_ca(where: str, ca_file: str) -> KubeError:
    fix = "write the kubeconfig of this cluster there, or correct caFile"
    return KubeError(Problem("KUBE-009", where, "another CA than caFile", f"the CA in {ca_file}", fix, URL), final=True)


def no_queue(where: str) -> KubeError:
    fix = "create the LocalQueue before the gate (the tenant's component does)"
    return KubeError(Problem("KUBE-020", where, "no such LocalQueue", "a LocalQueue", fix, URL), final=True)
