"""The design file of an audit: YAML, read and refused like a stack file."""

from pathlib import Path
from typing import Any, cast

from railyard.load.reader import Document, read_yaml
from railyard.load.shape import validate
from railyard.load.stack import read_text
from railyard.model.audit_design import AuditDesign
from railyard.model.errors import LoadError

MAX_BYTES = 256 * 1024


def read_audit_design(path: Path) -> AuditDesign:
    """The design file. Raises LoadError with everything that is wrong with it."""
    where = str(path)
    document = Document(where)
    read = read_text(path, document, MAX_BYTES)
    if read is None:
        raise LoadError(document.problems)
    document = read_yaml(read[1], where)
    if not document.problems and not isinstance(cast(object, document.value), dict):
        found = "an empty file" if document.value is None else "no mapping"
        document.add("LOAD-006", "", found, "the keys of docs/audit.md", "begin with tests/data/audit/gb-576.yaml")
    design = None if document.problems else validate(AuditDesign, document, cast(Any, document.value))
    if document.problems or design is None:
        raise LoadError(document.problems)
    return design
