"""frr.conf and `show running-config` -> statements, so that both can be compared and judged (FRR 8.4)."""

import re
from typing import Any

import msgspec

_OPENS = re.compile(r"^(interface|router|route-map|bfd|vrf|key chain|line vty|peer|profile)\b")
_NOISE = re.compile(
    r"^(!|$|end$|exit$|exit-address-family$|exit-vrf$|Building configuration|Current configuration|frr version )"
)


class FrrConfig(msgspec.Struct, frozen=True):
    """`top` are statements of one line; `blocks` are (head, statements inside) in file order, a head may stand twice.

    A statement of an address family carries it in front: `ipv4 unicast: maximum-paths 32`.
    """

    top: tuple[str, ...]
    blocks: tuple[tuple[str, tuple[str, ...]], ...]

    def named(self, start: str) -> list[tuple[str, tuple[str, ...]]]:
        """Blocks whose head begins so."""
        return [block for block in self.blocks if block[0].startswith(start)]

    def normal(self) -> dict[str, Any]:
        """The same whatever the order of blocks, of interfaces and of statements: what two texts are compared by."""
        return {
            "top": sorted(self.top),
            "blocks": sorted((head, sorted(lines)) for head, lines in self.blocks),
        }


def read_frr(text: str) -> FrrConfig:
    """Read a configuration. Whatever isn't noise is kept, known or not: nothing is guessed."""
    top: list[str] = []
    blocks: list[tuple[str, list[str]]] = []
    family, inner = "", ""
    inside = False
    for line in text.splitlines():
        words = " ".join(line.split())
        indented = line[:1].isspace()
        if words == "exit-address-family":
            family = ""
        if words == "exit":
            inner, family = "", ""
            inside = inside and indented
        if _NOISE.match(words):
            continue
        if not indented:
            family, inner = "", ""
            inside = bool(_OPENS.match(words))
            if inside:
                blocks.append((words, []))
            else:
                top.append(words)
        elif words.startswith("address-family "):
            family = words.removeprefix("address-family ")
        elif blocks and inside and line.startswith(" ") and not line.startswith("  ") and words.startswith("profile "):
            inner = words
            blocks[-1][1].append(words)
        elif blocks and inside:
            front = f"{family}: " if family else f"{inner}: " if inner else ""
            blocks[-1][1].append(front + words)
        else:
            top.append(words)
    return FrrConfig(tuple(top), tuple((head, tuple(lines)) for head, lines in blocks))
