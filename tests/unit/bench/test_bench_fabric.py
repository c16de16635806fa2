"""The fabric bench: its sites plan, its figures have the keys that the bench prints, and what can't be is refused by name."""

import pytest

from bench import links_bench
from bench.fabric_bench import fabric_config, links_per_second, measure, plan_rows, refused
from bench.project import BenchError
from railyard.plan.shape import size_fabric
from railyard.plan.wiring import design_links


def test_a_small_site_is_measured():
    row = measure(64)
    assert (row["nodes"], row["fabricCables"]) == (64, 64 * 8 * 2)
    assert row["cables"] > row["fabricCables"]
    assert min(row["planSeconds"], row["jsonSeconds"], row["peakMib"], row["jsonMb"]) > 0


def test_the_largest_site_has_128_port_switches_and_units_of_64():
    file = fabric_config(8_256).file
    assert (file.fabric.link_gbps, file.fabric.nodes_per_unit, file.fabric.scalable_units) == (200, 64, 129)


def test_16384_nodes_at_64_ports_are_an_error_that_names_the_most():
    assert "256 units, 8192 nodes" in refused()


def test_links_are_made_fast_enough_to_be_no_cost():
    assert links_per_second(units=9) > 100_000


def test_memory_of_one_text_is_never_less_than_piece_by_piece():
    row = measure(64, repeats=2)
    assert row["peakMib"] <= row["peakWrittenMib"] <= row["peakWithJsonMib"]


def test_rows_of_planning_name_their_baseline_and_keep_their_limits():
    small, large = measure(64), measure(96)
    rows = plan_rows(large, small, 10.0, 4096.0)
    assert [row.ok for row in rows] == [True, True, None, None]
    assert all("baseline" in row.note and row.ratio for row in rows)
    late = plan_rows(large, small, 0.0, 1.0)
    assert [row.ok for row in late[:2]] == [False, False]


def test_both_sides_of_the_links_bench_have_the_same_512_links(monkeypatch):
    monkeypatch.setattr(links_bench, "netlab_seconds", lambda: 10.0)
    seconds, rate = links_bench.netlab_rows()
    assert seconds.ok
    assert (rate.baseline, rate.unit) == (51.2, "links/s")
    assert links_bench.topology().count("\n- leaf") == 512


def test_networkx_holds_every_link_of_the_shape():
    links = list(design_links("bench", size_fabric(4, 2, 2, 8)))
    graph = links_bench.as_graph(links)
    assert graph.number_of_edges() == len(links)
    assert {(edge["a_port"], edge["z_port"]) for _, _, edge in graph.edges(data=True)} == {
        (link.a_port, link.z_port) for link in links
    }


def test_netlab_that_is_not_there_is_not_measured(monkeypatch, tmp_path):
    cache = tmp_path / "cache"
    cache.write_text("a file where the folder would be")
    monkeypatch.setenv("RAILYARD_CACHE", str(cache))
    with pytest.raises(BenchError, match="can't be installed"):
        links_bench.netlab_python()
