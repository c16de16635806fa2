"""Switch configuration out of a plan: one folder per system and switch. Pure functions of a `SwitchIntent`.

`sonic(intent)` and `nvue(intent)` are trees (plain dicts), `frr(intent)` and `eos(intent)` are texts; the port names in an
intent are those of one system: `switch_intents(plan, nos)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from railyard.model.lossless import Nos
from railyard.model.switch_intent import SwitchIntent
from railyard.plan.switch_intent import switch_intents
from railyard.render.switches.eos import eos
from railyard.render.switches.frr import frr
from railyard.render.switches.nvue import nvue
from railyard.render.switches.sonic import sonic

if TYPE_CHECKING:
    from railyard.plan import Plan

__all__ = ["FILE_NAMES", "configuration", "eos", "frr", "nvue", "sonic", "switch_file", "switch_files"]

FILE_NAMES: dict[Nos, str] = {"sonic": "config_db.json", "cumulus": "nvue.json", "eos": "switch.eos", "frr": "frr.conf"}
_RENDER: dict[Nos, Callable[[SwitchIntent], object]] = {"sonic": sonic, "cumulus": nvue, "eos": eos, "frr": frr}


def switch_file(intent: SwitchIntent, nos: Nos) -> bytes:
    """The file of one switch; `intent` was made for this system."""
    content = _RENDER[nos](intent)
    if isinstance(content, str):
        return content.encode()
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def configuration(intent: SwitchIntent) -> Mapping[str, object]:
    """The tree that providers/fabric sends to a switch: NVUE's, or the tables of a config_db."""
    return nvue(intent) if intent.site.nos == "cumulus" else sonic(intent)


def switch_files(plan: Plan) -> Iterator[tuple[str, bytes]]:
    """(`switches/<nos>/<switch>/<file>`, content) of every switch of a routed fabric, for the stack file's system."""
    if plan.routing is None:
        return
    nos = plan.routing.nos
    for intent in switch_intents(plan, nos):
        yield f"switches/{nos}/{intent.hostname}/{FILE_NAMES[nos]}", switch_file(intent, nos)
