"""Device types of NetBox against the catalogue: what each sample is known to have wrong, and what broken ones would have."""

from functools import cache
from pathlib import Path

import pytest

from railyard import catalog
from railyard.read.netbox import read_netbox_files
from railyard.rules.netbox import check_import
from railyard.rules.netbox.match import fold, matches
from railyard.rules.netbox.ports import numbering, speed_gbps

pytestmark = pytest.mark.requirement("U5", "C3")
SAMPLES = Path(__file__).parents[2] / "data" / "netbox"
TYPE = "manufacturer: Nvidia\nmodel: QM9700\nslug: nvidia-qm9700\nu_height: 1\nweight: 14.8\nweight_unit: kg\n"
PORTS = "".join(f"  - name: P{cage}.{part}\n    type: infiniband-ndr\n" for cage in range(32) for part in (0, 1))
SUPPLIES = "power-ports:\n  - {name: psu0, maximum_draw: 1700}\n  - {name: psu1, maximum_draw: 1700}\n"
MORE = "  - name: {}\n    type: infiniband-ndr\n"
LONG = "interfaces:\n  - name: {}\n    type: virtual\n"
TRAP = "1 names without quotes (`{}`): line 9: YAML 1.1 reads {}, YAML 1.2 {}"
OSFP = "400gbase-x-osfp"
PSU0 = "psu0, maximum_draw: 1700"
BARE = f"{TYPE}{SUPPLIES}"
"""A switch whose ports nobody states: most rules look at other things."""
WHOLE = f"{TYPE}{SUPPLIES}interfaces:\n{PORTS}"
STRIP = (
    "manufacturer: Vertiv\nmodel: GI10022L\nslug: vertiv-gi10022l\nu_height: 0\nweight: 7.26\nweight_unit: kg\n"
    "power-ports:\n  - {name: In, type: iec-60309-p-n-e-4h, maximum_draw: 7360}\npower-outlets:\n"
    + "".join(f"  - {{name: '{number:02d}', power_port: In}}\n" for number in range(1, 25))
)


@cache
def data_of(text, name):
    """A file as read, once: the mutation test judges it again and again."""
    return read_netbox_files([(name, text.encode() if isinstance(text, str) else text)])


def judged(text, name="t.yaml"):
    data, unread = data_of(text, name)
    (one,), findings = check_import(data, catalog.load(), unread)
    return one, findings


def sample(name):
    return judged((SAMPLES / name).read_bytes(), name)


def ids(findings):
    return [finding.id for finding in findings]


def only(findings, rule):
    (finding,) = (one for one in findings if one.id == rule)
    return finding


def test_a_whole_switch_and_a_whole_strip_have_nothing_to_say():
    assert judged(WHOLE)[1] == []
    assert judged(STRIP)[1] == []


def test_the_qm9700_of_the_library():
    """62 ports on a 64-port switch (P22.1 and P23.0 lack); no draw; Ethernet ports on InfiniBand; air from rear to front."""
    one, findings = sample("qm9700.yaml")
    assert (one.match.item.name, one.quarantined) == ("qm9700", False)
    assert ids(findings) == ["NETBOX-002", "NETBOX-003", "NETBOX-008", "NETBOX-009"]
    ports = only(findings, "NETBOX-002")
    assert ports.found == "62 interfaces of 400 Gb/s; P22.1, P23.0 missing from the numbering"
    assert ports.limit.startswith("64 ports at 400 Gb/s in 32 cages (catalogue qm9700")
    assert ports.where == "nvidia-qm9700 (qm9700.yaml:18)"
    power = only(findings, "NETBOX-003")
    assert (power.found, power.limit.split(" (")[0]) == ("2 power ports without maximum_draw", "1700 W")
    air = only(findings, "NETBOX-008")
    assert air.where.endswith("qm9700.yaml:7)")
    assert air.limit == "front-to-rear, as servers (catalogue qm9700: rear-to-front, and sold the other way, too)"
    assert "first qm9700.yaml:19" in only(findings, "NETBOX-009").found


