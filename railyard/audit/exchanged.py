"""Two switches with each other's cables: names or places were exchanged, not dozens of cables one by one."""

from collections import Counter

from railyard.audit.compare import Group
from railyard.audit.nouns import DesignLink, ExchangedSwitches
from railyard.plan.names import sort_key

SHARE = 0.75
"""Share of a switch's planned links below it that must be on the other one, both ways."""
FEWEST = 3


def exchanged_switches(links: list[DesignLink], groups: list[Group]) -> tuple[ExchangedSwitches, ...]:
    """Pairs of switches, by name. Their cables are in the differences, too: whether to move cables or names is for people."""
    home = {link.a: link.z.device for link in links}
    planned = Counter(link.z.device for link in links)
    moved: Counter[tuple[str, str]] = Counter()
    for group in groups:
        for one in group.found:
            due = home.get(one.a)
            if due is not None and due != one.z.device:
                moved[due, one.z.device] += 1
    return tuple(
        ExchangedSwitches(one, other, count, planned[one])
        for (one, other), count in sorted(moved.items(), key=lambda item: sort_key(item[0][0]))
        if one < other
        and min(count, moved[other, one]) >= FEWEST
        and count >= SHARE * planned[one]
        and moved[other, one] >= SHARE * planned[other]
    )
