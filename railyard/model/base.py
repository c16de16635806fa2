"""What every noun shares: one alias rule, frozen values, no unknown keys."""

import re
from ipaddress import ip_address, ip_network
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

_INSIDE = re.compile(r"`([a-z]+(?:_[a-z0-9]+)+)`")
_LABEL = re.compile(r"^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$")


class ContradictionError(ValueError):
    """Keys of one section that can't stand beside each other. The text says what is wanted.

    `keys` are outside names of that section, which the loader shows with their values; `found` is said in their place.
    """

    def __init__(self, wanted: str, *keys: str, found: str = "") -> None:
        super().__init__(wanted)
        self.keys, self.found = keys, found


def one_of(words: str) -> BeforeValidator:
    """For a choice of numbers (`Literal[1, 3]`): Python takes True for 1, a person who writes `true` doesn't mean it."""

    def number(value: object) -> object:
        if isinstance(value, bool):
            raise ValueError(words)  # noqa: TRY004  a complaint of the model, not of the program
        return value

    return BeforeValidator(number)


def at_least(least: float, unit: str, others: dict[str, float]) -> AfterValidator:
    """For a number that is too small in its key's own unit: most such numbers are right ones in a larger unit.

    `others` has, for each of those units, how many of the key's own it is: `{"t": 1000}` for kilograms.
    """

    def enough(value: float) -> float:
        if value < least:
            meant = ", ".join(f"{value:g} {other} are {value * factor:.4g} {unit}" for other, factor in others.items())
            raise ValueError(f"at least {least:g} (the unit is {unit}; {meant})")
        return value

    return AfterValidator(enough)


def _host(text: str) -> str:
    """A host name (RFC 1123) or an address. What is made of digits, or has a colon, can only be an address."""
    if ":" in text or text.rpartition(".")[2].isdigit():
        try:
            ip_address(text)
        except ValueError:
            raise ValueError("an IPv4 or IPv6 address, or a host name") from None
    elif not all(_LABEL.match(label) for label in text.split(".")):
        raise ValueError("a host name: labels of letters, digits and inner hyphens, joined by single dots")
    return text


def _url(text: str) -> str:
    """A URL whose host and port can exist. A user name in it would be a secret in the plan."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("a URL with a port of 1 to 65535, IPv6 addresses in brackets") from None
    if port == 0 or parts.netloc.endswith(":"):
        raise ValueError("a URL with a port of 1 to 65535, or none")
    if "@" in parts.netloc:
        raise ValueError("a URL without user name and password")
    _host(host)
    return text


def _network(text: str) -> str:
    """A network as written. Host bits are a matter of design (ADDR-003), a thing that is no network is not."""
    try:
        ip_network(text, strict=False)
    except ValueError:
        prefix, most = text.rpartition("/")[2], 128 if ":" in text else 32
        if prefix.isdigit() and int(prefix) > most:
            raise ValueError(f"a network with a prefix length of at most /{most}") from None
        raise ValueError("an IPv4 or IPv6 network, like 10.16.0.0/16") from None
    if "/" not in text:
        raise ValueError("a network with its prefix length, like 10.16.0.0/16")
    return text


Name = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$", description="DNS label of at most 32 characters")]
Kw = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
Kg = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
Gbps = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
Tib = Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Cidr = Annotated[str, Field(max_length=64, description="IPv4 or IPv6 network, e.g. 10.16.0.0/16"), AfterValidator(_network)]
Path = Annotated[
    str,
    Field(min_length=1, max_length=1024, pattern=r"^[^\x00]+$", description="path, relative to the project root or absolute"),
]
Ref = Annotated[
    str,
    Field(
        max_length=1024,
        pattern=r"^(file:[^\x00\n]+|env:[A-Za-z_][A-Za-z0-9_]*)$",
        description="where a secret is: file:PATH or env:NAME, never the secret",
    ),
]
Host = Annotated[
    str,
    Field(max_length=253, pattern=r"^[A-Za-z0-9:]([A-Za-z0-9.:-]*[A-Za-z0-9:])?$", description="host name or address"),
    AfterValidator(_host),
]
Url = Annotated[
    str, Field(max_length=1024, pattern=r"^https?://[^/\s]+(/\S*)?$", description="http or https URL"), AfterValidator(_url)
]
BaseUrl = Annotated[str, Field(max_length=1024, pattern=r"^https?://[^/\s]+$"), AfterValidator(_url)]
HttpsUrl = Annotated[str, Field(max_length=1024, pattern=r"^https://[^/\s]+$"), AfterValidator(_url)]


def outside(text: str) -> str:
    """A text with the names of keys as people write them: `ca_file` in a docstring is `caFile` in the file."""
    return _INSIDE.sub(lambda match: f"`{to_camel(match[1])}`", text)


class Noun(BaseModel):
    """A frozen value; camelCase outside, snake_case inside; an unknown key is an error."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, use_enum_values=False
    )

    def props(self) -> dict[str, object]:
        """The value as plain JSON types with its outside names: what a resource or an output gets."""
        return self.model_dump(mode="json", by_alias=True)