def test_the_sn5600_of_the_library_has_no_power():
    one, findings = sample("sn5600.yaml")
    assert one.match.item.name == "sn5600"
    assert ids(findings) == ["NETBOX-003", "NETBOX-008"]
    assert only(findings, "NETBOX-003").found == "no power port; 2 supplies are bays (PSU1, PSU2)"
    assert only(findings, "NETBOX-003").limit.startswith("2170 W (catalogue sn5600")


def test_the_miscopied_dgx_a100_is_quarantined():
    """Case 6: 2142 W of 6500 W, no GPU NICs, 36 Ethernet ports of a switch, `Rear VGA` twice."""
    one, findings = sample("dgx-a100-miscopied.yaml")
    assert (one.match.item.name, one.quarantined) == ("dgx-a100", True)
    assert ids(findings) == ["NETBOX-001", "NETBOX-004", "NETBOX-005", "NETBOX-007"]
    power = only(findings, "NETBOX-004")
    assert (power.severity, power.found) == ("invariant", "1071 + 1071 = 2142 W")
    assert power.limit.startswith("6500 W or more (catalogue dgx-a100")
    assert only(findings, "NETBOX-005").found == "console-port `Rear VGA` 2 times (lines 13, 19)"
    nics = only(findings, "NETBOX-007")
    assert (nics.severity, nics.found) == ("invariant", "0 interfaces of 200 Gb/s; 36 of 100, 400 Gb/s")
    assert only(findings, "NETBOX-001").found == "2 power supplies"


def test_the_xe9680_has_no_power_no_rails_and_one_bay_eight_times():
    one, findings = sample("poweredge-xe9680.yaml")
    assert (one.match, one.quarantined) == (None, False)
    assert ids(findings) == ["NETBOX-003", "NETBOX-005", "NETBOX-007", "NETBOX-010"]
    assert only(findings, "NETBOX-005").found == "module-bay `SXM5` 8 times (lines 35, 37, 39, 41, 43, 45, 47, 49)"
    assert only(findings, "NETBOX-003").found.startswith("no power port; 6 supplies are bays (PSU 1")
    assert only(findings, "NETBOX-003").limit == "a draw: nobody knows one"
    assert only(findings, "NETBOX-007").found.startswith("8 GPU bays (poweredge-xe9680.yaml:35)")


def test_the_strips_octal_outlets():
    """Case 45: YAML 1.1 reads `08` and `09` as texts, YAML 1.2 as 8 and 9."""
    one, findings = sample("pdu-vertiv-gi10022l.yaml")
    assert one.match.item.name == "vertiv-gi10022l"
    assert ids(findings) == ["NETBOX-006"]
    assert findings[0].found == (
        "2 names without quotes (`08`, `09`): line 41: YAML 1.1 reads the text, YAML 1.2 integer 8; "
        "line 44: YAML 1.1 reads the text, YAML 1.2 integer 9"
    )


