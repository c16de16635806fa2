"""The lab's control plane: real etcd, API server, scheduler, controller manager and Kueue as plain processes.

KWOK stands in for kubelets and containers. `services(instance)` is for the
supervisor; `Layout` says where everything lies and listens.
"""

from lab.controlplane import processes
from lab.controlplane.layout import Layout
from lab.controlplane.prepare import prepare
from lab.instance import Instance
from lab.service import Service

__all__ = ["Layout", "layout_of", "prepare", "services"]


def layout_of(instance: Instance) -> Layout:
    """Paths and addresses of the instance's control plane."""
    return Layout(instance.dir, instance.network)


def services(instance: Instance) -> list[Service]:
    """Writes what is missing (certificates, kubeconfig, configuration) and says what to start, in order; stop in reverse.

    Raises LabError LAB-020 (a program was never built) and LAB-021 (Kueue can't get its private mount).
    """
    where = layout_of(instance)
    prepare(where)
    return processes.services(where)
