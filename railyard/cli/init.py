"""`railyard init NAME --from TEMPLATE`: a stack file and an inventory of one's own, ready to preview."""

import hashlib
import re
from importlib.resources import files
from pathlib import Path

from railyard.load.scalars import plain
from railyard.model.errors import LoadError, Problem

TEMPLATES = ("starter", "starter-roce")
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?", re.ASCII)


class InitError(LoadError):
    """A site of one's own that can't be begun: what was asked for is no input file, and its ids are errors of the command."""

    heading = "{problems} in what was asked for"
    url = "docs/reference/errors.md"


def init(name: str, template: str, root: Path) -> list[Path]:
    """Write `stacks/Pulumi.NAME.yaml` and `sites/NAME/inventory.yaml` below `root`; returns their paths.

    Raises InitError: INIT-001 the name is none, INIT-002 no such template, INIT-003 a file is in the way, INIT-004 can't write.
    Overwrites nothing, and writes both files or none.
    """
    problems = _problems(name, template)
    if problems:
        raise InitError(problems)
    texts = {
        root / "stacks" / f"Pulumi.{name}.yaml": _filled(_text(template, "stack.yaml"), name),
        root / "sites" / name / "inventory.yaml": _inventory(_filled(_text(template, "inventory.yaml"), name), name),
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


def _text(template: str, name: str) -> str:
    return (files("railyard.cli") / template / name).read_text(encoding="utf-8")


def _filled(text: str, name: str) -> str:
    """The template with the site's name. Names like `on` are text; `123` or `null` are not, unless in quotes."""
    site = name if isinstance(plain(name), str) else f'"{name}"'
    return text.replace("@SITE@", site).replace("@NAME@", name)


def _inventory(text: str, name: str) -> str:
    """Serials and MACs that are nobody's, made of the site's name, so that no two sites start with the same ones."""

    def serial(match: re.Match[str]) -> str:
        return f"RY{hashlib.sha256(f'{name}/{match[0]}'.encode()).hexdigest()[:10].upper()}"

    def mac(match: re.Match[str]) -> str:
        digest = hashlib.sha256(f"{name}/{match[0]}".encode()).hexdigest()
        return ":".join(["02", *(digest[index : index + 2] for index in range(0, 10, 2))])

    text = re.sub(r"\bRY[0-9A-F]{10}\b", serial, text)
    return re.sub(r"\b02(:[0-9a-f]{2}){5}\b", mac, text)
