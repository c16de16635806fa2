"""What a plain scalar is to a reader of YAML 1.1 (NetBox's PyYAML) and to one of 1.2 (yaml.v3, ruamel, most editors).

Sources: YAML 1.1 types (yaml.org/type) as PyYAML implements them; YAML 1.2.2, core schema (10.3).
"""

import re

_BOOL_11 = re.compile(r"(yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)\Z")
_BOOL_12 = re.compile(r"(true|True|TRUE|false|False|FALSE)\Z")
_NULL = re.compile(r"(~|null|Null|NULL|)\Z")
_INT_11 = re.compile(
    r"[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|(?P<octal>0[0-7_]+)|(?P<base60>[1-9][0-9_]*(:[0-5]?[0-9])+)|0|[1-9][0-9_]*)\Z", re.ASCII
)
_INT_12 = re.compile(r"([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z", re.ASCII)
_FLOAT_11 = re.compile(
    r"([-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?|"
    r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z",
    re.ASCII,
)
_FLOAT_12 = re.compile(
    r"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z", re.ASCII
)
_DATE_11 = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?"
    r"([ \t]*(Z|[-+][0-9]{1,2}(:?[0-9]{2})?))?)\Z",
    re.ASCII,
)
_TRUE = frozenset({"yes", "true", "on"})


def read_as(text: str) -> tuple[str, str]:
    """How a plain scalar is read by YAML 1.1 and by 1.2: each `text`, `integer 8`, `true`, `null`, `a date`, `1.1`."""
    return _as_11(text), _as_12(text)


def is_trap(text: str) -> bool:
    """Whether a name without quotes becomes another text for at least one of the two."""
    return any(_name(said, text) != text for said in read_as(text))


def _name(said: str, text: str) -> str:
    """What a program that wants a name makes of what it read (`str()` of it)."""
    words = {"text": text, "null": "None", "true": "True", "false": "False"}
    return words.get(said, said.removeprefix("integer ").removeprefix("number "))


def _as_11(text: str) -> str:
    if text in ("=", "<<"):
        return "an error"
    if _NULL.match(text):
        return "null"
    if _BOOL_11.match(text):
        return "true" if text.lower() in _TRUE else "false"
    if _DATE_11.match(text):
        return "a date"
    if found := _INT_11.match(text):
        return f"integer {_integer_11(text, found)}"
    if _FLOAT_11.match(text):
        return "number in base 60" if ":" in text else f"number {_number(text.replace('_', ''))}"
    return "text"


def _integer_11(text: str, found: re.Match[str]) -> int | str:
    digits = text.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    if len(digits) > 40:
        return digits
    if found["base60"]:
        value = 0
        for part in digits.split(":"):
            value = value * 60 + int(part)
        return sign * value
    if digits.startswith("0b"):
        return sign * int(digits[2:] or "0", 2)
    if digits.startswith("0x"):
        return sign * int(digits[2:] or "0", 16)
    return sign * int(digits or "0", 8 if found["octal"] else 10)


def _as_12(text: str) -> str:
    if _NULL.match(text):
        return "null"
    if _BOOL_12.match(text):
        return text.lower()
    if _INT_12.match(text):
        base = 8 if text.startswith("0o") else 16 if text.startswith("0x") else 10
        return f"integer {text if len(text) > 40 else int(text, base)}"
    return f"number {_number(text)}" if _FLOAT_12.match(text) else "text"


def _number(text: str) -> str:
    folded = text.lower()
    return str(float(folded.replace(".inf", "inf").replace(".nan", "nan") if folded[-1] in "fn" else folded))
