"""A subnet as a netlist: what `ibnetdiscover` prints and what `ibsim` reads.

Source: linux-rdma/ibsim@db9c0e46; ibnetdiscover(8). Rates are written as 4xHDR whatever the links run at: Debian's ibsim
doesn't know NDR or XDR (it would come up at 2.5 Gb/s), and neither routing nor wiring depends on the rate.
"""

from collections import defaultdict

from railyard.model.infiniband import Adapter, Subnet, SubnetSwitch

_RATE = "4xHDR"
_HEAD = """\
# {name}: {switches} switches, {adapters} adapters, {links} links, as planned.
# For ibsim, and for a comparison with what ibnetdiscover prints. Rates are simulated: 4xHDR for {gbps:g} Gb/s.
"""


def guid_note(subnet: Subnet) -> str:
    """A comment that says how many GUIDs aren't real yet; nothing where all were delivered."""
    count = len(subnet.switches) + len(subnet.adapters)
    if not subnet.planned_guids:
        return ""
    todo = "put the delivered ones into the inventory (hcas, switchGuids)"
    return f"# {subnet.planned_guids} of {count} GUIDs are planned: {todo}.\n"


def netlist(subnet: Subnet) -> str:
    """The whole subnet: switches from the top tier down (ibsim searches its list from the start), then adapters."""
    lines: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    ends = {switch.name: _switch_end(switch) for switch in subnet.switches}
    ends |= {adapter.key: _adapter_end(adapter) for adapter in subnet.adapters}
    for link in subnet.links:
        (a, a_guid, a_name), (z, z_guid, z_name) = ends[link.a], ends[link.z]
        lines[link.a].append((link.a_port, f'[{link.a_port}]{a_guid}\t"{z}"[{link.z_port}]{z_guid}\t\t# "{z_name}"'))
        lines[link.z].append((link.z_port, f'[{link.z_port}]{z_guid}\t"{a}"[{link.a_port}]{a_guid}\t\t# "{a_name}"'))
    counts = {"switches": len(subnet.switches), "adapters": len(subnet.adapters), "links": len(subnet.links)}
    out = [_HEAD.format(name=subnet.name, gbps=subnet.link_gbps, **counts), guid_note(subnet)]
    for switch in subnet.switches:
        name = _quoted(switch.name)
        out.append(f'switchguid=0x{switch.guid:x}(0x{switch.guid:x})\nSwitch\t{switch.ports} "S-{switch.guid:016x}"')
        out.append(f'\t\t# "{name}" enhanced port 0 lid 0 lmc 0\n')
        out += [f"{line} lid 0 {_RATE}\n" for _, line in sorted(lines[switch.name])]
        out.append("\n")
    for adapter in subnet.adapters:
        out.append(f'caguid=0x{adapter.node_guid:x}\nCa\t1 "H-{adapter.node_guid:016x}"')
        out.append(f'\t\t# "{_quoted(adapter.description)}"\n')
        out += [f"{line} lid 0 {_RATE}\n" for _, line in sorted(lines[adapter.key])]
        out.append("\n")
    return "".join(out)


def node_name_map(subnet: Subnet) -> str:
    """`node_name_map_name` of OpenSM and `--node-name-map` of the diagnostics: GUID to name."""
    rows = [(switch.name, switch.guid) for switch in subnet.switches]
    rows += [(adapter.description, adapter.node_guid) for adapter in subnet.adapters]
    return "".join(f'0x{guid:016x} "{_quoted(name)}"\n' for name, guid in rows)


def _switch_end(switch: SubnetSwitch) -> tuple[str, str, str]:
    return f"S-{switch.guid:016x}", "", _quoted(switch.name)


def _adapter_end(adapter: Adapter) -> tuple[str, str, str]:
    return f"H-{adapter.node_guid:016x}", f"({adapter.port_guid:x})", _quoted(adapter.description)


def _quoted(name: str) -> str:
    """A name inside quotation marks: what would end the string or the line can't stand in it."""
    return "".join("_" if char in '"#@' or not char.isprintable() else char for char in name)
