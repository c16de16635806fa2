"""Broken-out cages (400 Gb/s on SN5600: two ports in each): every file calls a port as the switch's own configuration does."""

import csv
import io
import json
import re
from functools import cache

import msgspec
import pytest

from railyard.audit import audit, design_of
from railyard.audit.design_plan import port_tables
from railyard.cli.filled import kept_values
from railyard.plan import plan, to_json
from railyard.plan.end_labels import end_labels
from railyard.plan.fabric import links_of
from railyard.plan.growth import work_order
from railyard.plan.native import in_native_names, port_numbers
from railyard.plan.netbox import netbox_of
from railyard.plan.netbox.cables import data_cables
from railyard.read.text import ReadError
from railyard.render import artefacts
from railyard.render.cable_columns import packed, unpacked
from railyard.render.cable_formats import p2p_csv, ptm_dot
from railyard.render.cables import cables_csv
from railyard.render.netbox import netbox_csv
from railyard.render.switches import FILE_NAMES
from railyard.rules.netbox.differences import differences
from tests.built_fabric import Built
from tests.planned_site import make_site
from tests.unit.audit_files import ids, seen

pytestmark = pytest.mark.requirement("N4", "N5")

SPLIT = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 400, "nodesPerUnit": 8, "scalableUnits": 1}
SYSTEMS = ("sonic", "cumulus", "eos", "frr", None)
LEAF = "t-su001-leaf-r0"
FIRST_UP = {"sonic": "Ethernet32", "cumulus": "swp5s0", "eos": "Ethernet5/1", "frr": "swp5s0", None: "Ethernet32"}
"""Port 9 of a leaf: cage 5, first part."""
KINDS = ("node-leaf", "leaf-spine")


@cache
def site(nos, **more):
    fabric = SPLIT | more | ({"nos": nos} if nos else {})
    config = make_site(nodes=3, fabric=fabric)
    return config, plan(config)


@cache
def files(nos):
    return artefacts(site(nos)[1], [])


def rows(text):
    return list(csv.DictReader(io.StringIO(text.decode() if isinstance(text, bytes) else text)))


def configured(nos):
    """(switch, port) -> far end, as the descriptions of the switch's own file have them."""
    folder, found = nos or "sonic", {}
    for path, content in files(nos).items():
        if not path.startswith(f"switches/{folder}/"):
            continue
        switch, text = path.split("/")[2], content.decode()
        assert path.endswith(FILE_NAMES[folder])
        if folder == "sonic":
            said = {port: row.get("description") for port, row in json.loads(text)["PORT"].items()}
        elif folder == "cumulus":
            tree = json.loads(text)
            tree = next((one["set"] for one in tree if "set" in one), {}) if isinstance(tree, list) else tree
            said = {port: row.get("description") for port, row in tree["interface"].items()}
        else:
            said = dict(re.findall(r"^interface (\S+)\n +description (.*)$", text, re.MULTILINE))
        found |= {f"{switch}/{port}": text.removeprefix("to ").replace(" ", "/", 1) for port, text in said.items()
                  if text and text.startswith("to ")}  # fmt: skip
    return found


def both_ways(pairs):
    """Switch ports with their far ends."""
    pairs = list(pairs)
    return {a: z for one in pairs for a, z in (one, one[::-1]) if "-gpu" not in a}


@pytest.mark.parametrize("nos", SYSTEMS)
def test_every_file_names_ports_as_the_switch_does(nos):
    wanted, mine = configured(nos), files(nos)
    assert wanted[f"{LEAF}/{FIRST_UP[nos]}"].startswith("t-spine001/")
    assert len(wanted) == 3 * 8 + 2 * 8 * 8
    schedule = [row for row in rows(mine["cables.csv"]) if row["kind"] in KINDS]
    assert both_ways((f"{r['a_device']}/{r['a_port']}", f"{r['z_device']}/{r['z_port']}") for r in schedule) == wanted
    assert {row["id"] for row in schedule} == {f"{row['a_device']}:{row['a_port']}" for row in schedule}
    known = {row["id"] for row in schedule}
    labels = [row for row in rows(mine["labels.csv"]) if row["cable"] in known]
    assert both_ways((row["port"], row["far_port"]) for row in labels) == wanted
    sheet = list(csv.reader(io.StringIO(mine["cabling/p2p.csv"].decode())))[1:]
    assert both_ways((f"{row[2]}/{row[3]}", f"{row[6]}/{row[7]}") for row in sheet) == wanted
    cords = [row for row in rows(mine["netbox/cables.csv"]) if row["label"] in known]
    assert both_ways(
        (f"{r['side_a_device']}/{r['side_a_name']}", f"{r['side_b_device']}/{r['side_b_name']}") for r in cords
    ) == wanted  # fmt: skip
    edges = re.findall(r'"(.*?)":"(.*?)" -- "(.*?)":"(.*?)"', mine["cabling/topology.dot"].decode())
    assert both_ways((f"{a}/{b}", f"{c}/{d}") for a, b, c, d in edges) == {
        port: re.sub(r"mlx5_\d+$", lambda nic: interface(nos, nic[0]), far) for port, far in wanted.items()
    }


