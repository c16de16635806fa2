"""Inputs of the resources as the program gives them (camelCase outside). An absent section is unmanaged."""

from typing import Annotated, Any, Literal

from pydantic import Field

from railyard.model.base import Noun, Sha256

Ref = Annotated[str, Field(pattern=r"^(file|env):\S+$", description="file:PATH or env:NAME")]
Address = Annotated[str, Field(pattern=r"^[^\s/]+$", description="host:port or address")]
Url = Annotated[str, Field(pattern=r"^https://[^/\s]+$")]
Serial = Annotated[str, Field(min_length=1, max_length=64)]


class Connection(Noun):
    """How to reach one BMC. `verify_tls` false is the stack file's word (railyard:bmc.verifyTls), never a default."""

    bmc: Address
    ca_file: str
    verify_tls: bool = True
    account_ref: Ref


class Identity(Noun):
    """What the plan says about the machine; a count left out isn't compared."""

    serial: Serial
    macs: tuple[str, ...] = ()
    gpus: Annotated[int, Field(ge=0)] | None = None
    nics: Annotated[int, Field(ge=0)] | None = None


class Accounts(Noun):
    """The account that railyard uses; `remove_factory` takes the delivered one away (or disables it)."""

    name: str
    remove_factory: bool = True


class Services(Noun):
    """Services of the BMC; a value left out is unmanaged."""

    ntp_servers: tuple[str, ...] | None = None
    ipmi: bool | None = None


class MachineInputs(Connection):
    """Inputs of `metal:index:Machine`."""

    factory_ref: Ref | None = None
    identity: Identity
    accounts: Accounts | None = None
    services: Services | None = None
    boot_order: tuple[str, ...] | None = None
    power: Literal["on", "off"] | None = None


class Provisioning(Noun):
    """How to reach the provisioning service."""

    service_url: Url
    service_ca_file: str = ""
    admin_ref: Ref


class InstallationInputs(Connection, Provisioning):
    """Inputs of `metal:index:Installation`. `deadline_s` counts from the start until the call home, seconds."""

    serial: Serial
    name: str
    machine_token: str
    generation: Annotated[int, Field(ge=1)]
    confirm_serial: str = ""
    image: str
    image_sha256: Sha256
    seed: dict[str, Any]
    deadline_s: Annotated[int, Field(ge=1, le=86_400)] = 3600


class GateMachine(Noun):
    """One machine that a gate looks at. `generation` is the planned one: a raised one makes the old evidence void."""

    name: str
    serial: Serial
    bmc: Address
    generation: Annotated[int, Field(ge=1)]


class Aside(Noun):
    """A machine that the operator set aside."""

    name: str
    reason: str = ""


class GateInputs(Provisioning):
    """Inputs of `metal:index:FacilityGate`. `tokens` order it behind the installations."""

    phase: str
    unit: str
    machines: tuple[GateMachine, ...]
    quarantined: tuple[Aside | str, ...] = ()
    minimum_ready: Annotated[int, Field(ge=1)]
    ca_file: str
    verify_tls: bool = True
    account_ref: Ref
    tokens: tuple[str, ...] = ()
