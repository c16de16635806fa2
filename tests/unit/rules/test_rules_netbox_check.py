"""A plan against NetBox: the export comes back without a difference, an edit comes back with both values."""

import csv
import io
from functools import cache

import msgspec
import pytest

from railyard import catalog
from railyard.model.netbox import Component, Cord, Device, DeviceType, End, Feed, NetBoxData, Rack, Reservation
from railyard.plan import plan
from railyard.plan.netbox import netbox_of
from railyard.read.netbox import read_netbox_files
from railyard.render.netbox import netbox_files
from railyard.rules.netbox import check_against, check_export, check_import
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("U5", "C3")
FEED = "three-phase,400,32,80"
FIRST = "planned,t-su001-gpu01:mlx5_0"
DGX = "02-device-types/nvidia-dgx-h100.yaml"
STRIPS = {"feeds": [{"name": name, "pduModel": "raritan-px3-5730-v2", "pdusPerRack": 2} for name in "ab"]}


@cache
def wanted_of():
    """What the plan wants NetBox to have. No fixture: the mutation test calls these tests as plain functions."""
    config = make_site(nodes=3, facility=STRIPS, fabric={"nodesPerUnit": 4})
    return netbox_of(config, plan(config))


@cache
def files_of():
    """The export as CSV alone, beside the device types."""
    made = netbox_files(wanted_of())
    return {
        path: content.decode()
        for path, content in made.items()
        if path[0].isdigit() and (path.endswith(".csv") or "device-types/" in path)
    }


@cache
def read_one(path, text):
    """One file; most are the same in every test."""
    return read_netbox_files([(path, text.encode())])[0]


def read(files):
    one_by_one = [read_one(path, text) for path, text in files.items()]
    names = NetBoxData.__struct_fields__
    return NetBoxData(**{name: tuple(noun for data in one_by_one for noun in getattr(data, name)) for name in names})


def differences(wanted, files):
    return [(finding.id, finding.where, finding.found, finding.limit) for finding in check_against(wanted, read(files))]


def edited(files, path, old, new, count=1):
    assert old in files[path], (path, old)
    return {**files, path: files[path].replace(old, new, count)}


def test_the_export_comes_back_as_the_plan():
    wanted, files = wanted_of(), files_of()
    assert differences(wanted, files) == []


def test_csv_and_yaml_together_come_back_too():
    wanted = wanted_of()
    made = netbox_files(wanted)
    there = read_netbox_files([(path, content) for path, content in made.items() if not path.endswith(".md")])[0]
    assert check_against(wanted, there) == []


def test_yaml_alone_comes_back():
    wanted = wanted_of()
    made = {path: content.decode() for path, content in netbox_files(wanted).items() if path.endswith(".yaml")}
    assert differences(wanted, made) == []


def test_everything_of_the_plan_is_in_the_files():
    """So that an empty list of differences isn't blindness."""
    wanted, files = wanted_of(), files_of()
    there = read(files)
    for field in ("racks", "devices", "panels", "feeds", "cables", "device_types", "reservations"):
        assert len(getattr(there, field)) == len(getattr(wanted, field)), field
    assert len(there.cables) > 150


@pytest.mark.parametrize(
    ("path", "old", "new", "found", "limit"),
    [
        ("08-devices.csv", "t-r001,1,front", "t-r001,2,front", "position 2", "position 1"),
        ("08-devices.csv", "t-r001,1,front", "t-r001,1,rear", "face `rear`", "face `front`"),
        ("08-devices.csv", "t-r001,1,front", "t-r002,1,front", "rack `t-r002`", "rack `t-r001`"),
        ("08-devices.csv", "dgx-h100,St-su001-gpu01", "dgx-h100,X", "serial `X`", "serial `St-su001-gpu01`"),
        ("08-devices.csv", "NVIDIA,dgx-h100,", "NVIDIA,qm9700,", "device_type `qm9700`", "device_type `dgx-h100`"),
        ("08-devices.csv", ",planned,t,row-01,t-r001,1", ",failed,t,row-01,t-r001,1", "status `failed`", "a device that works"),
        ("06-racks.csv", "planned,19,48", "planned,19,42", "u_height 42", "u_height 48"),
        ("06-racks.csv", "750,1200,mm", "600,1200,mm", "outer_width_mm 600", "outer_width_mm 750"),
        ("06-racks.csv", "01-01,planned", "01-07,planned", "facility_id `01-07`", "facility_id `01-01`"),
        ("10-power-feeds.csv", FEED, "single-phase,400,32,80", "phase `single-phase`", "phase `three-phase`"),
        ("10-power-feeds.csv", FEED, "three-phase,230,32,80", "voltage 230", "voltage 400"),
        ("10-power-feeds.csv", FEED, "three-phase,400,63,80", "amperage 63", "amperage 32"),
        ("10-power-feeds.csv", FEED, "three-phase,400,32,100", "max_utilization 100", "max_utilization 80"),
        ("12-cables.csv", ",2196f3,3,m", ",2196f3,5,m", "length_m 5", "length_m 3"),
        ("12-cables.csv", f"mmf-om4,{FIRST}", f"aoc,{FIRST}", "type `aoc`", "type `mmf-om4`"),
        (DGX, "\nu_height: 8", "\nu_height: 6", "u_height 6", "u_height 8"),
        (DGX, '"maximum_draw": 3300', '"maximum_draw": 1071', "maximum_draw_w 1071", "maximum_draw_w 3300"),
    ],
)  # fmt: skip
def test_each_edit_is_one_difference_with_both_values(path, old, new, found, limit):
    wanted, files = wanted_of(), files_of()
    made = differences(wanted, edited(files, path, old, new))
    assert [(one[0], one[2], one[3]) for one in made] == [("NETBOX-032", found, limit)]
    assert f"({path}:" in made[0][1]


