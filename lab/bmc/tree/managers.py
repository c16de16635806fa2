"""The BMC itself: reset, network protocol (NTP, IPMI), virtual media."""

import time
from typing import TYPE_CHECKING, Any

from lab.bmc.auth import Caller
from lab.bmc.http import Response
from lab.bmc.messages import refuse
from lab.bmc.patch import Is, ListOf, check, parameters
from lab.bmc.resource import Resource
from lab.bmc.schema import V1, collection, head, health, link
from lab.bmc.state import Media
from lab.bmc.tree.systems import SYSTEM, action_info
from lab.fetch import FetchError, Origin

if TYPE_CHECKING:
    from lab.bmc.bmc import Bmc

MANAGERS = f"{V1}/Managers"
MANAGER = f"{MANAGERS}/BMC"
MEDIA = f"{MANAGER}/VirtualMedia"
RESETS = ["ForceRestart", "GracefulRestart"]
TYPES = {"USB1": ["USBStick"], "CD1": ["CD", "DVD"]}
NTP_SERVER = Is(str, pattern=r"[A-Za-z0-9.:-]+", low=1, high=253)
INSERT = {
    "Image": Is(str, pattern=r"https?://[^/\s]+/\S*", low=1, high=2048),
    "Inserted": Is(bool),
    "WriteProtected": Is(bool, values=(True,)),
    "TransferMethod": Is(str, values=("Stream",)),
    "TransferProtocolType": Is(str, values=("HTTP", "HTTPS")),
    "UserName": Is(str, high=64, nullable=True),
    "Password": Is(str, high=64, nullable=True),
}


def _manager(bmc: "Bmc") -> Resource:
    reset = {"target": f"{MANAGER}/Actions/Manager.Reset", "@Redfish.ActionInfo": f"{MANAGER}/ResetActionInfo"}
    now = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    return Resource(head(
        MANAGER, "Manager", "BMC", "Manager",
        ManagerType="BMC", FirmwareVersion="25.06.27", UUID=bmc.uuid, ServiceEntryPointUUID=bmc.uuid, Model="Lab BMC",
        DateTime=now, DateTimeLocalOffset="+00:00", PowerState="On", Status=health(),
        NetworkProtocol=link(f"{MANAGER}/NetworkProtocol"), VirtualMedia=link(MEDIA),
        EthernetInterfaces=link(f"{MANAGER}/EthernetInterfaces"),
        Links={"ManagerForServers": [link(SYSTEM)], "ManagerForChassis": [link(f"{V1}/Chassis/Chassis_1")]},
        Actions={"#Manager.Reset": reset},
    ))  # fmt: skip


def _reset(bmc: "Bmc") -> Resource:
    def post(body: Any, _caller: Caller | None) -> Response:
        parameters("Manager.Reset", {"ResetType": Is(str, values=tuple(RESETS))}, body)
        bmc.restart()
        return Response(204)

    return Resource(post=post)


def _protocol(bmc: "Bmc") -> Resource:
    path, state = f"{MANAGER}/NetworkProtocol", bmc.state

    def shown() -> dict[str, Any]:
        return head(
            path, "ManagerNetworkProtocol", "NetworkProtocol", "Manager Network Protocol",
            HostName=f"bmc-{bmc.facts.serial}".lower(), Status=health(),
            HTTP={"ProtocolEnabled": False, "Port": 80}, HTTPS={"ProtocolEnabled": True, "Port": bmc.facts.port},
            NTP={"ProtocolEnabled": state.ntp_enabled, "Port": 123, "NTPServers": list(state.ntp_servers)},
            IPMI={"ProtocolEnabled": state.ipmi_enabled, "Port": 623},
        )  # fmt: skip

    def patch(body: Any, _caller: Caller | None) -> Response:
        ntp_spec = {"ProtocolEnabled": Is(bool), "NTPServers": ListOf(NTP_SERVER)}
        asked = check({"NTP": ntp_spec, "IPMI": {"ProtocolEnabled": Is(bool)}}, body, shown())
        ntp = asked.get("NTP", {})
        state.ntp_enabled = ntp.get("ProtocolEnabled", state.ntp_enabled)
        state.ntp_servers = list(ntp.get("NTPServers", state.ntp_servers))
        state.ipmi_enabled = asked.get("IPMI", {}).get("ProtocolEnabled", state.ipmi_enabled)
        return Response(200, shown())

    return Resource(shown(), patch=patch)