@pytest.mark.parametrize(
    ("text", "rule", "found"),
    [
        (BARE.replace("u_height: 1\n", "u_height: 2\n"), "NETBOX-001", "u_height 2"),
        (BARE.replace("weight: 14.8", "weight: 15"), "NETBOX-001", "15 kg = 15 kg"),
        (BARE.replace("weight_unit: kg", "weight_unit: lb"), "NETBOX-001", "14.8 lb = 6.71317 kg"),
        (BARE.replace("  - {name: psu1, maximum_draw: 1700}\n", ""), "NETBOX-001", "1 power supplies"),
        (STRIP.replace("7360", "3680"), "NETBOX-001", "inlet of 3680 W"),
        (STRIP.replace("  - {name: '24', power_port: In}\n", ""), "NETBOX-001", "23 outlets"),
        (STRIP.replace("u_height: 0", "u_height: 1"), "NETBOX-001", "u_height 1"),
        (WHOLE.replace("P31.1", "P32.0"), "NETBOX-002", "P31.1, P32.1 missing from the numbering"),
        (WHOLE.replace("infiniband-ndr", "infiniband-edr"), "NETBOX-002", "interfaces of 100 Gb/s"),
        (WHOLE + MORE.format("P32.0"), "NETBOX-002", "65 interfaces of 400 Gb/s; P32.1 missing from the numbering"),
        (f"{TYPE}interfaces:\n{PORTS}", "NETBOX-003", "no power port"),
        (BARE.replace("1700", "800"), "NETBOX-004", "800 + 800 = 1600 W"),
        (WHOLE + MORE.format("P0.0"), "NETBOX-005", "interface `P0.0` 2 times (lines 11, 139)"),
        (BARE + LONG.format("x" * 65), "NETBOX-005", f"interface name of 65 characters: `{'x' * 20}…`"),
        (BARE.replace("psu1,", "1e3,"), "NETBOX-006", TRAP.format("1e3", "the text", "number 1000.0")),
        (BARE.replace("psu1,", "on,"), "NETBOX-006", TRAP.format("on", "true", "the text")),
        (BARE + "airflow: left-to-right\n", "NETBOX-008", "airflow left-to-right"),
        (WHOLE.replace("infiniband-ndr", OSFP), "NETBOX-009", f"64 interfaces of type {OSFP} (first t.yaml:11)"),
        (BARE.replace("QM9700", "QM1").replace("qm9700", "qm1"), "NETBOX-010", "`Nvidia QM1`: no row has this name"),
        (BARE.replace("u_height: 1\n", "u_height: 0.5\n"), "NETBOX-011", "u_height 0.5"),
        (BARE.replace("u_height: 1\n", "u_height: -1\n"), "NETBOX-011", "u_height -1"),
        (BARE.replace("weight: 14.8", "weight: -14.8"), "NETBOX-011", "weight -14.8 kg"),
        (BARE.replace(PSU0, "psu0, maximum_draw: -1700"), "NETBOX-011", "psu0: maximum_draw -1700 W"),
        (BARE.replace(PSU0, f"{PSU0}, allocated_draw: 1800"), "NETBOX-011", "psu0: allocated_draw 1800 W"),
        (BARE + "colour: red\n", "NETBOX-012", "key `colour`"),
        (STRIP.replace("'24', power_port: In", "'24', power_port: Out"), "NETBOX-013", "outlet `24` on power port `Out`"),
        (STRIP.replace("'24', power_port: In", "'24', power_port: In, feed_leg: D"), "NETBOX-013", "outlet `24` on leg `D`"),
        (STRIP.replace("'24', power_port: In", "'24'"), "NETBOX-013", "1 outlets without power_port (first `24`)"),
        (STRIP.replace("p-n-e-4h", "3p-n-e-6h"), "NETBOX-013", "24 of 24 outlets without feed_leg on a three-phase inlet"),
    ],
)  # fmt: skip
def test_each_rule_fails_on_an_input_of_its_own(text, rule, found):
    assert found in [finding.found for finding in judged(text)[1] if finding.id == rule]


def test_pounds_written_as_kilograms_are_recognised():
    assert judged(BARE.replace("weight: 14.8", "weight: 14.805"))[1] == []
    assert only(judged(BARE.replace("weight: 14.8", "weight: 15"))[1], "NETBOX-001").fix.startswith("correct the file")
    (finding,) = judged(BARE.replace("weight: 14.8", "weight: 32.6"))[1]
    assert finding.fix == "pounds written as kilograms: set weight_unit to lb"
    assert judged(BARE.replace("weight: 14.8", "weight: 32.628").replace("unit: kg", "unit: lb"))[1] == []