def interface(nos, nic):
    """A node's LLDP agent announces the interface that our own files name."""
    return next(port.netdev for port in site(nos)[1].hosts.ports if port.hca == nic)


@pytest.mark.parametrize("nos", SYSTEMS)
def test_netbox_has_the_same_names_on_types_and_cables(nos):
    config, planned = site(nos)
    wanted, data = configured(nos), netbox_of(config, planned)
    cords = [(f"{c.a.parent}/{c.a.name}", f"{c.z.parent}/{c.z.name}") for c in data.cables if "leaf" in c.z.parent + c.a.parent]
    assert both_ways(pair for pair in cords if pair[0] in wanted or pair[1] in wanted) == wanted
    kinds = {kind.model: {part.name for part in kind.components} for kind in data.device_types}
    types = {device.name: device.device_type for device in data.devices}
    assert all(port in kinds[types[device]] for device, _, port in (end.partition("/") for end in wanted))
    labelled = next(kind for kind in data.device_types if kind.model == types[LEAF]).of("interface")
    assert len([part for part in labelled if part.label]) == 128
    assert next(part.label for part in labelled if part.name == FIRST_UP[nos]) == "5/1"
    # Cables that were imported under counted names, in ends and labels, are the same cables.
    power = tuple(cord for cord in data.cables if cord.a.kind != "interface")
    old = msgspec.structs.replace(data, cables=(*power, *data_cables(planned)))
    assert old != data
    assert differences(data, data) == differences(data, old) == []
    moved = msgspec.structs.replace(old, cables=tuple(swapped(old.cables)))
    assert {finding.id for finding in differences(data, moved)} == {"NETBOX-032"}


def swapped(cords):
    """The first two cables between switches with their upper ends exchanged."""
    first, second = [cord for cord in cords if "-spine" in cord.z.parent][:2]
    for cord in cords:
        other = {first: second, second: first}.get(cord) if cord.z.kind == "interface" else None
        yield msgspec.structs.replace(cord, z=other.z) if other else cord


@pytest.mark.parametrize("nos", SYSTEMS)
def test_own_and_counted_names_are_read_back(nos):
    config, planned = site(nos)
    design = design_of(planned, config.catalog, config.inventory)
    built = Built(design)
    told = [(f"{name}.json", built.lldp(name)) for name, one in design.switches.items() if one.network == "training"]
    assert f'"{FIRST_UP[nos]}": {{' in dict(told)[f"{LEAF}.json"]
    nics = {port.hca: port.netdev for port in planned.hosts.ports}
    as_sent = [(name, re.sub(r'"(mlx5_\d+)"', lambda nic: f'"{nics[nic[1]]}"', text)) for name, text in told]
    assert '"rail0"' in as_sent[0][1]
    for told_by in (told, as_sent):
        found = audit(design, tuple(file for name, text in told_by for file in seen(text, name)))
        assert found.findings == ()
        assert found.totals.links_correct == 3 * 8 + 8 * 8
    counted = {
        "cabling/p2p.csv": p2p_csv(planned.cables).encode(),
        "cabling/topology.dot": ptm_dot(planned.cables).encode(),
        "netbox/cables.csv": netbox_csv(planned.site.site, planned.cables).encode(),
        "cables.csv": cables_csv(planned.cables, planned.cabling).encode(),
    }
    assert b"swp9" in counted["cabling/p2p.csv"]
    for name, text in counted.items():
        for content in (text, files(nos)[name]):
            assert (content == text) == (content is text), "the two spell ports differently"
            found = audit(design, seen(content.replace(b",planned,", b",connected,"), name), speeds=False)
            assert ids(found) == (["AUDIT-014"] if name == "cables.csv" else []), (name, ids(found))
            assert found.totals.links_correct == found.totals.links_planned
            assert not [row for row in found.sheet if "isn't in the plan" in row.problem]


