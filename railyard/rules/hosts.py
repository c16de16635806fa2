"""The host side of the fabric: NIC names, rail order, NCCL's list and settings. Sources: `rules.scheduler_texts`."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from railyard.model.hosts import HostPlan, RailPort
from railyard.plan.names import listed
from railyard.read.nic_topology import NicTopology
from railyard.rules.registry import Finding, Predicate, ordered, run
from railyard.rules.scheduler_texts import FABRIC_080, FABRIC_081, FABRIC_082, FABRIC_083, FABRIC_084, FABRIC_086
from railyard.rules.thresholds import DEFAULTS, Thresholds

_CLASSES = ("NCCL_IB_TC", "NCCL_GIN_IB_TC")
_CATALOGUE = "railyard/catalog/nodes.yaml"


def check_hosts(hosts: HostPlan, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about the host side of a site."""
    return run(HOST_PREDICATES, hosts, hosts.model, thresholds)


def _slots(hosts: HostPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-080."""
    unknown = [port.netdev for port in hosts.ports if port.pci is None]
    if unknown:
        fix = f"add railPci of {hosts.model} with its source to {_CATALOGUE}; until then name the interfaces by hand"
        yield FABRIC_080.undecided(where, f"no PCI address of {listed(unknown)}", "a sourced one for each rail", fix)
    for pci, count in sorted(Counter(port.pci for port in hosts.ports if port.pci).items()):
        if count > 1:
            yield FABRIC_080.finding(where, f"{count} rails on {pci}", "one NIC for each rail")


def _order(hosts: HostPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-081, for NICs and for GPUs."""
    for what, addresses in (
        ("NIC", [(port.netdev, port.pci) for port in hosts.ports if port.pci]),
        ("GPU", [(port.netdev, port.gpu_pci) for port in hosts.ports if port.gpu_pci]),
    ):
        for (before, low), (netdev, high) in pairwise(addresses):
            if high < low:
                yield FABRIC_081.finding(where, f"{what} of {netdev} on {high}, of {before} on {low}", "rising with the rail")


def _uniform(hosts: HostPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-082."""
    if len(hosts.models) > 1:
        yield FABRIC_082.finding(where, f"models {', '.join(hosts.models)}", "one model on a fabric")
    if len(hosts.nic_counts) > 1:
        counts = ", ".join(str(count) for count in hosts.nic_counts)
        yield FABRIC_082.finding(where, f"machines with {counts} NICs", "one number of NICs")


def wanted_names(ports: tuple[RailPort, ...]) -> list[str]:
    """What NCCL's list must be: devices in rail order, with the port's number where a device has several."""
    several = {device for device, count in Counter(port.device for port in ports).items() if count > 1}
    return [f"{port.device}:{port.device_port}" if port.device in several else port.device for port in ports]


def _exact(hosts: HostPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-083."""
    text, wanted = hosts.nccl.get("NCCL_IB_HCA", ""), wanted_names(hosts.ports)
    limit = "=" + ",".join(wanted)
    if not text.startswith("="):
        yield FABRIC_083.finding(where, f"NCCL_IB_HCA {text or 'is not set'}", limit)
        return
    names = text.removeprefix("=").split(",")
    storage = [name for name in names if name.partition(":")[0] in (hosts.storage_hcas or ())]
    if storage:
        yield FABRIC_083.finding(where, f"storage NICs in the list: {listed(storage)}", limit)
    if names != wanted:
        yield FABRIC_083.finding(where, f"NCCL_IB_HCA {text}", limit)
    elif hosts.hcas_assumed:
        fix = f"add railHcas of {hosts.model} with their source to {_CATALOGUE}"
        yield FABRIC_083.undecided(where, f"names are assumed: {text}", "names by the catalogue", fix)


def _settings(hosts: HostPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-084."""
    nccl = hosts.nccl
    if hosts.transport == "roce":
        # The number itself is FABRIC-058's.
        data, driven = nccl.get("NCCL_IB_TC"), nccl.get("NCCL_GIN_IB_TC")
        if data != driven:
            yield FABRIC_084.finding(where, f"NCCL_GIN_IB_TC={driven or 'not set'}", f"{data or 'not set'}, as NCCL_IB_TC")
    else:
        for name in _CLASSES:
            if name in nccl:
                yield FABRIC_084.finding(where, f"{name}={nccl[name]} on {hosts.transport}", "no RoCE traffic class")
    if "NCCL_IB_GID_INDEX" in nccl:
        limit = "GIDs chosen by NCCL_IB_ADDR_RANGE and NCCL_IB_ROCE_VERSION_NUM"
        yield FABRIC_084.finding(where, f"NCCL_IB_GID_INDEX={nccl['NCCL_IB_GID_INDEX']}", limit)
    if hosts.layout == "rail-only":
        if nccl.get("NCCL_CROSS_NIC") != "0":
            found = f"NCCL_CROSS_NIC={nccl.get('NCCL_CROSS_NIC', 'not set')}"
            yield FABRIC_084.finding(where, found, "0: nothing joins the rails")
        if nccl.get("NCCL_PXN_DISABLE", "0") != "0":
            yield FABRIC_084.finding(where, "PXN is switched off", "on: the only path to another rail is a GPU's NVLink")


def check_nic_topology(hosts: HostPlan, found: NicTopology, where: str) -> list[Finding]:
    """FABRIC-086: `nvidia-smi topo -m` of one node against the plan's rails."""
    return ordered([*_own_nics(found, where), *_known_nics(hosts, found, where), *_numa(found, where)])


def _own_nics(found: NicTopology, where: str) -> Iterator[Finding]:
    for gpu in found.gpus:
        nics = found.own.get(gpu, ())
        if len(nics) != 1:
            has = f"{gpu} owns {', '.join(nics)}" if nics else f"{gpu} owns no NIC"
            yield FABRIC_086.finding(where, has, "one NIC behind the switch of each GPU")


def _known_nics(hosts: HostPlan, found: NicTopology, where: str) -> Iterator[Finding]:
    """Rail NICs by number: NIC3 is mlx5_3, unless the table's legend says otherwise."""
    rails = found.rails
    if rails is None or hosts.hcas_assumed:
        return
    numbers = [name.removeprefix("NIC").removeprefix("mlx5_") for name in rails]
    wanted = [port.device.removeprefix("mlx5_") for port in hosts.ports]
    if numbers != wanted:
        said = f"rail NICs {', '.join(numbers)}"
        yield FABRIC_086.finding(where, said, f"{', '.join(wanted)} on a {hosts.model}")


def _numa(found: NicTopology, where: str) -> Iterator[Finding]:
    if found.numa_hidden:
        node = next(iter(found.numa.values()))
        yield FABRIC_086.finding(
            where, f"all GPUs on NUMA node {node}", "NUMA nodes shown, or a policy for one of them means nothing"
        )


HOST_PREDICATES: tuple[Predicate[HostPlan], ...] = (
    Predicate((FABRIC_080,), frozenset({"ports", "model"}), _slots),
    Predicate((FABRIC_081,), frozenset({"ports"}), _order),
    Predicate((FABRIC_082,), frozenset({"models", "nic_counts"}), _uniform),
    Predicate((FABRIC_083,), frozenset({"ports", "nccl", "storage_hcas", "hcas_assumed", "model"}), _exact),
    Predicate((FABRIC_084,), frozenset({"nccl", "transport", "layout"}), _settings),
)