def test_a_type_is_a_row_by_equal_names_only():
    known = catalog.load()
    kinds = {
        "manufacturer: Nvidia\nmodel: NVIDIA DGX A100 640GB\nslug: x": ["dgx-a100"],  # the title
        "manufacturer: Vertiv\nmodel: x\nslug: y\npart_number: GI10022L": ["vertiv-gi10022l"],  # maker and part number
        "manufacturer: Nvidia\nmodel: x\nslug: nvidia-qm9700": ["qm9700"],  # the slug without its maker
        "manufacturer: Nvidia\nmodel: SN5600D\nslug: nvidia-sn5600d": [],  # like one, and none
        "manufacturer: NVIDIA\nmodel: sn5600-400g\nslug: nvidia-sn5600-400g": ["sn5600"],  # our own export
        "manufacturer: NVIDIA\nmodel: sn5600-400g-sonic\nslug: nvidia-sn5600-400g-sonic": ["sn5600"],
        "manufacturer: NVIDIA\nmodel: sn5600-eos\nslug: nvidia-sn5600-eos": ["sn5600"],
        "manufacturer: NVIDIA\nmodel: sn5600-junos\nslug: nvidia-sn5600-junos": [],
    }
    for text, names in kinds.items():
        (kind,) = read_netbox_files([("t.yaml", text.encode())])[0].device_types
        assert [match.item.name for match in matches(kind, known)] == names, text
    assert fold("NVIDIA DGX A100 640GB") == fold("NVIDIA DGX A100 640 GB")


def test_rear_to_front_is_right_where_the_ports_look_rear():
    row = "name,role,manufacturer,device_type,rack,position,face\n{},Leaf,Nvidia,QM9700,r1,{},{}\n"
    text = (BARE + "airflow: rear-to-front\n").encode()

    def said(face):
        files = [("t.yaml", text), ("devices.csv", row.format("l1", 3, face).encode())]
        data, unread = read_netbox_files(files)
        return ids(check_import(data, catalog.load(), unread)[1])

    assert "NETBOX-008" not in said("rear")
    assert "NETBOX-008" in said("front")


def test_ports_of_the_library_are_ours():
    """QM9700 of the library counts cages and ports from 0: P0.0 is our port 1, P31.1 our port 64."""
    shape = numbering(f"P{cage}.{part}" for cage in range(32) for part in (0, 1))
    assert [shape.number(name) for name in ("P0.0", "P0.1", "P1.0", "P31.1")] == [1, 2, 3, 64]
    assert [shape.number(name) for name in ("P32.0", "P0.2", "swp1", "P0")] == [None, None, None, None]
    one = numbering(f"swp{cage}s{part}" for cage in range(1, 65) for part in (0, 1))
    assert [one.number(name) for name in ("swp1s0", "swp64s1")] == [1, 128]
    plain = numbering([*(f"swp{number}" for number in range(1, 65) if number != 9), "mgmt0"])
    assert plain.missing == ("swp9",)
    assert plain.number("swp10") == 10
    assert numbering(["eth0", "eth1"]) is None


@pytest.mark.parametrize(
    ("kind", "gbps"),
    [
        ("1000base-t", 1), ("25gbase-x-sfp28", 25), ("400gbase-x-osfp", 400), ("1.6tbase-x-osfp1600", 1600),
        ("2.5gbase-t", 2.5), ("infiniband-ndr", 400), ("infiniband-ndr-4x", 400), ("infiniband-hdr", 200), ("virtual", None),
        ("other", None), (None, None),
    ],
)  # fmt: skip
def test_speeds_of_interface_types(kind, gbps):
    assert speed_gbps(kind) == gbps


A100 = (
    "manufacturer: Nvidia\nmodel: DGX A100\nslug: nvidia-dgx-a100\nu_height: 6\npower-ports:\n"
    + "".join(f"  - {{name: PSU{number}, maximum_draw: 3000}}\n" for number in range(1, 7))
    + "interfaces:\n"
    + "".join(f"  - {{name: mlx5_{number}, type: infiniband-hdr}}\n" for number in range(8))
)


def test_a_server_with_just_its_nics_has_nothing_to_say():
    one, findings = judged(A100)
    assert (one.match.item.name, findings) == ("dgx-a100", [])
    few = judged(A100.replace("  - {name: mlx5_7, type: infiniband-hdr}\n", ""))
    assert few[0].quarantined
    assert ids(few[1]) == ["NETBOX-007"]


