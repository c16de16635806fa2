"""All files that a plan gives, as values: whoever calls writes them where it likes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from railyard.plan import to_json
from railyard.render.cables import cables_csv
from railyard.render.rack import rack_svg
from railyard.render.report import report_html
from railyard.render.topology import topology_svg

if TYPE_CHECKING:
    from railyard.plan import Plan
    from railyard.rules import Finding

_SAFE = re.compile(r"[^A-Za-z0-9._-]")


def artefacts(plan: Plan, findings: Sequence[Finding]) -> dict[str, bytes]:
    """Path relative to the output folder -> content, without dates: the same plan gives the same bytes."""
    texts = {
        "cables.csv": cables_csv(plan.cables),
        "report.html": report_html(plan, findings),
        "topology.svg": topology_svg(plan),
        **{f"racks/{_file_name(rack.name)}.svg": rack_svg(rack) for rack in plan.racks},
    }
    files = {name: content.encode() for name, content in texts.items()}
    files["plan.json"] = to_json(plan)
    files["findings.json"] = findings_json(findings)
    return dict(sorted(files.items()))


def findings_json(findings: Sequence[Finding]) -> bytes:
    """The findings as a JSON list in their order, indented, for tools and for people."""
    rows = [
        {"id": f.id, "severity": f.severity, "where": f.where, "found": f.found, "limit": f.limit, "fix": f.fix, "url": f.url}
        for f in findings
    ]
    return msgspec.json.format(msgspec.json.encode(rows), indent=2) + b"\n"


def _file_name(name: str) -> str:
    """A device's name as a file name: a hostile one stays in the folder that it belongs to."""
    return _SAFE.sub("_", name).lstrip(".") or "_"
