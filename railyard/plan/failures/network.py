"""What dead devices mean to jobs: rails and bisection of the training fabric, storage and its mirrors, subnet managers.

Built once per plan; each failure asks with the names of what is dead. Links and ports are those that stand today.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from railyard.model.plan import SwitchPlan

if TYPE_CHECKING:
    from railyard.plan import Plan

_CUT_KINDS = ("storage", "in-band", "oob")


class Reach(msgspec.Struct, frozen=True):
    """What some dead devices take with them; see `FailureEvent` for the fields."""

    gpus_cut_off: int = 0
    rails_lost: tuple[str, ...] = ()
    bisection_share: float | None = None
    storage_down: tuple[str, ...] = ()
    mirrors_lost: tuple[str, ...] = ()
    managers_lost: tuple[str, ...] = ()
    switches_down: tuple[str, ...] = ()
    networks_cut: dict[str, int] = {}


class Networks:
    """The networks and the file system of a plan, ready to lose devices."""

    def __init__(self, plan: "Plan", gpus_per_node: dict[str, int]) -> None:
        self.plan, self.gpus_per_node = plan, gpus_per_node
        self.switches = {switch.name: switch for switch in plan.switches}
        self.others = {switch.name: switch for switch in plan.network_switches}
        self.servers = {machine.name for machine in plan.machines if machine.role == "storage"}
        self.managers = {name for names in plan.fabric.subnet_managers.values() for name in names}
        self._links = Counter[tuple[str, str]]()
        for switch in plan.switches:
            for peer, links in switch.links_per_peer.items():
                self._links[self._tier(switch.name, peer)] += links
        self._known: dict[tuple[frozenset[str], frozenset[str]], Reach] = {}
        """Cascades are many and end in few different sets."""
        self.untouched = self.reach(())

    def matters(self, name: str) -> bool:
        """Whether the loss of a device means something here, beside its own GPUs."""
        return name in self.switches or name in self.others or name in self.servers or name in self.managers

    def reach(self, dead: Collection[str], powerless: Collection[str] = ()) -> Reach:
        """What these dead devices take with them. `powerless` nodes are not counted as cut off: they are down already."""
        key = frozenset(dead), frozenset(powerless)
        if key not in self._known:
            self._known[key] = self._reach(*key)
        return self._known[key]

    def _reach(self, gone: frozenset[str], powerless: frozenset[str]) -> Reach:
        switches = frozenset(name for name in gone if name in self.switches)
        leaves = [self.switches[name] for name in sorted(switches) if self.switches[name].role == "leaf"]
        storage = self._storage_down(gone)
        return Reach(
            gpus_cut_off=self._cut_off(leaves, powerless),
            rails_lost=tuple(_rail(leaf, self.plan.fabric.planes) for leaf in leaves),
            bisection_share=self._bisection(switches),
            storage_down=tuple(sorted(storage)),
            mirrors_lost=self._mirrors_lost(storage),
            managers_lost=self._managers_lost(gone),
            switches_down=tuple(sorted(name for name in gone if name in self.switches or name in self.others)),
            networks_cut=self._networks_cut(gone, powerless),
        )

    def _tier(self, lower: str, upper: str) -> tuple[str, str]:
        return self.switches[lower].role, self.switches[upper].role if upper in self.switches else "?"

    def _bisection(self, gone: frozenset[str]) -> float | None:
        """The least share of links left over the tiers; None: no links between switches."""
        lost = Counter[tuple[str, str]]()
        for name in gone:
            lost.update(self._around[name])
            for peer, links in self.switches[name].links_per_peer.items():
                if peer in gone:  # else counted from both of its ends
                    lost[self._tier(name, peer)] -= links
        return min((1.0 - lost[tier] / links for tier, links in self._links.items()), default=None)

    @cached_property
    def _around(self) -> dict[str, Counter[tuple[str, str]]]:
        """Links of each switch to other switches, up and down, by tier."""
        found: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for switch in self.plan.switches:
            for peer, links in switch.links_per_peer.items():
                tier = self._tier(switch.name, peer)
                found[switch.name][tier] += links
                found[peer][tier] += links
        return found

    def _cut_off(self, leaves: Iterable[SwitchPlan], powerless: frozenset[str]) -> int:
        """GPUs whose training NIC has no live leaf in any plane. A node's GPUs are shared evenly among its NICs."""
        planes, dead = self.plan.fabric.planes, defaultdict[tuple[int | None, int | None], list[SwitchPlan]](list)
        for leaf in leaves:
            dead[leaf.unit, leaf.rail].append(leaf)
        nics = max(1, self.plan.fabric.rails) if self.plan.fabric.layout != "fat-tree" else 1
        count = 0.0
        for group in dead.values():
            if planes > 1 and len({leaf.plane for leaf in group}) < planes:
                continue
            for leaf in (one for one in group if one.plane == group[0].plane):
                whole = nics if leaf.rail is None else 1
                nodes = self._nodes_of[leaf.name] - powerless
                count += sum(self.gpus_per_node[node] * whole / nics for node in nodes)
        return round(count)

    @cached_property
    def _nodes_of(self) -> dict[str, frozenset[str]]:
        """GPU nodes on each leaf."""
        return {
            leaf.name: frozenset(name for far in leaf.ports.values() if (name := far.partition("/")[0]) in self.gpus_per_node)
            for leaf in self.plan.switches
            if leaf.role == "leaf"
        }

    def _storage_down(self, gone: frozenset[str]) -> set[str]:
        """Servers without power, and those with no live switch of the storage network."""
        down = {name for name in gone if name in self.servers}
        if any(name in self.others for name in gone):
            cut = self._homes["storage"]
            down |= {name for name in self.servers if cut.get(name) and cut[name] <= gone}
            if self._storage_spines and self._storage_spines <= gone:
                return set(self.servers)
        return down

    @cached_property
    def _storage_spines(self) -> frozenset[str]:
        return frozenset(name for name, switch in self.others.items() if switch.network == "storage" and switch.role == "spine")

    def _mirrors_lost(self, down: Collection[str]) -> tuple[str, ...]:
        """Mirror groups with both halves down; targets without mirror that are down."""
        if not down or self.plan.file_system is None:
            return ()
        lost: set[str] = set()
        for target in self.plan.file_system.targets:
            if target.server not in down:
                continue
            if target.mirror is None:
                lost.add(target.name)
            elif self._server_of[target.mirror] in down:
                lost.add(" + ".join(sorted((target.name, target.mirror))))
        return tuple(sorted(lost))

    @cached_property
    def _server_of(self) -> dict[str, str]:
        return {target.name: target.server for target in self.plan.file_system.targets} if self.plan.file_system else {}

    def _managers_lost(self, gone: frozenset[str]) -> tuple[str, ...]:
        managed = self.plan.fabric.subnet_managers
        return tuple(sorted(name for name, hosts in managed.items() if hosts and gone.issuperset(hosts)))

    def _networks_cut(self, gone: frozenset[str], powerless: Collection[str]) -> dict[str, int]:
        """Machines that have power and no live switch of a network left, by kind of network."""
        found: dict[str, int] = {}
        dead = {name for name in gone if name in self.others}
        if not dead:
            return found
        for kind in _CUT_KINDS:
            machines = {machine for name in dead for machine in self._guests[kind].get(name, ())}
            cut = sum(
                1
                for machine in machines
                if machine not in gone and machine not in powerless and self._homes[kind][machine] <= gone
            )
            if cut:
                found[kind] = cut
        return found

    @cached_property
    def _homes(self) -> dict[str, dict[str, frozenset[str]]]:
        """Switches that each machine hangs on, by kind of network."""
        homes: dict[str, defaultdict[str, set[str]]] = {kind: defaultdict(set) for kind in _CUT_KINDS}
        for kind, machine, switch in self._drops():
            homes[kind][machine].add(switch)
        return {kind: {machine: frozenset(names) for machine, names in rows.items()} for kind, rows in homes.items()}

    @cached_property
    def _guests(self) -> dict[str, dict[str, list[str]]]:
        """Machines on each switch, by kind of network."""
        guests: dict[str, defaultdict[str, list[str]]] = {kind: defaultdict(list) for kind in _CUT_KINDS}
        for kind, rows in self._homes.items():
            for machine, names in rows.items():
                for name in names:
                    guests[kind][name].append(machine)
        return {kind: dict(rows) for kind, rows in guests.items()}

    def _drops(self) -> Iterator[tuple[str, str, str]]:
        """(kind, machine, switch) of every cable that ends on a machine."""
        machines = self.gpus_per_node.keys() | self.servers
        for cable in self.plan.cables:
            if cable.kind in _CUT_KINDS and (machine := cable.a.partition("/")[0]) in machines:
                yield cable.kind, machine, cable.z.partition("/")[0]


def _rail(leaf: SwitchPlan, planes: int) -> str:
    """`su001/r3`, `su001/r3/p1`, `su001` where a leaf takes all rails."""
    rail = "" if leaf.rail is None else f"/r{leaf.rail}"
    return f"su{leaf.unit or 0:03d}{rail}{f'/p{leaf.plane}' if planes > 1 else ''}"
