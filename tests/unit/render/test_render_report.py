"""The report: one file, complete, escaped, and nothing in it that asks for a network."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import msgspec
import pytest

from railyard.render.report import ADDRESSES_MAX, CABLES_MAX, CABLES_SHOWN, CONTENTS, report_html
from railyard.rules import Finding

FINDING = Finding(
    "POWER-001", "limit", "lab-r001/feed-a", "38.2 kW", "34.6 kW", "move a node", "docs/reference/rules.md#power-001"
)


class Page(HTMLParser):
    """Start tags with their attributes, and the text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.requirement("U4")
def test_sections_are_there_and_linked(plan_of):
    page = Page(report_html(plan_of(), [FINDING]))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert {name for name, _ in CONTENTS} <= set(ids)
    assert len(ids) == len(set(ids)), "an id stands twice"
    assert {attributes["href"] for tag, attributes in page.tags if tag == "a" and attributes["href"].startswith("#")} <= {
        f"#{i}" for i in ids
    }


@pytest.mark.requirement("U4")
def test_nothing_asks_for_a_network(plan_of):
    source = report_html(plan_of(), [FINDING])
    page = Page(source)
    assert not {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object", "embed", "base", "form"}
    assert not [
        name for _, attributes in page.tags for name in attributes if name.startswith("on") or name in ("src", "srcset")
    ]
    assert all(re.fullmatch(r"#[a-z]+|[a-z-]+\.(csv|json)", a["href"]) for tag, a in page.tags if tag == "a")
    assert set(re.findall(r"https?://[^\s\"'<]+", source)) == {"http://www.w3.org/2000/svg", "https://127.78.0.20:9000"}
    assert "@import" not in source
    assert not re.search(r"url\((?!#)", source)


@pytest.mark.requirement("U4")
def test_the_browser_is_told_to_run_our_script_only(plan_of):
    """One block of data that nothing executes, one script whose digest the page's own policy names."""
    source = report_html(plan_of(), [FINDING])
    page = Page(source)
    assert [a for tag, a in page.tags if tag == "script"] == [{"type": "text/plain", "id": "cable-data"}, {}]
    script = source.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(a["content"] for tag, a in page.tags if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy")
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert not re.search(r"fetch|XMLHttp|WebSocket|import\(|eval|innerHTML", script)


def test_hostile_names_stay_text(plan_of):
    evil = "</style></svg><script>alert(1)</script>{{ 7*7 }}"
    plan = plan_of()
    plan.site = plan.site.model_copy(update={"site": evil, "worst_feed": evil})
    plan.racks = (plan.racks[0].model_copy(update={"name": evil}), *plan.racks[1:])
    plan.machines = (plan.machines[0].model_copy(update={"serial": evil, "name": evil, "reason": evil}), *plan.machines[1:])
    plan.nccl = {"X": evil}
    page = Page(report_html(plan, [FINDING, Finding(*[evil] * 7)]))
    assert len([tag for tag, _ in page.tags if tag == "script"]) == 2, "the page's own"
    assert any("{{ 7*7 }}" in word for word in page.words)


def test_numbers_of_the_summary_are_the_plan_s(plan_of):
    plan = plan_of(units=4, planned=8, nodes=32)
    text = " ".join(" ".join(Page(report_html(plan, [])).words).split())
    for wanted in (
        "1,024 GPUs in 128 nodes",
        "54.4 kW",
        "78.6 %",
        "6,400 GB/s",
        "512.5 TiB",
        "4 of 8 planned scalable units built",
    ):
        assert wanted in text
    assert "No rule has anything to say" in text


def test_the_whole_schedule_of_a_small_site_is_in_the_page(plan_of):
    plan = plan_of()
    rows = {(a["data-a"], a["data-z"]) for tag, a in Page(report_html(plan, [])).tags if tag == "tr" and "data-cable" in a}
    assert rows == {(cable.a, cable.z) for cable in plan.cables}


def test_a_large_site_shows_its_first_rows_and_points_to_the_files(plan_of):
    plan = plan_of(units=16, planned=16, nodes=32)
    assert len(plan.cables) > CABLES_MAX
    page = Page(report_html(plan, []))
    assert len([a for tag, a in page.tags if tag == "tr" and "data-cable" in a]) == CABLES_SHOWN
    assert f"{len(plan.cables) - CABLES_SHOWN:,} more are in" in "".join(page.words)
    assert len(plan.addresses) <= ADDRESSES_MAX


def test_a_machine_that_is_set_aside_is_always_listed(plan_of):
    plan = plan_of(units=16, planned=16, nodes=32)
    last = plan.machines[-1].model_copy(update={"lifecycle": "quarantined", "reason": "coolant leak"})
    plan.machines = (*plan.machines[:-1], last)
    assert "quarantined: coolant leak" in "".join(Page(report_html(plan, [])).words)


def test_alike_racks_are_drawn_once(plan_of):
    page = Page(report_html(plan_of(units=4, planned=4, nodes=8), []))
    drawn = [a["data-device"] for tag, a in page.tags if tag == "g" and "data-u" in a]
    assert len(drawn) == 2 * len(set(drawn)) == 16, "front and rear of one rack"
    assert "8 racks like this: r001–r008" in "".join(page.words)


def test_a_site_without_the_optional_parts(plan_of):
    plan = plan_of()
    plan.file_system, plan.replica, plan.queues, plan.nccl, plan.machines, plan.cables, plan.addresses = (
        None,
        None,
        (),
        {},
        (),
        (),
        (),
    )
    text = "".join(Page(report_html(plan, [])).words)
    for wanted in ("no parallel file system", "not replicated", "No tenants", "no NCCL environment", "no nodes yet"):
        assert wanted in text


def test_the_same_plan_gives_the_same_page(plan_of):
    assert report_html(plan_of(), [FINDING]) == report_html(plan_of(), [FINDING])


def test_assumed_nic_names_are_called_assumed(plan_of):
    plan = plan_of()
    plan.fabric = plan.fabric.model_copy(update={"node_nics": ("mlx5_0", "mlx5_3")})
    known = "".join(Page(report_html(plan, [])).words)
    assert "mlx5_0, mlx5_3" in known
    assert "assumed" not in known
    plan.fabric = plan.fabric.model_copy(update={"node_nics_assumed": True})
    assert "".join(Page(report_html(plan, [])).words).count("assumed") == 2, "beside the fabric and beside NCCL"


def test_the_report_says_what_its_cables_and_watts_leave_out(plan_of):
    text = "".join(Page(report_html(plan_of(), [])).words)
    assert "cables (all networks)" in text
    assert "power cords and the site's own uplinks are in neither" in text


def test_the_nccl_environment_can_be_pasted_into_any_shell(plan_of):
    text = "".join(Page(report_html(plan_of(), [])).words)
    assert "export NCCL_IB_HCA='=mlx5_0,mlx5_1'\n" in text


def test_keys_between_backticks_are_set_as_code_and_nothing_else_becomes_markup(plan_of):
    site = plan_of()
    words = "a UPS without `efficiency` <b>loses</b> nothing; one ` alone"
    site.power = msgspec.structs.replace(site.power, assumptions=(words,))
    finding = Finding("POWER-001", "limit", "x", "`a`", "`b`", "set `c.d`", "")
    page = report_html(site, [finding])
    assert "a UPS without <code>efficiency</code> &lt;b&gt;loses&lt;/b&gt; nothing; one ` alone" in page
    for key in ("a", "b", "c.d"):
        assert f"<code>{key}</code>" in page
