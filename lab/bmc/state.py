"""What a BMC remembers over power cuts: one JSON file per machine. A missing file means: as it left the factory."""

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab import files


@dataclass
class Account:
    """A user of the BMC. `salt` and `digest` are hex; the password itself is nowhere."""

    id: str
    name: str
    role: str
    salt: str
    digest: str
    enabled: bool = True
    change_required: bool = False


@dataclass
class Media:
    """What lies in a virtual drive."""

    image: str | None = None
    inserted: bool = False
    write_protected: bool = True
    user_name: str | None = None


@dataclass
class BmcState:
    """All that survives. `power` is the stable state that a power cut returns to."""

    power: str = "Off"
    boot_enabled: str = "Disabled"
    boot_target: str = "None"
    boot_mode: str = "UEFI"
    boot_order: list[str] = field(default_factory=lambda: ["Boot0002", "Boot0001", "Boot0003"])
    media: dict[str, Media] = field(default_factory=lambda: {"USB1": Media(), "CD1": Media()})
    ntp_enabled: bool = False
    ntp_servers: list[str] = field(default_factory=list)
    ipmi_enabled: bool = True
    asset_tag: str = ""
    indicator: bool = False
    accounts: list[Account] = field(default_factory=list)
    next_account: int = 2
    lockout_threshold: int = 5
    lockout_duration_s: int = 30
    lockout_reset_s: int = 30
    session_timeout_s: int = 300
    subscriptions: dict[str, dict[str, Any]] = field(default_factory=dict)
    next_subscription: int = 1


def load(path: Path, factory: Account) -> BmcState:
    """The state in `path`; the factory's (with its one account) when there is none."""
    value = files.read_json(path)
    if not isinstance(value, dict):
        return BmcState(accounts=[dataclasses.replace(factory)])
    known = {one.name for one in dataclasses.fields(BmcState)}
    value = {key: one for key, one in value.items() if key in known}
    value["accounts"] = [Account(**one) for one in value.get("accounts", [])]
    value["media"] = {name: Media(**one) for name, one in value.get("media", {}).items()}
    return BmcState(**value)


def save(path: Path, state: BmcState) -> None:
    """Writes the state, atomically; readable by the owner only (it holds password digests)."""
    files.write_json(path, dataclasses.asdict(state), mode=0o600)
