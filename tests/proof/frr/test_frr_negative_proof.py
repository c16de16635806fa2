"""Files that FRR's own checker accepts and that we refuse (`vtysh -C` returns 0 for each)."""

import subprocess

import pytest

from railyard import load
from railyard.plan import plan
from railyard.plan.switch_intent import switch_intents
from railyard.render.switches import frr
from railyard.rules.switch_config import check_frr
from tests.proof.frr.routed_fabric import ROOT

pytestmark = pytest.mark.requirement("N4")


def leaf():
    return next(switch_intents(plan(load.site_config(ROOT, "roce")), "frr"))


INTENT = leaf()
TEXT = frr(INTENT)
SECOND = "router bgp 65001\n bgp router-id 10.51.0.1\nexit\n!\n"
NEGATIVE = {
    "undefined peer-group": (
        TEXT.replace(" neighbor swp33 interface peer-group FABRIC", " neighbor swp33 interface peer-group GONE"),
        "peer-group GONE isn't defined",
    ),
    "undefined route-map": (
        TEXT.replace("route-map CONNECTED permit", "route-map OTHER permit"),
        "route-map CONNECTED isn't defined",
    ),
    "wrong AS number": (TEXT.replace("router bgp 4200010000", "router bgp 4200010001"), "router bgp 4200010001"),
    "second AS number": (
        TEXT.replace("ip prefix-list", SECOND + "ip prefix-list", 1),
        "router bgp 4200010000, router bgp 65001",
    ),
    "address twice": (TEXT.replace("10.52.0.2/31", "10.52.0.0/31"), "10.52.0.0 stands on 2 interfaces"),
    "empty": ("", "no router and no interface in it"),
}


def shell_accepts(text: str, folder) -> bool:
    path = folder / "frr.conf"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(["vtysh", "-C", "-f", str(path)], capture_output=True, text=True, check=False)
    return done.returncode == 0


@pytest.mark.parametrize("name", NEGATIVE)
def test_the_shell_accepts_what_we_refuse(name, tmp_path):
    text, words = NEGATIVE[name]
    assert text != TEXT
    assert shell_accepts(text, tmp_path), "if FRR refuses it now, so much the better: take the case out"
    findings = check_frr(text, INTENT)
    assert words in [finding.found for finding in findings]
    assert {finding.severity for finding in findings} == {"invariant"}


def test_our_own_file_passes_both(tmp_path):
    assert shell_accepts(TEXT, tmp_path)
    assert check_frr(TEXT, INTENT) == []


def test_a_wrong_word_is_the_shells_business(tmp_path):
    assert not shell_accepts(TEXT.replace("maximum-paths", "maximum-pathways"), tmp_path)
