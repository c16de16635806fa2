"""Which cable joins which cages: the vendor's table, plugs, splitters, reach."""

import pytest

from railyard import catalog
from railyard.plan.cages import nic_end, node_end, switch_end
from railyard.plan.media import Need, choose, table_medium

pytestmark = pytest.mark.requirement("C5", "U8")
CATALOG = catalog.load()
SWITCHES, NODES = CATALOG.switches, CATALOG.nodes


def need(model, gbps, *, a=None, transport="infiniband", multimode="om4"):
    z = switch_end(SWITCHES[model], gbps)
    return Need(transport, gbps, a or nic_end(1, gbps, z.lane_gbps), z, multimode)


def pick(metres, wanted):
    found = choose(CATALOG.cables, CATALOG.optics, wanted, metres)
    return (found.cable.name, found.a.optic, found.z.optic) if found else None


@pytest.mark.parametrize(
    ("metres", "expected"),
    [
        (2.9, ("mcp7y00", None, None)),
        (3.0, ("mcp7y00", None, None)),
        (3.1, ("mca7j60", None, None)),
        (5.0, ("mca7j60", None, None)),
        (5.1, ("mfp7e10", "mma4z00-ns400", "mma4z00-ns")),
        (50.0, ("mfp7e10", "mma4z00-ns400", "mma4z00-ns")),
        (50.1, ("mfp7e30", "mms4x00-ns400", "mms4x00-ns")),
        (100.0, ("mfp7e30", "mms4x00-ns400", "mms4x00-ns")),
        (100.1, None),
    ],
)
def test_ndr_switch_to_nic(metres, expected):
    """LinkX 100G-PAM4: copper to 3 and 5 m, OM4 to 50 m, DR to 100 m; no single-port NIC optic reaches farther."""
    assert pick(metres, need("qm9700", 400)) == expected


@pytest.mark.parametrize(
    ("metres", "expected"),
    [
        (1.0, ("mfp7e10", "mma4z00-ns", "mma4z00-ns")),
        (50.0, ("mfp7e10", "mma4z00-ns", "mma4z00-ns")),
        (51.0, ("mfp7e30", "mms4x00-ns", "mms4x00-ns")),
        (101.0, ("mfp7e30", "mms4x00-nm", "mms4x00-nm")),
        (500.0, ("mfp7e30", "mms4x00-nm", "mms4x00-nm")),
        (501.0, ("lc-duplex", "mms4x50-nm", "mms4x50-nm")),
        (2000.0, ("lc-duplex", "mms4x50-nm", "mms4x50-nm")),
        (2001.0, None),
    ],
)
def test_ndr_switch_to_switch(metres, expected):
    """One cage's two uplinks go to two switches, so no twin copper: fibre even at a metre."""
    end = switch_end(SWITCHES["qm9700"], 400)
    assert pick(metres, need("qm9700", 400, a=end)) == expected


@pytest.mark.parametrize("metres", [1.0, 4.0, 30.0, 500.0])
def test_xdr_is_single_mode_whatever_the_length(metres):
    """XDR 200G-PAM4: no DAC, no multimode; LACC exists at short reach, but no part of it is known."""
    assert pick(metres, need("q3400", 800)) == ("mfp7e30-xdr", "mms4a20-xm800", "mms4a00-xm")


def test_200g_pam4_optics_never_run_at_100g_pam4():
    for choice in (pick(metres, need("qm9700", 400)) for metres in (6.0, 60.0)):
        assert choice is not None
        assert {CATALOG.optics[name].lane_gbps for name in choice[1:]} == {100}
    mixed = need("qm9700", 400, a=nic_end(1, 400, 200))
    assert pick(20.0, mixed) is None, "a NIC of the other lane generation"


def test_om3_ends_at_30_metres():
    assert pick(30.0, need("qm9700", 400, multimode="om3")) == ("om3-mpo", "mma4z00-ns400", "mma4z00-ns")
    assert pick(30.1, need("qm9700", 400, multimode="om3")) == ("mfp7e30", "mms4x00-ns400", "mms4x00-ns")


def test_a_dgx_h100_takes_flat_twin_port_optics_and_no_copper():
    """Its cage carries two rails, for two leaves: no splitter has two heads."""
    end = node_end(NODES["dgx-h100"], 2, 400, 100)
    assert pick(2.0, need("qm9700", 400, a=end)) == ("mfp7e10", "mma4z00-ns-flt", "mma4z00-ns")
    assert pick(90.0, need("qm9700", 400, a=end)) == ("mfp7e30", "mms4x00-ns-flt", "mms4x00-ns")


