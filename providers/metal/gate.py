"""`metal:index:FacilityGate`: machines of one unit are on (by Redfish) and installed (by the journal), judged by GATE-001."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from providers.kit import Call, Gate, ProviderError
from providers.kit.errors import Cancelled, FindingLike
from providers.kit.resource import Properties
from providers.metal import accounts, facts
from providers.metal.machine import connect, own_credential
from providers.metal.models import GateInputs
from providers.metal.service import Record, provisioner
from railyard.rules.gates import check_facility, missing_machines

AT_ONCE = 16
DEADLINE_S = 120.0


class FacilityGate(Gate):
    """See `models.GateInputs`."""

    inputs_model = GateInputs
    fact_names = ("ready", "missing", "setAside")

    def measure(self, inputs: Properties, call: Call) -> Properties:
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="gate") as pool:
            rows = list(pool.map(lambda machine: _measure(machine, inputs, call), inputs["machines"]))
        evidence = {
            "unit": inputs["unit"],
            "minimumReady": inputs["minimumReady"],
            "machines": sorted(rows, key=lambda row: row["name"]),
            "quarantined": inputs.get("quarantined") or [],
        }
        if not check_facility(evidence) and (absent := _absent(evidence)):
            call.warning(f"{inputs['unit']} passes without {'; '.join(absent)}")
        return evidence

    def judge(self, inputs: Properties, evidence: Properties) -> Sequence[FindingLike]:  # noqa: ARG002
        return check_facility(evidence)

    def facts(self, inputs: Properties, evidence: Properties) -> Properties:  # noqa: ARG002
        missing = missing_machines(evidence)
        aside = [_because(row) for row in evidence["quarantined"]]
        return {"ready": len(evidence["machines"]) - len(missing), "missing": missing, "setAside": aside}


def _measure(machine: Properties, inputs: Properties, call: Call) -> Properties:
    """{name, ready, reason?, installed?}: what is wrong with one machine is its reason, never the end of the measurement."""
    row: dict[str, Any] = {"name": machine["name"], "serial": machine["serial"], "generation": machine["generation"]}
    try:
        record = provisioner(inputs).look(machine["serial"], call.cancel).record
        if record:
            row["installed"] = {"image": record.image_sha256, "seed": record.seed_sha256, "generation": record.generation}
        reason = _power(machine, inputs, call) or _installed(machine, record)
    except Cancelled:
        raise
    except ProviderError as error:
        first = error.problems[0]
        reason = f"{first.id} {first.found}"
    return {**row, "ready": not reason, **({"reason": reason} if reason else {})}


def _absent(evidence: Properties) -> list[str]:
    """Who is not there though the phase passes, each with the reason; people must not learn it from an empty rack."""
    unready = [_because(row) for row in evidence["machines"] if not row["ready"]]
    return unready + [f"{_because(row)}, set aside" for row in evidence["quarantined"]]


def _because(row: Properties) -> str:
    return f"{row['name']} ({row['reason']})" if row.get("reason") else str(row["name"])


def _power(machine: Properties, inputs: Properties, call: Call) -> str:
    connection = {**inputs, "bmc": machine["bmc"]}
    with connect(connection, call, call.deadline(DEADLINE_S), machine["name"]) as bmc:
        accounts.enter(bmc, own_credential(inputs, call), None)
        host = facts.find_host(bmc, machine["serial"])
        if machine["serial"] not in facts.serials(host.system):
            return f"its BMC shows serial {', '.join(facts.serials(host.system)) or 'none'}"
        return "" if host.power == "On" else f"power is {host.power}"


def _installed(machine: Properties, record: Record | None) -> str:
    if record is None:
        return "nothing was ever installed"
    if record.generation != machine["generation"]:
        return f"generation {record.generation} is installed, planned is {machine['generation']}"
    return "" if record.state == "finished" else f"installation is {record.state}"
