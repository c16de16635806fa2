"""lldpd waits, paused, for a client of its own; on a busy machine that one comes too early and gives up."""

import time

import pytest

from lab.switches import namespaces
from lab.switches.wiring import Wiring
from tests.namespaced import need_root

pytestmark = pytest.mark.requirement("N1")


def test_lldpd_announces_though_its_own_client_never_came(tmp_path, monkeypatch):
    need_root()
    inside = namespaces.inside
    # -L: the client that lldpd starts. This one does nothing, as the one that came too early.
    monkeypatch.setattr(
        namespaces,
        "inside",
        lambda namespace, hostname, argv: inside(
            namespace, hostname, [*argv, "-L", "/bin/false"] if "lldpd" in argv[0] else argv
        ),
    )
    with Wiring(tmp_path) as wiring:
        wiring.build([("a/swp1", "z/swp9")])
        for device in ("a", "z"):
            wiring.start_lldp(device)
        limit = time.monotonic() + 20
        while wiring.neighbours("a") != {"swp1": ("z", "swp9")} and time.monotonic() < limit:
            time.sleep(0.2)
        assert wiring.neighbours("a") == {"swp1": ("z", "swp9")}
