"""Which files of an output folder are ours: `files.txt`, in the format of sha256sum (`sha256sum -c files.txt` checks them).

A changed stack (InfiniBand to RoCE, Cumulus to EOS) has other files. What an earlier plan wrote and this one doesn't is removed
if nobody has changed it since; what stands in no manifest of ours, and what was changed, is the user's and stays.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath

import typer

from railyard.cli.console import block, stop
from railyard.plan.names import listed

MANIFEST = "files.txt"
HEAD = "# Written by railyard: its files in this folder; check them with sha256sum -c\n"
"""By it we know our own manifest: sha256sum skips the line."""
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_SHOWN = 8
Entries = set[tuple[str, str]]
"""(name, sha256). A run that was killed leaves two sums of one name: either is ours."""


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes all files (by their paths in the folder, with `/`), removes those of earlier plans, and says which."""
    before, now = _read(folder), {(name, sha256(content).hexdigest()) for name, content in files.items()}
    folder.mkdir(parents=True, exist_ok=True)
    # Both lists first: a run that is killed on the way leaves nothing behind that no later one knows as ours.
    _write(folder, before | now)
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    removed, changed = _remove(folder, {(name, total) for name, total in before if name not in files})
    _write(folder, now)
    if removed:
        _say(f"removed, an earlier plan wrote them and this one has none: {_listed(removed, folder)}")
    if changed:
        _say(f"kept, of an earlier plan but changed since: {_listed(changed, folder)}")


def _read(folder: Path) -> Entries:
    """What the manifest says; lines that are none of ours mean nothing. Exit 2 where the file is somebody else's."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return set()
    if text.strip() and not text.startswith(HEAD.rstrip()):
        fix = "name another folder with --out, or move that file away"
        stop(block(str(folder / MANIFEST), "a file that railyard didn't write", "our list of files, or nothing", fix))
    found = (_LINE.fullmatch(line) for line in text.splitlines())
    return {(match[2], match[1]) for match in found if match}


def _write(folder: Path, entries: Entries) -> None:
    lines = sorted(entries)
    (folder / MANIFEST).write_text(HEAD + "".join(f"{total}  {name}\n" for name, total in lines), encoding="utf-8")


def _remove(folder: Path, stale: Entries) -> tuple[list[str], list[str]]:
    """(removed, kept because somebody changed them). Nothing outside the folder, and nothing behind a link, is touched."""
    removed: list[str] = []
    changed: set[str] = set()
    sums: dict[str, set[str]] = {}
    for name, total in stale:
        sums.setdefault(name, set()).add(total)
    root = folder.resolve()
    for name in sorted(sums):
        path = folder / name
        if not _inside(path, root, name):
            continue
        if sha256(path.read_bytes()).hexdigest() in sums[name]:
            path.unlink()
            removed.append(name)
            _prune(path.parent, folder)
        else:
            changed.add(name)
    return removed, sorted(changed)


def _inside(path: Path, root: Path, name: str) -> bool:
    """Whether it is a plain file below the folder, by a path without links."""
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts:
        return False
    return path.is_file() and path.resolve() == root / parts


def _prune(folder: Path, root: Path) -> None:
    """Removes folders that have become empty, up to the output folder."""
    while folder != root and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _listed(names: Iterable[str], folder: Path) -> str:
    """Folders that are gone with all that was in them as one item each, other files by name."""
    items: Counter[str] = Counter()
    for name in names:
        gone = next(
            (f"{above}/" for above in reversed(PurePosixPath(name).parents[:-1]) if not (folder / above).exists()), name
        )
        items[gone] += 1
    texts = [
        f"{item} ({count} file{'' if count == 1 else 's'})" if item.endswith("/") else item for item, count in items.items()
    ]
    return listed(texts, _SHOWN)


def _say(text: str) -> None:
    """To stderr: `railyard report` prints a path and nothing else."""
    typer.echo(text, err=True)
