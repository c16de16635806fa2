"""`railyard netbox`: what a site has in NetBox, a plan for NetBox, and the differences between the two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from railyard import catalog, load
from railyard import plan as planning
from railyard.cli.console import FOUND, block, guarded, project_root, say, show, stop
from railyard.cli.design import ConfigFile, Root
from railyard.model.netbox import NetBoxData
from railyard.plan.names import listed
from railyard.plan.netbox import netbox_of
from railyard.read.netbox import SUFFIXES, read_netbox_files
from railyard.render.netbox import netbox_files
from railyard.render.netbox.catalogue_rows import catalogue_rows
from railyard.rules.netbox import check_against, check_export, check_import
from railyard.rules.registry import grouped

app = typer.Typer(help="NetBox: import, export, and compare. Files only; no NetBox is asked.", no_args_is_help=True)
MAX_FILES = 20_000
Folder = Annotated[Path, typer.Argument(help="Folder (or one file) of NetBox's files.", metavar="DIR")]
Stack = Annotated[str, typer.Argument(help="Stack, e.g. lab.")]
Percent = Annotated[
    float,
    typer.Option("--max-percent", help="Most that a feed may be used, of what it has after its utilisation.", min=1, max=100),
]


@app.command("import")
@guarded
def import_command(
    folder: Folder,
    out: Annotated[Path | None, typer.Option("--out", help="Write rows for the catalogue here.", show_default=False)] = None,
    max_percent: Percent = 100.0,
) -> None:
    """Read device types, racks, strips, devices, feeds and cables; say what contradicts the catalogue or itself.

    Device types and rack types as YAML (devicetype-library), tables as CSV, YAML or JSON. Exit code: 0 nothing to say;
    1 findings; 2 a file can't be read (all problems, with line and column).
    """
    data, unread = read_netbox_files(_files(folder))
    types, findings = check_import(data, catalog.load(), unread, max_percent)
    if out is not None:
        out.write_text(catalogue_rows(types, data.rack_types), encoding="utf-8")
    show(grouped(findings))
    say(f"{_counted(data)}; {_many(len(findings), 'finding')}" + (f"; written: {out}" if out else ""))
    held = [one.kind.slug for one in types if one.quarantined]
    if held:
        say(f"quarantined: {', '.join(held)}")
    if findings:
        raise typer.Exit(FOUND)


@app.command("export")
@guarded
def export_command(
    stack: Stack,
    out: Annotated[Path, typer.Option("--out", help="Folder to write to.")],
    config_file: ConfigFile = None,
    root: Root = None,
) -> None:
    """Write a stack's racks, devices, power and cables for NetBox's bulk import, numbered in the order of import.

    Exit code: 0 written; 1 NetBox can't hold something (nothing is written); 2 bad input.
    """
    wanted = _planned(stack, config_file, root)
    if findings := check_export(wanted):
        show(grouped(findings))
        raise typer.Exit(FOUND)
    if out.exists() and not out.is_dir():
        stop(block(str(out), "a file", "a folder", "name a folder: many files are written", "CLI-001"))
    files = netbox_files(wanted)
    before = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()) if out.exists() else []
    for name, content in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    say(f"{_counted(wanted)}")
    say(f"written: {len(files)} files in {out}; the order of import is in {out / 'README.md'}")
    if silent := [kind.model for kind in wanted.device_types if kind.u_height and not kind.of("power-port")]:
        say(f"0 W in NetBox, because the catalogue doesn't know their supplies: {listed(silent)}")
    if left := [name for name in before if name not in files]:
        say(f"left from before, not of this export: {listed(left)}")


@app.command("check")
@guarded
def check_command(stack: Stack, folder: Folder, config_file: ConfigFile = None, root: Root = None) -> None:
    """Compare a folder of NetBox's files with the plan of STACK: each difference with both values.

    Exit code: 0 the same; 1 differences; 2 something can't be read.
    """
    wanted = _planned(stack, config_file, root)
    there, _ = read_netbox_files(_files(folder))
    findings = check_against(wanted, there)
    show(findings)
    say(f"{_counted(there)} against {_counted(wanted)} of {stack}: {_many(len(findings), 'difference')}")
    if findings:
        raise typer.Exit(FOUND)


def _planned(stack: str, config_file: Path | None, root: Path | None) -> NetBoxData:
    base = project_root(root)
    config = load.site_config(base, stack, config_file=config_file.resolve() if config_file else None)
    return netbox_of(config, planning.plan(config))


def _files(folder: Path) -> list[tuple[str, bytes]]:
    """Files below a folder by name, or one file. What is no table and no YAML (pictures, README.md) is left out."""
    if not folder.exists():
        stop(block(str(folder), "no such file or folder", "a folder with NetBox's files", "check the path", "CLI-001"))
    paths = (
        [folder] if folder.is_file() else sorted(path for path in folder.rglob("*") if _wanted(path.relative_to(folder), path))
    )
    if len(paths) > MAX_FILES:
        fix = "give a folder with the types that the site has, not the whole library"
        stop(block(str(folder), f"{len(paths)} files", f"at most {MAX_FILES}", fix, "CLI-001"))
    return [(str(path if folder.is_file() else path.relative_to(folder)), path.read_bytes()) for path in paths]


def _wanted(relative: Path, path: Path) -> bool:
    return (
        path.is_file()
        and path.name.lower().removesuffix(".gz").endswith(SUFFIXES)
        and not any(part.startswith(".") for part in relative.parts)
    )


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _counted(data: NetBoxData) -> str:
    """How much is in some data, in words."""
    counts = {
        "device type": len({(kind.manufacturer, kind.model) for kind in data.device_types}),
        "rack type": len(data.rack_types),
        "rack": len({rack.name for rack in data.racks}),
        "device": len({(device.site, device.name) for device in data.devices}),
        "panel": len({panel.name for panel in data.panels}),
        "feed": len({(feed.panel, feed.name) for feed in data.feeds}),
        "cable": len({frozenset((cord.a, cord.z)) for cord in data.cables}),
    }
    return ", ".join(_many(count, word) for word, count in counts.items() if count) or "nothing"
