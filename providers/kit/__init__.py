"""What our providers share: a threaded gRPC servicer, values, errors, references to secrets, gates. It knows no protocol.

from providers.kit import Call, Created, Gate, InitFailed, Problem, ProviderError, ReadBack, ResourceType, serve
"""

from providers.kit.cancel import Cancel, Deadline
from providers.kit.errors import Cancelled, InitFailed, Problem, ProviderError, render
from providers.kit.gate import Gate
from providers.kit.references import Credential, read_file_reference, read_reference, resolve_path
from providers.kit.resource import Call, Created, ReadBack, ResourceType
from providers.kit.serve import serve
from providers.kit.values import UNKNOWN, has_unknown

__all__ = [
    "UNKNOWN",
    "Call",
    "Cancel",
    "Cancelled",
    "Created",
    "Credential",
    "Deadline",
    "Gate",
    "InitFailed",
    "Problem",
    "ProviderError",
    "ReadBack",
    "ResourceType",
    "has_unknown",
    "read_file_reference",
    "read_reference",
    "render",
    "resolve_path",
    "serve",
]
