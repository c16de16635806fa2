"""The report: one HTML file that carries its pictures, style, table and script, needs no network and no server.

Without the script (switched off, or printed by another tool) everything is there but the filtered cable table.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, TypedDict

from markupsafe import Markup, escape

from railyard.model.failures import FailureMatrix
from railyard.model.plan import MachinePlan, SiteTotals
from railyard.plan.growth import Work
from railyard.render.elevation import hatch
from railyard.render.fabric_facts import fabric_facts
from railyard.render.report_fabric import fabric_rows
from railyard.render.report_hall import hall_context
from railyard.render.runs import short
from railyard.render.theme import OTHER_NETWORKS, ROLES, cables_js, drawing_css, page_css, rail_class
from railyard.render.topology import topology_svg
from railyard.render.unit import unit_svg
from railyard.rules.registry import grouped

if TYPE_CHECKING:
    from jinja2 import Environment

    from railyard.plan import Plan
    from railyard.rules import Finding

# A table longer than this slows the page and helps nobody; the whole of it is in a file beside the report.
CABLES_MAX = 1_000
CABLES_SHOWN = 120
MACHINES_MAX = 160
ADDRESSES_MAX = 600
_KEY = re.compile("`([^`]+)`")

CONTENTS = (
    ("findings", "Findings"), ("hall", "Hall"), ("racks", "Racks"), ("power", "Power"), ("cooling", "Cooling"),
    ("failures", "What survives"), ("fabric", "Training fabric"), ("networks", "Other networks"),
    ("cables", "Cables"), ("machines", "Machines"), ("addresses", "Addresses"), ("storage", "Storage"),
    ("tenants", "Tenants"), ("replication", "Replication"), ("nccl", "NCCL"), ("files", "Files"),
)  # fmt: skip


class Card(TypedDict):
    """One number of the summary."""

    name: str
    value: str
    unit: str


def report_html(
    plan: Plan,
    findings: Iterable[Finding],
    files: Sequence[str] = (),
    work: Sequence[Work] = (),
    matrix: FailureMatrix | None = None,
) -> str:
    """The whole page. All text passes through the template's escaping; only our own drawings and script are markup.

    `files` are the paths of what lies beside it (it links to them), `work` the steps of a re-cabling work order, `matrix` what
    survives which failure.
    """
    page = _environment().get_template("report.html.j2")
    return page.render(
        version=version("railyard"),
        site=plan.site,
        headline=_headline(plan),
        contents=CONTENTS,
        cards=_cards(plan),
        findings=grouped(findings),
        roles=_roles(plan),
        striped=OTHER_NETWORKS,
        fabric_facts=_fabric_facts(plan),
        nics_assumed=plan.fabric.node_nics_assumed,
        file_system=plan.file_system,
        queues=plan.queues,
        replica=plan.replica,
        nccl=[(key, _quoted(value)) for key, value in sorted(plan.nccl.items())],
        **_pictures(plan),
        **hall_context(plan, matrix),
        **_rows(plan),
        **fabric_rows(plan, files, work),
        **_script(),
    )


def _pictures(plan: Plan) -> dict[str, object]:
    """The drawings and the style sheets: the only things that the template doesn't escape, since our writer has."""
    unit = _drawn_unit(plan)
    defs = f'<svg class="drawing" width="0" height="0" style="position:absolute" aria-hidden="true">{hatch()}</svg>'
    return {
        "hatch_defs": _drawn(defs),
        "topology": _drawn(topology_svg(plan, embedded=True)),
        "wiring": _drawn(unit_svg(plan, unit, embedded=True)) if unit else None,
        "wiring_unit": unit,
        "drawing_css": _drawn(drawing_css()),
        "page_css": _drawn(page_css()),
    }


def _script() -> dict[str, object]:
    """The page's only script, and its digest: a browser runs no other."""
    script = cables_js()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {"script": _drawn(script), "script_digest": f"sha256-{digest}"}


def _ticks(words: str) -> Markup:
    """Text in which `keys` stand between backticks, as a page says them: escaped first, so no name becomes markup."""
    return Markup(_KEY.sub(r"<code>\1</code>", str(escape(words))))  # noqa: S704


def _quoted(value: str) -> str:
    """For any shell. `shlex.quote` leaves the `=` of NCCL's exact match bare, which zsh would expand."""
    return "'" + value.replace("'", "'\\''") + "'"


def _drawn(markup: str) -> Markup:
    """Markup of this package's own making. Nothing else may come here."""
    return Markup(markup)  # noqa: S704


