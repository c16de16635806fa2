"""Meanings of the inventory's keys, for docs/reference/config.md; `Class.name` by their inside names, as in schema.py."""

INVENTORY_MEANINGS = {
    "Inventory.site": "the stack file's `site.name`",
    "Inventory.machines": "one row for each machine that was delivered, in any order",
    "Inventory.switches": "one row for each Ethernet switch that railyard configures; a switch without a row is only planned",
    "Inventory.switch_guids": "node GUIDs of InfiniBand switches, planned name to GUID, as `ibswitches` prints them",
    "Machine.name": "the planned position that it fills: `<site>-su001-gpu01` (unit and slot) or `<site>-sto01`",
    "Machine.role": "`gpu` is a training node, `storage` a server of the file system",
    "Machine.serial": "as the BMC tells it; compared before anything is written to the machine",
    "Machine.bmc": "address of the BMC, with a port where it isn't 443; of the block `addresses.oob`",
    "Machine.macs": "MAC addresses of its ports, like `02:1f:d5:7c:de:e6`: one for each rail in rail order, then those of the "
    "storage and in-band networks; compared with what the BMC finds",
    "Machine.gpus": "GPUs that were delivered in it; compared with the node model and with what the BMC finds",
    "Machine.hcas": "its InfiniBand ports with their GUIDs; needed for partitions and for the subnet manager's files",
    "Machine.lifecycle": "`quarantined` sets it aside: nothing is written to it, gates don't wait for it, its node takes no "
    "new jobs, its GPUs count for no quota",
    "Machine.reason": "why it is set aside; required with `quarantined`; gates, report and the node's annotation repeat it",
    "Machine.install_generation": "raise it to have the machine installed again; that wipes its disks",
    "Machine.confirm_serial": "the serial once more, required beside a raised `installGeneration`: this machine is meant",
    "Hca.port": "its name in the plan: `mlx5_3`; with two planes `mlx5_3p1`",
    "Hca.node_guid": "GUID of the adapter (`ibstat`: Node GUID)",
    "Hca.port_guid": "GUID of the port (`ibstat`: Port GUID)",
    "Switch.name": "the planned position that it fills, as in the plan: `<site>-su001-leaf-r0`",
    "Switch.serial": "serial number of its label; compared before anything is written to the switch",
    "Switch.management_address": "where its NVUE or SSH answers: the planned address of its management port, with a port where "
    "it isn't 8765 or 22",
    "Switch.host_key_sha256": "fingerprint of its SSH host key (SONiC), as `ssh-keygen -lf` prints it",
    "Switch.ca_file": "CA certificates (PEM) that its HTTPS certificate is checked against (NVUE)",
    "Switch.credential_ref": "its account by reference, file:PATH or env:NAME; required beside `managementAddress`",
    "Switch.node_guid": "node GUID of an InfiniBand switch; such a switch isn't configured",
}
