"""What is looked at when NetBox's device types are read. Findings come from `railyard netbox`: no pack has them."""

from railyard.rules.registry import Rule, Severity, register

LIBRARY = "netbox-community/devicetype-library, schema/devicetype.json and components.json"
NETBOX = "NetBox 4.7, netbox/dcim/models and forms/bulk_import.py"


def rule(
    number: int, title: str, why: str, inputs: str, passes: str, fails: str, cause: str, manual: str, fix: str,
    source: str = NETBOX, severity: Severity = "limit",
) -> Rule:  # fmt: skip
    """A rule of this family."""
    return register(
        Rule(f"NETBOX-{number:03d}", title, severity, why, inputs, passes, fails, cause, manual, fix, source)
    )  # fmt: skip


NETBOX_001 = rule(
    1, "A device type and the catalogue say the same",
    why="Height, weight, supplies and outlets of a wrong type are planned with until somebody stands before the rack.",
    inputs="u_height, weight, power supplies (power ports, or bays named PSU), outlets and inlet watts; the catalogue's row",
    passes="each value that both state is the same (weight within 5 g, inlet within 1 W)",
    fails="one differs: both values, the line of the file and the catalogue's source are named",
    cause="a type copied from a sibling; pounds read as kilograms; another generation",
    manual="the vendor's data sheet of that part number",
    fix="correct the file or the catalogue: whichever the vendor's page contradicts",
    source=LIBRARY,
)  # fmt: skip
NETBOX_002 = rule(
    2, "A switch has all of its ports",
    why="A cable to a port that NetBox lacks can't be entered, and every count of free ports is wrong.",
    inputs="interfaces by speed; their numbering (cage and port in it); the catalogue's ports and cages",
    passes="as many interfaces at a speed as the catalogue has ports, and a numbering without gaps",
    fails="fewer or more; missing names of the numbering are listed (QM9700 of the library: P22.1 and P23.0)",
    cause="two lines lost in an edit of the library",
    manual="count the labels on the front panel",
    fix="add the missing interfaces to the type (and to the devices that NetBox has made of it)",
    source=LIBRARY,
)  # fmt: skip
NETBOX_003 = rule(
    3, "A device type states its power",
    why="NetBox adds up what is there: a server without a draw is 0 W, and its feed is empty on every screen.",
    inputs="maximum_draw of power ports; bays named PSU",
    passes="at least one power port with a draw (a rack strip: its inlet)",
    fails="no power port, or none with a draw: the catalogue's figure is named, or that nobody knows one; never 0",
    cause="supplies modelled as module bays; a library entry without figures",
    manual="the nameplate on the supply",
    fix="plan with the catalogue's figure; give the type power ports with maximum_draw",
    source=LIBRARY,
)  # fmt: skip
NETBOX_004 = rule(
    4, "The draws of all supplies carry the device",
    why="A type whose supplies together give less than the device takes was copied from another device: nothing in it is safe.",
    inputs="sum of maximum_draw over power ports (W); the catalogue's peak kW",
    passes="sum >= peak",
    fails="sum < peak: the type is quarantined, no row is written of it",
    cause="ports and power copied from a switch's file",
    manual="the vendor's data sheet: maximum power of the system",
    fix="use the catalogue's row; correct the file in the library",
    source=LIBRARY, severity="invariant",
)  # fmt: skip
NETBOX_005 = rule(
    5, "Component names are unique",
    why="NetBox refuses the second one, or a program keeps the last: eight GPU bays become one.",
    inputs="names of each kind of component of a type, or of a device; lines",
    passes="each name once",
    fails="a name stands twice or more; all lines are given, nothing is dropped",
    cause="copy and paste",
    manual="search the file for the name",
    fix="give each a name of its own, as it is printed on the device",
    source=LIBRARY, severity="invariant",
)  # fmt: skip
NETBOX_006 = rule(
    6, "A name is the same to every reader of YAML",
    why="`08` without quotes is the text 08 to YAML 1.1 and the number 8 to YAML 1.2: outlet 08 and outlet 8 are then two.",
    inputs="names without quotes in the file",
    passes="YAML 1.1 and 1.2 both read the text that is written",
    fails="one of them reads a number, a truth value, a date or nothing; both readings are named, the text is kept",
    cause="outlets 01 to 24, of which only 08 and 09 lack quotes; names like `on`, `1e3`, `12:30`",
    manual="`python -c 'import yaml; print(yaml.safe_load(open(FILE)))'` beside a YAML 1.2 reader",
    fix="put the name in quotes",
    source="YAML 1.1 types (yaml.org/type); YAML 1.2.2, 10.3 core schema",
)  # fmt: skip
NETBOX_007 = rule(
    7, "A GPU server has the NICs of its GPUs",
    why="Without them there is no rail to cable: the server has no place in the training fabric.",
    inputs="interfaces by speed; the catalogue's backendNics and nicGbps; bays named SXM, OAM or GPU",
    passes="at least backendNics interfaces of nicGbps",
    fails="fewer (then the type is quarantined), or GPU bays and no interface of 100 Gb/s or more",
    cause="a type of the chassis alone, without adapters; ports copied from a switch",
    manual="`lspci | grep -i mellanox` on one of them; the order's configuration",
    fix="add the adapters' ports to the type, or import it as what it is",
    source=LIBRARY,
)  # fmt: skip
NETBOX_008 = rule(
    8, "Air of all types goes the same way",
    why="A switch that blows into the cold aisle takes the servers' exhaust in: it throttles first and dies first.",
    inputs="airflow of each type (as seen from its front), faces of its devices; what the catalogue says",
    passes="front-to-rear, passive, or rear-to-front where all devices of the type have the face rear",
    fails="rear-to-front, or across, also where the catalogue says the same: which way its ports look must be chosen",
    cause="switches are ordered with fans for either way; the library knows one of them",
    manual="the colour of the fan modules; the arrow on the label",
    fix="mount it with its ports to the hot aisle (cooling.switchFace: rear), or order the fans that blow the other way",
    source=LIBRARY,
)  # fmt: skip
NETBOX_009 = rule(
    9, "Interface types are of the switch's own transport",
    why="An Ethernet type on an InfiniBand switch lets NetBox cable an Ethernet NIC to it.",
    inputs="types of the data interfaces; the catalogue's transports",
    passes="infiniband-* on a switch that speaks InfiniBand only; no infiniband-* on one that speaks Ethernet only",
    fails="the other kind",
    cause="the library had no InfiniBand type of that speed when the file was written",
    manual="the vendor's data sheet",
    fix="set the interface type (infiniband-ndr for NDR)",
    source=LIBRARY,
)  # fmt: skip
NETBOX_010 = rule(
    10, "The catalogue knows a device type",
    why="What isn't in the catalogue can't be planned with, and can't contradict anything.",
    inputs="model, slug and part number, folded to letters and digits; names and titles of the catalogue",
    passes="exactly one row has the same name or title",
    fails="none, or several: what the row would still need is listed",
    cause="a model that nobody has entered yet",
    manual="`railyard netbox import DIR --out FILE` writes the row as far as the file goes",
    fix="add the row with its missing facts and their sources to railyard/catalog",
    source=LIBRARY, severity="undecided",
)  # fmt: skip
NETBOX_011 = rule(
    11, "Heights, weights and draws are possible",
    why="A height of 0.5 or -1 is taken by no planner, and a negative draw empties a feed.",
    inputs="u_height, weight, maximum_draw and allocated_draw of a type",
    passes="whole U from 0 to 60; nothing negative; allocated <= maximum",
    fails="a half U, a negative number, an allocation above the maximum",
    cause="half-height bays; a slip",
    manual="measure it",
    fix="correct the file; a half U needs a shelf type of 1U that carries two",
    severity="invariant",
)  # fmt: skip
NETBOX_012 = rule(
    12, "Every key of a device type is read",
    why="A key that nobody reads may be the one that matters.",
    inputs="keys of the document",
    passes="all are known",
    fails="one isn't: it is named and left out",
    cause="a newer schema; a misspelt key",
    manual="compare with the library's schema",
    fix="correct the spelling, or tell the authors of railyard",
    source=LIBRARY, severity="undecided",
)  # fmt: skip
NETBOX_013 = rule(
    13, "Outlets of a strip say what feeds them",
    why="NetBox adds loads up per leg only where an outlet names its power port and its leg.",
    inputs="power_port and feed_leg of each outlet; power ports of the type; the inlet's type",
    passes="power_port exists; on a three-phase inlet each outlet has a leg of A, B or C",
    fails="a power port that doesn't exist, a leg that is no letter of these, or none on three phases",
    cause="outlets copied from a single-phase strip",
    manual="the print beside each outlet",
    fix="set power_port and feed_leg",
    source=LIBRARY,
)  # fmt: skip
