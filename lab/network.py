"""Picks a loopback /16 and ports that nobody else uses. The lock on a /16 is held by the supervisor while it lives."""

import errno
import fcntl
import os
import socket
from collections.abc import Iterable
from pathlib import Path

from lab import processes
from lab.errors import LabError
from lab.instance import FIXED_PORTS, HOSTS, Instance, runtime_dir

# Instances with a folder of their own start here, so that they leave the committed /16s (77, 78) to `.lab/<site>`.
FIRST, LAST = 100, 250
PORT_STEP, PORT_TRIES = 1000, 20


def lock(network: str, owner: Path) -> int | None:
    """Takes the /16 "127.N" for the instance in `owner`; a locked descriptor, or None when another instance lives there."""
    descriptor = os.open(runtime_dir() / f"{network}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    os.ftruncate(descriptor, 0)
    os.write(descriptor, os.fsencode(owner))
    return descriptor


def owner(network: str) -> str:
    """The folder of the instance that holds the /16, as text for a message."""
    try:
        return (runtime_dir() / f"{network}.lock").read_text(encoding="utf-8") or "unknown"
    except OSError:
        return "unknown"


def reserved(network: str, folder: Path) -> bool:
    """True when another instance that is stopped, but still exists, picked this /16 earlier."""
    other = Path(owner(network))
    if other == folder or not (other / "instance.json").is_file():
        return False
    return f'"network": "{network}"' in (other / "instance.json").read_text(encoding="utf-8")


def take(network: str, folder: Path) -> tuple[str, int]:
    """(network, lock descriptor) of the /16 that a person asked for. Raises LabError (LAB-004) when it's in use."""
    descriptor = lock(network, folder)
    if descriptor is None:
        fix = f"python -m lab down --dir {owner(network)}, or leave --network out"
        raise LabError("LAB-004", f"{network}.0.0/16", f"in use by the instance {owner(network)}", "one live instance", fix)
    return network, descriptor


def pick(preferred: str | None, folder: Path) -> tuple[str, int]:
    """(network, lock descriptor): `preferred` if it's free, else the next free /16. Raises LabError (LAB-004)."""
    if preferred is not None:
        descriptor = lock(preferred, folder)
        if descriptor is not None:
            return preferred, descriptor
    numbers = [f"127.{number}" for number in range(FIRST, LAST)]
    free = [network for network in numbers if network != preferred and not reserved(network, folder)]
    # A stopped instance's /16 is taken only when nothing else is left: its next `up` would be refused while we live.
    for network in dict.fromkeys(free + numbers):
        descriptor = lock(network, folder)
        if descriptor is not None:
            return network, descriptor
    where, found = f"127.{FIRST}.0.0 to 127.{LAST - 1}.0.0", "every /16 in use by another instance"
    raise LabError("LAB-004", where, found, "one free /16", "python -m lab down --all, or remove instance folders")


def retake(instance: Instance) -> int:
    """The lock of an instance's own /16 at a later `up`. Raises LabError (LAB-004) when another instance lives there."""
    descriptor = lock(instance.network, instance.dir)
    if descriptor is None:
        other = owner(instance.network)
        fix = f"python -m lab down --dir {other}, or remove {instance.dir} and run `up` again to get another /16"
        raise LabError("LAB-004", f"{instance.network}.0.0/16", f"in use by the instance {other}", "one live instance", fix)
    return descriptor


def addresses(network: str, ports: dict[str, int], bmcs: Iterable[str], *, control_plane: bool) -> list[tuple[str, str, int]]:
    """(service, address, port) of everything the instance will listen on."""
    found = [("provision", f"{network}.{HOSTS['provision']}", ports["provision"])]
    if control_plane:
        found += [(name, f"{network}.{HOSTS[name]}", port) for name, listed in FIXED_PORTS.items() for port in listed]
    return found + [("bmc", bmc, ports["bmc"]) for bmc in bmcs]


def is_free(address: str, port: int) -> bool:
    """True when we could listen on address:port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise LabError(
                "LAB-005", f"{address}:{port}", str(error), "an address of ours", "check the loopback interface"
            ) from error
    return True


def pick_ports(network: str, ports: dict[str, int], bmcs: list[str]) -> dict[str, int]:
    """The ports, with those in use replaced by the next free one (steps of 1000). Raises LabError (LAB-005)."""
    picked = dict(ports)
    for name in ports:
        hosts = bmcs if name == "bmc" else [f"{network}.{HOSTS[name]}"]
        tries = [ports[name]] + [10_000 + PORT_STEP * index + ports[name] % PORT_STEP for index in range(PORT_TRIES)]
        free = (port for port in tries if all(is_free(host, port) for host in hosts))
        found = next(free, None)
        if found is None:
            raise LabError("LAB-005", f"{network}.*:{ports[name]} ({name})", "in use", "a free port", "stop what listens there")
        picked[name] = found
    return picked


def check_ports(instance: Instance, bmcs: list[str]) -> None:
    """At a later `up` ports are fixed: raises LabError (LAB-005) that names who listens there."""
    for name, address, port in addresses(instance.network, instance.ports, bmcs, control_plane=instance.control_plane):
        if not is_free(address, port):
            who = processes.listener(address, port)
            fix = f"stop it, or remove {instance.dir} and run `up` again to get other ports"
            raise LabError("LAB-005", f"{address}:{port} ({name})", f"in use by {who}", "a free port (picked earlier)", fix)
