"""The report's cable table in a real browser: filters typed and linked to, rows read back, printed, and without JavaScript."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from bench.generate import write_bench
from railyard import load
from railyard.model.plan import Cable
from railyard.plan import Plan, plan
from railyard.plan.pulls import pull_order
from railyard.render.report import report_html
from tests.proof.test_report_in_browser import FLAGS, ROOT

pytestmark = pytest.mark.requirement("U4", "C5")

LIMIT_BYTES = 5_000_000
"""What a page of 2,048 nodes may weigh."""
FIELDS = ("device", "rack", "kind", "rail", "medium", "sku", "bundle", "sort")
# Rows in sight and around it: at most so many are in the page, whatever the site's size.
DRAWN_MAX = 60

# Put into a copy of the page: sets each filter as a user does, by input events, and writes down what the table then shows.
TYPIST = """
const wait = () => new Promise((done) => setTimeout(done, 60));
const rows = () => [...document.querySelectorAll("#cable-table tr[data-cable]")].map((row) => [
  row.dataset.cable, row.dataset.a, row.dataset.z, ...[...row.cells].map((cell) => cell.textContent.trim())]);
const seen = () => ({ shown: Number(document.getElementById("cable-table").dataset.shown), rows: rows(),
  told: document.querySelector(".told").textContent, hash: location.hash });
