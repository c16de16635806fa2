"""`railyard fabric`: sizes of a training fabric from a few numbers, without a stack file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, cast

import typer

from railyard import catalog
from railyard.cli.console import guarded, say
from railyard.model.errors import Problem
from railyard.plan.calculator import LIMITS, Ask, SizeError, calculate, range_of
from railyard.plan.cost import Prices, prices_for
from railyard.plan.shape import Layout, PodBy
from railyard.render.fabric_size import size_json, size_text

_LEADING = re.compile(r"\s*([0-9]{1,18}(?:[,_ ][0-9]{3})*)(?![0-9])\s*([kKmM]?)", re.ASCII)
_THOUSANDS = {"": 1, "k": 1_000, "m": 1_000_000}
_WHOLE = re.compile(r"[+-]?[0-9]{1,400}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})(e[+-]?[0-9]{1,3})?", re.ASCII | re.IGNORECASE)
_RATIO = "down:up from 1 to 64 (1 is non-blocking), like 1.5"
_LAYOUTS = ("rail-optimized", "fat-tree", "rail-only")
_PODS = ("unit", "rail")
_MOST_USD = 1e9
"""Of one switch or link: a price beyond it is a slip, and its sum would be no number any more."""
_OPTIONAL = ("unit_nodes", "planned_units")
_TIERS = ("auto", "1", "2", "3")


# All are read as text: what is no number gets an answer of ours, with the nearest value that is one.
Nodes = Annotated[str, typer.Option("--nodes", help="GPU nodes.", metavar="N")]
Nics = Annotated[str, typer.Option("--nics", help="Training NICs of a node, each with a port in every plane.", metavar="N")]
Rails = Annotated[str, typer.Option("--rails", help="Rails. Default: one for each NIC.", metavar="N", show_default=False)]
UnitNodes = Annotated[
    str,
    typer.Option(
        "--unit-nodes", help="Node slots of a scalable unit. Default: half of a switch.", metavar="N", show_default=False
    ),
]
Radix = Annotated[str, typer.Option("--radix", help="Ports of a switch at the link speed.", metavar="K")]
Planes = Annotated[str, typer.Option("--planes", help="Separate fabrics, one for each port of a NIC.", metavar="P")]
Planned = Annotated[
    str, typer.Option("--planned-units", help="Units that spines and ports are laid out for.", metavar="M", show_default=False)
]
Tiers = Annotated[str, typer.Option("--tiers", help="auto (2, or 3 where leaves exceed ports), 1, 2 or 3.", metavar="T")]
Oversubscription = Annotated[
    str, typer.Option("--oversubscription", help="Down to up of a leaf; 1 is non-blocking.", metavar="R")
]
Reserve = Annotated[
    str, typer.Option("--reserve-ports", help="Leaf ports for fabric managers, each on another leaf.", metavar="K")
]
PerCable = Annotated[str, typer.Option("--links-per-cable", help="2 where a twin-port cable carries two links.", metavar="L")]
LayoutName = Annotated[str, typer.Option("--layout", help="rail-optimized, fat-tree or rail-only.", metavar="NAME")]
PodByName = Annotated[str, typer.Option("--pod-by", help="Pods of three tiers: of units, or of rails.", metavar="unit|rail")]
FullPods = Annotated[bool, typer.Option("--full-pods", help="Build all leaves of a pod that is begun.")]
SwitchModel = Annotated[
    str | None, typer.Option("--switch-model", help="Model whose price counts.", metavar="NAME", show_default=False)
]
SwitchPrice = Annotated[
    str | None, typer.Option("--switch-price", help="Your price of a switch in USD.", metavar="USD", show_default=False)
]
LinkPrice = Annotated[
    str | None, typer.Option("--link-price", help="Your price of a link, both ends, in USD.", metavar="USD", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")]


@guarded
def fabric(
    nodes: Nodes,
    nics: Nics = "8",
    rails: Rails = "",
    unit_nodes: UnitNodes = "",
    radix: Radix = "64",
    planes: Planes = "1",
    planned_units: Planned = "",
    tiers: Tiers = "auto",
    oversubscription: Oversubscription = "1",
    reserve_ports: Reserve = "0",
    links_per_cable: PerCable = "1",
    layout: LayoutName = "rail-optimized",
    pod_by: PodByName = "unit",
    full_pods: FullPods = False,
    switch_model: SwitchModel = None,
    switch_price: SwitchPrice = None,
    link_price: LinkPrice = None,
    as_json: AsJson = False,
) -> None:
    """Size a training fabric: leaves, spines, cores, cables and links, hops, cost per endpoint and the cheaper sizes around.

    Exit code: 0; 2 where no such fabric can be, with the nearest values that can.
    """
    read = _Reader()
    numbers = read.wholes(
        nodes=nodes, nics=nics, rails=rails or nics, unit_nodes=unit_nodes, radix=radix, planes=planes,
        planned_units=planned_units, reserve_ports=reserve_ports, links_per_cable=links_per_cable,
    )  # fmt: skip
    word = read.word("--tiers", tiers, _TIERS)
    ask = Ask(
        **cast("dict[str, int]", numbers),
        tiers=None if word == "auto" else int(word),
        oversubscription=read.decimal("--oversubscription", oversubscription, 1.0, _RATIO),
        layout=cast("Layout", read.word("--layout", layout, _LAYOUTS)),
        pod_by=cast("PodBy", read.word("--pod-by", pod_by, _PODS)),
        full_pods=full_pods,
    )
    prices = _prices(read, ask.radix, switch_model, switch_price, link_price)
    read.stop_if_wrong(lambda: calculate(ask))
    say((size_json if as_json else size_text)(calculate(ask), prices))


class _Reader:
    """Reads options and collects what is wrong with them, so that all of it is said at once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def wholes(self, **texts: str) -> dict[str, int | None]:
        """Whole numbers by the names of `Ask`; those of `_OPTIONAL` may be empty: nobody gave them."""
        given = {key: self.whole(key, text) for key, text in texts.items() if text or key not in _OPTIONAL}
        return {key: given.get(key) for key in texts}

    def whole(self, key: str, text: str) -> int:
        """A whole number; where it is none, a stand-in that is in range."""
        option, least, most = LIMITS[key]
        if _WHOLE.fullmatch(text.strip()):
            # A number beyond all sense is as impossible as the first one that is.
            return min(int(text), most) if key == "nodes" else int(text)
        number = self._number(text)
        number = _meant(text) if number is None else number
        nearest = least if number is None else int(min(max(number, least), most))
        self._wrong(option, text, range_of(key), f"set {option} to {nearest}")
        return nearest

    def decimal(self, option: str, text: str, stand_in: float, limit: str = "a number of at least 0, like 1.5") -> float:
        """A number of at least 0; `limit` says what it may be."""
        number = self._number(text)
        if number is None or number < 0:
            self._wrong(option, text, limit, f"set {option} to {stand_in:g}")
            return stand_in
        return number

    def price(self, option: str, text: str) -> float:
        """An amount in USD."""
        number = self.decimal(option, text, 0.0, f"an amount in USD from 0 to {_MOST_USD:.0f}, like 1234.50")
        if number > _MOST_USD:
            self._wrong(option, text, f"at most {_MOST_USD:.0f} USD", f"set {option} to {_MOST_USD:.0f}")
        return min(number, _MOST_USD)

    def word(self, option: str, text: str, known: tuple[str, ...]) -> str:
        """One of the known words."""
        if text in known:
            return text
        self._wrong(option, text, f"one of {', '.join(known)}", f"set {option} to {_nearest(text, known)}")
        return known[0]

    def stop_if_wrong(self, attempt: Callable[[], object]) -> None:
        """Raise SizeError with what was misread together with what `attempt` finds impossible."""
        if not self.problems:
            return
        try:
            attempt()
        except SizeError as error:
            known = {problem.where for problem in self.problems}
            self.problems += [problem for problem in error.problems if problem.where not in known]
        raise SizeError(self.problems)

    def _number(self, text: str) -> float | None:
        return float(text) if _DECIMAL.fullmatch(text.strip()) else None

    def _wrong(self, option: str, text: str, limit: str, fix: str) -> None:
        shown = repr(text if len(text) <= 60 else f"{text[:60]}…")
        self.problems.append(Problem("SIZE-001", option, shown, limit, fix))


