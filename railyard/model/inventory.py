"""The inventory: what was delivered. Facts about one machine, never choices."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from railyard.model.base import ContradictionError, Name, Noun
from railyard.model.infiniband import Guid, Hcas

Mac = Annotated[str, Field(pattern=r"^[0-9a-f]{2}(:[0-9a-f]{2}){5}$")]


class Role(StrEnum):
    GPU = "gpu"
    STORAGE = "storage"


class Lifecycle(StrEnum):
    """`quarantined` sets a machine aside: nothing is written to it and the gates don't wait for it."""

    ACTIVE = "active"
    QUARANTINED = "quarantined"


class Machine(Noun):
    """One delivered machine. `name` is the planned position that it fills; `hcas` are its InfiniBand ports with their GUIDs."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
    role: Role
    serial: Annotated[str, Field(min_length=1, max_length=64)]
    bmc: Annotated[str, Field(pattern=r"^[^\s/]+$", description="host:port or address of the BMC")]
    macs: Annotated[tuple[Mac, ...], Field(min_length=1)]
    gpus: Annotated[int, Field(ge=0, le=72)] = 0
    hcas: Hcas = ()
    lifecycle: Lifecycle = Lifecycle.ACTIVE
    reason: str | None = None
    install_generation: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    confirm_serial: str | None = None


class Switch(Noun):
    """One delivered switch, whose configuration railyard manages. `name` is the planned position that it fills.

    NVUE is trusted by `ca_file`, SSH by `host_key_sha256`. `management_address` is the one that the plan gives its management
    port, with a port where it isn't the usual one (8765, 22). An InfiniBand switch has a `node_guid` and isn't managed.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
    serial: Annotated[str, Field(min_length=1, max_length=64)]
    management_address: Annotated[str, Field(pattern=r"^[^\s/]+$", description="host:port or address")] | None = None
    host_key_sha256: (
        Annotated[str, Field(pattern=r"^SHA256:[A-Za-z0-9+/]{43}$", description="as `ssh-keygen -lf` prints it")] | None
    ) = None
    ca_file: str | None = None
    credential_ref: Annotated[str, Field(pattern=r"^(file|env):\S+$", description="file:PATH or env:NAME")] | None = None
    node_guid: Guid | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """A management address without trust or credential can't be used: that is a gap in the file, not a choice."""
        if self.management_address and not self.credential_ref:
            wanted = "credentialRef beside managementAddress"
            raise ContradictionError(wanted, "managementAddress", "credentialRef")
        if self.management_address and not (self.ca_file or self.host_key_sha256):
            wanted = "caFile (NVUE) or hostKeySha256 (SSH) beside managementAddress"
            raise ContradictionError(wanted, "managementAddress", "caFile", "hostKeySha256")
        return self


class Inventory(Noun):
    """All machines of a site, and the switches that railyard configures."""

    schema_version: Annotated[int, Field(ge=1, le=1)]
    site: Name
    machines: tuple[Machine, ...] = ()
    switches: tuple[Switch, ...] = ()
    switch_guids: dict[str, Guid] = Field(
        default_factory=dict, description="node GUIDs of InfiniBand switches, by planned name"
    )
