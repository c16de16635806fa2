"""Tables of cables: NVIDIA's p2p sheet, NetBox's cable CSV, our own schedule as the crew sends it back -> sightings.

A p2p sheet names its columns twice (`Rack,U,Name,HCA/Port,Rack,U,Name,Port`): they count by position. Ports may be split
(`1/3`) or not numeric (`sw1p1`); the number of a host's port means what the mapping file says (`port,hca-name`), which may
well exchange 1 and 2. Source: NVIDIA Cable Validation Tool 1.5, P2P file.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping

from railyard.model.observed import Observation, SeenDevice, SheetRow, Sighting
from railyard.read.text import Notebook
from railyard.read.topo import port_text

P2P_HEAD = ("rack", "u", "name", "hca/port", "rack", "u", "name", "port")
MAPPING_HEAD = ("port", "hca-name")
NETBOX_NEEDS = ("side_a_device", "side_a_name", "side_b_device", "side_b_name")
CABLE_NEEDS = ("id", "a_device", "a_port", "z_device", "z_port")
SECOND_ENDS = (("a_second", "z_second"), ("a_second_port", "z_second_port"), ("a_port_2", "z_port_2"))
RESULTS = ("test_result", "result", "test")
_INTERFACES = ("", "dcim.interface", "interface")
_STANDING = ("", "connected")
_SPREADSHEET = re.compile("'[=+@\t\r-]")

Row = tuple[int, list[str]]


def rows_of(text: str, notebook: Notebook) -> list[Row]:
    """Rows with the number of the line that they end on; empty rows are dropped. Semicolons, if the header has them."""
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    try:
        rows.extend((reader.line_num, [_cell(cell) for cell in row]) for row in reader if any(cell.strip() for cell in row))
    except csv.Error as error:
        notebook.add("READ-002", str(error), "CSV", "check quotes on this line and the one before it", reader.line_num, 1)
    return rows


def whole_rows(rows: list[Row], notebook: Notebook) -> list[Row]:
    """Rows of our schedule below its header that have a cell for each column; others are noted: a file that was cut short ends
    in such a row, and a decimal comma without quotes makes one cell two.
    """
    width = len(rows[0][1])
    whole: list[Row] = []
    for line, row in rows[1:]:
        if len(row) < width or any(row[width:]):
            fix = "the file was cut short: send it again" if len(row) < width else 'quote cells that hold a comma: "3,1"'
            notebook.add("READ-002", f"a row of {len(row)} cells", f"{width}, as the header has", fix, line, 1)
        else:
            whole.append((line, row))
    return whole


def _cell(cell: str) -> str:
    """The value of a cell; our own schedule puts an apostrophe before what a spreadsheet would run as a formula."""
    cell = cell.strip()
    return cell[1:] if _SPREADSHEET.match(cell) else cell


def heads(row: list[str]) -> tuple[str, ...]:
    """A header, folded for comparison."""
    return tuple(cell.strip().lower() for cell in row)


def read_mapping(text: str, notebook: Notebook) -> dict[str, str]:
    """`port,hca-name`: host port as the sheet numbers it -> adapter."""
    found: dict[str, str] = {}
    for line, row in rows_of(text, notebook)[1:]:
        if len(row) < 2 or not row[0] or not row[1]:
            notebook.add("READ-002", f"`{','.join(row)}`", "two cells: port, hca-name", "fill both", line, 1)
        elif row[0] in found and found[row[0]] != row[1]:
            limit = f"once (`{found[row[0]]}` above)"
            notebook.add("READ-005", f"port {row[0]} again, as `{row[1]}`", limit, "delete one of the two", line, 1)
        else:
            found[row[0]] = row[1]
    return found


def read_p2p(text: str, notebook: Notebook, hcas: Mapping[str, str]) -> Observation:
    """Rows of a p2p sheet. A host's port becomes its adapter where `hcas` knows it, else it stays the number."""
    links: list[Sighting] = []
    for line, row in rows_of(text, notebook)[1:]:
        if len(row) < len(P2P_HEAD) or not (row[2] and row[3] and row[6] and row[7]):
            limit = "eight cells, none of Name and Port empty"
            notebook.add("READ-002", f"`{','.join(row)[:60]}`", limit, "fill the row, or delete it", line, 1)
            continue
        links.append(_link(row[2], hcas.get(row[3], port_text(row[3])), row[6], port_text(row[7]), line))
    return _sheet(notebook, "p2p", links)


