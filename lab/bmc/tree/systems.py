"""The computer system: identity, power, boot, processors, network ports."""

from typing import TYPE_CHECKING, Any

from lab.bmc.auth import Caller
from lab.bmc.board import BOOT_OPTIONS, BOOT_TARGETS, RESET_TYPES
from lab.bmc.http import Response
from lab.bmc.patch import Is, ListOf, check, parameters
from lab.bmc.resource import Resource
from lab.bmc.schema import V1, collection, head, health, link

if TYPE_CHECKING:
    from lab.bmc.bmc import Bmc

SYSTEMS = f"{V1}/Systems"
SYSTEM = f"{SYSTEMS}/System_1"
RESET = f"{SYSTEM}/Actions/ComputerSystem.Reset"
CPUS = 2
ENABLED, MODES = ("Disabled", "Once", "Continuous"), ("UEFI", "Legacy")
SPEC = {
    "AssetTag": Is(str, high=64),
    "LocationIndicatorActive": Is(bool),
    "Boot": {
        "BootSourceOverrideEnabled": Is(str, values=ENABLED),
        "BootSourceOverrideTarget": Is(str, values=tuple(BOOT_TARGETS)),
        "BootSourceOverrideMode": Is(str, values=MODES),
        "BootOrder": ListOf(Is(str, values=tuple(BOOT_OPTIONS)), unique=True),
    },
}


def _boot(bmc: "Bmc") -> dict[str, Any]:
    state = bmc.state
    return {
        "BootOrder": list(state.boot_order),
        "BootOptions": link(f"{SYSTEM}/BootOptions"),
        "BootSourceOverrideEnabled": state.boot_enabled,
        "BootSourceOverrideEnabled@Redfish.AllowableValues": list(ENABLED),
        "BootSourceOverrideTarget": state.boot_target,
        "BootSourceOverrideTarget@Redfish.AllowableValues": BOOT_TARGETS,
        "BootSourceOverrideMode": state.boot_mode,
        "BootSourceOverrideMode@Redfish.AllowableValues": list(MODES),
    }


def _shown(bmc: "Bmc") -> dict[str, Any]:
    hardware, os_up = bmc.board.hardware(), bmc.board.machine is not None and bmc.board.machine.os_up
    # Numbers of the NVIDIA DGX H100 data sheet: 2 x Xeon 8480C (56 cores), 2 TB; a storage server has less.
    memory = 2048 if hardware.gpus else 512
    kinds = ["BootOptions", "EthernetInterfaces", "NetworkInterfaces", "Processors", "Storage"]
    return head(
        SYSTEM, "ComputerSystem", "System_1", "System",
        SystemType="Physical", Manufacturer="Railyard Lab", Model=_model(bmc), SerialNumber=hardware.serial,
        UUID=bmc.uuid, AssetTag=bmc.state.asset_tag, BiosVersion="1.06.07", PowerState=bmc.board.power,
        Status={**health("Enabled" if bmc.board.power == "On" else "StandbyOffline"), "HealthRollup": "OK"},
        LocationIndicatorActive=bmc.state.indicator, Boot=_boot(bmc),
        BootProgress={"LastState": "OSRunning" if os_up else "None"},
        MemorySummary={"TotalSystemMemoryGiB": memory, "Status": health()},
        ProcessorSummary={"Count": CPUS, "CoreCount": 56 * CPUS, "Model": "Xeon Platinum 8480C", "Status": health()},
        Links={"Chassis": [link(f"{V1}/Chassis/Chassis_1")], "ManagedBy": [link(f"{V1}/Managers/BMC")]},
        Actions={"#ComputerSystem.Reset": {"target": RESET, "@Redfish.ActionInfo": f"{SYSTEM}/ResetActionInfo"}},
        **{kind: link(f"{SYSTEM}/{kind}") for kind in kinds},
    )  # fmt: skip


def _model(bmc: "Bmc") -> str:
    return f"Lab GPU node ({bmc.facts.gpus} GPUs)" if bmc.facts.role == "gpu" else "Lab storage node"


def _system(bmc: "Bmc") -> Resource:
    shown = _shown(bmc)

    def patch(body: Any, _caller: Caller | None) -> Response:
        asked = check(SPEC, body, shown)
        boot, state = asked.get("Boot", {}), bmc.state
        state.boot_enabled = boot.get("BootSourceOverrideEnabled", state.boot_enabled)
        state.boot_target = boot.get("BootSourceOverrideTarget", state.boot_target)
        state.boot_mode = boot.get("BootSourceOverrideMode", state.boot_mode)
        state.boot_order = list(boot.get("BootOrder", state.boot_order))
        state.asset_tag = asked.get("AssetTag", state.asset_tag)
        state.indicator = asked.get("LocationIndicatorActive", state.indicator)
        return Response(200, _shown(bmc))

    return Resource(shown, patch=patch, privilege="ConfigureComponents")


