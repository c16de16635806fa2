"""What the power plan must know of a device, out of the catalogue and the stack file: one row per model, unknown is None."""

from collections.abc import Iterable

import msgspec

from railyard.model.catalog import Catalog
from railyard.model.power import ASSUMED_POWER_FACTOR, Loads, PowerSection


class DeviceFacts(msgspec.Struct, frozen=True):
    """Electrical facts of a model. `load_kw` is what it is planned with; `factor_assumed`: nobody knows the power factor."""

    model: str
    nameplate_kw: float
    load_kw: float
    power_factor: float
    factor_assumed: bool
    psus: int | None = None
    psus_for_full: int | None = None
    psus_to_run: int | None = None
    psu_kw: float | None = None
    inlet: str | None = None
    feeds: tuple[str, ...] | None = None
    gpus: int = 0

    @property
    def kw(self) -> float:
        """The planned load, as `survivors.judge` calls it."""
        return self.load_kw

    @property
    def cords(self) -> int:
        """Supplies; where nobody knows how many, that question isn't asked of these facts."""
        return self.psus or 0

    @property
    def missing(self) -> tuple[str, ...]:
        """Outside names of facts that cords need and nobody knows."""
        rows = {"psus": self.psus, "inlet": self.inlet}
        return tuple(name for name, value in rows.items() if value is None)


def facts_of(catalog: Catalog, section: PowerSection | None, model: str, peak_kw: float) -> DeviceFacts:
    """Facts of a model whose nameplate the plan has already (what isn't in the catalogue has that and nothing else)."""
    item = catalog.nodes.get(model) or catalog.switches.get(model) or catalog.storage.get(model)
    item = item or catalog.management_switches.get(model)
    typical = getattr(catalog.nodes.get(model) or catalog.switches.get(model), "typical_kw", None)
    factor = item.power_factor if item else None
    return DeviceFacts(
        model=model,
        nameplate_kw=peak_kw,
        load_kw=planned_kw(section.loads if section else Loads(), model, peak_kw, typical),
        power_factor=factor if factor is not None else ASSUMED_POWER_FACTOR,
        factor_assumed=factor is None,
        psus=item.psus if item else None,
        psus_for_full=item.psus_for_full if item else None,
        psus_to_run=item.psus_to_run if item else None,
        psu_kw=item.psu_kw if item else None,
        inlet=item.inlet if item else None,
        feeds=section.psu_feeds.get(model) if section else None,
        gpus=catalog.nodes[model].gpus if model in catalog.nodes else 0,
    )


def planned_kw(loads: Loads, model: str, peak_kw: float, typical_kw: float | None) -> float:
    """kW that a device is planned with: its nameplate, or the stated lesser figure plus its margin where there is one."""
    figure = typical_kw if loads.basis == "typical" else loads.kw.get(model)
    if loads.basis == "nameplate" or figure is None or figure > peak_kw:  # more than the nameplate is a rule's (POWER-017)
        return peak_kw
    return round(figure * (1 + (loads.margin_percent or 0.0) / 100), 6)


def assumed_factors(facts: Iterable[DeviceFacts]) -> list[str]:
    """Models that are planned with the assumed power factor, sorted."""
    return sorted({row.model for row in facts if row.factor_assumed})
