"""What the rules of racks are about, for people: weight, room, depth, what feet rest on."""

from railyard.rules.registry import Rule, register

RACK_001 = register(
    Rule(
        id="RACK-001",
        title="Frame and floor bear the rack",
        severity="limit",
        pack="power",
        why="An overloaded frame or raised floor fails when the rack is filled or moved.",
        inputs="weightKg, weightLimitKg, devices[].weightKg, unweighed and unweighedMaxKg of a rack; cablesKg, fluidKg and "
        "doorKg of "
        "its floor",
        passes="weightKg + cablesKg + fluidKg + doorKg <= weightLimitKg x weightPercentMax / 100, each device's weight is "
        "known, and strips or a frame of "
        "unknown weight can't exceed the limit either (unweighedMaxKg, an upper bound)",
        fails="the known weights alone are over the limit; undecided where a weight or the limit is unknown",
        cause="eight nodes of 130 kg with PDUs in a frame for 1000 kg; a catalogue entry without a weight",
        manual="add the weights of the data sheets, rails and cables included",
        fix="fewer devices in the rack, or a frame and floor that bear it (railyard:facility.weightLimitKg)",
        source="frame and floor ratings",
    )
)
RACK_002 = register(
    Rule(
        id="RACK-002",
        title="One device for each U",
        severity="invariant",
        pack="power",
        why="Two devices can't stand in the same place.",
        inputs="devices[].u and uHeight",
        passes="no U is filled twice",
        fails="two devices share a U",
        cause="more nodes per rack than fit, or a device entered with the wrong height",
        manual="look at the rack elevation in the report",
        fix="fewer devices in the rack (railyard:facility.nodesPerRack), or correct the height in the catalogue",
        source="NetBox rack validation: a position is taken once",
    )
)
RACK_003 = register(
    Rule(
        id="RACK-003",
        title="Devices stand inside the rack",
        severity="invariant",
        pack="power",
        why="A device above the frame, below U1 or on a reserved U can't be mounted.",
        inputs="devices[].u and uHeight, uHeight and reservedU of the rack",
        passes="each U that a device fills is in 1..uHeight and not reserved",
        fails="a device is outside the rack or on a reserved U",
        cause="too many devices for the rack model, or reservedU in the middle of a node",
        manual="look at the rack elevation in the report",
        fix="fewer devices in the rack (railyard:facility.nodesPerRack), a higher rack model, or other reservedU",
        source="EIA-310-E: rack units are whole and counted from the bottom",
    )
)
RACK_004 = register(
    Rule(
        id="RACK-004",
        title="Devices and their cables are shorter than the rack",
        severity="limit",
        pack="power",
        why="A node that fills the rack's depth leaves no room for eight training cables with their plugs and bend: the rear "
        "door "
        "stays open, or cables are bent below their radius.",
        inputs="floor.depths[] (depthM, cables) and floor.usableDepthM of a rack: front rails to rear door; depth less 0.1 m "
        "where the "
        "catalogue doesn't say (depthAssumed)",
        passes="usableDepthM - depthM >= cableSpaceMMin (0.15 m) behind a node with eight training cables or more, "
        "rearSpaceMMin "
        "(0.05 m) behind everything else",
        fails="less is left behind a device; undecided where its depth or the rack's is unknown",
        cause="DGX H100 (897 mm) in a rack of 1070 mm",
        manual="measure from the front rails to the closed rear door, subtract the device, hold a plugged cable against it",
        fix="a deeper rack (railyard:facility.rackModel)",
        source="ours: plug and bend of an OSFP cable (boot 60 mm, minimum bend radius of 3 mm fibre and of passive copper)",
    )
)
RACK_005 = register(
    Rule(
        id="RACK-005",
        title="Reserved U are in the rack",
        severity="limit",
        pack="power",
        why="A U above the top of the rack is kept free by itself: what it was meant to keep free is filled.",
        inputs="reservedU and uHeight of a rack",
        passes="each reserved U is in 1..uHeight",
        fails="a reserved U is above the rack's top",
        cause="reservedU of a 48U rack kept after the rack model was changed to 42U",
        manual="count the U of the frame",
        fix="name U of this rack in railyard:facility.reservedU, or a higher rack model",
        source="EIA-310-E: rack units are whole and counted from the bottom",
    )
)
RACK_006 = register(
    Rule(
        id="RACK-006",
        title="Tiles bear the rack's feet",
        severity="limit",
        pack="power",
        why="A rack stands on four small areas. A tile that carries the hall's kilograms per square metre still breaks under "
        "a foot, "
        "and where racks stand side by side, feet of two racks share a tile.",
        inputs="floor of a rack: massKg (every planned device, frame, strips, cables, coolant), feet, footKg, feetPerTile, "
        "pointLimitKg",
        passes="footKg x feetPerTile <= pointLimitKg x pointPercentMax / 100, whatever is unknown included; not judged without "
        "railyard:floor.bearing.pointKg",
        fails="more rests on a tile; undecided where the feet or a weight are unknown",
        cause="six nodes of 130 kg on tiles rated 4.5 kN",
        manual="rack mass / 4 x feet on the tile; compare with the concentrated load of the tile's data sheet",
        fix="fewer devices in the rack, spreader plates, stronger tiles, or pedestals under the feet (floor.bearing.pointKg)",
        source="EN 12825 and CISCA Recommended Test Procedures for Access Floors: concentrated load on 25 x 25 mm; even split "
        "over "
        "the feet is ours",
    )
)
RACK_007 = register(
    Rule(
        id="RACK-007",
        title="The floor bears the hall's racks",
        severity="limit",
        pack="power",
        why="Slab and pedestals are rated in kilograms per square metre; dense racks in narrow aisles exceed what offices are "
        "built for.",
        inputs="floor of a rack: massKg, kgPerM2 (over its footprint and half of both aisles), uniformLimitKgPerM2",
        passes="kgPerM2 <= uniformLimitKgPerM2 x uniformPercentMax / 100, whatever is unknown included; not judged without "
        "railyard:floor.bearing.uniformKgPerM2",
        fails="more rests on each square metre; undecided where a weight is unknown",
        cause="racks of 1,500 kg on a floor for 750 kg/m2",
        manual="rack mass / (width x (depth + half of the cold + half of the hot aisle)); compare with the structural "
        "engineer's figure",
        fix="wider aisles, fewer devices in a rack, or a stronger floor (floor.bearing.uniformKgPerM2)",
        source="ANSI/TIA-942: distributed floor load of 7.2 kPa (734 kg/m2) at least, 12 kPa (1,224 kg/m2) recommended "
        "(unverified)",
    )
)
RACK_008 = register(
    Rule(
        id="RACK-008",
        title="Power strips have a place in the rack",
        severity="limit",
        pack="power",
        why="Vertical strips stand beside the devices at the rear: where there is no place for one, it is in the way of "
        "cables, supplies or the door, or it isn't mounted at all.",
        inputs="floor of a rack: strips (pdusPerRack of all feeds), stripPlaces; stripPlacesAssumed where neither stack file "
        "nor catalogue says: 4 in a rack of 600 mm or more",
        passes="strips <= stripPlaces",
        fails="there are more strips; undecided where nobody knows the places",
        cause="small strips ordered many times over in place of larger ones",
        manual="count the trays or keyhole rows at the rear of the frame, on both sides",
        fix="fewer and larger strips (railyard:facility.feeds pduModel, pdusPerRack), fewer devices in the rack, or state "
        "railyard:facility.stripPlaces after measuring",
        source="Dell Metered PDU LCD Owner's Manual, Installation Configurations: one or two strips in each of two trays at "
        "the rear, four at most; that 600 mm racks of others take as many is ours",
    )
)
