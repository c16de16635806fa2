"""Bare metal in order: machine, installation, gate per scalable unit. Two resources per machine, one gate per unit."""

from collections import defaultdict
from collections.abc import Sequence

import pulumi

from providers.metal.sdk import FacilityGate, Installation, Machine
from railyard.model.plan import MachinePlan
from railyard.model.site import Bmc, Install, StackFile

PHASE = "facility"


def build_metal(
    site: str, file: StackFile, machines: Sequence[MachinePlan], opts: pulumi.ResourceOptions
) -> dict[str, FacilityGate]:
    """Register every active machine and its installation; return the gate of each unit, by unit name.

    A quarantined machine is not registered: nothing is written to it, and its gate only names it.
    """
    installed: dict[str, list[Installation]] = defaultdict(list)
    units: dict[str, list[MachinePlan]] = defaultdict(list)
    for machine in machines:
        unit = _unit_name(site, machine)
        units[unit].append(machine)
        if machine.lifecycle == "active":
            registered = Machine(machine.name, machine_inputs(machine, file.bmc, file.addresses.ntp_servers), opts=opts)
            installed[unit].append(Installation(machine.name, installation_inputs(machine, file, registered.token), opts=opts))
    return {unit: _gate(unit, members, installed[unit], file, opts) for unit, members in sorted(units.items())}


def machine_inputs(machine: MachinePlan, bmc: Bmc, ntp_servers: Sequence[str]) -> dict[str, object]:
    """Inputs of `metal:index:Machine`: one section each; a section that is left out is unmanaged."""
    return {
        "bmc": machine.bmc,
        "caFile": bmc.ca_file,
        "verifyTls": bmc.verify_tls,
        "accountRef": bmc.account_ref,
        "factoryRef": bmc.factory_ref,
        "identity": {"serial": machine.serial, "macs": list(machine.macs), "gpus": machine.gpus, "nics": machine.nics},
        "accounts": {"name": bmc.account, "removeFactory": bmc.remove_factory_account},
        "services": {"ntpServers": list(ntp_servers)},
        "bootOrder": list(bmc.boot_order),
        "power": "on",
    }


def installation_inputs(machine: MachinePlan, file: StackFile, token: pulumi.Output[str]) -> dict[str, object]:
    """Inputs of `metal:index:Installation`. `token` orders it behind its machine."""
    install: Install = file.install
    return {
        "bmc": machine.bmc,
        "caFile": file.bmc.ca_file,
        "verifyTls": file.bmc.verify_tls,
        "accountRef": file.bmc.account_ref,
        "serial": machine.serial,
        "name": machine.name,
        "machineToken": token,
        "generation": machine.install_generation,
        "confirmSerial": machine.confirm_serial or "",
        "image": install.image,
        "imageSha256": install.image_sha256,
        "serviceUrl": install.service_url,
        "serviceCaFile": install.service_ca_file or "",
        "adminRef": install.admin_ref,
        "seed": {"hostname": machine.name, "role": machine.role, "labels": machine.labels},
        "deadlineS": install.deadline_s,
    }


def _gate(
    unit: str,
    members: Sequence[MachinePlan],
    installations: Sequence[Installation],
    file: StackFile,
    opts: pulumi.ResourceOptions,
) -> FacilityGate:
    active = [machine for machine in members if machine.lifecycle == "active"]
    # Setting a machine aside mustn't lower the bar by itself: that takes a number in the stack file.
    minimum = file.gates.minimum_ready if members[0].role == "gpu" else file.gates.storage_minimum_ready
    return FacilityGate(
        unit,
        {
            "phase": PHASE,
            "unit": unit,
            "machines": [
                {"name": m.name, "serial": m.serial, "bmc": m.bmc, "generation": m.install_generation} for m in active
            ],
            "quarantined": [{"name": m.name, "reason": m.reason or ""} for m in members if m.lifecycle != "active"],
            "minimumReady": minimum or len(members),
            "caFile": file.bmc.ca_file,
            "verifyTls": file.bmc.verify_tls,
            "accountRef": file.bmc.account_ref,
            "serviceUrl": file.install.service_url,
            "serviceCaFile": file.install.service_ca_file or "",
            "adminRef": file.install.admin_ref,
            "tokens": [installation.token for installation in installations],
        },
        opts=opts,
    )


def _unit_name(site: str, machine: MachinePlan) -> str:
    return f"{site}-sto" if machine.unit is None else f"{site}-su{machine.unit:03d}"
