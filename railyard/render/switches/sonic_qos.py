"""SONiC's tables of classes, queues, pauses and buffers, out of the one lossless contract."""

from typing import Any

from railyard.model.lossless import Headroom
from railyard.model.switch_intent import SwitchIntent
from railyard.plan.lossless import mark_percent, reserve_bytes

Tables = dict[str, dict[str, Any]]
MAP = "ROCE"
WRED = "ROCE_ECN"
CLASSES = 8
CODE_POINTS = 64
WEIGHT = "50"
KIB = 1024


def qos(intent: SwitchIntent) -> Tables:
    """Maps, schedulers, ECN, pauses and watchdog: the same on every wired port of the fabric."""
    contract = intent.site.lossless
    pause = ",".join(str(priority) for priority in contract.lossless_priorities)
    ports = [port.native for port in intent.wired()]
    on_port = {
        "dscp_to_tc_map": MAP,
        "tc_to_queue_map": MAP,
        "tc_to_pg_map": MAP,
        "pfc_to_queue_map": MAP,
        "pfc_to_pg_map": MAP,
        "pfc_enable": pause,
    }
    if contract.watchdog.enabled:
        on_port["pfcwd_sw_enable"] = pause
    return {
        **_maps(intent),
        "PORT_QOS_MAP": {port: dict(on_port) for port in ports},
        **_queues(intent, ports),
        "PFC_WD": _watchdog(intent, ports),
    }


def _maps(intent: SwitchIntent) -> Tables:
    contract = intent.site.lossless
    pauses = contract.lossless_priorities
    same = {str(number): str(number) for number in range(CLASSES)}
    code_points = {str(number): "0" for number in range(CODE_POINTS)}
    code_points[str(contract.dscp)] = str(contract.priority)
    code_points[str(contract.cnp_dscp)] = str(contract.cnp_class)
    groups = {str(number): str(number) if number in pauses else "0" for number in range(CLASSES)}
    return {
        "DSCP_TO_TC_MAP": {MAP: code_points},
        "TC_TO_QUEUE_MAP": {MAP: same},
        "TC_TO_PRIORITY_GROUP_MAP": {MAP: groups},
        "MAP_PFC_PRIORITY_TO_QUEUE": {MAP: dict(same)},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {MAP: {str(number): str(number) for number in pauses}},
    }


def _queues(intent: SwitchIntent, ports: list[str]) -> Tables:
    """Notifications first (strict), RoCE and the rest half each; ECN on the RoCE queue unless the receiver drives."""
    contract = intent.site.lossless
    marks = contract.congestion == "ecn"
    roce = {"scheduler": "scheduler.roce"} | ({"wred_profile": WRED} if marks else {})
    rows = {"0": {"scheduler": "scheduler.other"}, str(contract.priority): roce}
    rows[str(contract.cnp_class)] = {"scheduler": "scheduler.cnp"}
    threshold = {"min_threshold": str(contract.kmin_bytes), "max_threshold": str(contract.kmax_bytes)}
    wred = {"ecn": "ecn_all"}
    for colour in ("green", "yellow", "red"):
        wred[f"wred_{colour}_enable"] = "true"
        wred |= {f"{colour}_{key}": value for key, value in threshold.items()}
        wred[f"{colour}_drop_probability"] = str(mark_percent(contract))
    return {
        "SCHEDULER": {
            "scheduler.cnp": {"type": "STRICT"},
            "scheduler.other": {"type": "DWRR", "weight": WEIGHT},
            "scheduler.roce": {"type": "DWRR", "weight": WEIGHT},
        },
        "WRED_PROFILE": {WRED: wred} if marks else {},
        "QUEUE": {f"{port}|{queue}": dict(row) for port in ports for queue, row in rows.items()},
    }


def _watchdog(intent: SwitchIntent, ports: list[str]) -> dict[str, Any]:
    watchdog = intent.site.lossless.watchdog
    if not watchdog.enabled:
        return {}
    row = {
        "action": watchdog.action,
        "detection_time": str(watchdog.detection_ms),
        "restoration_time": str(watchdog.restores_ms),
    }
    return {"GLOBAL": {"POLL_INTERVAL": str(watchdog.poll_ms)}} | {port: dict(row) for port in ports}


def buffers(intent: SwitchIntent) -> Tables:
    """Pools, a lossless profile per speed and length, and what is bound to each wired port.

    Pool = shared buffer less the reserves of this switch's planned ports, cabled or not, rounded down to KiB (ours: the
    vendor's own pools are a bit smaller). Where the buffer's depth is unknown pools have no size and SONiC's dynamic model is
    asked for.
    """
    shared, contract = intent.site.shared_buffer_bytes, intent.site.lossless
    wired = intent.wired()
    rows = {port.native: port.headroom for port in wired if port.headroom}
    pool = (shared - intent.headroom_bytes) // KIB * KIB if shared is not None else None
    profiles: dict[str, Any] = {
        "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"},
        "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "7"},
        "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
    }
    profiles |= {_name(row): _profile(row) for row in rows.values()}
    groups: dict[str, Any] = {f"{port.native}|0": {"profile": "ingress_lossy_profile"} for port in wired}
    queues: dict[str, Any] = {}
    for port in wired:
        for number in range(CLASSES):
            kind = "lossless" if number in contract.lossless_priorities else "lossy"
            queues[f"{port.native}|{number}"] = {"profile": f"egress_{kind}_profile"}
        if port.headroom:
            groups |= {f"{port.native}|{number}": {"profile": _name(port.headroom)} for number in contract.lossless_priorities}
    return {
        "BUFFER_POOL": {
            "egress_lossless_pool": _pool("egress", shared),
            "egress_lossy_pool": _pool("egress", pool),
            "ingress_lossless_pool": _pool("ingress", pool),
        },
        "BUFFER_PROFILE": profiles,
        "BUFFER_PG": groups,
        "BUFFER_QUEUE": queues,
    }


def _pool(kind: str, size: int | None) -> dict[str, str]:
    return {"type": kind, "mode": "dynamic"} | ({} if size is None else {"size": str(max(size, 0))})


def _name(row: Headroom) -> str:
    return f"pg_lossless_{int(row.gbps * 1000)}_{row.cable_m:g}m_profile"


def _profile(row: Headroom) -> dict[str, str]:
    """`dynamic_th` 0: a class may take as much of the free pool as is left (alpha 1)."""
    return {
        "pool": "ingress_lossless_pool",
        "size": str(reserve_bytes(row)),
        "xon": str(row.xon_bytes),
        "xoff": str(row.xoff_bytes),
        "dynamic_th": "0",
    }
