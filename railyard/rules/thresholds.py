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

    headroom_percent_max: Annotated[float, Field(gt=0, le=100)] = Field(
        default=50,
        description="FABRIC-054: PFC headroom of all ports of a switch in percent of its shared buffer. Source: ours.",
    )
    ecn_kmin_bytes_min: Annotated[int, Field(ge=0, le=1_000_000_000)] = Field(
        default=100_000,
        description="FABRIC-056: lowest Kmin at 400 Gb/s in bytes, scaled with the speed. Source: fabric.md FAB-12.",
    )
    congested_ports: Annotated[int, Field(ge=1, le=1024)] = Field(
        default=32,
        description="FABRIC-056: ports of a switch that are congested at once. Source: ours; all node ports of a 64-port leaf.",
    )
    lossless_classes_max: Annotated[int, Field(ge=1, le=8)] = Field(
        default=2, description="FABRIC-057: lossless classes on a port. Source: fabric.md FAB-10."
    )
    host_mtu_min: Annotated[int, Field(ge=576, le=65_535)] = Field(
        default=4200, description="FABRIC-060: lowest MTU of RoCE hosts in bytes. Source: fabric.md FAB-09."
    )
    header_bytes_min: Annotated[int, Field(ge=0, le=1000)] = Field(
        default=100, description="FABRIC-060: bytes of a switch's MTU above the hosts'. Source: fabric.md FAB-09."
    )
    network_spare_ports_min: Annotated[int, Field(ge=0, le=64)] = Field(
        default=2,
        description="FABRIC-042: free ports of the fullest storage, in-band or OOB switch. Source: fabric.md 2, 46 of 48.",
    )
    oob_copper_m_max: Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)] = Field(
        default=100.0,
        description="FABRIC-045: out-of-band copper in metres, slack included. Source: IEEE 802.3, 1000BASE-T.",
    )
    splitter_m_max: Annotated[float, Field(gt=0, le=2000, allow_inf_nan=False)] = Field(
        default=50.0, description="FABRIC-021: longest fibre splitter in metres. Source: CAB, 50 m."
    )
    twin_skew_ns_max: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)] = Field(
        default=45.0,
        description="FABRIC-022: difference in delay of two cables of one cage in ns (4.5 ns/m). Source: ours; CAB says equal.",
    )
    tray_fill_percent_max: Percent = Field(
        default=50, description="FABRIC-024: area of cables in percent of a tray's cross-section. Source: TIA-569 (unverified)."
    )
    cable_spares_percent_min: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] = Field(
        default=2, description="FABRIC-027: spares of each cable and optic in percent. Source: fabric.md FAB-19."
    )
    cable_slack_percent_min: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] = Field(
        default=10, description="FABRIC-028: least slack in percent of the routed length. Source: fabric.md FAB-07."
    )
    cable_slack_percent_max: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] = Field(
        default=25, description="FABRIC-028: most slack in percent of the routed length. Source: fabric.md FAB-07."
    )
    rail_only_allowed: bool = Field(
        default=False, description="FABRIC-010: a fabric without spines is wanted. Default: it is said loudly (fabric.md 6)."
    )
    subnet_managers_min: Annotated[int, Field(ge=0, le=16)] = Field(
        default=2, description="FABRIC-011: subnet managers of a subnet. Source: QM97x0 user manual, one works, one stands by."
    )
    empty_units_max: Annotated[int, Field(ge=0, le=100_000)] = Field(
        default=1, description="FABRIC-012: units that stand ahead of their nodes. Default 1: the next one may be built."
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
