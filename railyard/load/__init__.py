"""The only place that reads a site's files. Errors of shape stop here: all of them, each with its path; nothing is judged."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from railyard import catalog
from railyard.load.inventory import read_inventory
from railyard.load.reader import Document, dotted
from railyard.load.reader import Path as Where
from railyard.load.shape import did_you_mean, show
from railyard.load.stack import from_config, read_stack
from railyard.model.catalog import Catalog
from railyard.model.config import SiteConfig
from railyard.model.errors import LoadError
from railyard.model.site import StackFile

__all__ = ["LoadError", "SiteConfig", "from_engine", "site_config", "stack_names"]

STACKS = "stacks"
_MANAGER = "ufm-host"
"""Fabric managers stand in no catalogue: `railyard.plan.managers` has their few facts."""


def stack_names(root: Path) -> list[str]:
    """The stacks that have a file, sorted."""
    return sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in (root / STACKS).glob("Pulumi.?*.yaml"))


def site_config(root: Path, stack: str, *, config_file: Path | None = None) -> SiteConfig:
    """What the CLI reads: the stack file (or `config_file`), the inventory that it names, the catalogue. Raises LoadError."""
    path = config_file or root / STACKS / f"Pulumi.{stack}.yaml"
    file, document = read_stack(path if path.is_absolute() else root / path, _where(root, path))
    if file is None and config_file is None and not _exists(root, path):
        names = stack_names(root)
        if names:
            fix = f"{did_you_mean(stack, names)} Or write one: `railyard init {stack} --from starter`"
            document.problems.clear()  # that its file is missing is the same fact
            document.add("LOAD-015", "", f"no stack `{stack}`", "a stack with a file", fix)
    return _join(root, stack, file, document)


def from_engine(root: Path, stack: str, config: Mapping[str, str]) -> SiteConfig:
    """What the program reads: the engine's configuration, as it stands in PULUMI_CONFIG. Raises LoadError."""
    file, document = from_config(config, f"{STACKS}/Pulumi.{stack}.yaml")
    return _join(root, stack, file, document)


def _exists(root: Path, path: Path) -> bool:
    """Whether there is anything at a path below `root`; False for what can be no path."""
    try:
        return (root / path).exists()
    except (OSError, ValueError):
        return False


def _join(root: Path, stack: str, file: StackFile | None, document: Document) -> SiteConfig:
    if file is None:
        raise LoadError(document.problems)
    known = catalog.load()
    _check_models(file, known, document)
    path = Path(file.site.inventory)
    if not _exists(root, path):
        document.add("LOAD-001", *_no_inventory(root, file.site.inventory), document.line(("site", "inventory")))
        raise LoadError(document.problems)
    try:
        inventory, digest, second = read_inventory(root / path, _where(root, path), file.site.name)
    except (OSError, ValueError) as error:
        document.add("LOAD-001", "railyard:site.inventory", str(error), "a path", "write the inventory's path")
        raise LoadError(document.problems) from None
    problems = document.problems + second.problems
    if problems or inventory is None:
        raise LoadError(problems)
    return SiteConfig(stack=stack, file=file, inventory=inventory, inventory_sha256=digest, catalog=known)


def _no_inventory(root: Path, named: str) -> tuple[str, str, str, str]:
    """Key, found, limit and fix where `site.inventory` leads nowhere; the nearest inventory that is there is named."""
    there = sorted(str(path.relative_to(root)) for path in (root / "sites").glob("*/inventory.*"))
    fix = did_you_mean(named, there) if there else "`railyard init NAME --from starter` writes one"
    return "railyard:site.inventory", f"no file {show(named)}", "an inventory, by its path below the project root", fix


def _check_models(file: StackFile, known: Catalog, document: Document) -> None:
    named: list[tuple[Where, str, list[str]]] = [
        (("compute", "nodeModel"), file.compute.node_model, list(known.nodes)),
        (("facility", "rackModel"), file.facility.rack_model, list(known.racks)),
        (("fabric", "switchModel"), file.fabric.switch_model, list(known.switches)),
        *([(("storage", "nodeModel"), file.storage.node_model, list(known.storage))] if file.storage.nodes else []),
        *(
            (("facility", "feeds", index, "pduModel"), feed.pdu_model, list(known.pdus))
            for index, feed in enumerate(file.facility.feeds)
        ),
    ]
    for path, name, names in (*named, *_cooling_models(file, known)):
        if name not in names:
            document.add(
                "LOAD-015",
                f"railyard:{dotted(path)}",
                f"`{name}`",
                "a model of railyard/catalog",
                did_you_mean(name, names),
                document.line(path),
            )


def _cooling_models(file: StackFile, known: Catalog) -> Iterator[tuple[Where, str, list[str]]]:
    """CDUs, rear doors and the models whose air is stated, each with the names that it could have."""
    if file.cooling is None:
        return
    names = {kind: [name for name, row in known.cooling.items() if row.kind == kind] for kind in ("cdu", "rear-door")}
    for index, unit in enumerate(file.cooling.cdus):
        yield ("cooling", "cdus", index, "model"), unit.model, names["cdu"]
    if file.cooling.rear_doors:
        yield ("cooling", "rearDoors", "model"), file.cooling.rear_doors.model, names["rear-door"]
    devices = [*known.nodes, *known.storage, *known.switches, *known.management_switches, _MANAGER]
    yield from ((("cooling", "airflow", name), name, devices) for name in file.cooling.airflow)


def _where(root: Path, path: Path) -> str:
    return str(path.relative_to(root)) if path.is_absolute() and path.is_relative_to(root) else str(path)
