"""What the failure matrix's rules are about, for people."""

from railyard.rules.registry import Rule, register

_INPUTS = "summary of the failure matrix (`railyard failures`), where railyard:power is stated"
_SOURCE = "2N practice: TIA-942 and Uptime Institute Tier III (concurrently maintainable); limits ours"

POWER_030 = register(
    Rule(
        id="POWER-030",
        title="One electrical failure stops no GPU",
        severity="limit",
        pack="power",
        why="Two feeds are redundant only if the rest carries the load: supplies, strips, busways, panels and UPS together.",
        inputs=_INPUTS,
        passes="GPUs down after each single failure <= failureGpusDownMax",
        fails="a UPS, panel, busway, feed, strip, breaker or supply takes GPUs down with it, itself or by a cascade",
        cause="one feed; gear with one cord; a breaker that carries its share but not the other feed's",
        manual="`railyard failures STACK --event NAME` shows step by step which breaker trips at which current",
        fix="raise the breaker that trips; where none does, add a feed, or supplies that carry the machine on what is left",
        source=_SOURCE,
    )
)
POWER_031 = register(
    Rule(
        id="POWER-031",
        title="No failure cascades",
        severity="limit",
        pack="power",
        why="A breaker that trips because another one did takes down what had nothing to do with the first failure.",
        inputs=_INPUTS,
        passes="no breaker is over its rating after any single failure",
        fails="a breaker trips by the load that the failure has shifted to it",
        cause="feeds of more than half of a breaker's rating; uneven phases; racks added after the panel was chosen",
        manual="add what both feeds carry at that panel, at its voltage; compare with its breaker, not with 80 % of it",
        fix="move racks to another panel or busway, or fit a larger breaker with its cable",
        source=_SOURCE + "; IEC 60898-1 and UL 489 trip curves are kinder for an hour, which is no design",
    )
)
POWER_032 = register(
    Rule(
        id="POWER-032",
        title="Throttled GPUs keep most of their power",
        severity="limit",
        pack="power",
        why="A node with too few live supplies slows down, and the slowest rank sets the pace of a job.",
        inputs=_INPUTS,
        passes="kW left >= planned kW x failureThrottledPercentMin / 100 after each single failure",
        fails="the supplies that are left give less",
        cause="supplies dealt to two feeds (3 + 3) where four are needed: redundant in name only",
        manual="count live supplies x rating of one; compare with the planned kW of the node",
        fix="supplies dealt evenly (no power.psuFeeds), three feeds (2 + 2 + 2), other supplies, or lower the limit if slow is "
        "good enough",
        source="limit ours",
    )
)
POWER_033 = register(
    Rule(
        id="POWER-033",
        title="Halves of a storage mirror fail apart",
        severity="limit",
        pack="power",
        why="A mirror of which both halves hang on the same breaker is a copy, not a mirror: data is gone until power is back.",
        inputs=_INPUTS,
        passes="after each single electrical failure at least one half of each mirror group lives",
        fails="both halves of a group are down",
        cause="servers with one cord on the same feed; both halves in a rack with one feed",
        manual="follow the cords of both servers of a group up to the UPS",
        fix="give each server two feeds, or put the halves on different feeds",
        source=_SOURCE,
    )
)
POWER_034 = register(
    Rule(
        id="POWER-034",
        title="Pairs fail apart",
        severity="limit",
        pack="power",
        why="Two switches for each machine, or two subnet managers, help only if they don't fail together.",
        inputs=_INPUTS,
        passes="each machine keeps a live storage and in-band switch, each subnet a live manager, after each single failure",
        fails="both go with one failure",
        cause="single-cord switches on the same feed, or both hosts of the fabric managers in a rack with one feed",
        manual="follow the cords of both up to the UPS",
        fix="give them two feeds each, or put them on different feeds",
        source=_SOURCE,
    )
)
POWER_035 = register(
    Rule(
        id="POWER-035",
        title="Switches and storage outlive a feed",
        severity="limit",
        pack="power",
        why="A leaf with one cord takes its rail of all nodes with it: every job there stops although all GPUs have power.",
        inputs=_INPUTS,
        passes="no switch and no storage server is down after any single electrical failure that trips nothing else",
        fails="one goes down with a UPS, panel, busway, feed, strip, breaker or supply",
        cause="a single supply or cord; both cords in the same strip",
        manual="look at the rear of the rack: two cords, two colours",
        fix="cord the second supply to the other feed, or put a transfer switch in front (railyard:power.singleCord: ats)",
        source=_SOURCE,
    )
)
POWER_036 = register(
    Rule(
        id="POWER-036",
        title="The failure matrix can tell",
        severity="notice",
        pack="power",
        why="A failure whose outcome nobody knows is no pass.",
        inputs=_INPUTS,
        passes="the state of each device after each failure follows from the catalogue",
        fails="undecided: a figure of the catalogue is missing",
        cause="a model without psus, psusForFull, psusToRun or psuKw",
        manual="the vendor's user manual: how many supplies it needs for full load, and to run at all",
        fix="enter the figures in railyard/catalog, with their source",
        source="house rule: unknown is never a pass",
    )
)
