"""The report's pictures in a real browser, from 1 rack to 2,048 nodes: words lie in boxes, uncut, nothing on each other."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from bench.generate import write_bench
from railyard import load
from railyard.plan import Plan, plan
from railyard.plan.failures import failure_matrix
from railyard.render.report import report_html
from tests.planned_site import make_site
from tests.proof.test_cable_table_in_browser import chromium
from tests.proof.test_report_in_browser import ROOT

pytestmark = pytest.mark.requirement("C3", "U4")

A4_PX = (703, 1032)
"""What is left of A4 with margins of 12 mm, at the 96 dpi of CSS."""
SIZES = {
    1: {"nodes": 3, "units": 1, "per_unit": 3, "storage": 0, "per_rack": 3},
    32: {"nodes": 72, "units": 2, "per_unit": 36, "storage": 4, "per_rack": 3},
    512: {"nodes": 1664, "units": 52, "per_unit": 32, "storage": 16, "per_rack": 4},
}
BUSWAY_A = {1: 400, 32: 400, 512: 1600}
"""Of a row: the hall of 512 racks isn't overloaded."""
PICTURES = "svg.rack, svg.rack-rear, svg.hall, svg.power, svg.power-path, svg.cooling, svg.topology, svg.wiring"

# Reads every drawing back by the boxes that the browser gives its words; what is over or off goes into the answer. Then once
# more with the style of paper, at the width of A4.
MEASURE = """
const box = (element) => element.getBoundingClientRect();
const inside = (a, b, by) =>
  a.left >= b.left - by && a.right <= b.right + by && a.top >= b.top - by && a.bottom <= b.bottom + by;
const apart = (a, b) =>
  a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;
const clashes = (words, most = words.length) => {
  const boxes = words.map(box);
  return words.flatMap((word, index) => words.slice(index + 1, index + 1 + most)
    .filter((_, next) => !apart(boxes[index], boxes[index + 1 + next])).map((other) => [word.textContent, other.textContent]));
};
const all = (root, selector) => [...root.querySelectorAll(selector)];
const HALL_WORDS = ["g.row text", "g.aisle-name text", "text.unit-name", "g.door text", "g.scale text", "g.north text",
  ".hall-body > text"];
const measure = (width) => {
  const found = { out: [], overlapping: [], cut: [], seen: {} };
  for (const kind of ["rack", "rack-rear", "hall"]) {
    const groups = all(document, `svg.${kind} g.device, svg.${kind} g.spot`);
    found.seen[kind] = { groups: groups.length, words: 0 };
    for (const group of groups) {
      const words = all(group, "text:not(.psu-name)"), frame = box(group.querySelector("rect.box"));
      found.seen[kind].words += words.length;
      for (const word of words) if (!inside(box(word), frame, 1.5)) found.out.push([kind, word.textContent]);
      found.overlapping.push(...clashes(words));
    }
  }
  for (const svg of all(document, "PICTURES"))
    for (const word of all(svg, "text")) {
      if (!inside(box(word), box(svg), 1)) found.out.push([svg.getAttribute("class"), word.textContent]);
      if (word.textContent.endsWith("…")) found.cut.push([svg.getAttribute("class"), word.textContent]);
    }
  for (const body of all(document, "g.rack-body"))
    found.overlapping.push(...clashes([...body.children].filter((word) => word.matches("text:not(.unit)"))));
  for (const svg of all(document, "svg.power, svg.power-path, svg.cooling, svg.topology, svg.wiring"))
    found.overlapping.push(...clashes(all(svg, "text"), 200));
  found.overlapping.push(...clashes(all(document, HALL_WORDS.map((one) => `svg.hall ${one}`).join(", "))));
  found.faces = all(document, ".faces").map((element) => box(element).height);
  found.pictures = all(document, ".picture").map((element) => box(element).height);
  // From a heading to the end of the first picture below it: together they must fit a page.
  found.openings = [["#hall", ".hall-picture"], ["#racks", ".faces"], ["#power", ".picture"]].map(([section, picture]) =>
    box(document.querySelector(`${section} ${picture}`)).bottom - box(document.querySelector(`${section} h2`)).top);
  found.hall = all(document, "svg.hall").map((element) => [box(element).width, box(element).height]);
  const left = box(document.querySelector("main")).left;
  found.wide = all(document, "#hall *, #racks *, #power *, #cooling *, #failures *")
    .filter((element) => box(element).right > left + width + 1).map((element) => element.outerHTML.slice(0, 120)).slice(0, 5);
  return found;
};
addEventListener("load", () => {
  const found = { screen: measure(1280) };
  const style = document.querySelector("style");
  style.textContent = style.textContent.replaceAll("@media print", "@media all");
  document.body.style.width = "A4px";
  found.paper = measure(A4);
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
});
""".replace("A4", str(A4_PX[0])).replace("PICTURES", PICTURES)


