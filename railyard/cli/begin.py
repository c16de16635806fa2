"""`railyard init`: the first files of a site of one's own."""

from __future__ import annotations

from typing import Annotated

import typer

from railyard.cli.console import guarded, project_root, say
from railyard.cli.design import Root
from railyard.cli.init import init as write_files


@guarded
def init(
    name: Annotated[str, typer.Argument(help="Name of the new site and stack, e.g. my-site.", metavar="NAME")],
    template: Annotated[
        str, typer.Option("--from", help="What to start from: starter (InfiniBand) or starter-roce (Ethernet).")
    ] = "starter",
    nodes: Annotated[
        str,
        typer.Option(
            "--nodes",
            help="GPU nodes, each with a placeholder machine in the inventory. Default: 4; at most the slots of the unit.",
            metavar="N",
            show_default=False,
        ),
    ] = "",
    root: Root = None,
) -> None:
    """Write a stack file and an inventory that plan and preview as they are. Overwrites nothing."""
    base = project_root(root)
    for path in write_files(name, template, base, nodes):
        say(f"written: {path.relative_to(base)}")
    say(f"next: railyard plan {name}")
