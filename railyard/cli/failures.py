"""`railyard failures`: what survives when one thing fails."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import msgspec
import typer

from railyard import load, rules
from railyard import plan as planning
from railyard.cli.console import FOUND, block, guarded, project_root, say, show, stop
from railyard.cli.design import ConfigFile, Root, Stack
from railyard.model.failures import FailureEvent, FailureMatrix
from railyard.plan.failures import failure_event, failure_matrix, failure_pairs
from railyard.render.failure_text import event_text, matrix_text
from railyard.rules.failures import FAILURE_IDS

AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]
Pairs = Annotated[
    str | None,
    typer.Option(help="Every two failures at once in this rack and on the path above it.", metavar="RACK", show_default=False),
]
EventName = Annotated[
    str | None,
    typer.Option("--event", help="One failure step by step, like ups-a or dc1-r001-pdu-a.", metavar="NAME", show_default=False),
]


@guarded
def failures(
    stack: Stack,
    as_json: AsJson = False,
    pairs: Pairs = None,
    event: EventName = None,
    config_file: ConfigFile = None,
    root: Root = None,
) -> None:
    """What survives: lose each UPS, panel, busway, feed, strip, breaker, supply, cooling unit, switch and server in turn.

    Loads move to the live supplies, every breaker above is checked again, until nothing trips.

    Exit code: 0; 1 if a rule on single failures (POWER-030 and after) is broken; 2 if the input can't be read.
    """
    if pairs is not None and event is not None:
        stop(block("--event, --pairs", "both", "one of them", "ask for one after the other"))
    base = project_root(root)
    config = load.site_config(base, stack, config_file=config_file.resolve() if config_file else None)
    made = planning.plan(config)
    if event is not None:
        one = failure_event(made, event)
        say(_json(one) if as_json else event_text(one, sum(m.gpus for m in made.machines if m.role == "gpu")))
        return
    if pairs is not None:
        both = failure_pairs(made, pairs)
        say(_json(both) if as_json else matrix_text(both, f"{pairs}, every two at once", pairs=True))
        return
    matrix = failure_matrix(made)
    findings = [one for one in rules.check(config, made, datetime.now(UTC).date()) if one.id in FAILURE_IDS]
    say(_json(matrix) if as_json else matrix_text(matrix, f"{made.site.site}, one at a time"))
    if not as_json:
        show(findings)
    if any(one.severity in ("invariant", "limit") for one in findings):
        raise typer.Exit(FOUND)


def _json(value: FailureMatrix | FailureEvent) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
