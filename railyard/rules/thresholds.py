"""Limits that are a judgement, each with its default and where that comes from. A pack's configuration overrides them."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from railyard.model.base import Noun

Percent = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]


class Thresholds(Noun):
    """Limits of the rules. A value equal to its limit passes."""

    survivor_percent_max: Percent = Field(
        default=100,
        description="POWER-001: load of the surviving feed in percent of its derated capacity. Source: 2N practice.",
    )
    feed_percent_max: Percent = Field(
        default=100,
        description="POWER-002: load of a feed with all feeds live in percent of its derated capacity. Source: NEC 210.20.",
    )
    continuous_rating_max: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.8, description="POWER-004: share of a breaker's rating that may flow for hours. Source: NEC 210.20(A), 80 %."
    )
    air_percent_max: Percent = Field(
        default=100, description="COOL-001: heat to air in percent of the rack's air limit. Source: the hall's own limit."
    )
    weight_percent_max: Percent = Field(
        default=100, description="RACK-001: weight in percent of the rack's limit. Source: frame and floor rating."
    )
    down_to_up_max: Annotated[float, Field(gt=0, le=64)] = Field(
        default=1.0, description="FABRIC-001: downlink to uplink bandwidth of a switch. Source: SuperPOD H100 RA, 1:1."
    )
    spare_leaf_ports_min: Annotated[int, Field(ge=0, le=100_000)] = Field(
        default=0,
        description="FABRIC-004: free leaf ports of the site. Default 0: a full unit has none by design (fabric.md 1.3).",
    )

    storage_fill_percent_max: Percent = Field(
        default=80,
        description="STORAGE-001: sum of quotas in percent of usable capacity. Source: storage.csv, keep below 80 % fill.",
    )

    @classmethod
    def of_config(cls, config: Mapping[str, Any]) -> "Thresholds":
        """Thresholds from a pack's configuration; keys that are none (enforcementLevel) are left to the engine."""
        names = {field.alias for field in cls.model_fields.values()}
        return cls.model_validate({key: value for key, value in config.items() if key in names})

    @classmethod
    def schema_of(cls, names: Iterable[str]) -> dict[str, dict[str, Any]]:
        """JSON schema of some of the fields, by their outside names: what a policy declares as its configuration."""
        properties = cls.model_json_schema(by_alias=True)["properties"]
        aliases = [cls.model_fields[name].alias or name for name in names]
        return {alias: {key: value for key, value in properties[alias].items() if key != "title"} for alias in aliases}


DEFAULTS = Thresholds()
