"""The audit's result as one value, and its JSON."""

import msgspec

from railyard.audit.absent import MissingHost, MissingSwitch
from railyard.audit.nouns import (
    Contradiction,
    Difference,
    ExchangedSwitches,
    GuidCheck,
    NamedByPosition,
    SheetResult,
    SlowLink,
    SwitchVerdict,
    Totals,
    WorkStep,
)
from railyard.rules.registry import Finding

SCHEMA_VERSION = 1


class File(msgspec.Struct, frozen=True, rename="camel"):
    """A file that was read: what wrote it, devices with a record of their own, links (both ends, where it tells both)."""

    name: str
    format: str
    devices: int
    links: int


class Audit(msgspec.Struct, frozen=True, rename="camel"):
    """Everything that the audit has to say. `findings` are the judgement, `work` what to do about it, in order.

    `unknown_nics`: names of NICs that mean nothing in the design, and how often they are said (their rails aren't checked).
    `untold`: planned switches that have no file; `absent_planes`: parts of a network that the files tell of otherwise;
    `absent_networks` are not audited at all, and no finding: each network has files of its own.
    """

    title: str
    files: tuple[File, ...]
    totals: Totals
    verdicts: tuple[SwitchVerdict, ...]
    missing_switches: tuple[MissingSwitch, ...]
    missing_hosts: tuple[MissingHost, ...]
    differences: tuple[Difference, ...]
    slow: tuple[SlowLink, ...]
    named_by_position: tuple[NamedByPosition, ...]
    renamed_switches: dict[str, str]
    strange_switches: tuple[str, ...]
    exchanged_switches: tuple[ExchangedSwitches, ...]
    guids: GuidCheck | None
    contradictions: tuple[Contradiction, ...]
    one_sided: tuple[str, ...]
    cut: dict[str, int]
    unknown_nics: dict[str, int]
    untold: tuple[str, ...]
    absent_planes: tuple[str, ...]
    absent_networks: tuple[str, ...]
    sheet: tuple[SheetResult, ...]
    work: tuple[WorkStep, ...] = ()
    findings: tuple[Finding, ...] = ()


def to_json(audit: Audit) -> bytes:
    """Indented, with sorted keys: same files, same bytes."""
    body = msgspec.to_builtins(audit) | {"schemaVersion": SCHEMA_VERSION, "clean": not audit.findings}
    return msgspec.json.format(msgspec.json.encode(body, order="sorted"), indent=1) + b"\n"