def lines_of(files, path):
    return files[path].splitlines(keepends=True)


def without(files, path, line):
    """A table without one of its lines (from 1)."""
    lines = lines_of(files, path)
    del lines[line - 1]
    return {**files, path: "".join(lines)}


@pytest.mark.parametrize(
    "path", ["06-racks.csv", "08-devices.csv", "10-power-feeds.csv", "12-cables.csv", "11-power-cables.csv"]
)
def test_a_row_that_is_gone_is_missing(path):
    wanted, files = wanted_of(), files_of()
    (one,) = differences(wanted, without(files, path, 2))
    assert one[0] == "NETBOX-030"


@pytest.mark.parametrize(
    ("path", "row", "where"),
    [
        ("06-racks.csv", "t,row-01,t-r009,01-09,planned,19,48,,,,,,\n", "t-r009"),
        ("08-devices.csv", "other,Leaf,NVIDIA,qm9700,,active,t,row-01,t-r001,40,front,\n", "other"),
        ("12-cables.csv", "t-su001-gpu01,dcim.interface,x,t-su001-gpu02,dcim.interface,x,,connected,new,,,,\n", "cable new"),
    ],
)
def test_a_row_that_nobody_planned_is_named(path, row, where):
    wanted, files = wanted_of(), files_of()
    (one,) = differences(wanted, {**files, path: files[path] + row})
    assert one[0] == "NETBOX-031"
    assert one[1].startswith(f"{where} ({path}:")


def test_a_plug_in_another_port_is_told_once_with_both_ways():
    wanted, files = wanted_of(), files_of()
    rows = list(csv.reader(io.StringIO(files["12-cables.csv"])))
    assert (rows[1][0], rows[1][5]) == ("t-su001-gpu01", "1")
    rows[1][5] = "10"  # a port that nothing is planned in
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    (one,) = differences(wanted, {**files, "12-cables.csv": out.getvalue()})
    assert one[2:] == ("t-su001-gpu01/mlx5_0 to t-su001-leaf-r0/10", "t-su001-gpu01/mlx5_0 to t-su001-leaf-r0/1")
    assert one[1] == "cable t-su001-gpu01:mlx5_0 (12-cables.csv:2)"


def test_ends_may_be_exchanged():
    wanted, files = wanted_of(), files_of()
    rows = list(csv.DictReader(io.StringIO(files["12-cables.csv"])))
    for row in rows:
        for key in ("device", "type", "name"):
            row[f"side_a_{key}"], row[f"side_b_{key}"] = row[f"side_b_{key}"], row[f"side_a_{key}"]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    assert differences(wanted, {**files, "12-cables.csv": out.getvalue()}) == []


def test_ports_of_the_librarys_qm9700_are_ours():
    """A NetBox whose QM9700 came from the library names our port 1 `P0.0` and our port 64 `P31.1`."""
    wanted, files = wanted_of(), files_of()
    names = {f"dcim.interface,{n},": f"dcim.interface,P{(n - 1) // 2}.{(n - 1) % 2}," for n in range(1, 65)}
    text = files["12-cables.csv"]
    for old, new in names.items():
        text = text.replace(old, new)
    path = "02-device-types/nvidia-qm9700.yaml"
    ports = "".join(f"  - {{name: P{cage}.{part}, type: infiniband-ndr}}\n" for cage in range(32) for part in (0, 1))
    head, _, tail = files[path].partition("interfaces:\n")
    kept = "".join(line for line in tail.splitlines(keepends=True) if '"mgmt0"' in line)
    library = {**files, "12-cables.csv": text, path: f"{head}interfaces:\n{ports}{kept}"}
    assert "P0.0" in text
    found = differences(wanted, library)
    # The type itself is another one; not one of 250 cables is.
    assert {one[0] for one in found} == {"NETBOX-030"}
    assert [one[1] for one in found] == ["nvidia-qm9700 (02-device-types/nvidia-qm9700.yaml:2)"]


def test_a_missing_table_is_one_finding_each():
    wanted, files = wanted_of(), files_of()
    few = {path: text for path, text in files.items() if "cables" not in path and "feeds" not in path}
    assert sorted(one[2] for one in differences(wanted, few)) == ["no table of cables", "no table of power feeds"]


def test_many_missing_rows_are_one_finding():
    wanted, files = wanted_of(), files_of()
    head = "".join(lines_of(files, "12-cables.csv")[:2])
    (one,) = differences(wanted, {**files, "12-cables.csv": head})
    assert one[2].endswith("…")
    assert "aren't there" in one[2]


