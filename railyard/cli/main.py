"""The `railyard` command. Exit codes: 0 done; 1 the plan is impossible, a file is stale, something is missing; 2 bad input."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from railyard.cli import audit, begin, design, fabric, failures, netbox, nodes, processes, reference, switch, yang

# A traceback with local variables would print what nobody should read in a log; ours are plain.
app = typer.Typer(name="railyard", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"railyard {version('railyard')}")
        raise typer.Exit


@app.callback()
def main(
    shown: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and end.")
    ] = False,
) -> None:
    """Plan, check and look at an LLM training site. Deploy it with `pulumi up`."""


app.command("init")(begin.init)
app.command("plan")(design.plan)
app.command("report")(design.report)
app.command("fabric")(fabric.fabric)
app.command("failures")(failures.failures)
app.command("audit")(audit.audit_command)
app.add_typer(netbox.app, name="netbox")
app.command("topology")(nodes.topology)
app.command("host")(nodes.host)
app.command("check-switch")(switch.check_switch)
app.command("check-yang")(yang.check_yang)
app.command("rules")(design.rule)
app.command("doctor")(processes.doctor)
app.command("unlock")(processes.unlock)
app.command("docs")(reference.docs)
