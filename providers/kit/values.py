"""Property values on the wire: protobuf Struct to plain Python and back, unknowns, secrets, output values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from google.protobuf import struct_pb2

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""The wire form of a value that is not known during preview."""

_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105  (the wire's marker, not a secret)
_OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
_RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e"
# Unknown values of other types have markers of their own in some SDKs; a provider treats all of them alike.
_OTHER_UNKNOWNS = {
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",  # bool
    "ad2dc3cb-2d28-4e2d-8b4b-6fe2e3ea5fe2",  # number
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",  # array
    "030794c1-ac77-496b-92df-f27374a8bd58",  # asset
    "e48ece36-62e2-4504-bad9-02848725956a",  # archive
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",  # object
}


def to_python(struct: struct_pb2.Struct) -> dict[str, Any]:
    """A Struct as plain dict: secrets and output values unwrapped, whole numbers as int."""
    return {key: _value(item) for key, item in struct.fields.items()}


def _value(item: struct_pb2.Value) -> Any:
    kind = item.WhichOneof("kind")
    if kind == "string_value":
        return UNKNOWN if item.string_value in _OTHER_UNKNOWNS else item.string_value
    if kind == "number_value":
        number = item.number_value
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if kind == "bool_value":
        return item.bool_value
    if kind == "list_value":
        return [_value(part) for part in item.list_value.values]
    if kind != "struct_value":
        return None
    fields = {key: _value(part) for key, part in item.struct_value.fields.items()}
    signature = fields.get(_SIGNATURE)
    if signature == _SECRET:
        return fields.get("value")
    if signature == _OUTPUT:
        return fields.get("value", UNKNOWN)
    if signature == _RESOURCE:
        return fields.get("id") or fields.get("urn")
    return fields


def to_struct(values: Mapping[str, Any], secret: Iterable[str] = ()) -> struct_pb2.Struct:
    """A dict as Struct. Top-level keys in `secret` are marked, so that the engine encrypts them. None is left out."""
    hidden = set(secret)
    struct = struct_pb2.Struct()
    for key, value in values.items():
        if value is None:
            continue
        if key in hidden and value != UNKNOWN:
            value = {_SIGNATURE: _SECRET, "value": value}
        _fill(struct.fields[key], value)
    return struct


def _fill(item: struct_pb2.Value, value: Any) -> None:
    if value is None:
        item.null_value = struct_pb2.NULL_VALUE
    elif isinstance(value, bool):
        item.bool_value = value
    elif isinstance(value, int | float):
        item.number_value = value
    elif isinstance(value, str):
        item.string_value = value
    elif isinstance(value, Mapping):
        item.struct_value.SetInParent()
        for key, part in value.items():
            _fill(item.struct_value.fields[str(key)], part)
    elif isinstance(value, Sequence):
        item.list_value.SetInParent()
        for part in value:
            _fill(item.list_value.values.add(), part)
    else:
        raise TypeError(f"a property can't hold a {type(value).__name__}")


def has_unknown(value: Any) -> bool:
    """True if the value is, or holds anywhere, the unknown marker."""
    if isinstance(value, str):
        return value == UNKNOWN
    if isinstance(value, Mapping):
        return any(has_unknown(part) for part in value.values())
    return isinstance(value, list | tuple) and any(has_unknown(part) for part in value)