def test_csv_against_yaml_of_one_folder():
    wanted = wanted_of()
    made = {path: content.decode() for path, content in netbox_files(wanted).items() if not path.endswith(".md")}
    found = differences(wanted, edited(made, "08-devices.yaml", '"position": 1,', '"position": 3,'))
    assert [one[0] for one in found] == ["NETBOX-033"]
    assert found[0][2].startswith("position 3 (08-devices.yaml:")
    assert found[0][3].startswith("position 1 (08-devices.csv:")


def test_an_empty_netbox_lacks_everything():
    wanted = wanted_of()
    found = check_against(wanted, NetBoxData(files=("x",)))
    assert {finding.id for finding in found} == {"NETBOX-030"}
    assert len(found) < 12


def test_the_export_has_no_contradictions_of_its_own():
    """Its feeds may be too full (the site's strips are small); its tables, names, U and ports are not wrong."""
    _, findings = check_import(read(files_of()), catalog.load())
    assert {finding.id for finding in findings} <= {"NETBOX-010", "NETBOX-025"}


def test_other_sites_of_the_same_netbox_are_left_out():
    wanted, files = wanted_of(), files_of()
    more = {
        "08-devices.csv": "x1,Leaf,NVIDIA,qm9700,,,other,,x-r001,40,front,\nx2,Leaf,NVIDIA,qm9700,,,other,,,,,\n",
        "06-racks.csv": "other,row-01,x-r001,,active,19,48,,,,,,\n",
        "04-sites.csv": "other,other,active\n",
        "12-cables.csv": "x1,dcim.interface,1,x2,dcim.interface,1,,connected,x,,,,\n",
    }
    assert differences(wanted, {path: text + more.get(path, "") for path, text in files.items()}) == []


def test_a_folder_of_another_site_is_said_once():
    wanted, files = wanted_of(), files_of()
    made = differences(wanted, {path: text.replace("\nt,", "\nu,").replace(",t,row", ",u,row") for path, text in files.items()})
    assert [(one[0], one[2], one[3]) for one in made] == [("NETBOX-030", "racks and devices of `u` only", "those of `t`")]


def racks(count):
    return NetBoxData(racks=tuple(Rack(f"r{number:02d}") for number in range(count)))


def test_up_to_twenty_missing_rows_are_named_one_by_one():
    assert len(check_against(racks(21), racks(1))) == 20
    (one,) = check_against(racks(22), racks(1))
    assert one.found == "21 aren't there: r01, r02, r03, r04, r05 …"


def wire(length):
    return NetBoxData(cables=(Cord(End("interface", "a", "x"), End("interface", "b", "x"), label="c", length_m=length),))


def test_a_thousandth_is_a_difference_and_less_is_none():
    assert [one.found for one in check_against(wire(0.0), wire(0.001))] == ["length_m 0.001"]
    assert check_against(wire(0.0), wire(0.0009)) == []


def test_some_units_of_a_reservation_are_missing():
    wanted, there = (NetBoxData(reservations=(Reservation("r1", units),)) for units in ((1, 2, 3), (1,)))
    assert [one.found for one in check_against(wanted, there)] == ["U 2, 3 not reserved"]
    assert check_against(there, wanted) == []


def test_a_type_counts_where_a_device_has_it():
    """A type that the folder lacks may be one of NetBox's own, unless a device there is of it."""
    kind, other = (DeviceType("m", name, f"m-{name}") for name in ("box", "other"))
    wanted = NetBoxData(device_types=(kind,), devices=(Device("d", device_type="box"),))
    there = NetBoxData(device_types=(other,), devices=(Device("d", device_type="box"),))
    assert [one.found for one in check_against(wanted, there)] == ["no such device type"]
    without = NetBoxData(device_types=(other,), devices=(Device("d", device_type="other"),))
    assert [one.found for one in check_against(wanted, without)] == ["device_type `other`"]


@pytest.mark.parametrize(
    ("field", "value", "refused"),
    [
        ("voltage", 1, False), ("voltage", 32767, False), ("voltage", 32768, True), ("voltage", 0, True),
        ("amperage", 62.5, True), ("amperage", 1, False), ("max_utilization", 100, False), ("max_utilization", 101, True),
        ("name", "n" * 100, False), ("name", "n" * 101, True), ("description", "d" * 200, False),
        ("description", "d" * 201, True),
    ],
)  # fmt: skip
def test_limits_of_netboxs_columns(field, value, refused):
    feed = msgspec.structs.replace(Feed("f", "p"), **{field: value})
    found = check_export(NetBoxData(feeds=(feed,)))
    assert [one.id for one in found] == (["NETBOX-036"] if refused else [])


@pytest.mark.parametrize(("length", "refused"), [(64, False), (65, True)])
def test_names_of_components_have_64_characters(length, refused):
    kind = DeviceType("m", "box", "m-box", components=(Component("interface", "x" * length),))
    assert bool(check_export(NetBoxData(device_types=(kind,)))) is refused