def _meant(text: str) -> int | None:
    """The number that a text begins with: `64k` is 64,000, `1,024 nodes` 1,024; None where it begins with none."""
    found = _LEADING.match(text)
    return int(re.sub(r"[,_ ]", "", found[1])) * _THOUSANDS[found[2].lower()] if found else None


def _nearest(text: str, known: tuple[str, ...]) -> str:
    """The known word that is most like the text; a number beyond the last one means the last one."""
    if text.lstrip("+-").isdigit() and known == _TIERS:
        return "1" if int(text) < 1 else "3"
    shared = {word: sum(a == b for a, b in zip(text.lower(), word, strict=False)) for word in known}
    return max(known, key=lambda word: shared[word])


def _prices(read: _Reader, radix: int, model: str | None, switch: str | None, link: str | None) -> Prices | None:
    """Your prices where both are given, else the dated list's, yours in its place where one is."""
    switches, listed = catalog.load().switches, catalog.prices()
    if model is not None:
        model = read.word("--switch-model", model, tuple(sorted(switches)))
    known = prices_for(radix, listed, switches, model)
    yours = {
        option: read.price(option, text)
        for option, text in (("--switch-price", switch), ("--link-price", link))
        if text is not None
    }
    if not yours:
        return known
    each, per_link = yours.get("--switch-price"), yours.get("--link-price")
    if known is None and (each is None or per_link is None):
        return None
    source = "yours" if known is None or len(yours) == 2 else f"{' and '.join(yours)}: yours; else {known.source}"
    return Prices(
        each if each is not None else known.switch_low if known else 0.0,
        each if each is not None else known.switch_high if known else 0.0,
        per_link if per_link is not None else known.link_low if known else 0.0,
        per_link if per_link is not None else known.link_high if known else 0.0,
        source,
    )