def read_netbox(text: str, notebook: Notebook) -> Observation:
    """Cables between interfaces that are connected; planned ones and power cords aren't there (yet)."""
    rows = rows_of(text, notebook)
    names = heads(rows[0][1])
    _required(names, NETBOX_NEEDS, notebook)
    links: list[Sighting] = []
    planned = 0
    if not notebook.problems:
        for line, row in rows[1:]:
            cells = dict(zip(names, row, strict=False))
            planned += cells.get("status", "").lower() not in _STANDING
            types = (cells.get("side_a_type", ""), cells.get("side_b_type", ""))
            if any(kind not in _INTERFACES for kind in types) or cells.get("status", "").lower() not in _STANDING:
                continue
            ends = [cells.get(name, "") for name in NETBOX_NEEDS]
            if not all(ends):
                _incomplete(notebook, ends, NETBOX_NEEDS, line)
                continue
            links.append(_link(ends[0], port_text(ends[1]), ends[2], port_text(ends[3]), line))
    if planned and not links and not notebook.problems:
        found = f"{planned} cables, none of them connected"
        notebook.add("READ-003", found, "status `connected`", "export what stands; a plan is no audit")
    return _sheet(notebook, "netbox-cables", links)


def read_cables(text: str, notebook: Notebook) -> Observation:
    """Our schedule as it comes back: ends as built, and what the crew wrote into `serial` and `test_result`."""
    rows = rows_of(text, notebook)
    names = heads(rows[0][1])
    _required(names, CABLE_NEEDS, notebook)
    links: list[Sighting] = []
    sheet: list[SheetRow] = []
    result = next((name for name in RESULTS if name in names), "")
    if not notebook.problems:
        for line, row in whole_rows(rows, notebook):
            cells = dict(zip(names, row, strict=False))
            ends = [cells.get(name, "") for name in CABLE_NEEDS]
            if not all(ends):
                _incomplete(notebook, ends, CABLE_NEEDS, line)
                continue
            links += _ends(cells, line)
            if result or "serial" in names:
                sheet.append(SheetRow(ends[0], cells.get("serial", ""), cells.get(result, ""), line, cells.get("loss_db", "")))
    made = _sheet(notebook, "cables", links)
    return Observation(made.source, "cables", (), made.links, tuple(sheet), whole=True)


def _ends(cells: Mapping[str, str], line: int) -> Iterator[Sighting]:
    """One link, or the two of a cable that carries two. The second ends are `device/port`, or ports of the same devices."""
    yield _link(cells["a_device"], cells["a_port"], cells["z_device"], cells["z_port"], line)
    for a_name, z_name in SECOND_ENDS:
        a, z = cells.get(a_name, ""), cells.get(z_name, "")
        if a and z:
            a_device, _, a_port = a.partition("/") if "/" in a and a_name == "a_second" else (cells["a_device"], "", a)
            z_device, _, z_port = z.partition("/") if "/" in z and z_name == "z_second" else (cells["z_device"], "", z)
            yield _link(a_device, a_port, z_device, z_port, line)
            return


def _link(device: str, port: str, far: str, far_port: str, line: int) -> Sighting:
    return Sighting(device, device, "", port, far, far, "", far_port, line)


def _required(names: tuple[str, ...], needs: tuple[str, ...], notebook: Notebook) -> None:
    missing = [name for name in needs if name not in names]
    if missing:
        notebook.add("READ-002", f"no column {', '.join(missing)}", f"columns {', '.join(needs)}", "export it again", 1, 1)
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        notebook.add("READ-005", f"column {', '.join(twice)} twice", "each column once", "delete one of the two", 1, 1)


def _incomplete(notebook: Notebook, ends: list[str], needs: tuple[str, ...], line: int) -> None:
    empty = ", ".join(name for name, end in zip(needs, ends, strict=True) if not end)
    notebook.add("READ-002", f"nothing in {empty}", "both ends of the cable", "fill the row, or delete it", line, 1)


def _sheet(notebook: Notebook, kind: str, links: list[Sighting]) -> Observation:
    if not links and not notebook.problems:
        notebook.add("READ-003", "no cable", "at least one", "export the table again")
    devices: dict[str, SeenDevice] = {}
    return Observation(notebook.source, kind, tuple(devices.values()), tuple(links), whole=True)  # type: ignore[arg-type]