def hall(count: int) -> Plan:
    size, busway_a = SIZES[count], BUSWAY_A[count]
    kind = "shared" if count == 1 else "dedicated"
    return plan(
        make_site(
            nodes=size["nodes"],
            storage_nodes=size["storage"],
            facility={"nodesPerRack": size["per_rack"], "spreadRacks": 1, "racksPerRow": 16, "switchRacks": kind,
                      "storageRacks": kind, "reservedU": [1]},
            fabric={"nodesPerUnit": size["per_unit"], "scalableUnits": size["units"]},
            **({} if size["storage"] else {"storage": {"backend": "none", "nodes": 0, "classes": []}}),
            power={"supply": {"volts": 415, "voltageReference": "line-line", "phases": 3}, "paths": [
                {"name": f"bus-{feed}", "kind": "busway", "feed": feed, "breakerA": busway_a, "rowsEach": 1} for feed in "ab"]},
            cooling={"inletC": 24, "deltaK": 14, "altitudeM": 100, "airUnits": [
                {"name": "crah", "units": 4, "capacityKw": 250, "airflowM3S": 15, "rowsEach": 2}]},
        )
    )  # fmt: skip


def measured(folder: Path, page: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the browser says of the page: as it stands on a screen, and with the style of paper."""
    free = re.sub(r"script-src '[^']*'", "script-src 'unsafe-inline'", page, count=1)
    copy = folder / "measured.html"
    copy.write_text(free.replace("</body>", f"<script>{MEASURE}</script></body>"), encoding="utf-8")
    dom = chromium(folder, copy.as_uri(), "--window-size=1280,1000", "--dump-dom")
    found = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    assert found, "the page was never measured"
    both = json.loads(html.unescape(found[1]))
    return both["screen"], both["paper"]


def site_of(name: str, folder: Path) -> Plan:
    """`512 racks`, `2,048 nodes` of the bench, or a stack of the repository."""
    count, _, what = name.partition(" ")
    if what == "racks":
        site = hall(int(count))
        assert 0.8 * int(count) <= len(site.racks) <= 1.2 * int(count)
        return site
    if what == "nodes":
        write_bench(folder, int(count.replace(",", "")))
        return plan(load.site_config(folder, "bench"))
    return plan(load.site_config(ROOT, name))


@pytest.mark.parametrize("name", ["1 racks", "32 racks", "prod-site-a", "512 racks", "2,048 nodes"])
def test_words_lie_in_their_boxes_and_nothing_on_each_other(name: str, tmp_path: Path):
    site = site_of(name, tmp_path)
    assert site.floor is not None
    screen, paper = measured(tmp_path, report_html(site, [], matrix=failure_matrix(site)))
    assert screen["seen"]["hall"]["groups"] == len(site.floor.spots)
    assert (screen["seen"]["hall"]["words"] > 0) is (name != "2,048 nodes"), "racks of 2,048 nodes are told row by row"
    assert screen["seen"]["rack"]["groups"] == screen["seen"]["rack-rear"]["groups"] > 0
    for found in (screen, paper):
        assert found["out"] == []
        assert found["overlapping"] == []
        assert found["cut"] == []
        assert found["wide"] == [], "wider than its page"
    assert max(paper["faces"]) <= A4_PX[1], "an elevation is cut"
    assert max(paper["pictures"]) <= A4_PX[1], "a picture is cut"
    assert max(paper["openings"]) <= A4_PX[1], "a heading stands on a page alone"
    assert all(height <= A4_PX[1] - 100 and width <= A4_PX[0] for width, height in paper["hall"]), "the hall is cut"
