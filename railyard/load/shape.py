"""Shape: plain values -> nouns, and each complaint of the model as a problem that says what to type instead."""

import difflib
import json
import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, TypeVar, cast, get_args

from pydantic import BaseModel, ValidationError

from railyard.load.forms import looks
from railyard.load.prefixes import meant
from railyard.load.reader import Document, Path, Value, dotted
from railyard.load.scalars import plain
from railyard.model.base import ContradictionError, Noun

Model = TypeVar("Model", bound=Noun)

_UNITS = {
    "Kw": "kW", "Kva": "kVA", "Kg": "kg", "Gbps": "Gb/s", "Tib": "TiB", "Min": "minutes", "S": "seconds", "A": "ampere",
    "C": "°C", "K": "kelvin", "LMin": "l/min", "Kpa": "kPa", "M3S": "m3/s", "M": "metres", "Deg": "degrees", "KgPerM2": "kg/m2",
}  # fmt: skip
_FREE_TEXT = {"reason"}
_SHOWN = 60


def nearest(word: str, words: list[str]) -> str | None:
    """The word that was probably meant, or None."""
    folded = {other.lower(): other for other in words}
    match = difflib.get_close_matches(_ascii(word).lower(), folded, n=1, cutoff=0.5)
    return folded[match[0]] if match else None


def did_you_mean(word: str, words: list[str]) -> str:
    """The `fix` for a word that nobody knows."""
    near = nearest(word, words)
    return f"did you mean `{near}`?" if near else f"one of: {', '.join(sorted(words))}"


