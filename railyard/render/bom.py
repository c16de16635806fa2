"""The order of cables and optics as CSV: one line for each kind and length, with spares, and totals by item."""

from __future__ import annotations

from collections.abc import Iterable

from railyard.model.cabling import BomLine, CablingPlan
from railyard.render.cables import safe_rows

COLUMNS = ("item", "sku", "part", "title", "length_m", "count", "spares", "order", "unit_price_usd", "price_usd")


def bom_csv(cabling: CablingPlan) -> str:
    """`bom-cables.csv`. A price that nobody knows is an empty cell; a total over it stays empty too."""
    return safe_rows(COLUMNS, [*(_line(line) for line in cabling.bom), *_totals(cabling.bom)])


def _line(line: BomLine) -> tuple[object, ...]:
    price = line.unit_price_usd
    return (
        line.item, line.sku, line.part or "", line.title, "" if line.length_m is None else f"{line.length_m:g}",
        line.count, line.spares, line.total, "" if price is None else f"{price:.2f}",
        "" if price is None else f"{price * line.total:.2f}",
    )  # fmt: skip


def _totals(lines: Iterable[BomLine]) -> Iterable[tuple[object, ...]]:
    kept = list(lines)
    for item in dict.fromkeys(line.item for line in kept):
        of_item = [line for line in kept if line.item == item]
        prices = [None if line.unit_price_usd is None else line.unit_price_usd * line.total for line in of_item]
        known = [price for price in prices if price is not None]
        total = f"{sum(known):.2f}" if len(known) == len(prices) else ""
        counts = [sum(line.count for line in of_item), sum(line.spares for line in of_item)]
        yield ("total", item, "", f"all lines of {item}", "", *counts, sum(counts), "", total)
