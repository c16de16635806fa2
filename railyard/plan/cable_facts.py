"""What the plan says of its cables as a whole: classes with their extremes, shared cages, the order with spares, trays.

Facts only: what is too long, too full or too few is for the rules (FABRIC-020 and following).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from railyard.model.cabling import FIBRE, CableClass, CableEnd, CableModel, CablingPlan
from railyard.model.plan import Cable
from railyard.plan.bom import order_cables, order_optics
from railyard.plan.cabling import OOB, Cabler, tier_of
from railyard.plan.media import NS_PER_M, Choice
from railyard.plan.trays import fill_trays

SHOWN = 20
"""Cages with different plugs that a plan names."""
Plug = tuple[str, str]
"""Identity of a plug: an optic, or the assembly's own; with straight or with split fibre."""
NO_PLUG: Plug = ("", "")
UNKNOWN_END = CableEnd(
    form=None,
    heat_sink=None,
    ports=1,
    port_gbps=0.0,
    lane_gbps=None,
    optic=None,
    optic_heat_sink=None,
    optic_form=None,
    connector="",
    fec=None,
    assumed=True,
)
Key = tuple[str, str, str]
"""Tier (or kind), part and medium of a class."""


class Tally(msgspec.Struct):
    """What is counted of one class."""

    links: int
    cables: int
    by_length: Counter[float]
    min_route_m: float
    longest: Cable


class Group(msgspec.Struct):
    """Cables that are alike in everything that is counted: class, rack pair, length. `first` stands for all of them."""

    key: Key
    made: "Made"
    a: "Cage"
    z: "Cage"
    heads: set[tuple[str, float]] | None
    first: Cable
    cables: int = 0


class Made(msgspec.Struct, frozen=True):
    """What all cables of a class are made of: the catalogue's cable, the ends, and the plug in the cages of each end."""

    model: CableModel | None
    choice: Choice | None
    a: CableEnd
    z: CableEnd
    a_plug: Plug = NO_PLUG
    z_plug: Plug = NO_PLUG


class Cage(msgspec.Struct, frozen=True, eq=False, gc=False):
    """What is in a cage of several ports: class and plug of the first cable, lengths, whether another plug would have to go in.

    Cages with the same in them share one of these (`_cage`): a site has 500,000 cages and some hundred different ones.
    """

    key: Key
    plug: Plug
    shortest_m: float
    longest_m: float
    mixed: bool


class Walk(msgspec.Struct):
    """Everything that one walk over the cables gives."""

    classes: dict[Key, Tally]
    made: dict[Key, Made]
    cages: dict[str, Cage]
    kinds: dict[tuple[Key, Plug, float, float, bool], Cage]
    heads: defaultdict[Key, set[tuple[str, float]]]
    pairs: Counter[tuple[int, int, str]]


def sum_cables(cables: Iterable[Cable], cabler: Cabler) -> CablingPlan:
    """All facts about the cables of a site."""
    walk = _walk(cables, cabler)
    cabler.laid = walk.pairs
    skews = _skews(walk)
    classes = tuple(_class(key, walk, skews, cabler) for key in sorted(walk.classes))
    mixed = sorted(label for label, cage in walk.cages.items() if cage.mixed)
    oob = max(
        (tally.longest for (tier, _, _), tally in walk.classes.items() if tier == OOB),
        key=lambda cable: (cable.length_m, cable.id),
        default=None,
    )
    models, choices = cabler.catalog.cables, cabler.file.cabling
    between = [((a, z), sku, count) for (a, z, sku), count in sorted(walk.pairs.items()) if a != z]
    return CablingPlan(
        slack_percent=choices.slack_percent,
        spares_percent=choices.spares_percent,
        bundle_cables=choices.bundle_cables,
        ports_per_cage=cabler.ports_per_cage,
        classes=classes,
        bom=(*order_cables(_ordered(walk, cabler), between, cabler), *order_optics(_optics(classes, walk), cabler)),
        trays=fill_trays(walk.pairs, cabler.hall, choices, models),
        mixed_cages=tuple(mixed[:SHOWN]),
        mixed_cage_count=len(mixed),
        twins_apart=cabler.apart,
        twins_split=cabler.split,
        oob_longest_m=oob.length_m if oob else 0.0,
        oob_longest=oob.id if oob else "",
    )