def show(value: Value) -> str:
    """A value for an error message: short, and on one line."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def validate(model: type[Model], document: Document, value: Value, prefix: str = "") -> Model | None:
    """The noun, or None with every problem added to `document`. `prefix` goes before the path."""
    bad = _walk(document, value, (), prefix)
    try:
        text = json.dumps(value, allow_nan=True)
        noun = model.model_validate_json(text, strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        items = error.errors(include_url=False)
        places = [tuple(item["loc"]) for item in items]
        for item, loc in zip(items, places, strict=True):
            # A list is too short, too, where all its items are wrong: they are what is to be said.
            short = item["type"] == "too_short" and any(len(other) > len(loc) and other[: len(loc)] == loc for other in places)
            hidden = (item["type"] == "json_invalid" and bad) or short
            if not hidden and not any(loc[: len(path)] == path for path in bad):
                _complain(model, document, cast(dict[str, Any], item), prefix)
        return None
    except (ValueError, TypeError, RecursionError) as error:
        document.add(
            "LOAD-007", prefix.rstrip("."), f"no plain values ({error})", "text, numbers, lists, mappings", "rewrite it"
        )
        return None
    return None if bad else noun


def _walk(document: Document, value: Value, path: Path, prefix: str) -> set[Path]:
    """Things that no model sees: characters that look like others, and numbers that are none. Returns their paths."""
    bad: set[Path] = set()
    if isinstance(value, dict):
        for key, item in cast(dict[str, Value], value).items():
            here = (*path, key)
            strange = _strange(key)
            if strange:
                bad.add(here)
                place = prefix + dotted((*path, ascii(key)[1:-1]))
                document.add("LOAD-010", place, strange, "keys are ASCII", _retype(key), document.line(here))
            bad |= _walk(document, item, here, prefix)
    elif isinstance(value, list):
        for index, item in enumerate(cast(list[Value], value)):
            bad |= _walk(document, item, (*path, index), prefix)
    elif isinstance(value, str):
        strange = _strange(value)
        if strange and not (path and path[-1] in _FREE_TEXT):
            bad.add(path)
            document.add("LOAD-010", prefix + dotted(path), strange, "ASCII", _retype(value), document.line(path))
    elif isinstance(value, float) and not math.isfinite(value):
        bad.add(path)
        fix = "write the number that you mean"
        document.add("LOAD-008", prefix + dotted(path), str(value), "a finite number", fix, document.line(path))
    return bad


def _strange(text: str) -> str | None:
    if text.isascii() and text.isprintable():
        return None
    odd = next((char for char in text if not char.isascii() or not char.isprintable()), "")
    return f"U+{ord(odd):04X} {unicodedata.name(odd, 'control character')}"


_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝАВЕКМНОРСТХΑΒΕΖΗΙΚΜΝΟΡΤΥΧοα‐‑‒–—−’“”", 'aeopcyxijsdqwABEKMHOPCTXABEZHIKMNOPTYXoa------\'""'
)


def _ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.translate(_LOOKALIKES))
    return "".join(char for char in folded if char.isascii() and char.isprintable())


def _retype(text: str) -> str:
    meant = _ascii(text)[:_SHOWN]
    return f"type `{meant}` by hand" if meant else "type it again by hand"


def _complain(model: type[BaseModel], document: Document, item: dict[str, Any], prefix: str) -> None:
    loc = cast(Path, tuple(item["loc"]))
    kind = str(item["type"])
    name = str(loc[-1]) if loc else ""
    line = document.line(loc)
    place = prefix + dotted(loc) if loc else prefix.rstrip(".:")
    if kind == "extra_forbidden":
        document.add(
            "LOAD-005",
            place,
            f"unknown key `{name}`",
            "the keys of docs/reference/config.md",
            did_you_mean(name, keys_at(model, loc[:-1])),
            line,
        )
    elif kind == "missing":
        document.add("LOAD-006", place, "nothing", "this key is required", f"add `{name}`{_words_of(model, loc)}", line)
    else:
        number, limit, fix = _judge(kind, item, _word(loc))
        if kind.startswith("less_than"):
            other = meant(_word(loc), item["input"])
            fix += f" ({other})" if other else ""
        document.add(number, place, _found(item, _word(loc)), limit, fix, line)


def _word(loc: Path) -> str:
    return next((part for part in reversed(loc) if isinstance(part, str)), "")


def _found(item: dict[str, Any], name: str) -> str:
    if name.endswith("Ref"):
        return "a value that is no reference (not shown: it may be the secret itself)"
    value, error = item["input"], cast(dict[str, Any], item.get("ctx", {})).get("error")
    if isinstance(error, ContradictionError):
        return error.found or ", ".join(_said(cast(dict[str, Value], value), key) for key in error.keys)
    if isinstance(value, list):
        return f"a list of {len(cast(list[Value], value))}"
    return "a mapping" if isinstance(value, dict) else show(value)


def _said(section: dict[str, Value], key: str) -> str:
    """One key of a section with its value, `nothing` where it isn't there. What a reference holds isn't shown."""
    value = section.get(key)
    return f"{key} {'nothing' if value is None else '(not shown)' if key.endswith('Ref') else show(value)}"


def _judge(kind: str, item: dict[str, Any], name: str) -> tuple[str, str, str]:
    message = str(item["msg"]).removeprefix("Value error, ")
    unit = next((text for suffix, text in _UNITS.items() if re.search(rf"[a-z]{suffix}$", name)), None)
    if kind == "literal_error" and re.search(r"\d", message) and _is_quoted_number(item["input"]):
        return "LOAD-007", message.removeprefix("Input should be "), "write the number without quotes"
    if kind in ("enum", "literal_error"):
        words = re.findall(r"'([^']+)'", message)
        found = item["input"]
        return (
            "LOAD-009",
            message.removeprefix("Input should be "),
            did_you_mean(str(found), words) if words else "use an allowed value",
        )
    if kind.startswith("int_") and isinstance(item["input"], float) and abs(item["input"]) >= 2**53:
        return "LOAD-008", "a whole number of a site's size", f"write a value in range{f', in {unit}' if unit else ''}"
    if kind.startswith(("greater_than", "less_than", "finite", "too_long", "too_short")) or kind == "int_parsing_size":
        return "LOAD-008", message.removeprefix("Input should be "), f"write a value in range{f', in {unit}' if unit else ''}"
    if name.endswith("Ref"):
        return "LOAD-011", "file:PATH or env:NAME", "secrets go by reference: write where the secret is, not the secret"
    if kind in ("float_type", "int_type", "int_from_float") and isinstance(item["input"], str):
        return "LOAD-007", message.removeprefix("Input should be "), _as_number(item["input"], unit)
    if kind == "string_type":
        return "LOAD-007", "text", "put it in quotes"
    if kind == "string_pattern_mismatch":
        return "LOAD-007", *_as_written(name, str(item["input"]), item["ctx"]["pattern"])
    if kind == "value_error":
        return "LOAD-007", message, f"write {message}"
    return "LOAD-007", message.removeprefix("Input should be "), "see docs/reference/config.md"


def _as_written(name: str, text: str, pattern: str) -> tuple[str, str]:
    """How a text has to look, and what to type."""
    if re.search(r"\d{4}-\d\d-\d\d 00:00:00", text):
        return "a date as text", "put the date in quotes: YAML makes a time of it otherwise"
    if name in _FORMS:
        return _as_formed(name, text)
    form = looks(pattern)
    return form, f"write {form}"


def _is_quoted_number(value: Value) -> bool:
    return isinstance(value, str) and isinstance(plain(value), int | float) and not isinstance(plain(value), bool)


def _as_number(text: str, unit: str | None) -> str:
    """What to type where a number is wanted and `text` stands: quotes are only to blame where there are some."""
    if unit and re.search(r"\d", text):
        return f"write the number alone, without quotes or unit: the key's unit is {unit}"
    if not isinstance(plain(text), str):
        return "write the number without quotes"
    return f"write a number in digits{f', in {unit}' if unit else ''}"


_MAC = "6 pairs of lower-case hexadecimal digits with colons between them, like 02:1f:d5:7c:de:e6"
_FORMS = {"macs": (12, ":", _MAC), "nodeGuid": (16, "", "0x and 16 lower-case hexadecimal digits"),
          "portGuid": (16, "", "0x and 16 lower-case hexadecimal digits")}  # fmt: skip
"""Hardware addresses by key: how many digits, what stands between pairs, how one looks."""


def _as_formed(name: str, text: str) -> tuple[str, str]:
    """How it looks, and the same digits in that form where they are all there."""
    count, between, looks = _FORMS[name]
    digits = re.sub(r"[\s:.-]", "", text.lower().removeprefix("0x"))
    if not re.fullmatch(rf"[0-9a-f]{{{count}}}", digits):
        return looks, "read it off the label or the BMC again"
    pairs = between.join(digits[at : at + 2] for at in range(0, count, 2))
    return looks, f"write {'' if between else '0x'}{pairs}"


def keys_at(model: type[BaseModel], loc: Path) -> list[str]:
    """The outside names of the keys that are valid at a path of a model."""
    return [info.alias or name for outer in _models_at(model, loc) for name, info in outer.model_fields.items()]


def _words_of(model: type[BaseModel], loc: Path) -> str:
    """The words that a missing key takes, where it takes only some: `: line-line or line-neutral`."""
    taken = (get_args(_annotation(outer, str(loc[-1]))) for outer in _models_at(model, loc[:-1]))
    found = [word for words in taken for word in words if isinstance(word, str)]
    return f": {' or '.join(dict.fromkeys(found))}" if found else ""


def _models_at(model: type[BaseModel], loc: Path) -> set[type[BaseModel]]:
    """The models that may stand at a path of a model."""
    here: set[type[BaseModel]] = {model}
    for part in loc:
        if isinstance(part, str):
            here = {inner for outer in here for inner in _models(_annotation(outer, part))}
    return here


def _annotation(model: type[BaseModel], alias: str) -> object:
    return next((info.annotation for name, info in model.model_fields.items() if alias in (info.alias, name)), None)


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
