"""The report's pictures of the hall in a real browser, at 1, 32 and 512 racks: words lie in boxes, nothing on each other."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from railyard.plan import Plan, plan
from railyard.plan.failures import failure_matrix
from railyard.render.report import report_html
from tests.planned_site import make_site
from tests.proof.test_cable_table_in_browser import chromium

pytestmark = pytest.mark.requirement("C3", "U4")

A4_PX = (703, 1032)
"""What is left of A4 with margins of 12 mm, at the 96 dpi of CSS."""
SIZES = {
    1: {"nodes": 3, "units": 1, "per_unit": 3, "storage": 0, "per_rack": 3},
    32: {"nodes": 72, "units": 2, "per_unit": 36, "storage": 4, "per_rack": 3},
    512: {"nodes": 1664, "units": 52, "per_unit": 32, "storage": 16, "per_rack": 4},
}

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
const measure = (width) => {
  const found = { out: [], overlapping: [], seen: {} };
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
  for (const svg of all(document, "svg.rack, svg.rack-rear, svg.hall, svg.power, svg.power-path, svg.cooling"))
    for (const word of all(svg, "text"))
      if (!inside(box(word), box(svg), 1)) found.out.push([svg.getAttribute("class"), word.textContent]);
  for (const svg of all(document, "svg.power, svg.power-path, svg.cooling"))
    found.overlapping.push(...clashes(all(svg, "text"), 8));
  found.overlapping.push(...clashes(all(document, "svg.hall g.row text, svg.hall g.aisle-name text, svg.hall text.unit-name")));
  found.faces = all(document, ".faces").map((element) => box(element).height);
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
""".replace("A4", str(A4_PX[0]))


def hall(count: int) -> Plan:
    size = SIZES[count]
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
                {"name": f"bus-{feed}", "kind": "busway", "feed": feed, "breakerA": 400, "rowsEach": 1} for feed in "ab"]},
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


@pytest.mark.parametrize("count", SIZES)
def test_words_lie_in_their_boxes_and_nothing_on_each_other(count: int, tmp_path: Path):
    site = hall(count)
    assert site.floor is not None
    assert 0.8 * count <= len(site.racks) <= 1.2 * count
    screen, paper = measured(tmp_path, report_html(site, [], matrix=failure_matrix(site)))
    assert screen["seen"]["hall"]["groups"] == len(site.floor.spots)
    assert (screen["seen"]["hall"]["words"] > 0) is (count < 512), "512 racks are told row by row"
    assert screen["seen"]["rack"]["groups"] == screen["seen"]["rack-rear"]["groups"] > 0
    for found in (screen, paper):
        assert found["out"] == []
        assert found["overlapping"] == []
        assert found["wide"] == [], "wider than its page"
    assert max(paper["faces"]) <= A4_PX[1], "an elevation is cut"
    assert all(height <= A4_PX[1] - 100 and width <= A4_PX[0] for width, height in paper["hall"]), "the hall is cut"