def _reset(bmc: "Bmc") -> Resource:
    def post(body: Any, _caller: Caller | None) -> Response:
        spec = {"ResetType": Is(str, values=tuple(RESET_TYPES))}
        asked = parameters("ComputerSystem.Reset", spec, body, "ResetType")
        bmc.board.reset(asked["ResetType"])
        return Response(204)

    return Resource(post=post, privilege="ConfigureComponents")


def action_info(path: str, name: str, values: list[str]) -> Resource:
    """The ActionInfo of a reset action."""
    parameter = {"Name": "ResetType", "Required": True, "DataType": "String", "AllowableValues": values}
    return Resource(head(path, "ActionInfo", path.rsplit("/", 1)[1], name, Parameters=[parameter]))


def _boot_option(_bmc: "Bmc", ident: str) -> Resource | None:
    if ident not in BOOT_OPTIONS:
        return None
    alias, text = BOOT_OPTIONS[ident]
    path = f"{SYSTEM}/BootOptions/{ident}"
    body = head(
        path, "BootOption", ident, text, BootOptionReference=ident, BootOptionEnabled=True, DisplayName=text, Alias=alias
    )
    return Resource(body)


def _processor_ids(bmc: "Bmc") -> list[str]:
    gpus = bmc.board.hardware().gpus
    return [f"CPU_{n}" for n in range(1, CPUS + 1)] + [f"GPU_{n}" for n in range(1, gpus + 1)]


def _processor(bmc: "Bmc", ident: str) -> Resource | None:
    if ident not in _processor_ids(bmc):
        return None
    gpu = ident.startswith("GPU")
    path, serial = f"{SYSTEM}/Processors/{ident}", f"{bmc.facts.serial}-{ident}"
    rest: dict[str, Any] = {"ProcessorType": "CPU", "Manufacturer": "Intel", "Model": "Xeon Platinum 8480C", "TotalCores": 56}
    if gpu:
        rest = {"ProcessorType": "GPU", "Manufacturer": "NVIDIA", "Model": "H100 80GB HBM3"}
    return Resource(head(path, "Processor", ident, ident, SerialNumber=serial, Socket=ident, Status=health(), **rest))


def _nics(bmc: "Bmc") -> dict[str, str]:
    return {f"NIC_{n}": mac for n, mac in enumerate(bmc.board.hardware().macs, start=1)}


def _port(bmc: "Bmc", ident: str) -> Resource | None:
    mac = _nics(bmc).get(ident)
    if mac is None:
        return None
    rest = {"MACAddress": mac, "PermanentMACAddress": mac, "InterfaceEnabled": True, "LinkStatus": "LinkUp", "Status": health()}
    return Resource(head(f"{SYSTEM}/EthernetInterfaces/{ident}", "EthernetInterface", ident, ident, **rest))


def _network(bmc: "Bmc", ident: str) -> Resource | None:
    if ident not in _nics(bmc):
        return None
    adapter = {"NetworkAdapter": link(f"{V1}/Chassis/Chassis_1/NetworkAdapters/{ident}")}
    return Resource(
        head(f"{SYSTEM}/NetworkInterfaces/{ident}", "NetworkInterface", ident, ident, Status=health(), Links=adapter)
    )


def _list(kind: str, name: str, members: Any) -> Any:
    path = f"{SYSTEM}/{name}"
    return lambda bmc: Resource(collection(path, kind, name, list(members(bmc))))


ROUTES = {
    SYSTEMS: lambda _bmc: Resource(collection(SYSTEMS, "ComputerSystem", "Systems", ["System_1"])),
    SYSTEM: _system,
    RESET: _reset,
    f"{SYSTEM}/ResetActionInfo": lambda _bmc: action_info(f"{SYSTEM}/ResetActionInfo", "Reset", RESET_TYPES),
    f"{SYSTEM}/BootOptions": _list("BootOption", "BootOptions", lambda _bmc: BOOT_OPTIONS),
    f"{SYSTEM}/BootOptions/*": _boot_option,
    f"{SYSTEM}/Processors": _list("Processor", "Processors", _processor_ids),
    f"{SYSTEM}/Processors/*": _processor,
    f"{SYSTEM}/EthernetInterfaces": _list("EthernetInterface", "EthernetInterfaces", _nics),
    f"{SYSTEM}/EthernetInterfaces/*": _port,
    f"{SYSTEM}/NetworkInterfaces": _list("NetworkInterface", "NetworkInterfaces", _nics),
    f"{SYSTEM}/NetworkInterfaces/*": _network,
}
