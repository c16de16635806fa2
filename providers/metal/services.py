"""The sections `services` (NTP, IPMI of the manager) and `bootOrder`: what to send for what is there, and what was seen."""

from collections.abc import Mapping, Sequence
from typing import Any

from providers.metal import errors
from providers.metal.client import Bmc, Body, link_of
from providers.metal.facts import Host, find_manager


def protocol_path(bmc: Bmc, host: Host) -> str:
    """The manager's NetworkProtocol. Raises METAL-019."""
    path = link_of(find_manager(bmc, host), "NetworkProtocol")
    if not path:
        raise errors.unsupported(bmc.where, "NetworkProtocol")
    return path


def apply(bmc: Bmc, host: Host, wanted: Mapping[str, Any]) -> None:
    """Brings NTP and IPMI to what is wanted and reads back."""

    def needed(now: Body) -> Body | None:
        if wanted.get("ntpServers") is not None and "NTP" not in now:
            raise errors.unsupported(bmc.where, "NTP settings")
        return body_for(wanted, now)

    bmc.patch(protocol_path(bmc, host), needed)


def body_for(wanted: Mapping[str, Any], now: Body) -> Body | None:
    """What to PATCH, None if nothing."""
    body: Body = {}
    servers = wanted.get("ntpServers")
    if servers is not None and not same_servers(servers, now):
        body["NTP"] = {"ProtocolEnabled": bool(servers), "NTPServers": list(servers)}
    ipmi = wanted.get("ipmi")
    if ipmi is not None and (now.get("IPMI") or {}).get("ProtocolEnabled", False) != ipmi:
        body["IPMI"] = {"ProtocolEnabled": ipmi}
    return body or None


def seen(wanted: Mapping[str, Any], now: Body) -> Body:
    """The section as it is out there: only keys that are managed, in the plan's own order where the set is the same."""
    found: Body = dict(wanted)
    if wanted.get("ntpServers") is not None and not same_servers(wanted["ntpServers"], now):
        found["ntpServers"] = _servers(now) if (now.get("NTP") or {}).get("ProtocolEnabled") else []
    if wanted.get("ipmi") is not None:
        found["ipmi"] = bool((now.get("IPMI") or {}).get("ProtocolEnabled", False))
    return found


def same_servers(wanted: Sequence[str], now: Body) -> bool:
    """NTP is on with this set of servers (BMCs keep them in an order of their own), or off and none wanted."""
    enabled = bool((now.get("NTP") or {}).get("ProtocolEnabled"))
    return enabled == bool(wanted) and (not wanted or sorted(set(wanted)) == sorted(set(_servers(now))))


def _servers(now: Body) -> list[str]:
    return [str(server) for server in (now.get("NTP") or {}).get("NTPServers") or [] if server]


def apply_order(bmc: Bmc, host: Host, wanted: Sequence[str]) -> None:
    """Puts the wanted devices first in the boot order; the others keep theirs behind them."""
    names = option_names(bmc, host)
    path = link_of(host.system, "@Redfish.Settings", "SettingsObject") or host.path
    bmc.patch(path, lambda now: order_body(bmc.where, wanted, names, now if "Boot" in now else bmc.get(host.path)))


def option_names(bmc: Bmc, host: Host) -> dict[str, str]:
    """BootOptionReference -> Alias (Cd, Hdd, Pxe …) or DisplayName. Reading the collection first also helps Q08."""
    names: dict[str, str] = {}
    for option in bmc.members(link_of(host.system, "Boot", "BootOptions")):
        reference = str(option.get("BootOptionReference") or option.get("Id"))
        names[reference] = str(option.get("Alias") or option.get("DisplayName") or reference)
    return names


def order_body(where: str, wanted: Sequence[str], names: Mapping[str, str], now: Body) -> Body | None:
    """What to PATCH for a boot order, None if it's already so. Raises METAL-019 for a device that the machine lacks."""
    order = [str(item) for item in (now.get("Boot") or {}).get("BootOrder") or []]
    first = []
    for device in wanted:
        found = [item for item in order if names.get(item, item).lower() == device.lower() and item not in first]
        if not found:
            have = ", ".join(names.get(item, item) for item in order) or "none"
            raise errors.unsupported(where, f"boot device {device} (it has: {have})")
        first.append(found[0])
    if order[: len(first)] == first:
        return None
    return {"Boot": {"BootOrder": [*first, *[item for item in order if item not in first]]}}


def seen_order(wanted: Sequence[str], names: Mapping[str, str], host: Host) -> list[str]:
    """The first devices of the boot order, as many as are wanted."""
    order = [str(item) for item in (host.system.get("Boot") or {}).get("BootOrder") or []]
    found = [names.get(item, item) for item in order[: len(wanted)]]
    return [next((one for one in wanted if one.lower() == name.lower()), name) for name in found]
