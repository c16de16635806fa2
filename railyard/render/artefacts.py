"""All files that a plan gives, as values: whoever calls writes them where it likes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from railyard.model.failures import FailureMatrix
from railyard.plan import to_json
from railyard.plan.growth import Work
from railyard.plan.infiniband import subnets
from railyard.plan.native import in_native_names
from railyard.plan.rows import sum_rows
from railyard.render.cable_files import cable_files
from railyard.render.hall import hall_svg
from railyard.render.hosts import host_files
from railyard.render.infiniband import infiniband_files
from railyard.render.rack import sheet_svg
from railyard.render.rack_backs import Backs
from railyard.render.report import report_html
from railyard.render.schedulers import kubernetes_files, slurm_files
from railyard.render.switches import switch_files
from railyard.render.topology import topology_svg

if TYPE_CHECKING:
    from railyard.plan import Plan
    from railyard.rules import Finding

_SAFE = re.compile(r"[^A-Za-z0-9._-]")


def artefacts(
    plan: Plan,
    findings: Sequence[Finding],
    filled: Mapping[str, Mapping[str, str]] | None = None,
    work: Sequence[Work] = (),
    matrix: FailureMatrix | None = None,
) -> dict[str, bytes]:
    """Path relative to the output folder -> content, without dates: the same plan gives the same bytes.

    `filled` are values of a cable schedule that came back filled in, by cable id; `work` is a work order that
    the report shows, as it does the failure `matrix`.
    """
    backs = Backs(plan.power, plan.cooling)
    texts = {
        "topology.svg": topology_svg(plan),
        **{f"racks/{_file_name(rack.name)}.svg": sheet_svg(rack, backs.of(rack.name)) for rack in plan.racks},
    }
    if plan.floor is not None and plan.floor.spots:
        rows = sum_rows(plan.racks, plan.cooling, plan.power)
        texts["hall.svg"] = hall_svg(plan.floor, plan.racks, plan.site.site, rows)
    files = {name: content.encode() for name, content in texts.items()}
    files |= dict(switch_files(plan))
    files |= dict(cable_files(plan, filled))
    files |= _in_folders(plan)
    subnet_files = infiniband_files(subnets(plan), plan.partitions, plan.infiniband)
    files |= {name: text.encode() for name, text in subnet_files.items()}
    files["plan.json"] = to_json(plan)
    files["findings.json"] = findings_json(findings)
    # Last: it links to all others.
    files["report.html"] = report_html(in_native_names(plan), findings, sorted(files), work, matrix).encode()
    return dict(sorted(files.items()))


def _in_folders(plan: Plan) -> dict[str, bytes]:
    """Files of nodes and schedulers, each kind in its folder."""
    folders = {
        "hosts": host_files(plan.hosts, plan.machines, plan.addresses, plan.cables),
        "slurm": slurm_files(plan.scheduler),
        "kubernetes": kubernetes_files(plan.platform, plan.scheduler, plan.machines),
    }
    return {f"{folder}/{name}": text.encode() for folder, files in folders.items() for name, text in files.items()}


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
