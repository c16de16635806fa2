"""What the address rules and the planner's problems are about, for people."""

from railyard.rules.registry import Rule, register

ADDR_001 = register(
    Rule(
        id="ADDR-001",
        title="Address blocks don't overlap",
        severity="invariant",
        why="Two networks with one address install and then lose traffic: pods that hide a rail, services that hide a BMC.",
        inputs="railyard:addresses: oob, inBand, storage, rails, pods, services, loopbacks, ipv6, reserved",
        passes="no two blocks share an address",
        fails="two blocks share one; all pairs are named, as real networks",
        cause="pods in 192.168.0.0/16 over rails in 192.168.1-8.0/24; 192.167.0.0/12, which really is 192.160.0.0/12",
        manual="write the first and last address of each block and sort them",
        fix="move one of the blocks to a free range; the finding proposes one",
        source="projectcalico/calico#1401, projectcalico/node#193; aws/eks-anywhere#3423",
    )
)
ADDR_002 = register(
    Rule(
        id="ADDR-002",
        title="Address blocks are large enough",
        severity="invariant",
        why="A block that is too small leaves machines without an address, or with one that another has.",
        inputs="each block, and what the planner puts into it at full planned size",
        passes="the block holds every planned device, its gateways and reserves",
        fails="the planner ran out of addresses",
        cause="a /28 for twelve nodes, gateway, VIP and a spare: 15 needed, 14 there",
        manual="usable addresses are 2^(32 - prefix) - 2",
        fix="a larger block (shorter prefix)",
        source="aws/eks-anywhere#3423 (14 usable addresses of a /28)",
    )
)
ADDR_003 = register(
    Rule(
        id="ADDR-003",
        title="Blocks are written as networks",
        severity="invariant",
        why="A block with host bits set is another network than it looks: 192.167.0.0/12 contains 192.168.0.0/16.",
        inputs="each block of railyard:addresses",
        passes="the address part is the first address of the network",
        fails="host bits are set; the real network is named",
        cause="prefix changed and address kept",
        manual="`python -c \"import ipaddress; print(ipaddress.ip_network('192.167.0.0/12', strict=False))\"`",
        fix="write the real network",
        source="projectcalico/node#193",
    )
)
ADDR_004 = register(
    Rule(
        id="ADDR-004",
        title="BMCs stand in the out-of-band block",
        severity="limit",
        why="A BMC outside the out-of-band network is reachable from where it should not be, or not at all.",
        inputs="bmc of each machine of the inventory; railyard:addresses.oob",
        passes="each BMC address lies in the block",
        fails="a BMC address lies elsewhere",
        cause="an inventory of another site, or a BMC that still has its delivery address",
        manual="compare the addresses of the inventory with the block",
        fix="correct the inventory or railyard:addresses.oob",
        source="ours: SuperPOD H100 RA lists what the out-of-band network serves",
    )
)
ADDR_005 = register(
    Rule(
        id="ADDR-005",
        title="An address is given once",
        severity="invariant",
        why="Two devices with one address take turns in answering: the BMC that is powered off may be a leaf's management.",
        inputs="every planned address: BMCs of the inventory, switches, hosts in each network",
        passes="each address is that of one interface",
        fails="two interfaces have it; both are named",
        cause="an inventory whose BMC addresses were counted up without looking at the plan's",
        manual="sort the addresses of plan.json and look for doubles",
        fix="correct the BMC's address in the inventory: its planned one is free, see railyard/plan/addresses.py",
        source="RFC 5227",
    )
)
ADDR_006 = register(
    Rule(
        id="ADDR-006",
        title="Hosts have addresses for hosts",
        severity="invariant",
        why="The first and last address of a network belong to nobody, and the planner keeps the second for the gateway.",
        inputs="every planned address and its network's prefix; each block of railyard:addresses; 127.0.0.0/8 is not judged",
        passes="neither network, gateway (offset 1) nor broadcast address of its network; no block is multicast, link-local or "
        "reserved for other uses",
        fails="it is one of them; the interface or the block is named",
        cause="BMC addresses counted from .0 or .1; fe80::/48 written for fd80::/48",
        manual="`python -c \"import ipaddress; print(ipaddress.ip_interface('10.16.0.0/18').network)\"`",
        fix="give the device an address inside of the network (the inventory for a BMC)",
        source="RFC 1122 3.2.1.3; railyard/plan/addresses.py",
    )
)
ADDR_007 = register(
    Rule(
        id="ADDR-007",
        title="Services have addresses of their own",
        severity="invariant",
        why="An API server or time server on a node's address, or hidden behind pods, is not reached where the stack says.",
        inputs="hosts of addresses.ntpServers and syslogServers, controlPlane.endpoint, install.serviceUrl, replication and "
        "peer endpoint; planned addresses; pods and services blocks. Host names are not judged",
        passes="no device has the address, and it lies neither in pods nor in services",
        fails="a device has it, or it lies in one of the two blocks",
        cause="a service put on the first addresses of a block that nodes are counted into; pods over the peer's network",
        manual="look the address up in plan.json",
        fix="move the service to an address that the planner keeps free at the bottom of the block, or move the block",
        source="aws/eks-anywhere#3423; projectcalico/calico#1401",
    )
)
ADDR_008 = register(
    Rule(
        id="ADDR-008",
        title="Reserved blocks hold what they are for",
        severity="limit",
        why="A /28 looks like 16 and has 14: the last host or the spare gets no address, or the broadcast address.",
        inputs="cidr and needs of each block of railyard:addresses.reserved",
        passes="needs <= usable addresses: 2^(32 - prefix) - 2, all of a /31 and /32",
        fails="more addresses are needed than are usable",
        cause="12 nodes, a gateway, a virtual address and a spare counted into a /28",
        manual="usable addresses are 2^(32 - prefix) - 2",
        fix="a larger block (shorter prefix), or fewer addresses out of it",
        source="aws/eks-anywhere#3423 (14 usable addresses of a /28)",
    )
)
PLAN_004 = register(
    Rule(
        id="PLAN-004",
        title="Machines have planned names",
        severity="invariant",
        why="A machine is joined with the plan by its name: at no planned position it has no rack, port or address.",
        inputs="names of the inventory; units, slots and storage servers of the stack file",
        passes="each machine's name is a planned position",
        fails="a machine's name is none",
        cause="a typing error, or an inventory that is ahead of scalableUnits",
        manual="names are {site}-su{nnn}-gpu{nn} and {site}-sto{nn}",
        fix="correct the name, or plan the position (railyard:fabric.scalableUnits, storage.nodes)",
        source="house rule 10",
    )
)
PLAN_005 = register(
    Rule(
        id="PLAN-005",
        title="Counts equal the inventory",
        severity="invariant",
        why="The stack file says how many should stand there, the inventory what was delivered: one of them is wrong.",
        inputs="compute.nodes and storage.nodes; machines of the inventory",
        passes="both counts are equal",
        fails="they differ",
        cause="nodes raised before the delivery was entered",
        manual="count machines of each role in the inventory",
        fix="enter the missing machines, or set the count to what is there",
        source="house rule 6",
    )
)
PLAN_007 = register(
    Rule(
        id="PLAN-007",
        title="Machines look like their model",
        severity="invariant",
        why="A node with 7 of 8 GPUs or too few NICs makes every job on it fail or crawl.",
        inputs="gpus and macs of each machine; its model in the catalogue",
        passes="counts equal the model",
        fails="a count differs; machine, found and planned are named",
        cause="a missing GPU at delivery; MAC list cut off",
        manual="`nvidia-smi -L`, BMC inventory page",
        fix="correct the inventory or have the machine repaired; set it aside with lifecycle: quarantined until then",
        source="tinkerbell/tink#532; metal3-io/baremetal-operator#2399; dell/omnia#3741",
    )
)
PLAN_008 = register(
    Rule(
        id="PLAN-008",
        title="Facts are known",
        severity="undecided",
        why="A number that nobody knows counts as 0 in sums: power, weight and cooling rules are then too kind.",
        inputs="facts of the catalogue that the plan needs",
        passes="every fact is there",
        fails="undecided: a fact is missing; model and fact are named",
        cause="a new model entered without its data sheet",
        manual="read the data sheet",
        fix="enter the fact with its source in railyard/catalog",
        source="house: each fact has a source",
    )
)
PLAN_010 = register(
    Rule(
        id="PLAN-010",
        title="Three tiers size their own spines",
        severity="limit",
        why="In three tiers the number of spines follows from leaves and uplinks; an override would have no meaning.",
        inputs="railyard:fabric.spines and the number of tiers",
        passes="no override in three tiers",
        fails="fabric.spines is set where three tiers fix it",
        cause="a site that grew from two tiers to three",
        manual="leaves per plane above the switch's ports mean three tiers",
        fix="leave railyard:fabric.spines out",
        source="folded Clos (railyard.plan.shape)",
    )
)
