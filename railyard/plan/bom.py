"""What to order: cables by kind and length, trunks and patch cords, optics; each with spares.

spares = ceil(count x percent), at least one of each line: a kind of cable or optic without a spare stops a repair. Prices are
the catalogue's; a line without one has none, and no total pretends otherwise.

With patch panels, a fibre between racks is two patch cords and, between the panels, links of trunks: `panels` - 1 of them in a
row, each of `trunkLinks` links, one for each pair of racks at least.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import ceil

from railyard.model.cabling import FIBRE, BomLine, CableModel
from railyard.plan.cabling import Cabler

PATCH_M = 1.0
"""What a patch cord needs beside the way up to the tray: the way inside of the rack."""
UNKNOWN = "no cable of the catalogue fits"


def spares_of(count: int, percent: float) -> int:
    """Spares of one line of the order: at least one."""
    return max(1, ceil(round(count * percent / 100, 9))) if count else 0


def order_cables(
    pieces: Mapping[tuple[str, str, float], int], between: Iterable[tuple[tuple[int, int], str, int]], cabler: Cabler
) -> list[BomLine]:
    """Lines for cables by medium, part and length; `between` are pieces by rack pair and part, for the trunks."""
    models, panels = cabler.catalog.cables, cabler.file.cabling.panels
    lines: list[BomLine] = []
    patches: Counter[tuple[str, float]] = Counter()
    trunks: Counter[tuple[str, float]] = Counter()
    cassettes = 0
    direct = Counter(pieces)
    for (a, z), sku, count in between if panels else ():
        model = models.get(sku)
        if model is None or model.medium not in FIBRE or model.shape != "straight":
            continue
        length = _length(model, cabler.route_m(a, z) * cabler.slack)
        direct[model.medium, sku, length] -= count
        patches[sku, _length(model, cabler.file.cabling.drop_m + PATCH_M) if panels > 1 else length] += 2 * count
        bundles = ceil(count / cabler.file.cabling.trunk_links)
        trunks[sku, length] += bundles * (panels - 1)
        cassettes += bundles * panels
    for (medium, sku, length), count in sorted(direct.items()):
        lines.append(_line("cable", sku, models.get(sku), length, count, cabler, medium))
    lines += [_line("patch", sku, models[sku], length, count, cabler) for (sku, length), count in sorted(patches.items())]
    lines += [_line("trunk", sku, models[sku], length, count, cabler) for (sku, length), count in sorted(trunks.items())]
    if cassettes:
        lines.append(_line("panel", "cassette", None, None, cassettes, cabler, "patch panel position of one trunk"))
    return [line for line in lines if line.count]


def part_number(model: CableModel, length_m: float | None) -> str | None:
    """What to order: NVIDIA's `-N` parts end in their length, N003 for 3 m and N01A for 1.5 m (MCP7Y00 ordering information).

    Other parts are shown as far as the catalogue has them.
    """
    if model.part is None or not model.part.endswith("-N") or length_m is None:
        return model.part
    whole = int(length_m)
    return f"{model.part}{whole:03d}" if length_m == whole else f"{model.part}{whole:02d}A"


def _length(model: CableModel, wanted_m: float) -> float:
    """The shortest length that can be ordered and is long enough; the longest one where none is."""
    return next((length for length in model.lengths_m if length >= wanted_m - 1e-6), model.lengths_m[-1])


def _line(
    item: str, sku: str, model: CableModel | None, length_m: float | None, count: int, cabler: Cabler, title: str = ""
) -> BomLine:
    trunk = f"{cabler.file.cabling.trunk_links}-link trunk of: " if item == "trunk" else ""
    return BomLine.model_validate(
        {
            "item": item,
            "sku": sku,
            "part": part_number(model, length_m) if model and item != "trunk" else None,
            "title": f"{trunk}{model.title}" if model else (title if item == "panel" else f"{title}: {UNKNOWN}"),
            "length_m": length_m,
            "count": count,
            "spares": spares_of(count, cabler.file.cabling.spares_percent),
            "unit_price_usd": model.price_usd if model and item != "trunk" else None,
        }
    )


def order_optics(used: Mapping[str, int], cabler: Cabler) -> list[BomLine]:
    """Lines for optics."""
    percent = cabler.file.cabling.spares_percent
    return [
        BomLine(
            item="optic",
            sku=name,
            part=cabler.catalog.optics[name].part,
            title=cabler.catalog.optics[name].title,
            length_m=None,
            count=count,
            spares=spares_of(count, percent),
            unit_price_usd=cabler.catalog.optics[name].price_usd,
        )
        for name, count in sorted(used.items())
        if count
    ]
