"""The inventory: what was delivered. Facts about one machine, never choices."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from railyard.model.base import Name, Noun

Mac = Annotated[str, Field(pattern=r"^[0-9a-f]{2}(:[0-9a-f]{2}){5}$")]


class Role(StrEnum):
    GPU = "gpu"
    STORAGE = "storage"


class Lifecycle(StrEnum):
    """`quarantined` sets a machine aside: nothing is written to it and the gates don't wait for it."""

    ACTIVE = "active"
    QUARANTINED = "quarantined"


class Machine(Noun):
    """One delivered machine. `name` is the planned position that it fills."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]
    role: Role
    serial: Annotated[str, Field(min_length=1, max_length=64)]
    bmc: Annotated[str, Field(pattern=r"^[^\s/]+$", description="host:port or address of the BMC")]
    macs: Annotated[tuple[Mac, ...], Field(min_length=1)]
    gpus: Annotated[int, Field(ge=0, le=72)] = 0
    lifecycle: Lifecycle = Lifecycle.ACTIVE
    reason: str | None = None
    install_generation: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    confirm_serial: str | None = None


class Inventory(Noun):
    """All machines of a site."""

    schema_version: Annotated[int, Field(ge=1, le=1)]
    site: Name
    machines: tuple[Machine, ...] = ()
