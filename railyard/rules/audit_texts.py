"""What the as-built audit looks at. Its findings come from `railyard audit` and need files of the site: no pack has them."""

from railyard.rules.registry import Rule, Severity, register

FABRIC = "ours: faults put into ibsim (tests/proof/infiniband); NVIDIA/topograph, ibnetdiscover examples"
CASES = "NVIDIA/topograph tests/output/ibnetdiscover; NVIDIA Cable Validation Tool 1.5 (both in tests/data/audit)"


def _rule(
    number: int, title: str, why: str, inputs: str, passes: str, fails: str, cause: str, manual: str, fix: str,
    source: str = CASES, severity: Severity = "limit",
) -> Rule:  # fmt: skip
    return register(
        Rule(f"AUDIT-{number:03d}", title, severity, why, inputs, passes, fails, cause, manual, fix, source)
    )  # fmt: skip


AUDIT_001 = _rule(
    1, "Planned switches are there",
    why="A leaf that is not there takes a rail away from every node of its unit.",
    inputs="switches of the plan or the design file; switches that the files name, or that their neighbours identify",
    passes="every planned switch of a network that the files tell of is seen",
    fails="a planned switch has neither a record nor a neighbour",
    cause="not powered, not cabled, another subnet, a file that was cut off",
    manual="`ibswitches | grep NAME`, or look at the rack and U of the work order",
    fix="power and cable it, then run the audit again: its links are judged only then",
)  # fmt: skip
AUDIT_002 = _rule(
    2, "Planned hosts are there",
    why="A host that no rail sees is a host that nobody can schedule.",
    inputs="hosts of the plan or design; ports of the leaves that are there",
    passes="at least one NIC of every planned host is seen",
    fails="all its ports on leaves that are there are empty (several links, so that it is not one cable)",
    cause="not delivered, switched off, driver not loaded",
    manual="`ibstat` on the host; the BMC's power state",
    fix="switch it on; or, if it isn't there, set it aside in the inventory (lifecycle: quarantined) or list it in notBuilt",
)  # fmt: skip
AUDIT_003 = _rule(
    3, "Planned cables are there",
    why="A missing node cable slows every collective of its job; a missing uplink makes a leaf block.",
    inputs="links of the plan or design; links of the files",
    passes="each planned link between devices that are there is found, with both ends right",
    fails="nothing is in its ports; missing uplinks are counted per leaf and spine",
    cause="cable not pulled, dead optic, port disabled",
    manual="look at both labelled ports; `ibportstate LID PORT query`",
    fix="connect, or replace, the cable of the work order",
)  # fmt: skip
AUDIT_004 = _rule(
    4, "No cable is where none is planned",
    why="A leaf-leaf cable, or a host on a spine, makes ftree routing refuse the fabric or fall back.",
    inputs="links of the files; links of the plan or design",
    passes="every link in the files is planned, or its port is spare and its host expected there",
    fails="a link, or one end of it, is in ports that the plan uses for another or not at all",
    cause="a plug in the neighbouring port; a temporary cable that stayed",
    manual="follow the cable from the labelled port",
    fix="move the plug as the work order says, or remove the cable",
    source=FABRIC,
)  # fmt: skip
AUDIT_005 = _rule(
    5, "No cables are exchanged between rails, units or spines",
    why="OpenSM brings swapped rails up without a word; collectives then cross the spines, and one job's links are another's.",
    inputs="NIC names (or, without names, elimination) and ports of the leaves",
    passes="each NIC is on the leaf of its rail and unit",
    fails="two or more cables are exchanged so that NICs are on other leaves, or leaves have other spines, than planned",
    cause="two plugs exchanged at the host or at the leaf",
    manual="`ibstat` on the host against the labels of its cables",
    fix="exchange the plugs as the work order says",
)  # fmt: skip
AUDIT_006 = _rule(
    6, "Cables are in their own port of the right switch",
    why="Bandwidth doesn't feel it; every tool that derives a host from a port number is wrong, and so is the next repair.",
    inputs="NIC names, elimination and port numbers",
    passes="each planned end is in its planned port",
    fails="cables of one switch are exchanged among its ports",
    cause="two plugs exchanged in one bundle",
    manual="labels of both ends",
    fix="exchange the plugs when the unit is idle, or correct the plan",
)  # fmt: skip
AUDIT_007 = _rule(
    7, "A switch as built doesn't block more than designed",
    why="Endpoints of a leaf share the uplinks that are really there.",
    inputs="links down and links up that are found at each switch with planned uplinks",
    passes="links down / links up <= max(1, ratio of the design), compared before rounding",
    fails="the ratio is larger, or there is no uplink at all",
    cause="missing uplinks",
    manual="count the switch's ports in `iblinkinfo`",
    fix="restore the uplinks that the verdict names",
)  # fmt: skip
AUDIT_008 = _rule(
    8, "Every leaf reaches every spine that it should",
    why="Without a link to a spine, routes to it bend over other leaves, or end; balance over spines is lost.",
    inputs="links between each planned pair of switches",
    passes="at least one link of each pair is there",
    fails="none is",
    cause="a bundle that was never pulled",
    manual="look for the spine in the leaf's `iblinkinfo`",
    fix="connect the cables of the work order",
)  # fmt: skip
AUDIT_009 = _rule(
    9, "Links run at their speed and width",
    why="One link at half its speed halves every ring that passes it; nothing else shows it.",
    inputs="lanes and lane rate of the files (iblinkinfo prints the signal rate: 25.78125 is 25 Gb/s of data); planned Gb/s",
    passes="data rate >= planned",
    fails="lower: lanes lost, or an older generation negotiated",
    cause="a cable of an older generation, a dirty optic, a port fixed to a lower speed",
    manual="`ibportstate LID PORT query`; `mlxlink -d DEVICE`",
    fix="clean or replace cable and optic; check the port's enabled speeds on both ends",
    source="NVIDIA/nccl-tests#71 (hosts at half speed)",
)  # fmt: skip
AUDIT_010 = _rule(
    10, "Devices say their name",
    why="Topology tools lose a host without a name; here it is known only by where its cables are.",
    inputs="node descriptions, system names; planned ports",
    passes="each NIC says the host (and NIC) that is planned in its port",
    fails="a description that means nothing here (`MT4129 ConnectX7 …`, `localhost`); the host is named by position",
    cause="node description never set (rdma-ndd not running), host name not set",
    manual="`cat /sys/class/infiniband/*/node_desc` on the host",
    fix="set the host's name, start rdma-ndd, and run the audit again: a name confirms the position",
    source="NVIDIA/topograph tests/output/ibnetdiscover (20 hosts without a name)",
)  # fmt: skip
AUDIT_011 = _rule(
    11, "Records, names and GUIDs agree",
    why="Where two sources contradict each other, one of them is wrong, and so may be the verdict.",
    inputs="all sightings of a port; names and GUIDs of the inventory; neighbouring GUIDs of one adapter",
    passes="all agree",
    fails="two records of one port differ, one name is said twice, or an adapter's two ports are in places of two hosts",
    cause="files of different days; a host cloned with its name; an adapter moved; nameless cables exchanged",
    manual="`ibstat` and the label, at the ports named",
    fix="take all files at one time; look at the ports named and correct inventory or cabling",
    severity="undecided",
)  # fmt: skip
AUDIT_012 = _rule(
    12, "Files are whole",
    why="What a cut file doesn't tell looks like missing cables.",
    inputs="records and links of each file",
    passes="every device that a link names has its record, and both ends tell of each link",
    fails="devices without a record, or links that only one end tells",
    cause="a copy that was cut off; a fabric that changed during the sweep",
    manual="compare the file's end with the tool's output",
    fix="run the tool again and keep all of its output",
    severity="undecided",
)  # fmt: skip
AUDIT_013 = _rule(
    13, "Files cover the networks that they tell of",
    why="A plane or switch that no file tells of is not audited, which must not look like a pass.",
    inputs="planes and switches of the networks that the files tell of; other networks are listed as not audited",
    passes="each plane and switch is told of",
    fails="one isn't; it is named and not judged",
    cause="ibnetdiscover run on one plane only; LLDP of some switches missing",
    manual="one ibnetdiscover per plane and subnet; one LLDP file per switch",
    fix="add the missing files to the call",
    severity="undecided",
)  # fmt: skip
AUDIT_014 = _rule(
    14, "Returned schedule: every cable has a serial and a passed test",
    why="A cable without test result is a cable that will be tested by the first job.",
    inputs="serial and test_result columns of the cables.csv that the crew sends back",
    passes="each planned cable has a serial of its own and a result that means pass",
    fails="a failed test, an empty cell, a serial that stands twice, a cable that isn't planned or isn't in the sheet",
    cause="rows skipped; copy and paste",
    manual="the tester's own log",
    fix="test the cable again and fill the row",
    source="the cable schedule (cables.csv)",
)  # fmt: skip
AUDIT_015 = _rule(
    15, "No unplanned switch is in the fabric",
    why="A switch that nobody planned changes routes, hop counts and what fails together.",
    inputs="switches of the files; switches of the plan or design",
    passes="each is planned",
    fails="one is not, and its neighbours don't identify it",
    cause="a storage or lab switch on the fabric; a replaced switch without its name",
    manual="`ibswitches`; the switch's own host name",
    fix="name it, remove it, or add it to the plan",
)  # fmt: skip
