"""One leaf and one spine of a small routed fabric in the words of every system; `--update-golden` writes them again."""

from pathlib import Path

import pytest

from railyard.plan import plan
from railyard.plan.switch_intent import switch_intents
from railyard.render.switches import FILE_NAMES, switch_file
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N4")

HERE = Path(__file__).parent / "switches"
NAMES = ("t-su001-leaf-r0", "t-spine001")


def planned():
    """Two nodes on a unit of two slots, two rails: a leaf has two node ports and two uplinks."""
    fabric = {
        "transport": "roce",
        "switchModel": "sn5600",
        "linkGbps": 800,
        "rails": 2,
        "nodesPerUnit": 2,
        "nos": "sonic",
        "nosVersion": "1.0",
        "lossless": {"spread": "adaptive-routing"},
    }
    addresses = {"ipv6": {"rails": "fd00:32::/48"}, "syslogServers": ["10.2.0.4"], "loopbacks": "10.5.0.0/24"}
    return plan(make_site(nodes=2, fabric=fabric, addresses=addresses))


@pytest.mark.parametrize("nos", sorted(FILE_NAMES))
def test_files_are_as_reviewed(nos, update_golden):
    intents = {intent.hostname: intent for intent in switch_intents(planned(), nos)}
    for name in NAMES:
        expected, found = HERE / nos / name / FILE_NAMES[nos], switch_file(intents[name], nos)
        if update_golden:
            expected.parent.mkdir(parents=True, exist_ok=True)
            expected.write_bytes(found)
        assert expected.is_file(), "no expectation yet: run pytest --update-golden, review and commit it"
        assert found.decode().splitlines() == expected.read_text(encoding="utf-8").splitlines()
