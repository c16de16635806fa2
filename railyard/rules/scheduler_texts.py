"""What the rules about hosts and schedulers are about, for people."""

from railyard.rules.registry import Rule, register

FABRIC_080 = register(
    Rule(
        id="FABRIC-080",
        title="NICs are named by PCI slot",
        severity="limit",
        pack="fabric",
        why="Kernel names follow discovery: one dead NIC renames the others, and two nodes no longer agree on rails.",
        inputs="ports of the host side: pci of each rail's NIC, from the catalogue (railPci)",
        passes="each port has a PCI address of its own",
        fails="two ports with one address. Undecided where the catalogue has no source for them: nothing is guessed",
        cause="a node model without railPci; a table copied with a doubled line",
        manual="`ls -l /sys/class/infiniband/*/device` on one node, compared with railPci in railyard/catalog/nodes.yaml",
        fix="add railPci with its source to the node model",
        source="NVIDIA/nccl#1277, #2165",
    )
)
FABRIC_081 = register(
    Rule(
        id="FABRIC-081",
        title="Rails follow PCI order",
        severity="limit",
        pack="fabric",
        why="NCCL and CUDA number by PCI address. Where rails do not, GPUs of one number land on different rails of two nodes.",
        inputs="pci and gpuPci of each port, by rail and plane",
        passes="NIC and GPU addresses both rise with the rail",
        fails="an address is below that of the rail before it",
        cause="rails numbered by cage or by the order in a manual",
        manual="`nvidia-smi topo -m`: GPU r and the NIC of rail r share a switch (PIX or PXB)",
        fix="list railHcas, railPci and gpuPci in the order of PCI addresses",
        source="NVIDIA/nccl#1755",
    )
)
FABRIC_082 = register(
    Rule(
        id="FABRIC-082",
        title="One kind of node on a fabric",
        severity="limit",
        pack="fabric",
        why="Two models, or nodes with other numbers of NICs, disagree on what rail 3 is: collectives hang or cross.",
        inputs="models and nicCounts of the host side, from plan and inventory",
        passes="one model, and one number of NICs on all machines",
        fails="several of either",
        cause="a machine delivered with a NIC more or less; MACs left out of the inventory",
        manual="compare `ls /sys/class/infiniband` of two nodes",
        fix="correct the inventory or set the odd machine aside (lifecycle: quarantined)",
        source="NVIDIA/nccl#1277, #1363",
    )
)
FABRIC_083 = register(
    Rule(
        id="FABRIC-083",
        title="NCCL gets the exact list of compute NICs",
        severity="limit",
        pack="fabric",
        why="Without `=` mlx5_1 also means mlx5_10; without a list NCCL uses storage NICs, in another order the wrong NUMA.",
        inputs="NCCL_IB_HCA; ports and storageHcas of the host side",
        passes="`=` and each compute NIC once, in rail order; no storage NIC",
        fails="no list, no `=`, a NIC missing, doubled, out of order, or of storage. Undecided where names are assumed",
        cause="a list copied from another node model",
        manual="`NCCL_DEBUG=INFO`: the line `NET/IB : Using` must name the same devices in the same order",
        fix="take NCCL_IB_HCA from the plan (hosts/<model>/nccl.conf)",
        source="NVIDIA/nccl#1363, NVIDIA/nccl-tests#263, NVIDIA/nccl#2165",
    )
)
FABRIC_084 = register(
    Rule(
        id="FABRIC-084",
        title="NCCL's settings follow the fabric",
        severity="limit",
        pack="fabric",
        why="Queue pairs that GPUs drive ride lossy in another class and hang; a fixed GID index is another network on the "
        "next host; without PXN a rail-only fabric has no path between rails.",
        inputs="the NCCL environment; transport and layout of the host side",
        passes="RoCE: NCCL_GIN_IB_TC is NCCL_IB_TC (FABRIC-058), no NCCL_IB_GID_INDEX. InfiniBand: no traffic class. "
        "Rail-only: NCCL_CROSS_NIC=0, PXN on",
        fails="another class for GPU-driven queue pairs; a fixed GID index; a class on InfiniBand; crossing unjoined rails",
        cause="an environment copied from another site",
        manual="`env | grep NCCL_` in a job, compared with hosts/<model>/nccl.conf",
        fix="take the environment from the plan",
        source="ROCm/rccl#1303; pytorch/pytorch#81628; NVIDIA/nccl#2383, #836",
    )
)
FABRIC_085 = register(
    Rule(
        id="FABRIC-085",
        title="The scheduler's topology is that of the fabric",
        severity="invariant",
        pack="fabric",
        why="slurmctld starts with unknown nodes, missing nodes, nodes on eight leaves or two roots: jobs then never start, "
        "span fabrics, or are placed at random.",
        inputs="pseudo-switches with their children and nodes; the nodes that exist; the number of separate fabrics",
        passes="one pseudo-switch per unit with all of its nodes and no other; every child exists and has one parent; one "
        "root per fabric; all branches equally deep; names of at most 64 characters; at least one node",
        fails="an unknown or doubled child; a node on no switch, on two, or of another unit; a root too many; no nodes",
        cause="real leaves in place of units (a node hangs on eight); a storage switch in the tree; a tool that found nothing",
        manual="`scontrol show topology`; slurmctld.log without `lookup failure`, `lack access`, `Multiple leaf switches`",
        fix="take slurm/topology.conf from the plan; `railyard topology STACK --known FILE` leaves out what Slurm doesn't know",
        source="NVIDIA/topograph#265, #488; nebius/soperator#1188, #2585, #2614, #2201; topology.conf(5)",
    )
)
FABRIC_086 = register(
    Rule(
        id="FABRIC-086",
        title="Each GPU has the NIC of its rail",
        severity="limit",
        why="A GPU that shares its NIC, or whose NIC hangs on the other CPU, holds up every ring that it is in.",
        inputs="`nvidia-smi topo -m` of one node; ports of the host side",
        passes="each GPU has one NIC behind its own PCIe switch, in rail order, and the catalogue's where it knows them",
        fails="a GPU with no or several own NICs; NICs in another order; all GPUs on one NUMA node",
        cause="fewer NICs than GPUs; another node model; NUMA switched off in the BIOS",
        manual="the PIX cells of the table",
        fix="choose the node model that this is, or add one; switch NUMA on in the BIOS",
        source="public `nvidia-smi topo -m` reports; sriov-network-operator#736; NVIDIA/nccl#1755",
    )
)
FABRIC_087 = register(
    Rule(
        id="FABRIC-087",
        title="Slurm has all GPUs of a node",
        severity="limit",
        why="`Gres=(null)` or 0 < 8 drains the node, or jobs that ask for GPUs never start; too much memory drains it as well.",
        inputs="`scontrol show node`; what nodes.conf and gres.conf say of a node",
        passes="each node shows gpu:<type>:<count> as planned and no more memory than nodes.conf promises",
        fails="Gres=(null), another type or count, a planned node that Slurm doesn't have",
        cause="a gres.conf without a line for the node, or with a count and no device files",
        manual="`slurmd -G` on the node, `scontrol show node`",
        fix="install nodes.conf and gres.conf of the plan together, and restart slurmctld and slurmd",
        source="aws/aws-parallelcluster#1517; SlinkyProject/slurm-operator#57, #101",
    )
)
FABRIC_088 = register(
    Rule(
        id="FABRIC-088",
        title="A queue with GPUs has NICs",
        severity="limit",
        why="Kueue admits nothing that asks for a resource whose quota is 0: GPUs stay free and every RDMA pod waits for ever.",
        inputs="ClusterQueues: nominalQuota of rdma and nic resources beside that of GPUs",
        passes="each flavor with GPUs has as many NICs as GPUs, or lists none",
        fails="a NIC quota below the GPU quota; the quota and what is missing are named",
        cause="a quota of 0 as a placeholder",
        manual="`kubectl get clusterqueue -o yaml`, nominalQuota",
        fix="set the quota to the number of NICs: one for each GPU",
        source="kubernetes-sigs/kueue#9048, #189",
    )
)