def test_a_qsfp112_nic_takes_other_copper_and_other_optics():
    end = nic_end(1, 400, 100).model_copy(update={"form": "qsfp112", "heat_sink": None})
    assert pick(3.0, need("qm9700", 400, a=end)) == ("mcp7y10", None, None)
    assert pick(4.5, need("qm9700", 400, a=end)) == ("mca7j65", None, None)
    assert pick(20.0, need("qm9700", 400, a=end)) == ("mfp7e10", "mma1z00-ns400", "mma4z00-ns")


@pytest.mark.parametrize(
    ("metres", "sku"), [(20.0, "mfp7e20"), (50.0, "mfp7e20"), (50.1, None)],
)  # fmt: skip
def test_ndr200_is_split_fibre_to_50_metres(metres, sku):
    found = pick(metres, need("qm9700", 200))
    assert (found and found[0]) == sku


def test_a_liquid_cooled_switch_takes_flat_plugs():
    cold = switch_end(SWITCHES["qm9700"], 400).model_copy(update={"heat_sink": "flat"})
    wanted = Need("infiniband", 400, cold, cold)
    assert pick(20.0, wanted) == ("mfp7e10", "mma4z00-ns-flt", "mma4z00-ns-flt")
    nic = Need("infiniband", 400, nic_end(1, 400, 100), cold)
    assert pick(2.0, nic) == ("mfp7e10", "mma4z00-ns400", "mma4z00-ns-flt"), "the copper that is known has a finned head"


@pytest.mark.parametrize(
    ("model", "gbps", "transport", "metres", "sku"),
    [
        ("qm8700", 200, "infiniband", 2.0, "mcp1650-h"),
        ("qm8700", 200, "infiniband", 2.1, "mfs1s00-h"),
        ("qm8700", 200, "infiniband", 100.0, "mfs1s00-h"),
        ("qm8700", 200, "infiniband", 101.0, "lc-duplex"),
        ("qm8700", 100, "infiniband", 2.0, "mcp7h50-h"),
        ("qm8700", 100, "infiniband", 30.0, "mfs1s50-h"),
        ("qm8700", 100, "infiniband", 31.0, None),
        ("sn4600", 200, "roce", 2.0, "mcp1650-v"),
        ("sn4600", 200, "roce", 40.0, "mfs1s00-v"),
        ("sn4600", 100, "roce", 20.0, "mfs1s50-v"),
        ("sn4600c", 100, "roce", 3.0, "mcp1600-c"),
        ("sn4600c", 100, "roce", 60.0, "mfa1a00-c"),
        ("sn4600c", 100, "roce", 150.0, "lc-duplex"),
        ("sn5600", 800, "roce", 40.0, "mfp7e10-pair"),
        ("sn5600", 800, "roce", 80.0, "mfp7e30-pair"),
        ("sn5600", 100, "roce", 10.0, None),
    ],
)
def test_other_speeds(model, gbps, transport, metres, sku):
    """AOC belongs to the 100 and 200G generations; an 800G link of a twin-port optic takes two fibres."""
    wanted = need(model, gbps, transport=transport)
    if (model, gbps) == ("sn5600", 800):
        wanted = need(model, gbps, transport=transport, a=switch_end(SWITCHES[model], gbps))
    found = choose(CATALOG.cables, CATALOG.optics, wanted, metres)
    assert (found and found.cable.name) == sku
    if sku and sku.endswith("-pair"):
        assert found.cable.per_link == 2


def test_every_cable_of_the_catalogue_is_within_the_table():
    """What the planner may choose is legal by the rule's own table."""
    from railyard.rules.cables import LIMITS_M

    for cable in CATALOG.cables.values():
        assert all(length <= cable.max_length_m for length in cable.lengths_m), cable.name
        assert list(cable.lengths_m) == sorted(set(cable.lengths_m)), cable.name
        for lane in cable.lane_gbps if cable.medium != "cat6a" else ():
            assert cable.max_length_m <= LIMITS_M[lane][cable.medium], (cable.name, lane)
        if cable.shape == "splitter" and cable.head_plug is None:
            assert cable.max_length_m <= 50, cable.name


@pytest.mark.parametrize(
    ("length", "hdr", "ndr", "xdr"),
    [
        (2, "passive-copper", "passive-copper", "active-copper"),
        (3, "active-optical", "passive-copper", "active-copper"),
        (5, "active-optical", "active-copper", "active-copper"),
        (7, "active-optical", "multimode-om4", "single-mode"),
        (50, "active-optical", "multimode-om4", "single-mode"),
        (60, "active-optical", "single-mode", "single-mode"),
        (100, "active-optical", "single-mode", "single-mode"),
        (500, "single-mode-fr4", "single-mode", "single-mode"),
        (600, "single-mode-fr4", "single-mode-fr4", "single-mode-fr4"),
    ],
)
def test_the_table_by_length_where_nothing_fits(length: float, hdr: str, ndr: str, xdr: str):
    assert [table_medium(length, lane) for lane in (50, 100, 200)] == [hdr, ndr, xdr]
