"""What stack file and catalogue say of power that can't both be true: one problem each, with its place and its way out."""

from __future__ import annotations

from collections.abc import Iterator

from railyard.model.catalog import PduModel
from railyard.model.errors import Problem
from railyard.model.site import StackFile
from railyard.plan.electrical.phases import SQRT3
from railyard.plan.electrical.strips import Given
from railyard.plan.electrical.tree import WHERE, Tree
from railyard.plan.parts import Parts

TOLERANCE = 0.1
"""A strip may stand at volts that are this far from its own: IEC 60038 lets a low-voltage supply be 10 % off."""


def contradictions(file: StackFile, parts: Parts, tree: Tree) -> Iterator[Problem]:
    """Voltages (POWER-007), supplies dealt to feeds (POWER-022), loads that are no loads of that device (POWER-017)."""
    yield from _voltages(file, parts, tree)
    yield from _phases(tree)
    if file.power is not None:
        yield from _dealt(file, parts)
        yield from _loads(file, parts)


def _voltages(file: StackFile, parts: Parts, tree: Tree) -> Iterator[Problem]:
    for feed in file.facility.feeds:
        model, where = parts.pdus[feed.name], f"railyard:facility.feeds.{feed.name}"
        if model.phases == 1 and any(bank.legs == "L1-L2-L3" for bank in model.banks or ()):
            fix = "correct phases or legs in railyard/catalog/pdus.yaml"
            yield Problem("POWER-007", where, f"{model.name} has one phase and banks on three lines", "one phase", fix)
        told: set[Given] = set()
        for given in _givens(tree, feed.name):
            if given not in told:
                told.add(given)
                yield from _stands(model, given, where)


def _givens(tree: Tree, letter: str) -> Iterator[Given]:
    lowest = [path.given for path in tree.paths.values() if path.feed == letter and path.segment.name not in tree.below]
    yield from lowest or ([tree.supply] if tree.supply else [])


def _stands(model: PduModel, given: Given, where: str) -> Iterator[Problem]:
    """A strip of three phases where there is one, or volts that are not the strip's."""
    if model.phases == 3 and given.phases == 1:
        fix = "give the feed a strip of one phase (facility.feeds.pduModel), or state phases: 3 above it"
        yield Problem("POWER-007", where, f"{model.name} takes three phases, its feed has one", "as many phases", fix)
        return
    own, got = _between(model.volts, model.voltage_reference), _between(given.volts, given.reference)
    if given.phases == 1:
        own, got = model.volts, given.volts
    if abs(got / own - 1) > TOLERANCE:
        fix = "correct volts and voltageReference of railyard:power, or choose a strip for them (facility.feeds.pduModel)"
        found = f"{given.volts:g} V {given.reference} on {model.name}"
        limit = f"{model.volts:g} V {model.voltage_reference}, {TOLERANCE * 100:g} % more or less"
        yield Problem("POWER-007", where, found, limit, fix)


def _between(volts: float, reference: str) -> float:
    return volts if reference == "line-line" else volts * SQRT3


def _phases(tree: Tree) -> Iterator[Problem]:
    """Three phases can't come out of one."""
    for path in tree.paths.values():
        above = tree.paths.get(path.segment.parent) if path.segment.parent else None
        given = above.given if above else tree.supply
        if given is not None and given.phases == 1 and path.given.phases == 3:
            where = f"{WHERE}.{path.segment.name}.phases"
            yield Problem("POWER-007", where, "three phases below one", "one phase", "state phases: 3 above it, or 1 here")


def _dealt(file: StackFile, parts: Parts) -> Iterator[Problem]:
    """`psuFeeds` by model: as many letters as it has supplies, letters that the racks have, a model of the catalogue."""
    section, catalog = file.power, parts.catalog
    letters = [feed.name for feed in file.facility.feeds]
    known = {**catalog.nodes, **catalog.switches, **catalog.storage, **catalog.management_switches}
    for model, dealt in sorted(section.psu_feeds.items() if section else ()):
        where, item = f"railyard:power.psuFeeds.{model}", known.get(model)
        strange = sorted(set(dealt) - set(letters))
        if item is None:
            fix = "use a name of railyard/catalog"
            yield Problem("POWER-022", where, f"no model {ascii(model)[1:-1]}", "a model of the catalogue", fix)
        elif item.psus is not None and item.psus != len(dealt):
            even = ", ".join(letters[index % len(letters)] for index in range(item.psus))
            fix = f"write one letter for each supply, in their order, evenly over the feeds ({even}), or leave this key out"
            yield Problem("POWER-022", where, f"{len(dealt)} letters", f"{item.psus} supplies of a {model}", fix)
        if strange:
            fix = "name feeds of railyard:facility.feeds"
            yield Problem("POWER-022", where, f"feed {', '.join(strange)}", f"one of {', '.join(letters)}", fix)


def _loads(file: StackFile, parts: Parts) -> Iterator[Problem]:
    """Figures by model: of a device that there is, and not above its nameplate: watts where kilowatts are meant."""
    loads, catalog = file.power.loads if file.power else None, parts.catalog
    known = {**catalog.nodes, **catalog.switches, **catalog.storage, **catalog.management_switches}
    for model, figure in sorted(loads.kw.items() if loads else ()):
        where, item = f"railyard:power.loads.kw.{model}", known.get(model)
        if item is None:
            fix = "use a name of railyard/catalog"
            yield Problem("POWER-017", where, f"no model {ascii(model)[1:-1]}", "a model of the catalogue", fix)
        elif item.peak_kw is not None and figure > item.peak_kw:
            watts = figure / 1000 <= item.peak_kw and figure >= 100
            fix = f"write kilowatts: {figure / 1000:g}" if watts else "correct the figure, or the nameplate in railyard/catalog"
            yield Problem("POWER-017", where, f"{figure:g} kW", f"nameplate of a {model}: {item.peak_kw:g} kW", fix)
