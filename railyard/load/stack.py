"""The stack file: from the file as the CLI sees it, and from the engine as the program sees it. Both give the same value."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any, cast

from railyard.load.reader import Document, Path, Value, dotted, read_yaml
from railyard.load.scalars import as_text, plain
from railyard.load.shape import did_you_mean, nearest, validate
from railyard.model.site import StackFile

NAMESPACE = "railyard"
MAX_BYTES = 32 * 1024
"""The engine hands the whole configuration to the program in one environment string of at most 128 KiB."""

ENGINE_KEYS = ("config", "encryptionsalt", "secretsprovider", "encryptedkey", "environment")


def read_text(path: FilePath, document: Document, limit: int) -> tuple[bytes, str] | None:
    """The bytes and text of a file, or None with the reason as a problem."""
    try:
        if path.stat().st_size > limit:
            document.add("LOAD-004", "", f"{path.stat().st_size} bytes", f"{limit} bytes", _too_large(path))
            return None
        data = path.read_bytes()
        return data, data.decode("utf-8-sig")
    except FileNotFoundError:
        document.add(
            "LOAD-001",
            "",
            "no such file",
            "a file",
            f"create {document.where} (`railyard init NAME --from starter` writes one)",
        )
    except UnicodeDecodeError as error:
        document.add("LOAD-001", "", f"byte {error.start} is no UTF-8", "UTF-8 text", "save the file as UTF-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        document.add("LOAD-001", "", reason, "a file that can be read", "check the path and its permissions")
    return None


def _too_large(path: FilePath) -> str:
    if path.suffix == ".json":
        return "split the site, or leave out what is no fact about a machine"
    return "per-machine facts belong to the inventory; an inventory of this size is read as .json"


def read_stack(path: FilePath, where: str) -> tuple[StackFile | None, Document]:
    """The stack file at `path`, which error messages call `where`."""
    document = Document(where)
    read = read_text(path, document, MAX_BYTES)
    if read is None:
        return None, document
    document = read_yaml(read[1], where)
    if any(problem.id in ("LOAD-002", "LOAD-004") for problem in document.problems):
        return None, document
    config = _config(document)
    if config is None:
        return None, document
    return _shape(config, document), document


def _config(document: Document) -> dict[str, Value] | None:
    root = document.value
    if root is None:
        document.add(
            "LOAD-006",
            "config",
            "an empty file",
            "`config:` with the keys of docs/reference/config.md",
            "start from `railyard init`",
        )
        return None
    if not isinstance(root, dict):
        document.add("LOAD-007", "", "no mapping", "`config:` and below it `railyard:…` keys", "start from `railyard init`")
        return None
    for key in cast(dict[str, Value], root):
        if key not in ENGINE_KEYS:
            fix = did_you_mean(key, list(ENGINE_KEYS))
            document.add(
                "LOAD-005", ascii(key)[1:-1], "unknown key beside `config`", ", ".join(ENGINE_KEYS), fix, document.line((key,))
            )
    config = cast(dict[str, Value], root).get("config")
    if isinstance(config, dict):
        return cast(dict[str, Value], config)
    found = "nothing" if config is None else "no mapping"
    document.add(
        "LOAD-006", "config", found, "a mapping of `railyard:…` keys", "start from `railyard init`", document.line(("config",))
    )
    return None


def _shape(config: dict[str, Value], document: Document) -> StackFile | None:
    """Keep what is railyard's, as the engine would hand it over, and check it."""
    values: dict[str, Value] = {}
    for key, value in config.items():
        name = _own(key, document)
        if name is None:
            continue
        if name in values:
            limit = "the engine reads a key without prefix as one of this project's"
            document.add(
                "LOAD-003",
                f"{NAMESPACE}:{name}",
                "the key stands here twice",
                limit,
                "delete one",
                document.line(("config", key)),
            )
        document.lines.update(_renamed(document, key, name))
        secret = _secure(value, (name,))
        if secret is not None:
            document.add(
                "LOAD-011",
                f"{NAMESPACE}:{dotted(secret)}",
                "a `secure:` value",
                "no secrets below railyard keys",
                "secrets go by reference: put it in a file or the environment, write file:PATH or env:NAME",
                document.line(secret),
            )
            continue
        values[name] = value if isinstance(value, dict | list) else _from_text(name, as_text(value))
    return _validate(values, document)


