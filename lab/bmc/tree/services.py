"""Tasks, updates, events, message registries: small, but there."""

import time
from typing import TYPE_CHECKING, Any

from lab.bmc.auth import Caller
from lab.bmc.http import Response
from lab.bmc.messages import MESSAGES, REGISTRY, refuse
from lab.bmc.patch import Is, check, required
from lab.bmc.resource import Resource
from lab.bmc.schema import V1, collection, head, health, link

if TYPE_CHECKING:
    from lab.bmc.bmc import Bmc

TASKS, UPDATE, EVENTS, REGISTRIES = f"{V1}/TaskService", f"{V1}/UpdateService", f"{V1}/EventService", f"{V1}/Registries"
FIRMWARE, SUBSCRIPTIONS = f"{UPDATE}/FirmwareInventory", f"{EVENTS}/Subscriptions"
VERSIONS = {"BMC": "25.06.27", "BIOS": "1.06.07"}
MAX_SUBSCRIPTIONS = 8
FILE = f"{REGISTRIES}/{REGISTRY}.json"
SPEC = {"Destination": Is(str, pattern=r"https?://\S+"), "Protocol": Is(str, values=("Redfish",)), "Context": Is(str, high=256)}


def _tasks(_bmc: "Bmc") -> Resource:
    now = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    rest = {"ServiceEnabled": True, "DateTime": now, "Status": health(), "Tasks": link(f"{TASKS}/Tasks")}
    rest["CompletedTaskOverWritePolicy"] = "Oldest"
    return Resource(head(TASKS, "TaskService", "TaskService", "Task Service", **rest))


def _update(_bmc: "Bmc") -> Resource:
    rest = {"ServiceEnabled": True, "Status": health(), "FirmwareInventory": link(FIRMWARE), "Actions": {}}
    return Resource(head(UPDATE, "UpdateService", "UpdateService", "Update Service", **rest))


def _firmware(_bmc: "Bmc", ident: str) -> Resource | None:
    if ident not in VERSIONS:
        return None
    rest = {"Version": VERSIONS[ident], "Updateable": False, "Status": health()}
    return Resource(head(f"{FIRMWARE}/{ident}", "SoftwareInventory", ident, ident, **rest))


def _events(_bmc: "Bmc") -> Resource:
    return Resource(head(
        EVENTS, "EventService", "EventService", "Event Service",
        ServiceEnabled=True, Status=health(), Subscriptions=link(SUBSCRIPTIONS), DeliveryRetryAttempts=3,
        DeliveryRetryIntervalSeconds=60, EventFormatTypes=["Event"],
    ))  # fmt: skip


def _subscriptions(bmc: "Bmc") -> Resource:
    kept = bmc.state.subscriptions

    def post(body: Any, _caller: Caller | None) -> Response:
        required(body, "Destination", "Protocol")
        asked = check(SPEC, body, {})
        if len(kept) >= MAX_SUBSCRIPTIONS:
            raise refuse(403, "CreateLimitReachedForResource")
        ident = str(bmc.state.next_subscription)
        bmc.state.next_subscription += 1
        kept[ident] = dict(asked)
        return Response(201, _subscription_body(ident, kept[ident]), {"Location": f"{SUBSCRIPTIONS}/{ident}"})

    return Resource(collection(SUBSCRIPTIONS, "EventDestination", "Subscriptions", list(kept)), post=post)


def _subscription_body(ident: str, kept: dict[str, Any]) -> dict[str, Any]:
    path, name = f"{SUBSCRIPTIONS}/{ident}", f"Subscription {ident}"
    rest = {
        "Context": kept.get("Context", ""),
        "SubscriptionType": "RedfishEvent",
        "EventFormatType": "Event",
        "Status": health(),
    }
    return head(path, "EventDestination", ident, name, Destination=kept["Destination"], Protocol="Redfish", **rest)


def _subscription(bmc: "Bmc", ident: str) -> Resource | None:
    kept = bmc.state.subscriptions.get(ident)
    if kept is None:
        return None

    def delete(_body: Any, _caller: Caller | None) -> Response:
        del bmc.state.subscriptions[ident]
        return Response(204)

    return Resource(_subscription_body(ident, kept), delete=delete)


def _registry(_bmc: "Bmc") -> Resource:
    location = [{"Language": "en", "Uri": FILE}]
    rest = {"Registry": REGISTRY.rsplit(".", 1)[0], "Languages": ["en"], "Location": location, "Location@odata.count": 1}
    return Resource(head(f"{REGISTRIES}/Base", "MessageRegistryFile", "Base", "Base Message Registry File", **rest))


def _registry_file(_bmc: "Bmc") -> Resource:
    messages = {}
    for name, known in MESSAGES.items():
        text = known["message"]
        count = sum(f"%{n}" in text for n in range(1, 10))
        entry = {"Description": text, "Message": text, "MessageSeverity": known["severity"], "Resolution": known["resolution"]}
        messages[name] = {**entry, "NumberOfArgs": count, "ParamTypes": ["string"] * count}
    prefix, _, version = REGISTRY.partition(".")
    return Resource({
        "@odata.type": "#MessageRegistry.v1_6_3.MessageRegistry", "Id": REGISTRY, "Name": "Base Message Registry",
        "Language": "en", "RegistryPrefix": prefix, "RegistryVersion": version, "OwningEntity": "DMTF", "Messages": messages,
    })  # fmt: skip


ROUTES = {
    TASKS: _tasks,
    f"{TASKS}/Tasks": lambda _bmc: Resource(collection(f"{TASKS}/Tasks", "Task", "Tasks", [])),
    UPDATE: _update,
    FIRMWARE: lambda _bmc: Resource(collection(FIRMWARE, "SoftwareInventory", "Firmware Inventory", list(VERSIONS))),
    f"{FIRMWARE}/*": _firmware,
    EVENTS: _events,
    SUBSCRIPTIONS: _subscriptions,
    f"{SUBSCRIPTIONS}/*": _subscription,
    REGISTRIES: lambda _bmc: Resource(collection(REGISTRIES, "MessageRegistryFile", "Registries", ["Base"])),
    f"{REGISTRIES}/Base": _registry,
    FILE: _registry_file,
}
