"""Sightings of all files -> what is in each switch port. Both ends of a link and several files tell of the same port."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from railyard.audit.design_plan import undecorated
from railyard.audit.nouns import Contradiction, Design, End
from railyard.model.observed import Kind, Observation, Sighting

BY_POSITION = frozenset({"ibnetdiscover", "iblinkinfo", "lldp"})
"""Formats that devices speak themselves: a name that means nothing is a device that nobody has named yet. In a sheet that a
person wrote it is another device."""


class Plug(msgspec.Struct, gc=False):
    """What is in a switch port. `far` is the other switch's port; for a host, `host` and `nic` as far as its name says.

    `end` and `how` are filled in by position.py: which NIC it is taken for, and why.
    """

    far: End | None
    host: str | None
    nic: str | None
    says: str
    guid: str
    gbps: float | None
    lanes: int | None
    source: str
    line: int
    nameless: bool
    end: End | None = None
    how: str = ""


class Joined(msgspec.Struct):
    """Everything that the files tell, by switch port. `seen` are planned devices that any file names, `told` those that
    have a record; `whole` are networks that some file claims to list wholly, of `networks`, of which there is any link.
    """

    plugs: dict[End, Plug] = {}
    seen: set[str] = set()
    told: set[str] = set()
    networks: set[str] = set()
    whole: set[str] = set()
    strange: dict[str, str] = {}
    renamed: dict[str, str] = {}
    contradictions: list[Contradiction] = []
    adapters: set[str] = set()
    aggregation: set[str] = set()
    one_sided: list[str] = []
    cut: dict[str, int] = {}
    unknown_nics: Counter[str] = msgspec.field(default_factory=Counter[str])
    foreign: int = 0


_Told = tuple[str, str, str, str]
"""Key and port of a sighting's own end, then of the far one."""


class _Who(msgspec.Struct, frozen=True, gc=False):
    """What a description stands for: a switch (planned or strange), or a host as far as it says."""

    switch: str = ""
    host: str | None = None
    nic: str | None = None