def _walk(cables: Iterable[Cable], cabler: Cabler) -> Walk:
    """One pass that looks at each cable, one that counts groups: at 16,384 nodes there are 393,216 cables."""
    walk = Walk({}, {}, {}, {}, defaultdict(set), Counter())
    groups: dict[tuple[str, str, str, float, bool, bool, bool], Group] = {}
    cages, own = walk.cages, len(cabler.file.site.name)  # a site may be called `lab-gpu`
    for cable in cables:
        name = cable.id
        # A device of another tier has one of these in its name; which tier it is, is looked up once for each group.
        other = name.find("-ufm", own) > 0 or name.find("-sw", own) > 0
        alike = (cable.kind, cable.bundle, cable.sku, cable.length_m, cable.a_second is None, other, name.find("-gpu", own) > 0)
        group = groups.get(alike)
        if group is None:
            group = groups[alike] = _group(cable, walk, cabler)
        group.cables += 1
        for label, inside in ((cable.a_label, group.a), (cable.z_label, group.z)):
            if label[-2:-1] == "/":
                label = label[:-2]
                cage = cages.get(label)
                if cage is not inside:
                    cages[label] = inside if cage is None else _both(cage, inside, walk)
        if cable.z_second is not None or group.heads is not None:
            _look_closer(cable, group, walk, cabler)
    for group in groups.values():
        _count(group, walk)
    return walk


def _cage(key: Key, plug: Plug, shortest_m: float, longest_m: float, mixed: bool, walk: Walk) -> Cage:
    """The one cage of these facts."""
    facts = (key, plug, shortest_m, longest_m, mixed)
    found = walk.kinds.get(facts)
    if found is None:
        found = walk.kinds[facts] = Cage(*facts)
    return found


def _both(cage: Cage, more: Cage, walk: Walk) -> Cage:
    """A cage with one more cable in it. What another plug would hang on has no delay to compare."""
    if cage.plug != more.plug:
        return _cage(cage.key, cage.plug, cage.shortest_m, cage.longest_m, True, walk)
    shortest, longest = min(cage.shortest_m, more.shortest_m), max(cage.longest_m, more.longest_m)
    return _cage(cage.key, cage.plug, shortest, longest, cage.mixed, walk)


def _look_closer(cable: Cable, group: Group, walk: Walk, cabler: Cabler) -> None:
    """What few cables have: a splitter's head; the upper cage of a second link, where it isn't the first one's.

    Both lower ports of two links are in one cage, or counted `apart`.
    """
    if group.heads is not None:
        tails = 2 if group.made.z.port_gbps == cable.link_gbps else 1
        group.heads.add((_head(cable.z_label, tails), cable.length_m))
    if cable.z_second is None:
        return
    name, shared, _ = cabler.label(cable.z_second).partition("/")
    if shared:
        cage = walk.cages.get(name)
        walk.cages[name] = group.z if cage is None else _both(cage, group.z, walk)


def _group(cable: Cable, walk: Walk, cabler: Cabler) -> Group:
    """The group that a cable is the first of."""
    tier = tier_of(cable.kind, cable.id.partition(":")[0])
    key = (tier, cable.sku, cable.medium)
    made = walk.made.get(key)
    if made is None:
        made = walk.made[key] = _made(key, cable.link_gbps, cabler)
    length, split = cable.length_m, made.choice is not None and made.choice.cable.shape == "splitter"
    a, z = _cage(key, made.a_plug, length, length, False, walk), _cage(key, made.z_plug, length, length, False, walk)
    return Group(key, made, a, z, walk.heads[key] if split else None, cable)


def _count(group: Group, walk: Walk) -> None:
    """Adds a group to its class and to the pieces between its racks."""
    cable, model = group.first, group.made.model
    links = group.cables * (1 if cable.a_second is None else 2)
    tally = walk.classes.get(group.key)
    if tally is None:
        tally = walk.classes[group.key] = Tally(0, 0, Counter(), cable.route_m, cable)
    tally.links += links
    tally.cables += group.cables
    tally.by_length[cable.length_m] += links
    tally.min_route_m = min(tally.min_route_m, cable.route_m)
    if cable.route_m > tally.longest.route_m:
        tally.longest = cable
    a, _, z = cable.bundle.partition("-")
    walk.pairs[_rack(a), _rack(z or a), cable.sku] += links * (model.per_link if model else 1)


def _rack(text: str) -> int:
    """Number of a rack in a bundle's name (`R012`); 0 where there is none (a cable that nobody bundled)."""
    return int(text[1:]) if text[1:].isdigit() else 0


def _head(label: str, tails: int) -> str:
    """The splitter's head that a port belongs to. Its tails are two ports of the cage, or halves of one faster port."""
    cage, _, port = label.partition("/")
    return f"{cage}/{(int(port or 1) - 1) // tails}"


