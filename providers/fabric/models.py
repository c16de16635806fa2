"""Inputs of the resources as the program gives them (camelCase outside)."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from railyard.model.base import Noun

Ref = Annotated[str, Field(pattern=r"^(file|env):\S+$", description="file:PATH or env:NAME")]
ADDRESS = r"^([^\s/:\[\]]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?|[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)$"
Address = Annotated[str, Field(pattern=ADDRESS, description="host:port, or host alone (8765 for NVUE, 22 for SSH)")]
HostKey = Annotated[str, Field(pattern=r"^SHA256:[A-Za-z0-9+/]{43}$", description="as `ssh-keygen -lf` prints it")]
Nos = Literal["cumulus", "sonic"]


class Connection(Noun):
    """How to reach one switch. NVUE is trusted by `ca_file`, SSH by `host_key_sha256`; there is no way to trust nothing."""

    nos: Nos
    address: Address
    ca_file: str | None = None
    host_key_sha256: HostKey | None = None
    credential_ref: Ref
    serial: Annotated[str, Field(min_length=1, max_length=64)]

    @model_validator(mode="after")
    def _trust(self) -> Self:
        if self.nos == "cumulus" and not self.ca_file:
            raise ValueError("caFile is missing: NVUE's certificate must be signed by somebody")
        if self.nos == "sonic" and not self.host_key_sha256:
            raise ValueError("hostKeySha256 is missing: the switch must be known before a password is sent to it")
        return self


class SwitchConfigInputs(Connection):
    """Inputs of `fabric:index:SwitchConfig`.

    `config`: the NVUE object tree, or the tables of a config_db; keys that aren't in it are left as they are. `confirm_s`: how
    long the switch waits for our confirmation before it rolls back. `settle_s`: how long sessions and neighbours have to come
    back, seconds. `plan` and `waivers` are for policies: nothing of them is sent; role and number say whose turn it is.
    `changes` is written by us: what differs from last time.
    """

    name: str
    config: Annotated[dict[str, Any], Field(min_length=1)]
    changes: dict[str, str] | None = None
    confirm_s: Annotated[int, Field(ge=5, le=3600)] = 180
    settle_s: Annotated[int, Field(ge=1, le=1800)] = 60
    plan: dict[str, Any] | None = None
    waivers: tuple[dict[str, Any], ...] = ()

    @model_validator(mode="after")
    def _times(self) -> Self:
        if self.settle_s >= self.confirm_s:
            raise ValueError("settleS must be shorter than confirmS: the switch would roll back while we still wait")
        return self


class GateSwitch(Connection):
    """One switch that the gate looks at.

    `sessions`: ports that BGP must be established on. `neighbours`: port -> `device/port` that LLDP must show. `reach`:
    prefixes of other leaves that must be reached over `width` links. `mtu`: bytes, of every port in `sessions`. `loopback`: the
    prefix that others reach it by.
    """

    name: str
    sessions: tuple[str, ...]
    neighbours: dict[str, str]
    reach: tuple[str, ...] = ()
    loopback: str = ""
    width: Annotated[int, Field(ge=0)] = 0
    mtu: Annotated[int, Field(ge=552, le=9216)]


class GateInputs(Noun):
    """Inputs of `fabric:index:FabricGate`. `tokens` order it behind the switches; `deadline_s`: how long it may settle.

    `applied` names the last change of each switch that it judges: where one is new, it is measured again (None: a state
    that was made before there were such names).
    """

    phase: str
    unit: str
    switches: tuple[GateSwitch, ...]
    minimum_percent: Annotated[float, Field(gt=0, le=100)] = 100.0
    deadline_s: Annotated[int, Field(ge=1, le=3600)] = 120
    tokens: tuple[str, ...] = ()
    applied: Annotated[dict[str, str | None], Field(default_factory=dict)]
