"""A configuration as the state holds it: one short text instead of a tree of 20 to 90 KB. Pure.

A rendered tree says nearly the same 64 times; packed it takes 2 KB (NVUE) to 7 KB (config_db). What changes is told beside it,
in words: `changes`. `python -m providers.fabric.packed < TEXT` prints the tree of a packed text.
"""

import base64
import json
import lzma
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from providers.fabric.tree import Path, Tree
from railyard.model.hostlist import compress

HEAD = "lzma:"
# Preset 4 and a small window: 4 ms for the largest tree; the next preset takes three times as long for a tenth less.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 4, "dict_size": 1 << 17}]
_PORT = re.compile(r"^(?P<port>(?:swp|Ethernet)\d+(?:s\d+)?)(?P<rest>\|.*)?$")
SHOWN, LONGEST = 60, 120
"""Lines of `changes`, and characters of a value in one of them."""
_ABSENT = object()


def pack(tree: Mapping[str, Any]) -> str:
    """The tree as text. Same tree, same text (of one liblzma; only trees are ever compared)."""
    plain = json.dumps(tree, sort_keys=True, separators=(",", ":")).encode()
    return HEAD + base64.b85encode(lzma.compress(plain, lzma.FORMAT_RAW, filters=_FILTERS)).decode()


def unpack(value: Any) -> Tree:
    """The tree behind a packed text; a tree as it is; {} for nothing. ValueError for anything else."""
    if value is None or isinstance(value, Mapping):
        return dict(value or {})
    if not isinstance(value, str) or not value.startswith(HEAD):
        raise ValueError("neither a configuration nor a packed one")
    try:
        found = json.loads(lzma.decompress(base64.b85decode(value[len(HEAD) :]), lzma.FORMAT_RAW, filters=_FILTERS))
    except (lzma.LZMAError, ValueError, EOFError) as error:
        raise ValueError(f"a packed configuration that is damaged: {error}") from None
    if not isinstance(found, dict):
        raise ValueError("a packed configuration that is no tree")  # noqa: TRY004  (a damaged text, not a wrong argument)
    return found


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, str]:
    """Changed keys, each with its old and new value; ports that change alike share a line.

    `interface.swp[10-64].link.mtu`: `9216 -> 9000`; `+ 9000` where there was none, `- 9216` where it goes.
    """
    alike: defaultdict[tuple[Path, str, Path, str], list[str]] = defaultdict(list)
    for path, before, after in _differences(old, new):
        at = next((index for index, part in enumerate(path) if _PORT.match(part)), None)
        if at is None:
            alike[path, "", (), _said(before, after)].append("")
        elif found := _PORT.match(path[at]):
            alike[path[:at], found["rest"] or "", path[at + 1 :], _said(before, after)].append(found["port"])
    lines = {
        ".".join([*head, *([compress(ports) + rest] if ports[0] else []), *tail]): said
        for (head, rest, tail, said), ports in alike.items()
    }
    if len(lines) > SHOWN:
        more = len(lines) - SHOWN + 1
        return dict(list(lines.items())[: SHOWN - 1]) | {
            "more": f"{more} more: compare the switch's file with the plan's of last time"
        }
    return lines


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], at: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """(path, old, new) of every value that differs; a subtree that comes or goes is one."""
    for key in sorted({*old, *new}):
        before, after = old.get(key, _ABSENT), new.get(key, _ABSENT)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from _differences(before, after, (*at, key))
        elif before != after:
            yield (*at, key), before, after


def _said(before: Any, after: Any) -> str:
    if before is _ABSENT:
        return f"+ {_text(after)}"
    return f"- {_text(before)}" if after is _ABSENT else f"{_text(before)} -> {_text(after)}"


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


if __name__ == "__main__":
    json.dump(unpack(sys.stdin.read().strip().strip('"')), sys.stdout, indent=2, sort_keys=True)
