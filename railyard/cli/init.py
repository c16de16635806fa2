"""`railyard init NAME --from TEMPLATE`: a stack file and an inventory of one's own, ready to preview."""

import hashlib
import re
from importlib.resources import files
from ipaddress import ip_address
from pathlib import Path

from railyard.load.scalars import plain
from railyard.model.errors import LoadError, Problem

TEMPLATES = ("starter", "starter-roce")
GPUS = 8
"""GPUs of a node of both templates."""
_STANDING = re.compile(r"nodes: (\d+) # what stands there now; the other (\d+) slots of the unit are kept free")
_MACHINE = re.compile(r"^(?=  - name: )", re.MULTILINE)
_SERIAL, _MAC, _BMC = re.compile(r"\bRY[0-9A-F]{10}\b"), re.compile(r"\b02(:[0-9a-f]{2}){5}\b"), re.compile(r"(?<=bmc: )\S+")
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?", re.ASCII)


class InitError(LoadError):
    """A site of one's own that can't be begun: what was asked for is no input file, and its ids are errors of the command."""

    heading = "{problems} in what was asked for"
    url = "docs/reference/errors.md"


def init(name: str, template: str, root: Path, nodes: str = "") -> list[Path]:
    """Write `stacks/Pulumi.NAME.yaml` and `sites/NAME/inventory.yaml` below `root`; returns their paths.

    `nodes` is how many GPU nodes stand there, as it was typed; empty: as many as the template has.
    Raises InitError: INIT-001 the name is none, INIT-002 no such template, INIT-003 a file is in the way, INIT-004 can't write,
    INIT-005 no such number of nodes. Overwrites nothing, and writes both files or none.
    """
    problems = [*_problems(name, template), *_bad_nodes(template, nodes)]
    if problems:
        raise InitError(problems)
    stack, inventory = _text(template, "stack.yaml"), _text(template, "inventory.yaml")
    if nodes:
        stack, inventory = _sized(stack, int(nodes)), _machines(inventory, int(nodes))
    texts = {
        root / "stacks" / f"Pulumi.{name}.yaml": _filled(stack, name),
        root / "sites" / name / "inventory.yaml": _inventory(_filled(inventory, name), name),
    }
    taken = [path for path in texts if path.exists() or path.is_symlink()]
    if taken:
        raise InitError(
            Problem(
                "INIT-003", str(path.relative_to(root)), "the file is there", "init overwrites nothing", "take another name"
            )
            for path in taken
        )
    _write(texts, root)
    return list(texts)


def _write(texts: dict[Path, str], root: Path) -> None:
    done: list[Path] = []
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                done.append(path)
                file.write(text)
    except OSError as error:
        for path in done:
            path.unlink(missing_ok=True)
        found = error.strerror or str(error)
        problem = Problem("INIT-004", str(root), found, "a folder that can be written", "check the path and its permissions")
        raise InitError([problem]) from None


def _problems(name: str, template: str) -> list[Problem]:
    problems: list[Problem] = []
    if not _NAME.fullmatch(name):
        limit = "a DNS label: at most 32 of a-z, 0-9 and -, not at the ends"
        near = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:32].strip("-")
        problems.append(Problem("INIT-001", "NAME", ascii(name), limit, f"try `{near}`" if near else "for example `my-site`"))
    if template not in TEMPLATES:
        problems.append(
            Problem(
                "INIT-002",
                "--from",
                ascii(template),
                f"one of: {', '.join(TEMPLATES)}",
                "use --from starter (InfiniBand) or starter-roce",
            )
        )
    return problems


def _bad_nodes(template: str, nodes: str) -> list[Problem]:
    """INIT-005: the templates are one scalable unit, whose switches, blocks and racks are sized for all of its slots."""
    if not nodes or template not in TEMPLATES:
        return []
    slots = _slots(_text(template, "stack.yaml"))
    if re.fullmatch(r"\d{1,9}", nodes, re.ASCII) and 1 <= int(nodes) <= slots:
        return []
    limit = f"a whole number from 1 to {slots}: the slots of the unit of {template}"
    more = bool(re.fullmatch(r"\d+", nodes, re.ASCII)) and bool(nodes.strip("0"))
    fix = f"begin with --nodes {slots}, then raise railyard:fabric.scalableUnits" if more else "for example --nodes 8"
    shown = ascii(nodes if len(nodes) <= 60 else f"{nodes[:60]}...")
    return [Problem("INIT-005", "--nodes", shown, limit, fix)]


def _slots(stack: str) -> int:
    """Slots of a template's unit: those that are filled, and the others."""
    (filled, free), *_ = _STANDING.findall(stack)
    return int(filled) + int(free)


def _sized(stack: str, nodes: int) -> str:
    """A template's stack file for another number of nodes: counts, gate and quotas follow, the design stays."""
    free = _slots(stack) - nodes
    rest = f"the other {free} slots of the unit are kept free" if free else "all slots of the unit"
    lent = GPUS * nodes // 4
    for pattern, text in (
        (_STANDING.pattern, f"nodes: {nodes} # what stands there now; {rest}"),
        (r"\bfour (DGX \w+) \(\d+ GPUs\)", rf"{nodes} \1 ({GPUS * nodes} GPUs)"),
        (r"(name: research, gpus:) \d+", rf"\1 {GPUS * nodes - lent}"),
        (r"(name: students, gpus:) \d+", rf"\1 {lent}"),
        (r"(minimumReady:) \d+", rf"\1 {nodes}"),
    ):
        stack = re.sub(pattern, text, stack)
    return stack


def _machines(inventory: str, nodes: int) -> str:
    """A template's inventory with so many GPU nodes: its own first, then the first one again in the slots after them."""
    head, _, rest = inventory.partition("machines:\n")
    rows = [row for row in _MACHINE.split(rest) if row]
    own = [row for row in rows if "role: gpu" in row]
    gpu = [*own[:nodes], *(_in_slot(own[0], slot) for slot in range(len(own) + 1, nodes + 1))]
    head = re.sub(r"\bFour (?=DGX)", f"{nodes} ", head)
    return f"{head}machines:\n{''.join(gpu)}{''.join(row for row in rows if row not in own)}"


def _in_slot(first: str, slot: int) -> str:
    """The machine of slot 1 in another slot: the BMC at the address that the planner keeps there, serial and MACs its own."""
    row = first.replace("-gpu01", f"-gpu{slot:02d}")
    row = _BMC.sub(lambda match: str(ip_address(match[0]) + slot - 1), row)
    row = _SERIAL.sub(lambda match: f"RY{_digest(match[0], slot)[:10].upper()}", row)
    return _MAC.sub(lambda match: _mac(_digest(match[0], slot)), row)


def _digest(*parts: object) -> str:
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()


def _mac(digest: str) -> str:
    """A locally administered MAC."""
    return ":".join(["02", *(digest[index : index + 2] for index in range(0, 10, 2))])


def _text(template: str, name: str) -> str:
    return (files("railyard.cli") / template / name).read_text(encoding="utf-8")


def _filled(text: str, name: str) -> str:
    """The template with the site's name. Names like `on` are text; `123` or `null` are not, unless in quotes."""
    site = name if isinstance(plain(name), str) else f'"{name}"'
    return text.replace("@SITE@", site).replace("@NAME@", name)


def _inventory(text: str, name: str) -> str:
    """Serials and MACs that are nobody's, made of the site's name, so that no two sites start with the same ones."""
    text = _SERIAL.sub(lambda match: f"RY{_digest(name, match[0])[:10].upper()}", text)
    return _MAC.sub(lambda match: _mac(_digest(name, match[0])), text)