def test_an_unplanned_port_is_told_with_its_cages_label():
    config, planned = site("cumulus")
    built = Built(design_of(planned, config.catalog, config.inventory))
    text = built.lldp(LEAF).replace('"swp5s0": {', '"swp40s1": {')
    found = audit(design_of(planned, config.catalog, config.inventory), seen(text, f"{LEAF}.json"))
    ends = {(row.a, row.a_label) for one in found.differences for row in one.found}
    assert {(end, label.rpartition("-")[2]) for end, label in ends} == {(f"{LEAF}/swp40s1", "P40/2")}


@pytest.mark.parametrize("nos", SYSTEMS)
def test_what_a_crew_filled_in_survives_the_new_names(nos, tmp_path):
    config, planned = site(nos)
    tables, native = port_tables(planned, config.catalog), in_native_names(planned).cables

    def port(device, name):
        return tables[device].aliases.get(name, name) if device in tables else name

    index = next(i for i, cable in enumerate(planned.cables) if cable.a == f"{LEAF}/swp9")
    filled = {planned.cables[index].id: {"serial": "SN1", "test_result": "pass"}}
    sheet = tmp_path / "back.csv"
    sheet.write_text(cables_csv(planned.cables, planned.cabling, filled), encoding="utf-8")
    kept = kept_values(tmp_path, sheet, native, port)
    assert kept == {f"{LEAF}:{FIRST_UP[nos]}": {"serial": "SN1", "test_result": "pass"}}
    again = tmp_path / "again.csv"
    again.write_text(cables_csv(native, planned.cabling, kept), encoding="utf-8")
    assert kept_values(tmp_path, again, native, port) == kept
    z_port = planned.cables[index].z.partition("/")[2]
    wrong = sheet.read_text(encoding="utf-8").splitlines()
    row = next(i for i, line in enumerate(wrong) if "SN1" in line)
    wrong[row] = wrong[row].replace(f",{z_port},", ",swp99,")
    sheet.write_text("\n".join(wrong) + "\n", encoding="utf-8")
    with pytest.raises(ReadError) as error:
        kept_values(tmp_path, sheet, native, port)
    assert error.value.problems[0].id == "READ-009"


def test_another_system_moves_no_cable_and_a_work_order_speaks_its_plans_names():
    plain, cumulus = (to_json(site(nos)[1]) for nos in ("sonic", "cumulus"))
    assert work_order(plain, cumulus) == []
    grown = to_json(plan(make_site(nodes=4, fabric=SPLIT | {"nos": "cumulus"})))
    steps = [step for step in work_order(plain, grown) if "gpu04:mlx5" in step.cable]
    assert {step.action for step in steps} == {"add"}
    assert steps[0].now[1].port == f"{LEAF}/swp2s1"
    (back, *_) = [step for step in work_order(grown, plain) if step.cable == steps[0].cable]
    assert (back.action, back.was[1].port) == ("remove", f"{LEAF}/swp2s1")


def test_whole_cages_on_cumulus_and_infiniband_are_as_they_were():
    for fabric in ({}, SPLIT | {"linkGbps": 800, "nos": "cumulus"}, SPLIT | {"linkGbps": 800, "nos": "frr"}):
        planned = plan(make_site(nodes=3, fabric=fabric))
        assert in_native_names(planned) is planned
    planned = plan(make_site(nodes=3, fabric=SPLIT | {"linkGbps": 800, "nos": "sonic"}))
    assert in_native_names(planned).switches[0].ports["Ethernet8"] == planned.switches[0].ports["swp2"]
    once = in_native_names(planned)
    assert in_native_names(once) == once


@pytest.mark.parametrize("nos", SYSTEMS)
def test_second_ends_of_cables_of_two_links(nos):
    """Their labels say the cage, whatever the port is called; the report's table holds them whole."""
    planned = plan(make_site(nodes=3, fabric=SPLIT | {"linksPerCable": 2} | ({"nos": nos} if nos else {})))
    native = in_native_names(planned)
    old = list(end_labels(planned.cables, planned.racks, planned.cabling.ports_per_cage))
    new = list(end_labels(native.cables, native.racks, native.cabling.ports_per_cage, port_numbers(planned)))
    assert [(one.here, one.there) for one in new] == [(one.here, one.there) for one in old]
    assert any(one.end == "Z2" for one in new)
    table = unpacked(packed(native.cables, 24))
    for cable, row in zip(native.cables, table, strict=True):
        ends = [(f"{row['aDevice']}/{row['aPort']}", f"{row['zDevice']}/{row['zPort']}"), (row["aSecond"], row["zSecond"])]
        assert [pair for pair in ends if pair[0]] == list(links_of(cable))
