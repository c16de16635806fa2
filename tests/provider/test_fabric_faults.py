"""fabric:index:SwitchConfig on bad connections: slow, busy, reset and cut answers, a dead switch."""

import pytest

from tests.lab.switchyard import Bench, changed, idle, mtu
from tests.provider.plugin import Failed, Plugin

pytestmark = [pytest.mark.requirement("N1", "N6"), pytest.mark.usefixtures("mended")]

KIND = "fabric:index:SwitchConfig"
BOTH = pytest.mark.parametrize("name", ["leaf1", "leaf2"])  # NVUE, SONiC


NVUE_FAULTS = [
    {"kind": "status", "status": 503, "remaining": 3},
    {"kind": "slow", "delayS": 0.5},
    {"kind": "reset", "when": "before", "remaining": 2},
    {"kind": "reset", "when": "after", "method": "PATCH", "remaining": 1},
    {"kind": "reset", "when": "after", "method": "POST", "remaining": 1},
    {"kind": "drop", "remaining": 2},
    {"kind": "drop", "method": "PATCH", "path": "/nvue_v1/revision/*", "remaining": 2},
]
SONIC_FAULTS = [
    {"kind": "slow", "delayS": 0.5},
    {"kind": "reset", "when": "before", "remaining": 2},
    {"kind": "reset", "when": "after", "path": "*apply-patch --dry-run*", "remaining": 1},
    {"kind": "reset", "when": "after", "path": "*config apply-patch /tmp*", "remaining": 1},
    {"kind": "reset", "when": "after", "path": "*systemd-run*", "remaining": 1},
    {"kind": "reset", "when": "after", "path": "*systemctl stop*", "remaining": 1},
    {"kind": "drop", "path": "*sonic-cfggen*", "remaining": 1},
    {"kind": "drop", "path": "*tee*", "remaining": 1},
]


@pytest.mark.parametrize(
    "fault", [*(("leaf1", one) for one in NVUE_FAULTS), *(("leaf2", one) for one in SONIC_FAULTS)], ids=str
)
def test_faults_on_the_way_do_no_harm(bench: Bench, fabric: Plugin, fault):
    name, spec = fault
    bench.fault(name, **spec)
    fabric.update(KIND, f"SN-{name}", bench.inputs(name), bench.inputs(name, changed(name)))
    assert mtu(bench, name) == 9000
    assert idle(bench, name)
    assert bench.up(name) == 4


@BOTH
def test_a_dead_switch_does_not_stop_a_refresh(bench: Bench, fabric: Plugin, name: str):
    bench.fault(name, kind="unreachable")
    inputs = bench.inputs(name)
    with pytest.raises(Failed) as failed:
        fabric.read(KIND, f"SN-{name}", {**inputs, "token": "fabric"}, inputs)
    assert failed.value.partial is not None
    assert failed.value.partial.id == f"SN-{name}"
    assert "SWITCH-010" in failed.value.partial.reasons[0]
