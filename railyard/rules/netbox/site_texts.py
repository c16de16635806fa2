"""What is looked at when NetBox's tables are read, and when they are compared with a plan."""

from railyard.rules.netbox.texts import rule

NETBOX_020 = rule(
    20, "What a row refers to exists",
    why="NetBox refuses the row, and with it the whole file.",
    inputs="racks, types, roles and sites of devices; panels and racks of feeds; devices and ports of cables",
    passes="each name is in the files, where the files have a table of that kind",
    fails="it isn't; the table that was searched is named",
    cause="files of different days; a rename in one table",
    manual="search the table for the name",
    fix="export all tables at one time, or correct the name",
    severity="invariant",
)  # fmt: skip
NETBOX_021 = rule(
    21, "Devices stand in whole U inside their rack, one in each",
    why="Two devices in one U, or one above the top, is a rack that nobody can build.",
    inputs="position and rack of devices, u_height of types and racks, reservations",
    passes="whole U from 1, inside the rack, no U twice, none reserved",
    fails="U 0, a half U, a negative one, above the top, taken twice, or reserved",
    cause="U counted from the top; a half-U device; a reservation that was forgotten",
    manual="the elevation in NetBox",
    fix="correct the position",
    severity="invariant",
)  # fmt: skip
NETBOX_022 = rule(
    22, "Names are unique and short enough for NetBox",
    why="NetBox compares device names without case and holds 64 characters of them, 100 of racks, panels and feeds.",
    inputs="names of sites, racks, devices, panels, feeds and components",
    passes="unique in their scope; at most 64 (devices, components) or 100 characters (all others)",
    fails="twice (in another spelling), or longer",
    cause="names with the whole hierarchy in them",
    manual="sort the column",
    fix="shorten the site's name, or rename",
    severity="invariant",
)  # fmt: skip
NETBOX_023 = rule(
    23, "A port carries one cable",
    why="A second cable in the same port is one that isn't there.",
    inputs="ends of all cables",
    passes="each end once",
    fails="an end stands in two rows; both lines are named",
    cause="a row copied; a cable moved and the old row kept",
    manual="look at the labelled port",
    fix="delete the row that isn't so",
    severity="invariant",
)  # fmt: skip
NETBOX_024 = rule(
    24, "A feed's voltage is what NetBox takes it for",
    why="NetBox multiplies every three-phase voltage by 1.732: with 230 V line-to-neutral a feed shows 42 % too little.",
    inputs="phase, supply, voltage and amperage of feeds",
    passes="three phases: a line-to-line voltage (190 to 500 V, not 220 to 240 V); one phase: 100 to 277 V; nothing negative",
    fails="220 to 240 V on three phases (line-to-neutral), more than 277 V on one phase, 0 or less, or a part that is missing",
    cause="the voltage of an outlet entered for a three-phase feed",
    manual="measure between two lines",
    fix="enter the line-to-line voltage (400 V where the outlets have 230 V)",
)  # fmt: skip
NETBOX_025 = rule(
    25, "A feed carries what hangs on it",
    why="NetBox's own figure is 0 where a strip's inlet has a maximum_draw alone, and it rounds before it compares.",
    inputs="draws of all supplies behind the strip (allocated, else maximum); the feed's figures; the inlet's maximum_draw",
    passes="sum <= min(V x A x phases x utilisation, inlet maximum), compared before rounding",
    fails="the sum is larger; supplies without a draw are counted and named, never taken as 0",
    cause="a device more; types without draws",
    manual="the strip's own meter",
    fix="move supplies to another feed, or correct the draws",
    source="netbox-community/netbox issues 3503, 8177 and 11041",
)  # fmt: skip
NETBOX_030 = rule(
    30, "NetBox has what the plan has",
    why="What isn't in NetBox isn't ordered, cabled or monitored.",
    inputs="racks, devices, panels, feeds, cables and types of the plan; tables of the folder",
    passes="each is there",
    fails="one isn't; a table that is missing as a whole is one finding",
    cause="a row deleted; an export that was filtered",
    manual="look for it in NetBox",
    fix="import the export again, or take it out of the plan",
)  # fmt: skip
NETBOX_031 = rule(
    31, "NetBox has nothing else at the plan's site",
    why="A device that the plan doesn't know takes its U, its air and its power.",
    inputs="racks, devices, panels, feeds and cables of the plan's site in the folder; other sites are left out",
    passes="each is planned",
    fails="one isn't: its line is named",
    cause="gear of another team; a name that was changed",
    manual="look at the U",
    fix="plan it (facility.reservedU), rename it, or remove it",
)  # fmt: skip
NETBOX_032 = rule(
    32, "Values in NetBox are the plan's",
    why="Whoever works from NetBox builds something else than what was checked.",
    inputs="position, rack, type, serial, voltage, amperage, ends, length … of what both have",
    passes="equal (numbers within a thousandth)",
    fails="a value differs: both are named, with the line",
    cause="an edit in NetBox that never reached the stack file",
    manual="compare with the rack",
    fix="correct NetBox, or the stack file and its inventory",
)  # fmt: skip
NETBOX_033 = rule(
    33, "One object is one row",
    why="Where CSV and YAML of a folder differ, nobody knows which of them was imported.",
    inputs="rows of the same object in all files",
    passes="equal",
    fails="two rows of one object differ: both values and both lines",
    cause="one of the two files was edited",
    manual="compare the two lines",
    fix="delete one of the two files",
    severity="invariant",
)  # fmt: skip
NETBOX_036 = rule(
    36, "NetBox can hold what the plan says",
    why="NetBox has whole volts, ampere and percent; a rounded breaker is another breaker.",
    inputs="values that are to be written",
    passes="whole numbers where NetBox has whole numbers; texts of at most its lengths",
    fails="a fraction, or a text that is too long: nothing is rounded silently",
    cause="a breaker of 62.5 A; a rating of 0.875",
    manual="NetBox's form of that object",
    fix="enter it in the stack file or the catalogue as whole numbers, or leave that feed out of NetBox",
    severity="invariant",
)  # fmt: skip