def _made(key: Key, link_gbps: float, cabler: Cabler) -> Made:
    """Cable and ends of a class; the cages as far as they are known where no cable was chosen."""
    tier, sku, _ = key
    choice, model = cabler.choice_of(tier, sku, link_gbps), cabler.catalog.cables.get(sku)
    if choice:
        name, shape = choice.cable.name, choice.cable.shape
        return Made(choice.cable, choice, choice.a, choice.z, (choice.a.optic or name, shape), (choice.z.optic or name, shape))
    # What nobody chose from the catalogue has no plug that could be compared.
    need = cabler.need_of(tier, link_gbps)
    ends = (need.a, need.z) if need else (UNKNOWN_END, UNKNOWN_END)
    connector = {"connector": model.connector if model else ""}
    return Made(model, None, ends[0].model_copy(update=connector), ends[1].model_copy(update=connector))


def _class(key: Key, walk: Walk, skews: Mapping[Key, tuple[float, str]], cabler: Cabler) -> CableClass:
    """One class as a noun. Loss is that of its longest cable: every joint and every metre of it."""
    tier, sku, medium = key
    tally, made = walk.classes[key], walk.made[key]
    longest_m, model = max(tally.by_length), made.model
    skew_ns, skew_at = skews.get(key, (0.0, ""))
    panels = cabler.file.cabling.panels if medium in FIBRE and tally.longest.route_m > cabler.in_rack_m else 0
    return CableClass(
        kind=tier,
        sku=sku,
        medium=medium,
        shape=model.shape if model else "straight",
        polarity=model.polarity if model else None,
        segments=panels + 1,
        links=tally.links,
        cables=tally.cables,
        link_gbps=tally.longest.link_gbps,
        lane_gbps=made.z.lane_gbps or (model.lane_gbps[0] if model else None),
        min_route_m=tally.min_route_m,
        max_route_m=tally.longest.route_m,
        max_length_m=longest_m,
        reach_m=made.choice.reach_m if made.choice else model.max_length_m if model else None,
        longest=tally.longest.id,
        skew_ns=skew_ns,
        skew_at=skew_at,
        loss_db=_loss_db(model, longest_m, panels),
        loss_budget_db=_budget_db(made, cabler),
        a=made.a,
        z=made.z,
    )


def _skews(walk: Walk) -> dict[Key, tuple[float, str]]:
    """By class: the greatest difference in delay between two cables of one cage in ns, and the cage. 4.5 ns/m."""
    worst: dict[Key, tuple[float, str]] = {}
    for label, cage in walk.cages.items():
        if cage.longest_m > cage.shortest_m and cage.plug is not NO_PLUG:
            worst[cage.key] = max(worst.get(cage.key, (0.0, "")), (cage.longest_m - cage.shortest_m, label))
    return {key: (round(metres * NS_PER_M, 3), label) for key, (metres, label) in worst.items()}


def _loss_db(model: CableModel | None, length_m: float, panels: int) -> float | None:
    """(2 + panels) x joint + length x attenuation: a joint at each optic and at each panel (CAB: two panels, four joints)."""
    if model is None or model.joint_loss_db is None or model.loss_db_per_km is None:
        return None
    return round((2 + panels) * model.joint_loss_db + length_m / 1000 * model.loss_db_per_km, 4)


def _budget_db(made: Made, cabler: Cabler) -> float | None:
    """The smaller budget of both optics; None where there is none or it is unknown."""
    found = [cabler.catalog.optics[end.optic].loss_budget_db for end in (made.a, made.z) if end.optic]
    return min((budget for budget in found if budget is not None), default=None) if None not in found else None


def _ordered(walk: Walk, cabler: Cabler) -> Counter[tuple[str, str, float]]:
    """Pieces to order by medium, part and length: a splitter is one piece however many of its tails are in use."""
    found: Counter[tuple[str, str, float]] = Counter()
    for (_, sku, medium), tally in walk.classes.items():
        model = cabler.catalog.cables.get(sku)
        if model is None or model.shape != "splitter":
            for length, links in tally.by_length.items():
                found[medium, sku, length] += links * (model.per_link if model else 1)
    for (_, sku, medium), heads in walk.heads.items():
        for _, length in heads:
            found[medium, sku, length] += 1
    return found


def _optics(classes: Iterable[CableClass], walk: Walk) -> Counter[str]:
    """Optics in use: one for each shared cage with a cable in it, and one for each link where a cage has one port."""
    found: Counter[str] = Counter()
    for cage, count in Counter(walk.cages.values()).items():
        found[cage.plug[0]] += count
    for row in classes:
        for end in (row.a, row.z):
            if end.optic and end.ports == 1:
                found[end.optic] += row.links
    optics = {end.optic for row in classes for end in (row.a, row.z)}
    return Counter({name: count for name, count in found.items() if name in optics})
