"""`fabric:index:FabricGate`: sessions, ECMP width, MTU and LLDP, read from the switches, judged by GATE-010 to GATE-014."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from providers.fabric.config import connect
from providers.fabric.models import GateInputs
from providers.kit import Call, Gate, ProviderError
from providers.kit.errors import Cancelled, FindingLike
from providers.kit.resource import Properties
from railyard.rules.fabric_gate import check_fabric, fabric_facts

AT_ONCE = 16
ONE_S = 60.0  # what one look at one switch may take
POLL_S = 1.0


class FabricGate(Gate):
    """See `models.GateInputs`. It looks again until all is well or `deadlineS` is over: BGP and LLDP need a moment."""

    inputs_model = GateInputs
    only_inputs = frozenset({"switches"})
    fact_names = ("sessions", "missing", "unread")

    def measure(self, inputs: Properties, call: Call) -> Properties:
        limit = time.monotonic() + float(inputs.get("deadlineS", 120))
        while True:
            evidence = _evidence(inputs, call)
            if not check_fabric(evidence) or time.monotonic() > limit:
                return evidence
            call.cancel.wait(POLL_S, call.name)

    def judge(self, inputs: Properties, evidence: Properties) -> Sequence[FindingLike]:  # noqa: ARG002
        return check_fabric(evidence)

    def facts(self, inputs: Properties, evidence: Properties) -> Properties:  # noqa: ARG002
        return fabric_facts(evidence)


def _evidence(inputs: Properties, call: Call) -> Properties:
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="gate") as pool:
        rows = list(pool.map(lambda one: _look(one, call), inputs["switches"]))
    rows.sort(key=lambda row: row["name"])
    return {"unit": inputs["unit"], "minimumPercent": inputs.get("minimumPercent", 100.0), "switches": rows}


def _look(one: Properties, call: Call) -> Properties:
    """Planned and seen, side by side; what is wrong with one switch is its reason, never the end of the measurement."""
    planned = {
        "name": one["name"],
        "sessions": sorted(one.get("sessions") or []),
        "neighbours": one.get("neighbours") or {},
        "mtu": one["mtu"],
        "width": one.get("width") or 0,
        "reach": sorted(one.get("reach") or []),
        "loopback": one.get("loopback") or "",
    }
    seen: dict[str, Any] = {}
    try:
        with connect(one, call, call.deadline(ONE_S)) as switch:
            health = switch.health()
            widths = switch.widths(planned["reach"]) if planned["reach"] else {}
        seen = {
            "established": sorted(health.established()),
            "neighbours": {port: health.neighbours.get(port, "") for port in planned["neighbours"]},
            "mtus": {port: health.mtus.get(port, 0) for port in planned["sessions"]},
            "widths": widths,
        }
    except Cancelled:
        raise
    except ProviderError as error:
        first = error.problems[0]
        return {**planned, "reason": f"{first.id} {first.found}"}
    return {**planned, "seen": seen}
