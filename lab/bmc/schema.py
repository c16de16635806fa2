"""Schema versions that the emulator speaks, and the heads of resources and collections."""

from typing import Any

from lab.bmc.http import Response

VERSIONS = {
    "AccountService": "1_15_0",
    "ActionInfo": "1_4_2",
    "BootOption": "1_0_6",
    "Chassis": "1_25_0",
    "Drive": "1_19_0",
    "EthernetInterface": "1_12_1",
    "EventDestination": "1_15_0",
    "EventService": "1_10_1",
    "Manager": "1_19_0",
    "ManagerAccount": "1_12_1",
    "ManagerNetworkProtocol": "1_10_0",
    "MessageRegistryFile": "1_1_3",
    "NetworkAdapter": "1_11_0",
    "NetworkInterface": "1_2_2",
    "Port": "1_13_0",
    "Processor": "1_20_0",
    "Role": "1_3_1",
    "ServiceRoot": "1_17_0",
    "Session": "1_7_1",
    "SessionService": "1_1_9",
    "SoftwareInventory": "1_10_0",
    "Storage": "1_16_0",
    "Task": "1_7_3",
    "TaskService": "1_2_1",
    "ComputerSystem": "1_22_0",
    "UpdateService": "1_14_0",
    "VirtualMedia": "1_6_4",
}
COLLECTIONS = (
    "BootOption", "Chassis", "ComputerSystem", "EthernetInterface", "EventDestination", "Manager", "ManagerAccount",
    "MessageRegistryFile", "NetworkAdapter", "NetworkInterface", "Port", "Processor", "Role", "Session", "SoftwareInventory",
    "Storage", "Task", "VirtualMedia",
)  # fmt: skip
V1 = "/redfish/v1"


def head(path: str, kind: str, ident: str, name: str, **rest: Any) -> dict[str, Any]:
    """The start of every resource."""
    odata_type = f"#{kind}.v{VERSIONS[kind]}.{kind}"
    return {"@odata.id": path, "@odata.type": odata_type, "Id": ident, "Name": name, **rest}


def link(path: str) -> dict[str, str]:
    return {"@odata.id": path}


def collection(path: str, kind: str, name: str, members: list[str]) -> dict[str, Any]:
    """A collection of `kind` whose members have these ids."""
    odata_type = f"#{kind}Collection.{kind}Collection"
    listed = [link(f"{path}/{one}") for one in members]
    return {"@odata.id": path, "@odata.type": odata_type, "Name": name, "Members": listed, "Members@odata.count": len(listed)}


def health(state: str = "Enabled") -> dict[str, str]:
    return {"State": state, "Health": "OK"}


def metadata() -> Response:
    """The OData metadata document: references to DMTF's schema files, one per schema that is used."""
    uri = "http://redfish.dmtf.org/schemas/v1"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">',
    ]
    for name, version in sorted(VERSIONS.items()):
        lines.append(f'  <edmx:Reference Uri="{uri}/{name}_v1.xml"><edmx:Include Namespace="{name}"/>')
        lines.append(f'    <edmx:Include Namespace="{name}.v{version}"/></edmx:Reference>')
    for name in COLLECTIONS:
        file = f"{uri}/{name}Collection_v1.xml"
        lines.append(f'  <edmx:Reference Uri="{file}"><edmx:Include Namespace="{name}Collection"/></edmx:Reference>')
    lines.append(f'  <edmx:Reference Uri="{uri}/Message_v1.xml"><edmx:Include Namespace="Message.v1_2_0"/></edmx:Reference>')
    lines.append(f'  <edmx:Reference Uri="{uri}/RedfishExtensions_v1.xml">')
    lines.append('    <edmx:Include Namespace="RedfishExtensions.v1_0_0" Alias="Redfish"/></edmx:Reference>')
    lines.append('  <edmx:DataServices><Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">')
    lines.append(f'    <EntityContainer Name="Service" Extends="ServiceRoot.v{VERSIONS["ServiceRoot"]}.ServiceContainer"/>')
    lines.append("  </Schema></edmx:DataServices>\n</edmx:Edmx>\n")
    return Response(200, "\n".join(lines).encode(), {"Content-Type": "application/xml; charset=utf-8"})


def odata(top: dict[str, Any]) -> dict[str, Any]:
    """The OData service document, made from the root's links."""
    links = {
        name: value["@odata.id"] for name, value in top.items() if isinstance(value, dict) and list(value) == ["@odata.id"]
    }
    listed = [{"name": "Service", "kind": "Singleton", "url": V1 + "/"}]
    listed += [{"name": name, "kind": "Singleton", "url": url} for name, url in sorted(links.items())]
    return {"@odata.context": f"{V1}/$metadata", "value": listed}
