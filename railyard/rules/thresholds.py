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
    failure_gpus_down_max: Annotated[int, Field(ge=0, le=10_000_000)] = Field(
        default=0, description="POWER-030: GPUs that one electrical failure may stop. Source: 2N practice, none."
    )
    failure_throttled_percent_min: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] = Field(
        default=80, description="POWER-032: power that throttled GPU nodes keep after one failure, in percent. Source: ours."
    )
    segment_percent_max: Percent = Field(
        default=100,
        description="POWER-008: fullest line of a panel or busway in percent of breaker x rating. Source: NEC 215.3, 210.20.",
    )
    segment_failover_percent_max: Percent = Field(
        default=100,
        description="POWER-009, POWER-010: the same, and a UPS in percent of its kVA and kW, after the worst loss. Source: 2N.",
    )
    circuit_percent_max: Percent = Field(
        default=100, description="POWER-011: a strip's own breaker in percent of breaker x rating. Source: NEC 210.20(A)."
    )
    cord_percent_max: Percent = Field(
        default=100, description="POWER-013: a cord in percent of its rating. Source: IEC 60320-1, UL 498."
    )
    phase_imbalance_percent_max: Percent = Field(
        default=20, description="POWER-014: fullest line above the mean of three in percent. Source: ours."
    )
    phase_balance_from_percent: Percent = Field(
        default=50, description="POWER-014: judged from this share of what the fullest line may carry. Source: ours."
    )
    air_percent_max: Percent = Field(
        default=100, description="COOL-001: heat to air in percent of the rack's air limit. Source: the hall's own limit."
    )
    hot_part_w: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] = Field(
        default=700, description="COOL-002: watts of a part from which air cooling is worth a notice. Source: ours."
    )
    cooling_percent_max: Percent = Field(
        default=100, description="COOL-015: heat in percent of what a pool's units carry. Source: their data sheets."
    )
    cooling_failed_percent_max: Percent = Field(
        default=100, description="COOL-016: the same with the largest unit failed. Source: N+1 practice."
    )
    airflow_percent_max: Percent = Field(
        default=100, description="COOL-017: air that racks draw in percent of what air units move. Source: their data sheets."
    )
    dew_margin_k: Annotated[float, Field(ge=0, le=20, allow_inf_nan=False)] = Field(
        default=2, description="COOL-012: kelvin above the dew point. Source: HPE QuickSpecs of liquid-cooled doors."
    )
    weight_percent_max: Percent = Field(
        default=100, description="RACK-001: weight in percent of the rack's limit. Source: frame and floor rating."
    )
    cable_space_m_min: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        default=0.15, description="RACK-004: metres behind a node with eight training cables. Source: ours, plug and bend."
    )
    rear_space_m_min: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        default=0.05, description="RACK-004: room behind every other device, in metres. Source: ours, a power cord's plug."
    )
    point_percent_max: Percent = Field(
        default=100, description="RACK-006: load on a tile in percent of its concentrated load. Source: the tile's own rating."
    )
    uniform_percent_max: Percent = Field(
        default=100, description="RACK-007: load per square metre in percent of the floor's. Source: the floor's own rating."
    )
    cold_aisle_m_min: Annotated[float, Field(gt=0, le=20, allow_inf_nan=False)] = Field(
        default=1.2, description="RACK-012: width of a cold aisle in metres. Source: ANSI/TIA-942, deep equipment (unverified)."
    )
    hot_aisle_m_min: Annotated[float, Field(gt=0, le=20, allow_inf_nan=False)] = Field(
        default=0.9,
        description="RACK-012: width of a hot aisle in metres. Source: ours; TIA-942: 0.6, better 1 m (unverified).",
    )
    pull_out_m_min: Annotated[float, Field(ge=0, le=20, allow_inf_nan=False)] = Field(
        default=0.2, description="RACK-012: metres of cold aisle beyond a device that is drawn out. Source: ours."
    )
    opening_gap_m_min: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        default=0.03, description="RACK-014: room around a rack in an opening, in metres, over both sides. Source: ours."
    )
    move_percent_max: Percent = Field(
        default=100, description="RACK-015: loads on the way in, in percent of what bears them. Source: its own rating."
    )
    slope_deg_max: Annotated[float, Field(ge=0, le=45, allow_inf_nan=False)] = Field(
        default=4.8, description="RACK-016: slope of a ramp in degrees. Source: ADA Standards 405.2, 1:12."
    )
    clear_above_m_min: Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)] = Field(
        default=0.46, description="RACK-017: free height above racks in metres. Source: NFPA 13, 18 inches below sprinklers."
    )
    unit_reach_m_max: Annotated[float, Field(gt=0, le=2000, allow_inf_nan=False)] = Field(
        default=50.0, description="RACK-020: longest cable inside a scalable unit in metres. Source: OM4 at 100G-PAM4, 50 m."
    )
    top_share_percent_max: Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)] = Field(
        default=75, description="RACK-021: share of the top tier's switches in one rack, from two units on. Source: ours."
    )
    down_to_up_max: Annotated[float, Field(gt=0, le=64)] = Field(
        default=1.0, description="FABRIC-001: downlink to uplink bandwidth of a switch. Source: SuperPOD H100 RA, 1:1."
    )
    spare_leaf_ports_min: Annotated[int, Field(ge=0, le=100_000)] = Field(
        default=0,
        description="FABRIC-004: free leaf ports of the site. Default 0: a full unit has none by design.",
    )

    headroom_percent_max: Annotated[float, Field(gt=0, le=100)] = Field(
        default=50,
        description="FABRIC-054: PFC headroom of all ports of a switch in percent of its shared buffer. Source: ours.",
    )
    ecn_kmin_bytes_min: Annotated[int, Field(ge=0, le=1_000_000_000)] = Field(
        default=100_000,
        description="FABRIC-056: lowest Kmin at 400 Gb/s in bytes, scaled with the speed. Source: ours; shipped: from 131 kB.",
    )
    congested_ports: Annotated[int, Field(ge=1, le=1024)] = Field(
        default=32,
        description="FABRIC-056: ports of a switch that are congested at once. Source: ours; all node ports of a 64-port leaf.",
    )
    lossless_classes_max: Annotated[int, Field(ge=1, le=8)] = Field(
        default=2, description="FABRIC-057: lossless classes on a port. Source: sonic-buildimage qos_config.j2 (3, 4)."
    )
    host_mtu_min: Annotated[int, Field(ge=576, le=65_535)] = Field(
        default=4200, description="FABRIC-060: lowest MTU of RoCE hosts in bytes. Source: dgx-spark-playbooks#103."
    )
    header_bytes_min: Annotated[int, Field(ge=0, le=1000)] = Field(
        default=100, description="FABRIC-060: bytes of a switch's MTU above the hosts'. Source: ours."
    )
    network_spare_ports_min: Annotated[int, Field(ge=0, le=64)] = Field(
        default=2,
        description="FABRIC-042: free ports of the fullest storage, in-band or OOB switch. Source: ours (46 of 48).",
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
        default=2, description="FABRIC-027: spares of each cable and optic in percent. Source: ours."
    )
    cable_slack_percent_min: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] = Field(
        default=10, description="FABRIC-028: least slack in percent of the routed length. Source: ours."
    )
    cable_slack_percent_max: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] = Field(
        default=25, description="FABRIC-028: most slack in percent of the routed length. Source: ours."
    )
    rail_only_allowed: bool = Field(
        default=False, description="FABRIC-010: a fabric without spines is wanted. Default: it is said loudly."
    )
    subnet_managers_min: Annotated[int, Field(ge=0, le=16)] = Field(
        default=2, description="FABRIC-011: subnet managers of a subnet. Source: QM97x0 user manual, one works, one stands by."
    )
    empty_units_max: Annotated[int, Field(ge=0, le=100_000)] = Field(
        default=1, description="FABRIC-012: units that stand ahead of their nodes. Default 1: the next one may be built."
    )

    storage_fill_percent_max: Percent = Field(
        default=80,
        description="STORAGE-001: sum of quotas in percent of usable capacity. Source: ours; awsome-distributed-ai PR 1225.",
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
