"""What every noun shares: one alias rule, frozen values, no unknown keys."""

from ipaddress import ip_network
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


def _network(text: str) -> str:
    """A network as written. Host bits are a matter of design (ADDR-003), a thing that is no network is not."""
    try:
        ip_network(text, strict=False)
    except ValueError:
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
    str, Field(max_length=253, pattern=r"^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$", description="host name or address")
]
Url = Annotated[str, Field(max_length=1024, pattern=r"^https?://[^/\s]+(/\S*)?$", description="http or https URL")]


class Noun(BaseModel):
    """A frozen value; camelCase outside, snake_case inside; an unknown key is an error."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, use_enum_values=False
    )

    def props(self) -> dict[str, object]:
        """The value as plain JSON types with its outside names: what a resource or an output gets."""
        return self.model_dump(mode="json", by_alias=True)