def _drive(bmc: "Bmc", ident: str) -> Resource | None:
    media = bmc.state.media.get(ident)
    if media is None:
        return None
    path = f"{MEDIA}/{ident}"
    actions = {
        f"#VirtualMedia.{one}": {"target": f"{path}/Actions/VirtualMedia.{one}"} for one in ("InsertMedia", "EjectMedia")
    }
    image = media.image.rsplit("/", 1)[-1].split("?")[0] if media.image else ""
    return Resource(head(
        path, "VirtualMedia", ident, f"Virtual drive {ident}",
        MediaTypes=TYPES[ident], Image=media.image, ImageName=image or None, Inserted=media.inserted,
        WriteProtected=media.write_protected, ConnectedVia="URI" if media.inserted else "NotConnected",
        TransferMethod="Stream" if media.inserted else None, UserName=media.user_name, Password=None, VerifyCertificate=True,
        Status=health(), Actions=actions,
    ))  # fmt: skip


def _insert(bmc: "Bmc", ident: str) -> Resource | None:
    if ident not in bmc.state.media:
        return None

    async def post(body: Any, _caller: Caller | None) -> Response:
        asked = parameters("VirtualMedia.InsertMedia", INSERT, body, "Image")
        if bmc.state.media[ident].inserted:
            raise refuse(409, "ResourceInUse")
        await _reach(bmc, asked["Image"])
        user = asked.get("UserName")
        bmc.state.media[ident] = Media(asked["Image"], inserted=asked.get("Inserted", True), user_name=user)
        return Response(204)

    return Resource(post=post)


async def _reach(bmc: "Bmc", url: str) -> None:
    """Looks whether the image is there, as BMCs that stream it do. Raises RefusalError (400)."""
    shown = url.split("?")[0]
    if bmc.board.blocked("media"):
        raise refuse(400, "ResourceMissingAtURI", shown, related="#/Image")
    origin = None
    try:
        origin = Origin(url, bmc.board.trust())
        reply = await origin.request("HEAD")
    except FetchError as error:
        raise refuse(400, "CouldNotEstablishConnection", shown, related="#/Image") from error
    finally:
        if origin is not None:
            origin.close()
    if reply.status >= 400:
        raise refuse(400, "ResourceMissingAtURI", shown, related="#/Image")


def _eject(bmc: "Bmc", ident: str) -> Resource | None:
    if ident not in bmc.state.media:
        return None

    def post(body: Any, _caller: Caller | None) -> Response:
        parameters("VirtualMedia.EjectMedia", {}, body)
        bmc.state.media[ident] = Media()
        return Response(204)

    return Resource(post=post)


def _interface(bmc: "Bmc") -> Resource:
    address = {"Address": bmc.facts.host, "SubnetMask": "255.0.0.0", "AddressOrigin": "Static", "Gateway": None}
    path, mac = f"{MANAGER}/EthernetInterfaces/eth0", bmc.facts.macs[0] if bmc.facts.macs else None
    rest = {"MACAddress": mac, "InterfaceEnabled": True, "IPv4Addresses": [address], "Status": health()}
    return Resource(head(path, "EthernetInterface", "eth0", "BMC port", **rest))


ROUTES = {
    MANAGERS: lambda _bmc: Resource(collection(MANAGERS, "Manager", "Managers", ["BMC"])),
    MANAGER: _manager,
    f"{MANAGER}/Actions/Manager.Reset": _reset,
    f"{MANAGER}/ResetActionInfo": lambda _bmc: action_info(f"{MANAGER}/ResetActionInfo", "Reset", RESETS),
    f"{MANAGER}/NetworkProtocol": _protocol,
    MEDIA: lambda _bmc: Resource(collection(MEDIA, "VirtualMedia", "Virtual Media", list(TYPES))),
    f"{MEDIA}/*": _drive,
    f"{MEDIA}/*/Actions/VirtualMedia.InsertMedia": _insert,
    f"{MEDIA}/*/Actions/VirtualMedia.EjectMedia": _eject,
    f"{MANAGER}/EthernetInterfaces": lambda _bmc: Resource(
        collection(f"{MANAGER}/EthernetInterfaces", "EthernetInterface", "BMC Ports", ["eth0"])
    ),
    f"{MANAGER}/EthernetInterfaces/eth0": _interface,
}
