"""Files of an InfiniBand fabric, one folder for each subnet: what subnet manager, UFM and diagnostics read."""

from collections.abc import Sequence

from railyard.model.infiniband import InfiniBandPlan, PartitionPlan, Subnet
from railyard.render.infiniband.netlist import netlist, node_name_map
from railyard.render.infiniband.opensm import FOLDER, guid_files, opensm_production, opensm_proof
from railyard.render.infiniband.partitions import partitions_conf, ufm_pkeys

__all__ = ["infiniband_files", "netlist", "node_name_map", "partitions_conf", "subnet_files", "ufm_pkeys"]


def subnet_files(
    subnet: Subnet, partitions: Sequence[PartitionPlan] = (), choice: InfiniBandPlan | None = None, folder: str = FOLDER
) -> dict[str, str]:
    """File name -> content for one subnet. `folder` is where the files will lie when a subnet manager reads them."""
    files = guid_files(subnet) | {
        "fabric.net": netlist(subnet),
        "node-name-map": node_name_map(subnet),
        "opensm-production.conf": opensm_production(subnet, choice, folder),
        "opensm-proof.conf": opensm_proof(subnet, folder),
        "partitions.conf": partitions_conf(subnet, partitions),
        "ufm-pkeys.json": ufm_pkeys(subnet, partitions),
    }
    return dict(sorted(files.items()))


def infiniband_files(
    subnets: Sequence[Subnet], partitions: Sequence[PartitionPlan] = (), choice: InfiniBandPlan | None = None
) -> dict[str, str]:
    """Path below the output folder -> content; nothing where no subnet is InfiniBand."""
    return {
        f"infiniband/{subnet.name}/{name}": text
        for subnet in subnets
        for name, text in subnet_files(subnet, partitions, choice, f"{FOLDER}/{subnet.name}").items()
    }
