"""The instance's copies of the committed inventory and stack file, with this instance's addresses and paths."""

import hashlib
import re
from pathlib import Path

from lab import files
from lab.instance import HOSTS, PORTS, ROOT, Instance


def committed_network(machines: list[str]) -> str | None:
    """The /16 that the committed inventory uses ("127.77"); None for an empty inventory."""
    return ".".join(machines[0].split(".")[:2]) if machines else None


def text(source: str, committed: str, instance: Instance) -> str:
    """`source` with every address of the committed /16 mapped into the instance's, ports included."""

    def replace(match: re.Match[str]) -> str:
        host, port = match["host"], match["port"]
        if port is None:
            return f"{instance.network}.{host}"
        name = "provision" if host == HOSTS["provision"] else "bmc"
        usual = int(port) == PORTS[name] and (name == "provision" or not host.startswith("0."))
        return f"{instance.network}.{host}:{instance.ports[name] if usual else port}"

    pattern = rf"(?<![\d.]){re.escape(committed)}\.(?P<host>\d{{1,3}}\.\d{{1,3}})(?::(?P<port>\d{{1,5}}))?(?![\d])"
    return re.sub(pattern, replace, source)


def paths(source: str, instance: Instance) -> str:
    """`source` with `.lab/<site>/…` and the committed inventory's path pointing into the instance's directory."""
    if not instance.is_default():
        source = re.sub(rf"(?<![\w/.-])\.lab/{re.escape(instance.site)}/", lambda _: f"{instance.dir}/", source)
    inventory = str(instance.machines_file.relative_to(ROOT)) if instance.is_default() else str(instance.machines_file)
    return re.sub(rf"(?<![\w/.-])sites/{re.escape(instance.site)}/inventory\.yaml", lambda _: inventory, source)


def digest(instance: Instance) -> str:
    """SHA-256 over the sources: changes when the copies must be written again."""
    total = hashlib.sha256(instance.inventory.read_bytes())
    if instance.stack_file is not None and instance.stack_file.exists():
        total.update(b"\0" + instance.stack_file.read_bytes())
    return total.hexdigest()


def write_copies(instance: Instance, committed: str) -> None:
    """Writes `inventory.yaml` and `Pulumi.<stack>.yaml` into the instance's directory."""
    machines = text(instance.inventory.read_text(encoding="utf-8"), committed, instance)
    files.write(instance.machines_file, paths(machines, instance))
    if instance.stack_file is not None and instance.stack_file.exists():
        source = instance.stack_file.read_text(encoding="utf-8")
        files.write(instance.config_file, paths(text(source, committed, instance), instance))


def unchanged(instance: Instance) -> bool:
    """True when the committed files fit as they are (default place, committed /16, usual ports)."""
    same = instance.machines_file.read_bytes() == instance.inventory.read_bytes()
    return same and instance.is_default() and instance.ports == PORTS


def relative(path: Path) -> str:
    """`path` as a person types it: relative to the project root where it lies below it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
