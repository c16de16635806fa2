"""The loss that each cable may have: what the optics of its class allow."""

from collections.abc import Iterable

from railyard.model.cabling import CablingPlan
from railyard.model.plan import Cable
from railyard.plan.cabling import tier_of


def loss_budgets(cables: Iterable[Cable], cabling: CablingPlan) -> dict[str, float]:
    """Budget in dB by cable id, of cables whose class has a known one (fibre between optics of the catalogue)."""
    known = {(row.kind, row.sku, row.medium): row.loss_budget_db for row in cabling.classes if row.loss_budget_db is not None}
    keys = ((cable.id, (tier_of(cable.kind, cable.id.partition(":")[0]), cable.sku, cable.medium)) for cable in cables)
    return {name: known[key] for name, key in keys if key in known}
