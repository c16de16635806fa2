"""`railyard check-switch`: a switch's file or running configuration against the plan, by checks that its own tools lack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from railyard import load
from railyard import plan as planning
from railyard.cli.console import FOUND, block, guarded, project_root, say, show, stop
from railyard.cli.design import ConfigFile, Root, Stack
from railyard.model.lossless import Nos
from railyard.model.switch_intent import SwitchIntent
from railyard.plan.switch_intent import switch_intents
from railyard.rules.sonic_config import check_config_db
from railyard.rules.switch_config import check_frr

Switch = Annotated[str, typer.Argument(help="Name of the switch, e.g. roce-su001-leaf-r0.", metavar="SWITCH")]
File = Annotated[Path, typer.Argument(help="config_db.json, frr.conf or the output of `show running-config`.", metavar="FILE")]


@guarded
def check_switch(stack: Stack, switch: Switch, file: File, config_file: ConfigFile = None, root: Root = None) -> None:
    """Say what a SONiC or FRR configuration doesn't say as the plan has it. `vtysh -C` and YANG accept most of these faults.

    Exit code: 0 as planned; 1 findings; 2 the input can't be read (broken JSON, too).
    """
    config = load.site_config(project_root(root), stack, config_file=config_file.resolve() if config_file else None)
    tables, text = _read(file)
    nos: Nos = "frr" if tables is None else "sonic"
    # FRR runs on a system of its own or on the site's, and calls ports as that does.
    intents = {intent.hostname: intent for intent in switch_intents(planning.plan(config), None if nos == "frr" else nos)}
    intent = intents.get(switch)
    if intent is None:
        known = f"{len(intents)} switches, {next(iter(intents))} first" if intents else "no routed fabric in this stack"
        stop(block(f"switch {switch}", "not planned", known, "a switch of the plan's `switches/` folder", "CLI-008"))
    findings = check_frr(text, intent) if tables is None else check_config_db(tables, intent)
    show(findings)
    say(_verdict(switch, nos, intent, len(findings)))
    if findings:
        raise typer.Exit(FOUND)


def _read(file: Path) -> tuple[dict[str, Any] | None, str]:
    """The tables of a config_db.json (None for FRR's text), and the text.

    What begins like JSON, or is named so, is never taken for FRR's: a file that was cut short would have "no router" then.
    """
    text = file.read_bytes().decode("utf-8-sig", "replace")
    if text.lstrip()[:1] not in ("{", "[") and file.suffix.lower() != ".json":
        return None, text
    where, found = str(file), "JSON, but no object of tables"
    try:
        value: object = json.loads(text)
        if isinstance(value, dict):
            return cast("dict[str, Any]", value), text
    except json.JSONDecodeError as error:
        where, found = f"{file}:{error.lineno}:{error.colno}", f"broken JSON: {error.msg}"
    except (ValueError, RecursionError):
        found = "broken JSON: a number or a nesting beyond all sense"
    fix = "give the whole file: /etc/sonic/config_db.json of the switch, or the output of `show runningconfiguration all`"
    return stop(block(where, found, "a whole config_db.json: one JSON object of tables", fix, "READ-002"))


def _verdict(switch: str, nos: str, intent: SwitchIntent, findings: int) -> str:
    asked = f"AS {intent.asn}, {len(intent.fabric_ports())} neighbours, {len(intent.wired())} ports"
    return f"{switch} ({nos}): {findings or 'no'} finding{'' if findings == 1 else 's'}; planned: {asked}"
