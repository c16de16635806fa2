"""Small files of an instance: written whole or not at all."""

import json
import os
from pathlib import Path
from typing import Any


def write(path: Path, data: bytes | str, mode: int = 0o644) -> None:
    """Writes `path` atomically (temporary file, rename). Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    raw = data.encode() if isinstance(data, str) else data
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(raw)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any, mode: int = 0o644) -> None:
    """Writes `value` as JSON, atomically."""
    write(path, json.dumps(value, indent=1, sort_keys=True) + "\n", mode)


def read_json(path: Path) -> Any:
    """The JSON in `path`; None when the file isn't there or is torn."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
