"""Colours and line styles of every drawing, as one style sheet with a light, a dark and a printed face.

Roles are drawn in Okabe and Ito's palette, which readers with any of the common colour blindnesses can tell apart. Rails have
the colours that their cables are ordered in (`plan.cabling.RAIL_COLORS`): a dot beside "red" is red, and has its number.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

ROLES: dict[str, str] = {
    "gpu": "GPU node",
    "storage": "storage server",
    "leaf": "leaf switch",
    "spine": "spine switch",
    "core": "core switch",
    "management": "management",
    "storage-switch": "storage switch",
    "in-band-switch": "in-band switch",
    "oob": "out of band",
}

OTHER_NETWORKS = frozenset({"storage-switch", "in-band-switch", "oob"})
"""Roles whose edge is striped: nine colours that every reader tells apart don't exist."""

# Rails beyond eight start the row again: two rails of one colour are never drawn side by side without their number.
RAIL_COLOURS = 8


@cache
def drawing_css() -> str:
    """The sheet that the report embeds once and every SVG file carries."""
    return files("railyard.render").joinpath("templates", "drawing.css").read_text(encoding="utf-8")


@cache
def page_css() -> str:
    """The report's own layout."""
    return files("railyard.render").joinpath("templates", "report.css").read_text(encoding="utf-8")


@cache
def cables_js() -> str:
    """The script of the report's cable table."""
    return files("railyard.render").joinpath("templates", "cables.js").read_text(encoding="utf-8")


def rail_class(rail: int | None) -> str:
    """The CSS class of a rail's colour; cables without a rail are neutral."""
    return "rail-none" if rail is None else f"rail-{rail % RAIL_COLOURS}"
