"""Which cable of the catalogue joins two cages over a length, and which optics it needs.

A cable fits when it runs the link's speed, lane generation and transport, reaches as far, its plugs (or optics of the right
form, heat sink, speed and fibre) go into both cages, and its shape suits them: a splitter has its head in the upper cage, of
two ports, and its tails in cages of one. Among those that fit, the first medium of `ORDER` wins, then the shortest reach.
"""

from collections.abc import Iterable, Mapping

import msgspec

from railyard.model.cabling import FIBRE, CableEnd, CableModel, Medium, OpticModel

ORDER: tuple[Medium, ...] = (
    "cat6a",
    "passive-copper",
    "active-copper",
    "active-optical",
    "multimode-om3",
    "multimode-om4",
    "single-mode",
    "single-mode-fr4",
)
"""Cheapest and coolest first."""
NS_PER_M = 4.5
"""Delay of copper and fibre (docs.nvidia.com MCP4Y10 and MMS4X50-NM)."""


class Need(msgspec.Struct, frozen=True):
    """What a link asks for: `a` is the lower end, `z` the upper one. `multimode` is the fibre that the site lays."""

    transport: str
    link_gbps: float
    a: CableEnd
    z: CableEnd
    multimode: str = "om4"


class Choice(msgspec.Struct, frozen=True):
    """A cable with what sits at both ends of it."""

    cable: CableModel
    a: CableEnd
    z: CableEnd
    reach_m: float

    def length_m(self, wanted_m: float) -> float | None:
        """The shortest length in metres that can be ordered and is long enough; None where there is none."""
        return next((length for length in self.cable.lengths_m if length >= wanted_m - 1e-9), None)


def choose(cables: Mapping[str, CableModel], optics: Mapping[str, OpticModel], need: Need, wanted_m: float) -> Choice | None:
    """The cable for a link of `wanted_m` metres (slack included), None where the catalogue has none."""
    found = [
        choice
        for cable in cables.values()
        if (choice := _fit(cable, optics.values(), need, wanted_m)) is not None and choice.length_m(wanted_m) is not None
    ]
    return min(found, key=_rank, default=None)


def _rank(choice: Choice) -> tuple[int, float, float, str]:
    return (ORDER.index(choice.cable.medium), choice.reach_m, choice.cable.max_length_m, choice.cable.name)


def _fit(cable: CableModel, optics: Iterable[OpticModel], need: Need, wanted_m: float) -> Choice | None:
    """A cable with its ends where it fits the need."""
    if (
        need.link_gbps not in cable.link_gbps
        or need.transport not in cable.transports
        or wanted_m > cable.max_length_m
        or need.a.lane_gbps not in cable.lane_gbps
        or need.z.lane_gbps not in cable.lane_gbps
        or (cable.medium.startswith("multimode") and not cable.medium.endswith(need.multimode))
    ):
        return None
    if cable.medium not in FIBRE:
        return _assembly(cable, need)
    return _fibre(cable, list(optics), need, wanted_m)


def _assembly(cable: CableModel, need: Need) -> Choice | None:
    """Plugs are fixed to the cable: they must be those of the cages. Twin cables are never chosen: both links of a cage would
    have to end in one cage, and the wiring spreads them over two switches.
    """
    suits = (need.a.ports, need.z.ports) == ((1, 2) if cable.shape == "splitter" else (1, 1))
    if cable.shape == "twin" or not suits or (cable.head_plug, cable.tail_plug) != (plug(need.z), plug(need.a)):
        return None
    ends = [end.model_copy(update={"connector": str(plug(end)), "fec": None}) for end in (need.a, need.z)]
    return Choice(cable, ends[0], ends[1], cable.max_length_m)


def plug(end: CableEnd) -> str | None:
    """The plug that a cage takes, as the catalogue spells it: `osfp-finned`, `qsfp56`."""
    return f"{end.form}-{end.heat_sink}" if end.heat_sink else end.form


def _fibre(cable: CableModel, optics: list[OpticModel], need: Need, wanted_m: float) -> Choice | None:
    """Optics of the right form and heat sink in both cages, of the fibre's kind and connector."""
    split = cable.shape == "splitter"
    if split and need.a.ports >= need.z.ports:
        return None
    # A splitter halves the tail's optic: a 400G optic runs its link at 200G with half of its channels (NS400 pages).
    a = _optic(cable, optics, need, need.a, wanted_m, 2 if split else 1)
    z = _optic(cable, optics, need, need.z, wanted_m, 1)
    if a is None or z is None or (not split and z.port_gbps * cable.per_link != need.link_gbps):
        return None
    ends = [_with(end, optic) for end, optic in ((need.a, a), (need.z, z))]
    return Choice(cable, ends[0], ends[1], min(a.max_length_m, z.max_length_m, cable.max_length_m))


def _optic(
    cable: CableModel, optics: list[OpticModel], need: Need, end: CableEnd, wanted_m: float, halves: int
) -> OpticModel | None:
    """The optic of the shortest sufficient reach that fills the cage's bandwidth (`halves` times it at a splitter's tail)."""
    fitting = [
        optic
        for optic in optics
        if optic.form == end.form
        and optic.heat_sink == end.heat_sink
        and optic.ports * optic.port_gbps == halves * end.ports * end.port_gbps
        and optic.lane_gbps == end.lane_gbps
        and cable.medium in optic.media
        and optic.connector == cable.connector
        and need.transport in optic.transports
        and optic.max_length_m >= wanted_m
    ]
    return min(fitting, key=lambda optic: (optic.max_length_m, optic.name), default=None)


def _with(end: CableEnd, optic: OpticModel) -> CableEnd:
    return end.model_copy(
        update={
            "optic": optic.name,
            "optic_form": optic.form,
            "optic_heat_sink": optic.heat_sink,
            "connector": optic.connector,
            "fec": optic.fec,
        }
    )


def table_medium(length_m: float, lane_gbps: int) -> str:
    """The medium that the reference's table gives for a length, whatever the cages: for links that no cable fits.

    Source: NVIDIA LinkX 100G-PAM4 overview, NDR/400GbE cable requirements, XDR 200G-PAM4 list. 200G-PAM4: no
    passive copper, no multimode. Lanes of 50 Gb/s and less are not in the table: passive copper to 2 m, active optical to
    100 m, FR4 beyond (unverified).
    """
    if lane_gbps >= 200:
        steps = ((5.0, "active-copper"), (500.0, "single-mode"))
    elif lane_gbps >= 100:
        steps = ((3.0, "passive-copper"), (5.0, "active-copper"), (50.0, "multimode-om4"), (500.0, "single-mode"))
    else:
        steps = ((2.0, "passive-copper"), (100.0, "active-optical"))
    return next((kind for limit, kind in steps if length_m <= limit), "single-mode-fr4")
