"""One rule explained as text, in the words of its registry entry."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from railyard.rules import Rule

_WIDTH = 100
_LABEL = 11


def rule_text(rule: Rule) -> str:
    """Title, why, what passes and fails, how to fix it and where it comes from; no final newline."""
    how = "noted" if rule.severity == "notice" else "enforced"
    enforced = f"{rule.severity}, {how} by the {rule.pack} pack" if rule.pack else rule.severity
    rows = (
        ("kind", enforced),
        ("why", rule.why),
        ("looks at", rule.inputs),
        ("passes", rule.passes),
        ("fails", rule.fails),
        ("cause", rule.cause),
        ("by hand", rule.manual),
        ("fix", rule.fix),
        ("source", rule.source),
        ("framework", rule.framework),
        ("read more", rule.url),
    )
    return "\n".join([f"{rule.id}  {rule.title}", *(_row(name, value) for name, value in rows if value)])


def _row(name: str, value: str) -> str:
    indent = " " * (_LABEL + 2)
    return textwrap.fill(value, _WIDTH, initial_indent=f"  {name:<{_LABEL}}", subsequent_indent=indent)