def test_limits_name_where_the_catalogues_fact_is_from():
    known = catalog.load()
    server = only(judged(A100.replace("u_height: 6", "u_height: 4"))[1], "NETBOX-001")
    assert server.limit == f"6U (catalogue dgx-a100, {known.nodes['dgx-a100'].source('rackUnits')})"
    switch = only(judged(BARE.replace("u_height: 1\n", "u_height: 2\n"))[1], "NETBOX-001")
    assert switch.limit == f"1U (catalogue qm9700, {known.switches['qm9700'].source('uHeight')})"
    assert only(judged(STRIP.replace("u_height: 0", "u_height: 1"))[1], "NETBOX-001").limit == "0U: a vertical strip"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (BARE.replace("weight: 14.8", "weight: 0"), "NETBOX-011"),
        ("manufacturer: A\nmodel: B\nslug: a-b\nu_height: 60\n", "NETBOX-011"),
        (BARE.replace(PSU0, "psu0, maximum_draw: 0"), "NETBOX-011"),
        (BARE.replace(PSU0, f"{PSU0}, allocated_draw: 1700"), "NETBOX-011"),
        (BARE + LONG.format("x" * 64), "NETBOX-005"),
        (STRIP.replace("7360", "7361"), "NETBOX-001"),
    ],
)
def test_what_is_just_allowed(text, rule):
    assert rule not in ids(judged(text)[1])


def test_an_allocation_above_a_maximum_of_nothing_is_told():
    text = BARE.replace(PSU0, "psu0, maximum_draw: 0, allocated_draw: 1")
    assert only(judged(text)[1], "NETBOX-011").limit == "maximum_draw 0 W"


def test_gpu_bays_with_a_fast_interface_can_be_cabled():
    head = "manufacturer: A\nmodel: B\nslug: a-b\nmodule-bays:\n  - {name: x, position: SXM-1}\ninterfaces:\n"
    assert "NETBOX-007" not in ids(judged(head + "  - {name: a, type: 100gbase-x-qsfp28}\n")[1])
    assert "NETBOX-007" in ids(judged(head + "  - {name: a, type: 50gbase-x-sfp56}\n")[1])


def test_eight_names_make_a_numbering_and_seven_none():
    assert numbering(f"P{cage}.{part}" for cage in range(4) for part in (0, 1)).mark == "."
    assert numbering([f"P{cage}.{part}" for cage in range(4) for part in (0, 1)][:7]) is None
    assert numbering(f"swp{number}" for number in range(1, 9)).last_cage == 8
    assert numbering(f"swp{number}" for number in range(1, 8)) is None
    pairs, plain = [f"P{cage}.{part}" for cage in range(4) for part in (0, 1)], [f"swp{number}" for number in range(1, 9)]
    assert numbering([*pairs, *plain]).mark == ""  # half of the names are not most of them
    assert numbering([*pairs, *plain[:7]]).mark == "."


def test_an_out_of_band_switch_has_copper_and_uplinks():
    head = "manufacturer: Nvidia\nmodel: SN2201\nslug: nvidia-sn2201\ninterfaces:\n"
    ports = "".join(f"  - {{name: swp{number}, type: 1000base-t}}\n" for number in range(1, 49))
    uplinks = "".join(f"  - {{name: swp{number}, type: 100gbase-x-qsfp28}}\n" for number in range(49, 53))
    assert "NETBOX-002" not in ids(judged(head + ports + uplinks)[1])
    assert only(judged(head + ports)[1], "NETBOX-002").found == "0 interfaces of 100 Gb/s"


def test_same_type_twice_with_other_values_is_a_contradiction():
    other = BARE.replace("14.8", "15.8")
    data, unread = read_netbox_files([("a.yaml", BARE.encode()), ("b.yaml", other.encode())])
    findings = check_import(data, catalog.load(), unread)[1]
    twin = only(findings, "NETBOX-033")
    assert (twin.found, twin.limit) == ("weight_kg 15.8 (b.yaml:1)", "weight_kg 14.8 (a.yaml:1)")