addEventListener("load", async () => {
  while (document.getElementById("cable-table").hidden) await wait();
  const found = [seen()];
  for (const wanted of QUERIES) {
    for (const field of document.querySelectorAll("#cable-table [name]")) {
      field.value = wanted[field.name] ?? "";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    found.push(seen());
  }
  document.querySelector("[data-clear]").click();
  found.push(seen());
  const view = document.querySelector(".view");
  view.scrollTop = view.scrollHeight;
  view.dispatchEvent(new Event("scroll"));
  await wait();
  found.push(seen());
  dispatchEvent(new Event("beforeprint"));
  found.push(seen());
  dispatchEvent(new Event("afterprint"));
  found.push(seen());
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
});
"""


def chromium(folder: Path, url: str, *extra: str) -> str:
    """What the browser has after reading a page, as text."""
    program = shutil.which("chromium")
    assert program, "chromium is not installed: `make setup` installs engine/debian-packages.txt"
    flags = [*FLAGS, f"--user-data-dir={folder}/profile", "--virtual-time-budget=30000", *(extra or ["--dump-dom"])]
    return subprocess.run([program, *flags, url], capture_output=True, text=True, timeout=180, check=True).stdout


def typed(folder: Path, page: str, queries: Iterable[dict[str, str]]) -> list[dict[str, Any]]:
    """What the table shows: at first, after each query, after `clear`, at the end of the list, printed, and after printing."""
    script = f"const QUERIES = {json.dumps(list(queries))};{TYPIST}"
    free = re.sub(r"script-src '[^']*'", "script-src 'unsafe-inline'", page, count=1)
    assert free != page
    copy = folder / "typed.html"
    copy.write_text(free.replace("</body>", f"<script>{script}</script></body>"))
    dom = chromium(folder, copy.as_uri())
    found = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    assert found, "the page's script never showed the table"
    return json.loads(html.unescape(found[1]))


@pytest.fixture(scope="module")
def site() -> Plan:
    return plan(load.site_config(ROOT, "lab"))


@pytest.fixture(scope="module")
def page(site: Plan) -> str:
    return report_html(site, [])


def device(*words: str) -> Callable[[Cable], bool]:
    return lambda cable: any(word in end.partition("/")[0] for word in words for end in (cable.a, cable.z))


NOTHING = ({"device": "no such device"}, {"rack": "r00"})
QUERIES: list[tuple[dict[str, str], Callable[[Cable], bool]]] = [
    ({"device": "su001-gpu03"}, device("su001-gpu03")),
    ({"device": "LEAF-R3  spine002"}, device("leaf-r3", "spine002")),
    ({"device": "no such device"}, lambda _: False),
    ({"rack": "R002"}, lambda cable: "R002-" in (cable.a_label[:5], cable.z_label[:5])),
    ({"rack": "r00"}, lambda _: False),
    ({"kind": "oob"}, lambda cable: cable.kind == "oob"),
    ({"rail": "3"}, lambda cable: cable.rail == 3),
    ({"rail": "none"}, lambda cable: cable.rail is None),
    ({"kind": "node-leaf", "rail": "7"}, lambda cable: cable.kind == "node-leaf" and cable.rail == 7),
    ({"medium": "passive-copper"}, lambda cable: cable.medium == "passive-copper"),
    ({"sku": "mfp7e20"}, lambda cable: cable.sku == "mfp7e20"),
    ({"bundle": "R001-R002.3"}, lambda cable: cable.bundle == "R001-R002"),
    ({"sort": "pull", "kind": "leaf-spine"}, lambda cable: cable.kind == "leaf-spine"),
]


@pytest.fixture(scope="module")
def found(page: str, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return typed(tmp_path_factory.mktemp("typed"), page, [query for query, _ in QUERIES])


def test_all_cables_stand_there_at_first(site: Plan, found: list[dict[str, Any]]):
    assert found[0]["shown"] == len(site.cables) == site.site.cables
    assert [row[:3] for row in found[0]["rows"]] == [
        [cable.id, cable.a, cable.z] for cable in site.cables[: len(found[0]["rows"])]
    ]
    assert 20 < len(found[0]["rows"]) <= DRAWN_MAX


@pytest.mark.parametrize("number", range(len(QUERIES)), ids=[str(query) for query, _ in QUERIES])
def test_each_filter_shows_exactly_the_plan_s_cables(site: Plan, found: list[dict[str, Any]], number: int):
    query, wants = QUERIES[number]
    pulls = pull_order(site.cables, site.cabling.bundle_cables)
    wanted = [(cable, pull) for cable, pull in zip(site.cables, pulls, strict=True) if wants(cable)]
    if "bundle" in query:
        wanted = [(cable, pull) for cable, pull in wanted if pull.bundle == query["bundle"]]
    assert bool(wanted) is (query not in NOTHING), "the query finds something, or nothing where that is meant"
    if query.get("sort") == "pull":
        wanted.sort(key=lambda pair: pair[1].order)
    seen = found[1 + number]
    assert seen["shown"] == len(wanted)
    assert len(seen["rows"]) == min(len(wanted), len(seen["rows"])) >= min(len(wanted), 20)
    for row, (cable, pull) in zip(seen["rows"], wanted, strict=False):
        assert row[:3] == [cable.id, cable.a, cable.z]
        cells = row[3:]
        assert cells[0] == cable.kind
        assert (cells[2], cells[4]) == (cable.a_label, cable.z_label)
        assert cells[5] == ("" if cable.rail is None else str(cable.rail))
        assert cells[7:10] == [f"{cable.length_m:g}", cable.medium, cable.sku]
        assert cells[12:] == [pull.bundle, str(pull.order)]
    assert seen["hash"].startswith("#cables?")


def test_clear_scroll_and_print(site: Plan, found: list[dict[str, Any]]):
    cleared, end, printed, after = found[-4:]
    assert cleared["shown"] == len(site.cables)
    assert end["rows"][-1][0] == site.cables[-1].id, "the last cable is at the end of the list"
    assert len(end["rows"]) <= DRAWN_MAX
    assert [row[0] for row in printed["rows"]] == [cable.id for cable in site.cables], "paper has every row"
    assert len(after["rows"]) <= DRAWN_MAX


def test_a_filter_can_be_linked_to_and_prints_as_few_pages(site: Plan, page: str, tmp_path: Path):
    file = tmp_path / "report.html"
    file.write_text(page)
    dom = chromium(tmp_path, f"{file.as_uri()}#cables?device=leaf-r3&kind=node-leaf")
    titled = re.findall(r'<tr[^>]*data-cable="([^"]+)"', dom.partition('id="cable-table"')[2].partition("<noscript>")[0])
    wanted = [cable.id for cable in site.cables if cable.kind == "node-leaf" and "leaf-r3" in cable.z]
    assert titled == wanted
    pages = []
    for query in ("", "#cables?device=leaf-r3&kind=node-leaf"):
        chromium(tmp_path, f"{file.as_uri()}{query}", f"--print-to-pdf={tmp_path}/page.pdf")
        pages.append(len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "page.pdf").read_bytes())))
    assert pages[0] > pages[1] >= 4, "all 354 rows take more paper than four"


@pytest.mark.parametrize(("broken", "words"), [(True, "can't unpack"), (False, "")])
def test_a_table_that_can_t_be_unpacked_is_said(page: str, tmp_path: Path, broken: bool, words: str):
    file = tmp_path / "report.html"
    data = re.search(r'id="cable-data">([^<]*)<', page)
    assert data
    file.write_text(page.replace(data[1], data[1][:-40]) if broken else page)
    dom = chromium(tmp_path, file.as_uri())
    told = re.search(r'<p id="cable-failed"[^>]*>', dom)
    assert told
    assert ("hidden" not in told[0]) is broken
    assert words in dom


def test_without_javascript_the_whole_schedule_and_the_summary_are_there(site: Plan, page: str, tmp_path: Path):
    """In a frame that may run no script, as a reader with JavaScript switched off sees it."""
    look = """onload = () => {
      const there = document.querySelector("iframe").contentDocument, high = (node) => node.getBoundingClientRect().height > 0;
      const rows = [...there.querySelectorAll("tr[data-cable]")], sums = [...there.querySelectorAll("tr[data-kind]")];
      for (const fold of there.querySelectorAll("details")) fold.open = true;
      document.querySelector("pre").textContent = JSON.stringify({
        rows: rows.filter(high).map((row) => [row.dataset.cable, row.dataset.a, row.dataset.z]),
        sums: sums.filter(high).map((row) => [row.dataset.kind, Number(row.dataset.count)]),
        table: high(there.getElementById("cable-table")), failed: high(there.getElementById("cable-failed")),
        links: [...there.querySelectorAll("#cables a")].filter(high).map((link) => link.getAttribute("href")) }); };"""
    frame = f'<iframe sandbox="allow-same-origin" width="1200" height="900" srcdoc="{html.escape(page)}"></iframe>'
    file = tmp_path / "framed.html"
    file.write_text(f"<!doctype html>{frame}<pre></pre><script>{look}</script>")
    dom = chromium(tmp_path, file.as_uri())
    text = re.search(r"<pre>(.*?)</pre>", dom.rpartition("</iframe>")[2], re.DOTALL)
    assert text
    seen = json.loads(html.unescape(text[1]))
    assert seen["rows"] == [[cable.id, cable.a, cable.z] for cable in site.cables]
    assert sum(count for _, count in seen["sums"]) == len(site.cables)
    assert {kind for kind, _ in seen["sums"]} == {cable.kind for cable in site.cables}
    assert (seen["table"], seen["failed"]) == (False, False)
    assert "cables.csv" in seen["links"]


def test_2048_nodes_stay_under_5_mb_and_filter(tmp_path: Path):
    write_bench(tmp_path, 2048)
    large = plan(load.site_config(tmp_path, "bench"))
    assert len(large.machines) >= 2048
    page = report_html(large, [])
    assert len(page.encode()) < LIMIT_BYTES
    assert report_html(large, []) == page
    found = typed(tmp_path, page, [{"device": "su064-leaf-r7"}, {"kind": "spine-core"}])
    wanted = [cable for cable in large.cables if device("su064-leaf-r7")(cable)]
    assert found[0]["shown"] == len(large.cables) > 49_152
    assert found[1]["shown"] == len(wanted) == 65, "64 links of the fabric and one out of band"
    assert [row[:3] for row in found[1]["rows"]] == [[c.id, c.a, c.z] for c in wanted[: len(found[1]["rows"])]]
    assert found[2]["shown"] == large.fabric.spine_core_cables == 16_384
    assert len(found[2]["rows"]) <= DRAWN_MAX
    assert f"of {len(large.cables):,} cables" in found[2]["told"]
