"""Power of a plan in NetBox's words: panels, feeds, and the cables from feed to strip and from outlet to supply."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from railyard.model.netbox import Cord, End, Feed, Panel
from railyard.model.plan import RackPlan
from railyard.plan.electrical import cords_of, power_of
from railyard.plan.netbox import words
from railyard.plan.netbox.types import INLET

if TYPE_CHECKING:
    from railyard.plan import Plan

NOT_STATED = "above the racks' feeds the plan knows nothing (no railyard:power): rename it to the panel that is there"
FIRST = "a"
"""The feed that NetBox calls primary; the others are redundant."""


def panels(plan: "Plan") -> tuple[Panel, ...]:
    """What the racks' feeds come from: the lowest equipment of the power path in each row, or a panel of a feed's name."""
    found: dict[str, Panel] = {}
    kinds = {segment.name: segment.kind for segment in plan.power.segments}
    for rack in plan.racks:
        for feed in rack.feeds:
            name = panel_of(plan, rack, feed.name)
            said = f"{kinds[name]} of the plan" if name in kinds else "" if _stated(plan, rack, feed.name) else NOT_STATED
            found.setdefault(name, Panel(name=name, site=plan.site.site, description=said))
    return tuple(found[name] for name in sorted(found))


def panel_of(plan: "Plan", rack: RackPlan, feed: str) -> str:
    """Name of the panel that a rack's feed comes from."""
    return _stated(plan, rack, feed) or f"{plan.site.site}-feed-{feed}"


def _stated(plan: "Plan", rack: RackPlan, feed: str) -> str | None:
    return plan.power.serving(feed, rack.row)


def feeds(plan: "Plan") -> tuple[Feed, ...]:
    """One feed for each strip. Voltage of three phases is line-to-line, amperage the breaker's, utilisation its rating."""
    made: list[Feed] = []
    for rack in plan.racks:
        by_name = {feed.feed: feed for feed in power_of(plan, rack.name).kind.feeds}
        for strip, letter, _, _, _ in words.strips(rack):
            feed = by_name[letter]
            made.append(
                Feed(
                    name=feed_name(strip),
                    panel=panel_of(plan, rack, letter),
                    site=plan.site.site,
                    location=words.row_name(rack.row),
                    rack=rack.name,
                    status="planned",
                    type="primary" if letter == FIRST else "redundant",
                    supply="ac",
                    phase="three-phase" if feed.phases == 3 else "single-phase",
                    voltage=float(words.netbox_volts(feed.volts, feed.voltage_reference, feed.phases)),
                    amperage=feed.breaker_a,
                    max_utilization=round(feed.continuous_rating * 100, 6),
                    description=_said(feed.volts, feed.voltage_reference, feed.phases),
                )
            )
    return tuple(made)


def feed_name(strip: str) -> str:
    """A strip's feed: `r001-pdu-a` hangs on `r001-pdu-a-feed`."""
    return f"{strip}-feed"


def _said(volts: float, reference: str, phases: int) -> str:
    """How the voltage is rated, where NetBox's number is another one."""
    return f"rated {volts:g} V {reference}" if phases == 3 and reference == "line-neutral" else ""


def power_cables(plan: "Plan") -> Iterator[Cord]:
    """Feed to strip for each strip, then outlet to supply for each cord of the plan that has an outlet."""
    for rack in plan.racks:
        for strip, letter, _, _, _ in words.strips(rack):
            a = End("power-feed", panel_of(plan, rack, letter), feed_name(strip))
            yield Cord(a=a, z=End("power-port", strip, INLET), type="power", status="planned", label=feed_name(strip))
        for cord in cords_of(plan, rack):
            # A transfer switch stands in no U and is no device of the plan: its preferred input stands for the device's supply.
            if cord.installed and cord.outlet is not None and not (cord.ats and cord.psu > 1):
                z = End("power-port", cord.device, f"PSU{cord.psu}")
                label = f"{cord.device}:psu{cord.psu}"
                yield Cord(a=End("power-outlet", cord.pdu, cord.outlet), z=z, type="power", status="planned", label=label)
