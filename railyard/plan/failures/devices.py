"""Devices that die by themselves: switches of all networks, storage servers."""

from collections.abc import Iterator

from railyard.model.failures import EventKind, FailureEvent
from railyard.plan.failures.scene import Scene


def device_rows(scene: Scene) -> Iterator[tuple[EventKind, str]]:
    """(kind, name) of every switch of the training fabric, of the other networks, and of every storage server."""
    for switch in scene.plan.switches:
        yield switch.role, switch.name
    for other in scene.plan.network_switches:
        yield "switch", other.name
    for machine in scene.plan.machines:
        if machine.role == "storage":
            yield "storage", machine.name


def device_events(scene: Scene) -> Iterator[FailureEvent]:
    """Each of them in turn."""
    return (scene.of_devices(kind, name) for kind, name in device_rows(scene))


def find_device(scene: Scene, name: str) -> FailureEvent | None:
    """The loss of the device of this name."""
    return next((scene.of_devices(kind, own) for kind, own in device_rows(scene) if own == name), None)
