"""The contract: what other teams' stacks may read. A change that breaks a reader raises CONTRACT_VERSION.

Fields that hold a digest stay unknown until the phase has passed; 64 hex digits are the only proof of a pass.
"""

from typing import Annotated, Literal

from pydantic import Field

from railyard.model.base import Noun, Sha256

CONTRACT_VERSION = 1


class Phase(Noun):
    """One phase that has passed. `digest` is the SHA-256 of the evidence that its gate measured."""

    name: Annotated[str, Field(description="facility-<unit>, fabric-<gate> or platform")]
    digest: Sha256


class ApiServer(Noun):
    """Where the Kubernetes API answers. `kubeconfig_ref` says where an operator finds the credentials; it holds none."""

    endpoint: str
    ca_sha256: Annotated[Sha256, Field(description="SHA-256 of the CA file's bytes")]
    kubeconfig_ref: str


class Queue(Noun):
    """One tenant's way in. `gpus` is the quota of the tenant's own cluster queue, in whole GPUs."""

    tenant: str
    namespace: str
    local_queue: str
    cluster_queue: str
    gpus: int


class StorageOutput(Noun):
    """The parallel file system. `status` is `planned` until railyard deploys it."""

    backend: str
    status: Literal["planned", "deployed"]
    usable_tib: float
    mounts: Annotated[dict[str, str], Field(description="purpose to path, e.g. checkpoints: /storage/checkpoints")]


class FabricOutput(Noun):
    """The training fabric. `status` is `configured` where railyard configures every switch of it, else `planned`."""

    status: Literal["planned", "configured", "deployed"]
    transport: str
    tiers: int
    rails: int
    leaves: int
    spines: int
    cores: int
    link_gbps: Annotated[float, Field(description="Gb/s of one link")]
    bisection_gb_per_s: Annotated[float, Field(description="GB/s (10^9 bytes) across the worst half, one direction")]


class ReplicationOutput(Noun):
    """What the second site needs to know."""

    status: Literal["planned", "deployed"]
    endpoint: Annotated[str, Field(description="where this site sends its checkpoints: the other site's address, not its own")]
    link_gbps: Annotated[float, Field(description="Gb/s of the link between the sites")]
    checkpoint_tib: Annotated[float, Field(description="TiB of one checkpoint")]


class SiteOutputs(Noun):
    """All outputs of a railyard stack, except the secret `kubeconfig`."""

    contract_version: Literal[1]
    site: str
    totals: Annotated[dict[str, float | int | str], Field(description="the numbers of the consequence table as deployed")]
    phases: tuple[Phase, ...]
    api_server: ApiServer
    queues: tuple[Queue, ...]
    storage: StorageOutput | None
    fabric: FabricOutput
    rack_power_kw: Annotated[dict[str, float], Field(description="peak kW per rack")]
    nccl_environment: dict[str, str]
    replication: ReplicationOutput | None
    report_path: Annotated[str, Field(description="relative to the project root")]
