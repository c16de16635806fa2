"""First steps of `up`: pick what an instance keeps for ever, write its certificates, secrets, images and copies."""

import dataclasses
import secrets
import shutil
from pathlib import Path

from lab import files, inventory, network, pki, rewrite
from lab.errors import LabError
from lab.instance import PORTS, ROOT, Instance, lab_home, load
from lab.inventory import MachineFacts
from lab.switches import cabled

IMAGES = Path(__file__).resolve().parent / "images"
BMCS_PER_CERTIFICATE = 32
SECRETS = {"bmc-factory": "admin", "bmc-account": "railyard", "provision-admin": "provision", "switch-admin": "railyard"}


@dataclasses.dataclass(frozen=True)
class Wish:
    """What the command line asks for. None = as it was, or the default."""

    dir: Path | None = None
    site: str | None = None
    stack: str | None = None
    stack_file: Path | None = None
    network: str | None = None
    control_plane: bool | None = None
    provision: bool | None = None
    timing: dict[str, float] = dataclasses.field(default_factory=dict)


def site_path(site: str | None) -> Path:
    """The inventory that `--site` names: a file, or a site's name. Default: sites/lab/inventory.yaml."""
    if site is None:
        site = "lab"
    named = ROOT / "sites" / site / "inventory.yaml"
    return (named if "/" not in site and not site.endswith((".yaml", ".yml")) else Path(site)).resolve()


def folder(wish: Wish) -> Path:
    """The instance's directory: `--dir`, else `.lab/<site>`."""
    if wish.dir is not None:
        return wish.dir.resolve()
    path = site_path(wish.site)
    site = path.parent.name if not path.exists() else inventory.read(path)[0]
    return lab_home() / site


def open_or_create(wish: Wish) -> tuple[Instance, int, bool]:
    """(instance, descriptor of its /16 lock, True when it is new). Raises LabError."""
    where = folder(wish)
    known = load(where)
    if known is not None:
        instance = updated(known, wish)
        return instance, network.retake(instance), False
    return *_create(where, wish), True


def _create(where: Path, wish: Wish) -> tuple[Instance, int]:
    source = site_path(wish.site)
    site, machines = inventory.read(source)
    stack = wish.stack or site
    committed = rewrite.committed_network([one.host for one in machines])
    preferred = committed if where == lab_home() / site else None
    picked, lock = network.take(wish.network, where) if wish.network else network.pick(preferred, where)
    bmcs = [_moved(one, committed, picked) for one in machines]
    ports = network.pick_ports(picked, dict(PORTS), bmcs)
    instance = Instance(
        dir=where, site=site, stack=stack, network=picked, inventory=source, ports=ports,
        stack_file=(wish.stack_file or ROOT / "stacks" / f"Pulumi.{stack}.yaml").resolve(),
        control_plane=wish.control_plane is not False, provision=wish.provision is not False,
    )  # fmt: skip
    instance.timing.update(wish.timing)
    where.mkdir(parents=True, exist_ok=True)
    instance.save()
    return instance, lock


def _moved(one: MachineFacts, committed: str | None, picked: str) -> str:
    return picked + one.host.removeprefix(committed) if committed and one.host.startswith(f"{committed}.") else one.host


def updated(instance: Instance, wish: Wish) -> Instance:
    """The instance with what this `up` asks to change. A /16 stays for ever."""
    if wish.network is not None and wish.network != instance.network:
        fix = f"remove {instance.dir} (python -m lab down first), then `up` again"
        raise LabError("LAB-008", "--network", wish.network, f"{instance.network}, picked when the instance was made", fix)
    changes: dict[str, object] = {}
    if wish.site is not None and site_path(wish.site) != instance.inventory:
        changes["inventory"] = site_path(wish.site)
    if wish.stack_file is not None:
        changes["stack_file"] = wish.stack_file.resolve()
    if wish.control_plane is not None:
        changes["control_plane"] = wish.control_plane
    if wish.provision is not None:
        changes["provision"] = wish.provision
    if wish.timing:
        changes["timing"] = {**instance.timing, **wish.timing}
    return dataclasses.replace(instance, **changes)  # type: ignore[arg-type]


def prepare(instance: Instance) -> tuple[Instance, list[MachineFacts]]:
    """Writes everything that `instance` lacks; (instance with the sources' digest, its machines at their addresses)."""
    for path in (instance.logs, instance.state, instance.images, instance.secrets, instance.pki):
        path.mkdir(parents=True, exist_ok=True)
    instance.secrets.chmod(0o700)
    write_secrets(instance)
    copy_images(instance)
    instance = refresh_copies(instance)
    machines = inventory.read(instance.machines_file)[1]
    write_certificates(instance, machines)
    cabled.prepare(instance)
    instance.save()
    return instance, machines


def refresh_copies(instance: Instance) -> Instance:
    """Writes the copies of inventory and stack file again when their sources changed."""
    found = rewrite.digest(instance)
    if found != instance.source_digest or not instance.machines_file.exists():
        machines = inventory.read(instance.inventory)[1]
        committed = rewrite.committed_network([one.host for one in machines])
        rewrite.write_copies(instance, committed or instance.network)
    return dataclasses.replace(instance, source_digest=found)


def write_secrets(instance: Instance) -> None:
    """Random passwords, one file each, readable by the owner only; kept for ever."""
    for name, user in SECRETS.items():
        path = instance.secrets / name
        if not path.exists():
            files.write(path, f"username: {user}\npassword: {secrets.token_urlsafe(18)}\n", mode=0o600)


def copy_images(instance: Instance) -> None:
    """The operating system images that the provisioning service hands out."""
    for image in IMAGES.glob("*.img"):
        target = instance.images / image.name
        if not target.exists() or target.stat().st_mtime < image.stat().st_mtime:
            shutil.copyfile(image, target)


def write_certificates(instance: Instance, machines: list[MachineFacts]) -> None:
    """A certificate for the provisioning service, and one for every 32 BMCs (a TLS context per BMC costs 2 ms at each start).

    `pki/bmc.json` says which certificate has a BMC's address: {"127.77.1.1": "bmc-1"}.
    """
    index = instance.pki / "bmc.json"
    known: dict[str, str] = files.read_json(index) or {}
    wanted = [one.host for one in machines if one.host not in known]
    if not wanted and instance.ca.exists() and (instance.pki / "provision.crt").exists():
        return
    authority = pki.Authority(instance.pki, f"railyard lab {instance.site}")
    authority.issue("provision", ips=[instance.address("provision")])
    taken = len(set(known.values()))
    for start in range(0, len(wanted), BMCS_PER_CERTIFICATE):
        hosts, name = wanted[start : start + BMCS_PER_CERTIFICATE], f"bmc-{taken + start // BMCS_PER_CERTIFICATE + 1}"
        authority.issue(name, ips=hosts)
        known |= dict.fromkeys(hosts, name)
    files.write_json(index, known)
