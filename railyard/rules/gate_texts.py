"""What the gates and the identity checks are about, for people. They are measured by providers, never planned."""

from railyard.rules.registry import Rule, register

GATE_001 = register(
    Rule(
        id="GATE-001",
        title="Enough machines of a unit are ready",
        severity="limit",
        why="A cluster on machines that are not there admits jobs that never start.",
        inputs="power state (Redfish) and installation record of each machine of a unit; minimumReady",
        passes="at least minimumReady machines are on and have the planned installation",
        fails="fewer are, or none was measured; all others are named with their reason",
        cause="a dead BMC, an install that never called home",
        manual="`railyard report`, or the BMC and the provisioning service's journal",
        fix="repair it and run up again; or set it aside (lifecycle: quarantined) and lower railyard:gates.minimumReady "
        "(storage: storageMinimumReady)",
        source="house rule 15",
    )
)
GATE_002 = register(
    Rule(
        id="GATE-002",
        title="A probe job lands where the plan says",
        severity="limit",
        why="Quota, labels and topology must agree before a team's job finds out that they don't.",
        inputs="the probe's admission: assigned nodes and their labels; planned node -> rack",
        passes="admitted, on as many planned nodes as needed, in one rack, with the planned rack label",
        fails="not admitted, wrong number of nodes, unknown nodes, several racks, or another label",
        cause="labels of an earlier installation, a rack that is too small for the probe, quota taken by others",
        manual="`kubectl get workloads -A -o yaml` and `kubectl get nodes -L railyard.dev/rack`",
        fix="compare labels with the seed of each machine; look at the ClusterQueue's status and at who uses its quota",
        source="kubernetes-sigs/kueue and NVIDIA GPU operator issues; ours: runs in the lab's control plane",
    )
)
METAL_001 = register(
    Rule(
        id="METAL-001",
        title="The machine is the one that was planned",
        severity="invariant",
        why="A wrong serial is another machine: writing to it may wipe somebody's data.",
        inputs="serial of the inventory; SerialNumber by Redfish",
        passes="equal",
        fails="different, or none is shown; nothing is written",
        cause="BMC addresses exchanged, or a machine replaced without a new inventory",
        manual="read the serial on the label",
        fix="correct serial or bmc of this machine in the inventory",
        source="house rule 15",
    )
)
METAL_002 = register(
    Rule(
        id="METAL-002",
        title="All GPUs are there",
        severity="invariant",
        why="A node with 7 of 8 GPUs makes every job on it fail late and without a clear reason.",
        inputs="gpus of the inventory; GPUs by Redfish",
        passes="equal",
        fails="different; nothing is written",
        cause="a GPU that fell off the bus",
        manual="`nvidia-smi -L`",
        fix="have it repaired; until then set the machine aside (lifecycle: quarantined, with a reason)",
        source="metal3-io/baremetal-operator#2399; DMTF DSP0268 (serial and UUID)",
    )
)
METAL_003 = register(
    Rule(
        id="METAL-003",
        title="All planned NICs answer by their MAC",
        severity="invariant",
        why="Addresses, boot and rails hang on MACs: a missing one is a swapped card or a wrong machine.",
        inputs="macs of the inventory; MACs by Redfish",
        passes="each planned MAC was found, whatever its case",
        fails="a planned MAC is missing; found and missing are named",
        cause="a replaced NIC",
        manual="BMC inventory page, network adapters",
        fix="enter the new MAC in the inventory, or put the old card back",
        source="tinkerbell/tink#532; metal3-io/baremetal-operator#2399; dell/omnia#3741",
    )
)
METAL_004 = register(
    Rule(
        id="METAL-004",
        title="All NICs are there",
        severity="invariant",
        why="A missing NIC takes a whole rail away from the node.",
        inputs="NICs of the node model; NICs by Redfish",
        passes="equal",
        fails="different; nothing is written",
        cause="a card that is not seated",
        manual="BMC inventory page, network adapters",
        fix="have it repaired; until then set the machine aside (lifecycle: quarantined, with a reason)",
        source="NVIDIA/nccl#1277, #1363",
    )
)
GATE_003 = register(
    Rule(
        id="GATE-003",
        title="Gates can be passed",
        severity="invariant",
        why="A gate that wants more than there is fails after the whole installation, every time.",
        inputs="railyard:gates.minimumReady, storageMinimumReady (default: all), railyard:platform.probeGpus; active machines",
        passes="minimumReady <= active machines of every unit, storageMinimumReady <= active storage machines; "
        "probeGpus <= GPUs of active machines in some rack",
        fails="a unit, or storage, has fewer active machines, or no rack has so many GPUs",
        cause="a threshold made for full units; a machine set aside; a probe larger than a rack",
        manual="count the active machines of each unit in the inventory",
        fix="lower the threshold, or bring machines back",
        source="house rule 15",
    )
)
