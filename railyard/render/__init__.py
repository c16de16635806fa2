"""Plan -> text: report, elevations, topology, cable schedule, consequence table. Nothing here computes a number of the site."""

from railyard.render.artefacts import artefacts, findings_json
from railyard.render.cables import cables_csv
from railyard.render.consequences import cable_moves, consequences
from railyard.render.power import power_svg
from railyard.render.rack import rack_svg
from railyard.render.report import report_html
from railyard.render.rule_text import rule_text
from railyard.render.topology import topology_svg
from railyard.render.unit import unit_svg

__all__ = [
    "artefacts",
    "cable_moves",
    "cables_csv",
    "consequences",
    "findings_json",
    "power_svg",
    "rack_svg",
    "report_html",
    "rule_text",
    "topology_svg",
    "unit_svg",
]