_NAMED = (
    ("facility", "feeds"),
    ("storage", "classes"),
    ("platform", "tenants"),
    ("power", "paths"),
    ("floor", "obstacles"),
    ("floor", "doors"),
    ("floor", "route"),
)
"""Lists whose rows have names that findings use: each once."""
_KEPT = ("floor", "kept")


def _validate(values: dict[str, Value], document: Document) -> StackFile | None:
    file = validate(StackFile, document, values, f"{NAMESPACE}:")
    for path in _NAMED:
        _check_names(values, path, document)
    _check_kept(values, document)
    return None if document.problems else file


def _check_names(values: dict[str, Value], path: tuple[str, str], document: Document) -> None:
    """No two rows of a list with one name."""
    seen: dict[str, int] = {}
    for index, row in _rows(values, path):
        name: Value = row.get("name")
        if isinstance(name, str) and seen.setdefault(name, index) != index:
            first = dotted((*path, seen[name], "name"))
            _twice(document, (*path, index, "name"), f"`{ascii(name)[1:-1][:64]}` also at {first}", "give it another name")


def _check_kept(values: dict[str, Value], document: Document) -> None:
    """No rack place that is kept twice: racks are numbered past it once."""
    seen: dict[tuple[Value, Value], int] = {}
    for index, row in _rows(values, _KEPT):
        place = (row.get("row"), row.get("position"))
        if all(type(part) is int for part in place) and seen.setdefault(place, index) != index:
            found = f"row {place[0]}, position {place[1]} also at {dotted((*_KEPT, seen[place]))}"
            _twice(document, (*_KEPT, index), found, "delete one of the two")


def _twice(document: Document, where: Path, found: str, fix: str) -> None:
    document.add("LOAD-013", f"{NAMESPACE}:{dotted(where)}", found, "once in a list", fix, document.line(where))


def _rows(values: dict[str, Value], path: tuple[str, str]) -> Iterator[tuple[int, dict[str, Value]]]:
    """Rows of a section's list with their places in it, as far as they are mappings."""
    section: Value = values.get(path[0])
    rows: Value = cast(dict[str, Value], section).get(path[1]) if isinstance(section, dict) else None
    for index, row in enumerate(cast(list[Value], rows) if isinstance(rows, list) else []):
        if isinstance(row, dict):
            yield index, cast(dict[str, Value], row)


def _own(key: str, document: Document) -> str | None:
    namespace, colon, name = key.rpartition(":")
    if not colon or namespace == NAMESPACE:
        return name  # the engine puts the project's name before a key that has none
    if nearest(namespace, [NAMESPACE]) and len(namespace) > 4:
        document.add(
            "LOAD-005",
            ascii(key)[1:-1],
            f"namespace `{namespace}`",
            NAMESPACE,
            f"did you mean `{NAMESPACE}:{name}`?",
            document.line(("config", key)),
        )
    return None


def _renamed(document: Document, key: str, name: str) -> dict[Path, int]:
    return {(name, *path[2:]): line for path, line in document.lines.items() if path[:2] == ("config", key)}


def _secure(value: Value, path: Path) -> Path | None:
    if isinstance(value, dict):
        mapping = cast(dict[str, Any], value)
        if set(mapping) == {"secure"}:
            return path
        return next((found for key, item in mapping.items() if (found := _secure(item, (*path, key)))), None)
    if isinstance(value, list):
        return next(
            (found for index, item in enumerate(cast(list[Any], value)) if (found := _secure(item, (*path, index)))), None
        )
    return None


def _from_text(name: str, text: str) -> Value:
    """A value as the engine keeps it: text. JSON text is what it stands for; `schemaVersion: 1` is a number again."""
    if text[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return plain(text) if name == "schemaVersion" else text


def from_config(config: Mapping[str, str], where: str) -> tuple[StackFile | None, Document]:
    """The engine's configuration (the mapping in PULUMI_CONFIG: `railyard:key` -> text or JSON)."""
    document = Document(where)
    size = sum(len(key) + len(value) for key, value in config.items())
    if size > MAX_BYTES:
        document.add("LOAD-004", "", f"{size} bytes", f"{MAX_BYTES} bytes", "per-machine facts belong to the inventory")
        return None, document
    own = {key: value for key, value in config.items() if key.startswith(f"{NAMESPACE}:")}
    values = {key.partition(":")[2]: _from_text(key.partition(":")[2], value) for key, value in own.items()}
    return _validate(values, document), document
