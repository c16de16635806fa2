"""Switches of the inventory against the plan, before anything is sent to one of them."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface
from typing import TYPE_CHECKING

from railyard.model.inventory import Switch
from railyard.plan.managed import MANAGED_NOS, managed_switches
from railyard.rules.managed_texts import SWITCH_002, SWITCH_003, SWITCH_004
from railyard.rules.registry import Finding, ordered

if TYPE_CHECKING:
    from railyard.plan import Plan

_TRUST = {"cumulus": ("caFile", "ca_file"), "sonic": ("hostKeySha256", "host_key_sha256")}


def check_managed(switches: tuple[Switch, ...], plan: "Plan") -> list[Finding]:
    """SWITCH-002 to SWITCH-004; nothing where the inventory names no switch."""
    return ordered([*_positions(switches, plan), *_systems(switches, plan), *_addresses(switches, plan)])


def _positions(switches: tuple[Switch, ...], plan: "Plan") -> Iterator[Finding]:
    planned = {switch.name for switch in plan.switches}
    for index, switch in enumerate(switches):
        if switch.name not in planned:
            where = f"inventory:switches[{index}].name"
            yield SWITCH_002.finding(where, switch.name, f"a switch of the plan, like {min(planned, default='none')}")


def _systems(switches: tuple[Switch, ...], plan: "Plan") -> Iterator[Finding]:
    for index, switch in enumerate(switches):
        if not switch.management_address:
            continue
        where = f"inventory:switches[{index}] ({switch.name})"
        nos = plan.routing.nos if plan.routing else None
        if nos not in MANAGED_NOS:
            found = f"managementAddress, and {nos or 'an InfiniBand fabric, whose switches a subnet manager configures'}"
            yield SWITCH_003.finding(where, found, f"railyard:fabric.nos {' or '.join(MANAGED_NOS)}")
        elif not getattr(switch, _TRUST[nos][1]):
            yield SWITCH_003.finding(where, f"no {_TRUST[nos][0]}", f"{_TRUST[nos][0]}: what {nos} is trusted by")


def _addresses(switches: tuple[Switch, ...], plan: "Plan") -> Iterator[Finding]:
    """The configuration sets the management port: another address there cuts the path that it came by."""
    for one in managed_switches(switches, plan):
        planned = [ip_interface(text).ip for text in one.intent.management_addresses]
        host, where = _host(one.address), f"inventory:switches ({one.delivered.name}).managementAddress"
        if planned and _ip(host) not in planned:
            which = "address" if len(planned) == 1 else "addresses"
            limit = f"{' or '.join(map(str, planned))}, the plan's {which} of its management port"
            yield SWITCH_004.finding(where, host, limit)
        elif planned and (shut := _shut_out(host, one.intent.site.management)):
            fix = "add the network that railyard runs in to railyard:addresses.management, or manage it by its other address"
            yield SWITCH_004.finding(where, f"{host}, and no {shut} network may log in", f"an {shut} management network", fix)


def _shut_out(host: str, management: tuple[str, ...]) -> str:
    """The IP version that the access list shuts out though the switch is managed by it; empty where it lets some in."""
    version = ip_interface(host).version
    return "" if any(ip_interface(text).version == version for text in management) else f"IPv{version}"


def _ip(host: str) -> IPv4Address | IPv6Address | None:
    """The address by value: IPv6 has many spellings. None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def _host(address: str) -> str:
    """Without the port: `10.0.0.1:8765`, `[fd00::1]:8765`, `fd00::1`."""
    if address.startswith("["):
        return address[1:].partition("]")[0].lower()
    return address.rpartition(":")[0] if address.count(":") == 1 else address.lower()