def _rows(plan: Plan) -> dict[str, object]:
    """The tables that may be long, cut to what a page can hold."""
    cables = plan.cables if len(plan.cables) <= CABLES_MAX else plan.cables[:CABLES_SHOWN]
    machines = _machines(plan.machines)
    return {
        "cables": cables,
        "cables_left": len(plan.cables) - len(cables),
        "machines": machines,
        "machines_left": len(plan.machines) - len(machines),
        "addresses": plan.addresses if len(plan.addresses) <= ADDRESSES_MAX else (),
    }


@cache
def _environment() -> Environment:
    # Imported when a page is made: the program, which only logs a table, starts without it.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("railyard.render", "templates")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters["ticks"] = _ticks  # pyright: ignore[reportArgumentType]
    environment.globals["rail_class"] = rail_class  # pyright: ignore[reportArgumentType]
    return environment


def _headline(plan: Plan) -> str:
    site, fabric = plan.site, plan.fabric
    models = sorted({machine.model for machine in plan.machines if machine.role == "gpu"})
    nodes = f"{site.nodes:,} nodes of {', '.join(models)}" if models else "no nodes yet"
    units = f"{site.built_scalable_units} of {site.planned_scalable_units} planned scalable units built"
    return f"{nodes} · {fabric.transport}, {fabric.tiers} tiers, {fabric.rails} rails at {fabric.link_gbps:g} Gb/s · {units}"


def _cards(plan: Plan) -> list[Card]:
    site = plan.site
    return [
        {"name": f"GPUs in {site.nodes:,} nodes{_in_active(site)}", "value": f"{site.gpus:,}", "unit": ""},
        {
            "name": f"peak power in {site.racks:,} rack{'' if site.racks == 1 else 's'}",
            "value": f"{site.peak_kw:,.1f}",
            "unit": "kW",
        },
        {
            "name": f"worst feed when the other is lost: {short(site.worst_feed, site.site)}",
            "value": f"{site.worst_feed_percent:.1f}",
            "unit": "%",
        },
        {"name": "bisection, one direction", "value": f"{site.bisection_gb_per_s:,.0f}", "unit": "GB/s"},
        {"name": "cables (all networks)", "value": f"{site.cables:,}", "unit": ""},
        {"name": "usable storage", "value": f"{site.usable_storage_tib:,.1f}", "unit": "TiB"},
        {"name": "spare leaf ports", "value": f"{site.spare_leaf_ports:,}", "unit": ""},
        {"name": "slots per scalable unit", "value": f"{site.nodes_per_unit}", "unit": ""},
    ]


def _in_active(site: SiteTotals) -> str:
    """How many of the GPUs jobs can have, where machines are set aside."""
    return "" if site.active_gpus in (None, site.gpus) else f", {site.active_gpus:,} in active ones"


def _roles(plan: Plan) -> list[tuple[str, str]]:
    used = {device.role for rack in plan.racks for device in rack.devices}
    return [(role, name) for role, name in ROLES.items() if role in used]


def _drawn_unit(plan: Plan) -> int | None:
    """The first unit that has nodes: the one worth seeing wire by wire."""
    return min((machine.unit for machine in plan.machines if machine.unit is not None), default=None)


def _fabric_facts(plan: Plan) -> list[tuple[str, str]]:
    fabric = plan.fabric
    return [
        ("transport", fabric.transport),
        ("NIC ports of a node, rail by rail", _node_nics(plan)),
        ("leaves · spines · cores", f"{fabric.leaves:,} · {fabric.spines:,} · {fabric.cores:,}"),
        ("ports per switch", f"{fabric.radix}"),
        ("cables node–leaf", f"{fabric.node_leaf_cables:,}"),
        ("cables leaf–spine", f"{fabric.leaf_spine_cables:,}"),
        ("cables spine–core", f"{fabric.spine_core_cables:,}"),
        ("links per leaf–spine pair", f"{fabric.links_per_pair:g}"),
        ("down to up", f"{fabric.down_to_up:g} : 1"),
        ("bisection", f"{fabric.bisection_gb_per_s:,.0f} GB/s"),
        ("free leaf ports", f"{fabric.free_leaf_ports:,}"),
        *fabric_facts(fabric),
    ]


def _node_nics(plan: Plan) -> str:
    """The ports' names, and whether somebody looked them up."""
    nics = ", ".join(plan.fabric.node_nics)
    return f"{nics} (assumed: the catalogue has no railHcas)" if plan.fabric.node_nics_assumed else nics


def _machines(machines: Sequence[MachinePlan]) -> list[MachinePlan]:
    """The first machines, and every one that is set aside wherever it stands."""
    if len(machines) <= MACHINES_MAX:
        return list(machines)
    return [machine for index, machine in enumerate(machines) if index < MACHINES_MAX or machine.lifecycle != "active"]
