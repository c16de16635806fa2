"""The mainboard: power, boot list, virtual CD. What the BMC steers on one side, and what the machine sees on the other."""

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from typing import Any

from lab.bmc.faults import Faults
from lab.bmc.messages import refuse
from lab.bmc.state import BmcState
from lab.inventory import MachineFacts
from lab.machine import Hardware, Machine

RESET_TYPES = [
    "On",
    "ForceOff",
    "GracefulShutdown",
    "ForceRestart",
    "GracefulRestart",
    "PowerCycle",
    "ForceOn",
    "PushPowerButton",
]
BOOT_OPTIONS = {"Boot0001": ("Cd", "Virtual CD"), "Boot0002": ("Hdd", "Disk 1"), "Boot0003": ("Pxe", "NIC 1, PXE IPv4")}
BOOT_TARGETS = ["None", "Pxe", "Cd", "Hdd", "BiosSetup"]


class Board:
    """One mainboard. `changed` is called when something that must survive a power cut changed."""

    def __init__(
        self, facts: MachineFacts, state: BmcState, faults: Faults, trust: ssl.SSLContext, timing: dict[str, float]
    ) -> None:
        self.facts, self.state, self.faults = facts, state, faults
        self.timing, self._trust = timing, trust
        self.machine: Machine | None = None
        self.changed: Callable[[], None] = lambda: None
        self._transition: str | None = None
        self._task: asyncio.Task[None] | None = None

    # The machine's side ------------------------------------------------------------------------------------------------
    def hardware(self) -> Hardware:
        serial, macs, gpus = self.facts.serial, self.facts.macs, self.facts.gpus
        for fault in self.faults.of("identity"):
            serial = fault.spec.get("serial", serial)
            gpus = fault.spec.get("gpus", gpus)
            macs = tuple(fault.spec.get("macs", macs))
        return Hardware(serial, macs, gpus)

    def boot_devices(self) -> list[str]:
        """The devices to try, in order. An override for once is used up by this."""
        order = [BOOT_OPTIONS[one][0] for one in self.state.boot_order]
        if self.state.boot_enabled == "Disabled" or self.state.boot_target == "None":
            return order
        target = self.state.boot_target
        if self.state.boot_enabled == "Once":
            self.state.boot_enabled, self.state.boot_target = "Disabled", "None"
            self.changed()
        return [] if target == "BiosSetup" else [target, *(one for one in order if one != target)]

    def cd(self) -> str | None:
        drive = self.state.media["CD1"]
        return drive.image if drive.inserted else None

    def blocked(self, what: str) -> bool:
        if what == "media":
            return self.faults.has("media-404")
        phase = what.partition(":")[2]
        return any(one.spec.get("phase", phase) == phase for one in self.faults.of("no-call-home"))

    def trust(self) -> ssl.SSLContext:
        return self._trust

    # The BMC's side ----------------------------------------------------------------------------------------------------
    @property
    def power(self) -> str:
        """PowerState as Redfish says it: On, Off, PoweringOn, PoweringOff."""
        return self._transition or self.state.power

    def resume(self) -> None:
        """Mains are back: a machine that was on starts again."""
        if self.state.power == "On" and self.machine is not None:
            self.machine.start()

    def halt(self) -> None:
        """Mains are cut (the lab goes down): nothing is written."""
        if self._task is not None:
            self._task.cancel()
        if self.machine is not None:
            self.machine.stop()

    def reset(self, kind: str) -> None:
        """ComputerSystem.Reset. Returns when accepted. Raises RefusalError (409) for a restart of a machine that is off."""
        on = self.state.power == "On"
        os_up = self.machine is not None and self.machine.os_up
        if kind in {"ForceRestart", "GracefulRestart", "PowerCycle"} and not on:
            raise refuse(409, "ResourceInUse")
        slow_s = self.timing["shutdownS"]
        if kind in {"On", "ForceOn"} and not on:
            self._begin("On", self._up())
        elif kind == "ForceOff" and on:
            self._begin("Off", self._down(0))
        elif kind == "GracefulShutdown" and on and os_up:
            self._begin("Off", self._down(slow_s))
        elif kind in {"ForceRestart", "PowerCycle"} or (kind == "GracefulRestart" and os_up):
            self._begin("On", self._down(slow_s if kind == "GracefulRestart" else 0), self._up())
        elif kind == "PushPowerButton":
            self._begin("Off" if on else "On", self._down(slow_s) if on else self._up())
        # A graceful shutdown that no operating system hears does nothing, as on real machines.

    def _begin(self, power: str, *steps: Coroutine[Any, Any, None]) -> None:
        """Starts a transition to `power`, which is stored first: a power cut on the way ends there too."""
        if self._task is not None:
            self._task.cancel()
        off_first = power == "Off" or len(steps) > 1
        self._transition, self.state.power = "PoweringOff" if off_first else "PoweringOn", power
        self.changed()
        self._task = asyncio.get_running_loop().create_task(self._steps(steps))

    async def _steps(self, steps: tuple[Coroutine[Any, Any, None], ...]) -> None:
        try:
            for step in steps:
                await step
        finally:
            for step in steps:
                step.close()  # those that a newer transition has overtaken
        self._transition = None

    async def _up(self) -> None:
        self._transition = "PoweringOn"
        await asyncio.sleep(self.timing["powerS"])
        self._transition = None
        if self.machine is not None:
            self.machine.start()

    async def _down(self, shutdown_s: float) -> None:
        await asyncio.sleep(shutdown_s)
        if self.machine is not None:
            self.machine.stop()
        await asyncio.sleep(self.timing["powerS"])
