"""Tests that build networks in namespaces: who may skip them, and who may not."""

import pytest

from lab.switches import namespaces


def need_root() -> None:
    """Skips where nothing can be made: without root, or in a container that may not make namespaces.

    Fails where root lacks a program (FRR, lldpd, iproute2): CI has them all, and a skip would look like a pass.
    """
    reason = namespaces.why_not()
    if reason == "not root" or (reason or "").startswith("no namespaces"):
        pytest.skip(f"network namespaces: {reason}")
    assert reason is None, reason