class Joiner:
    """Joins observations, in their order; the first that tells of a port is kept where two disagree."""

    def __init__(self, design: Design) -> None:
        self.design, self.naming = design, design.naming
        self.joined = Joined()
        self.cache: dict[tuple[str, str, str], _Who] = {}
        self.votes: dict[str, str] = {}
        self.nics: defaultdict[str, set[str]] = defaultdict(set)
        self.opposite: dict[End, End] = {}
        self.network: dict[End, str] = {}
        self.contradicted: set[End] = set()
        for link in design.links:
            self.network[link.a] = self.network[link.z] = link.network
            self.opposite[link.a], self.opposite[link.z] = link.z, link.a
            if link.a.device in design.hosts:
                self.nics[link.a.device].add(link.a.port)

    def join(self, observations: Iterable[Observation]) -> Joined:
        """All files."""
        files = list(observations)
        self._elect(files)
        for file in files:
            self._note_devices(file)
            told: dict[_Told, Sighting] = {}
            for one in file.links:
                told[one.key, one.port, one.far_key, one.far_port] = one
                mirror = told.get((one.far_key, one.far_port, one.key, one.port))
                # The other end said the same already: half of a whole file. GUIDs of the inventory look at every port.
                if mirror is None or self.design.guids or not _mirrors(one, mirror):
                    self._sighting(one, file)
            if file.both_ends:
                self._reciprocal(file, told)
        return self.joined

    # -- who is who

    def _who(self, key: str, name: str, kind: Kind, guid: str = "", port_fact: str = "") -> _Who:
        """`port_fact` is the GUID or the MAC of the very port, where the file has it."""
        found = self.cache.get((key, name, port_fact))
        if found is None:
            found = self.cache[key, name, port_fact] = self._identify(key, name, kind, guid, port_fact)
            self._see(found)
        return found

    def _identify(self, key: str, name: str, kind: Kind, guid: str, port_fact: str) -> _Who:
        known = self.design.guids.get(port_fact) or self.design.guids.get(guid) or self.design.macs.get(port_fact)
        if kind != "host":
            switch = known.device if known and known.device in self.design.switches else None
            switch = switch or self.votes.get(key) or self.naming.switch(name)
            if switch:
                return _Who(switch=switch)
            if kind == "switch":
                label = f"{undecorated(name)} [{guid}]" if guid else undecorated(name)
                self.joined.strange.setdefault(label, name)
                return _Who(switch=label)
        host = self.naming.host(name)
        if known is not None and known.device in self.design.hosts:
            if host and (host[0] != known.device or (host[1] in self.nics[known.device] and host[1] != known.port)):
                text = f"{port_fact or guid} of the inventory"
                self.joined.contradictions.append(Contradiction(str(known), text, f"says `{name}`"))
            return _Who(host=known.device, nic=known.port or None)
        return _Who(host=host[0], nic=host[1]) if host else _Who()

    def _elect(self, files: list[Observation]) -> None:
        """Switches that say no planned name, or one that another says too (a cloned configuration), by their neighbours.

        Each link to a planned port votes for who is there; far ends that don't know have no vote.
        """
        names = {device.name for file in files for device in file.devices if device.kind == "switch"}
        planned = {name: self.naming.switch(name) for name in names}
        guids: defaultdict[str | None, set[str]] = defaultdict(set)
        for file in files:
            for device in file.devices:
                # Two formats spell one GUID in two ways; names are all that LLDP and sheets have.
                if device.kind == "switch" and (guid := _guid(device.key)):
                    guids[planned[device.name]].add(guid)
        doubtful = {name for name, switch in planned.items() if switch is None or len(guids[switch]) > 1}
        taken = {switch for name, switch in planned.items() if switch and name not in doubtful}
        if not doubtful:
            return
        votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for file in files:
            for one in file.links:
                if one.kind == "switch" and one.name in doubtful and (who := self._expected(one)):
                    votes[one.key][who] += 1
        for key, ballot in sorted(votes.items()):
            (winner, count), *_ = ballot.most_common(1)
            if winner not in taken and count > 1 and count * 2 > ballot.total():
                self.votes[key] = winner
                taken.add(winner)

    def _expected(self, one: Sighting) -> str:
        """The planned switch that should be where `one` tells from, by the far end; empty where the far end doesn't know."""
        switch = self.naming.switch(one.far_name)
        if switch:
            opposite = self.opposite.get(End(switch, self.naming.port(switch, one.far_port)))
            return opposite.device if opposite and opposite.device in self.design.switches else ""
        host = self.naming.host(one.far_name)
        nic = self._nic(host[0], host[1], one.far_port) if host else None
        home = self.opposite.get(End(host[0], nic)) if host and nic else None
        return home.device if home else ""

    def _nic(self, host: str, nic: str | None, port: str) -> str | None:
        """The NIC port of a host by what the file says: its name, its interface, or adapter and port of a two-port one.

        None where the text is another naming altogether (`HCA-1` for a plan of `mlx5_0`): the NIC isn't known then.
        """
        planned = self.nics[host]
        for text in (nic, port):
            if text and (known := self.naming.nic(text)) in planned:
                return known
        if nic and port.isdigit() and f"{nic}p{int(port) - 1}" in planned:
            return f"{nic}p{int(port) - 1}"
        if nic and any(_style(nic) == _style(known) for known in planned):
            return nic
        if nic:
            self.joined.unknown_nics[nic] += 1
        return None

    # -- what is where

    def _note_devices(self, file: Observation) -> None:
        for device in file.devices:
            who = self._who(device.key, device.name, device.kind, device.guid)
            if device.kind == "aggregation":
                self.joined.aggregation.add(device.key)
            if device.kind in ("host", "aggregation"):
                self.joined.adapters.add(device.key)
            if who.switch or who.host:
                self.joined.told.add(who.switch or str(who.host))
            if device.key in self.votes and who.switch == self.votes[device.key] != self.naming.switch(device.name):
                self.joined.renamed[who.switch] = device.name

    def _see(self, who: _Who) -> None:
        if who.switch in self.design.switches:
            self.joined.seen.add(who.switch)
        elif who.host:
            self.joined.seen.add(who.host)

    def _sighting(self, one: Sighting, file: Observation) -> None:
        if "aggregation" in (one.kind, one.far_kind):
            self.joined.aggregation.add(one.key if one.kind == "aggregation" else one.far_key)
            return
        local = self._who(one.key, one.name, one.kind, _guid(one.key), one.port_guid)
        far = self._who(one.far_key, one.far_name, one.far_kind, one.far_guid, one.far_port_guid or one.far_mac)
        switches = self.design.switches
        planned = switches.get(local.switch) or switches.get(far.switch)
        if planned is None:
            self.joined.foreign += 1
            return
        if local.switch and far.switch:
            end = End(local.switch, self.naming.port(local.switch, one.port))
            z = End(far.switch, self.naming.port(far.switch, one.far_port))
            self._plug(end, self._link_plug(z, one, file))
            self._plug(z, self._link_plug(end, one, file))
        elif local.switch:
            end = End(local.switch, self.naming.port(local.switch, one.port))
            self._plug(end, self._host_plug(far, one.far_name, one.far_port, one.far_guid, one, file))
        else:
            end = End(far.switch, self.naming.port(far.switch, one.far_port))
            self._plug(end, self._host_plug(local, one.name, one.port, _guid(one.key), one, file))
        # A management port of a leaf belongs to the network of its cable, not to the leaf's.
        network = self.network.get(end, planned.network)
        self.joined.networks.add(network)
        if file.whole:
            self.joined.whole.add(network)

    def _link_plug(self, far: End, one: Sighting, file: Observation) -> Plug:
        return Plug(far, None, None, "", "", one.gbps, one.lanes, file.source, one.line, nameless=False)

    def _host_plug(self, who: _Who, says: str, port: str, guid: str, one: Sighting, file: Observation) -> Plug:
        nameless = who.host is None and file.format in BY_POSITION
        nic = self._nic(who.host, who.nic, port) if who.host else None
        if who.host is None and not nameless:
            return Plug(None, says, port, says, guid, one.gbps, one.lanes, file.source, one.line, nameless=False)
        return Plug(None, who.host, nic, says, guid, one.gbps, one.lanes, file.source, one.line, nameless)

    def _plug(self, end: End, plug: Plug) -> None:
        before = self.joined.plugs.get(end)
        if before is None:
            self.joined.plugs[end] = plug
        elif not _same(before, plug):
            if end in self.contradicted:
                return
            self.contradicted.add(end)
            texts = (f"{_text(one)} ({one.source}:{one.line})" for one in (before, plug))
            self.joined.contradictions.append(Contradiction(str(end), *texts))
        else:
            before.guid = before.guid or plug.guid
            before.nic = before.nic or plug.nic
            if before.gbps is None or (plug.gbps is not None and plug.gbps < before.gbps):
                before.gbps, before.lanes = plug.gbps, plug.lanes

    def _reciprocal(self, file: Observation, told: dict[_Told, Sighting]) -> None:
        """In a file that tells every link twice: links told once, and devices that are named and have no record."""
        records = {device.key for device in file.devices}
        for one in file.links:
            if (one.far_key, one.far_port, one.key, one.port) in told:
                continue
            if one.far_key not in records:
                self.joined.cut[file.source] = self.joined.cut.get(file.source, 0) + 1
            else:
                self.joined.one_sided.append(f"{one.name} port {one.port} ({file.source}:{one.line})")


def _mirrors(one: Sighting, other: Sighting) -> bool:
    """Whether two tellings of one link, from its two ends, agree in all that they say."""
    return one.name == other.far_name and one.far_name == other.name and one.gbps == other.gbps


def _guid(key: str) -> str:
    digits = key[2:] if key[:2] in ("H-", "S-") else key if key.startswith("0x") else ""
    try:
        return f"0x{int(digits, 16):016x}" if digits else ""
    except ValueError:
        return ""


def _style(text: str) -> str:
    return text.rstrip("0123456789").rstrip("p").rstrip("0123456789")


def _same(one: Plug, other: Plug) -> bool:
    if one.far is not None or other.far is not None:
        return one.far == other.far
    if one.says == other.says or (one.guid and one.guid == other.guid):
        return True
    # A sheet says the host alone, or its number of the port.
    return one.host is not None and one.host == other.host and (not one.nic or not other.nic or one.nic == other.nic)


def _text(plug: Plug) -> str:
    return str(plug.far) if plug.far else plug.says or "a host without a name"


def host_plugs(joined: Joined) -> Iterator[tuple[End, Plug]]:
    """Ports with a host in them."""
    return ((end, plug) for end, plug in joined.plugs.items() if plug.far is None)
