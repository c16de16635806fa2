"""The report in a real browser without a network: what it draws is read back out of the rendered page, by its geometry."""

import json
import re
import shutil
import struct
import subprocess
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions"),
    *("--hide-scrollbars", "--window-size=1000,1100", "--host-resolver-rules=MAP * ~NOTFOUND"),
)
# What chromium asks for by itself, whatever the page is; nothing of it leaves the machine.
CHROMIUMS_OWN = re.compile(r"https?://([a-z0-9-]+\.)*(google|googleapis|gstatic)\.com/")


@dataclass(frozen=True)
class Rendered:
    """A report after a browser has read it."""

    plan: dict[str, Any]
    source: str
    dom: str
    screenshot: bytes
    asked: list[str]

    def pictures(self, css: str) -> list[ElementTree.Element]:
        """The SVG drawings of one kind, parsed from the page as the browser holds it."""
        found = re.findall(rf'<svg [^>]*class="drawing {css}".*?</svg>', self.dom, re.DOTALL)
        return [ElementTree.fromstring(picture) for picture in found]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    folder = tmp_path_factory.mktemp("report")
    chromium = shutil.which("chromium")
    assert chromium, "chromium is not installed: `make setup` installs engine/debian-packages.txt"
    railyard = [str(ROOT / ".venv/bin/railyard"), "plan", "lab", "--out", str(folder)]
    subprocess.run(railyard, cwd=ROOT, check=True, capture_output=True, timeout=60)
    command = [chromium, *FLAGS, f"--user-data-dir={folder}/profile"]
    command += [f"--log-net-log={folder}/net.json", f"--screenshot={folder}/page.png", "--dump-dom"]
    command += ["--virtual-time-budget=10000"]
    done = subprocess.run([*command, f"file://{folder}/report.html"], capture_output=True, text=True, timeout=120, check=True)
    asked = re.findall(r'"url":"(https?://[^"]+)"', (folder / "net.json").read_text(errors="replace"))
    return Rendered(
        plan=json.loads((folder / "plan.json").read_text()),
        source=(folder / "report.html").read_text(),
        dom=done.stdout,
        screenshot=(folder / "page.png").read_bytes(),
        asked=[url for url in asked if not CHROMIUMS_OWN.match(url)],
    )


def number(element: ElementTree.Element, name: str) -> float:
    return float(element.attrib[name])


def attributed(picture: ElementTree.Element, *names: str) -> list[ElementTree.Element]:
    return [group for group in picture.iter(f"{SVG}g") if all(name in group.attrib for name in names)]


@pytest.mark.requirement("U4")
def test_the_page_needs_no_network(page: Rendered):
    assert page.asked == [], "the page asked for something"
    assert not re.search(r"""\b(?:src|href|srcset|action|data)\s*=\s*["']?(?:https?:)?//""", page.dom)
    assert not re.search(r"url\((?!#)|@import", page.dom)
    assert page.dom.count("<script") == 2, "the data of the cable table, and its script"
    assert len(page.dom) > 0.9 * len(page.source), "the browser dropped something of it"


@pytest.mark.requirement("U4", "C3")
def test_devices_stand_at_their_u(page: Rendered):
    """By geometry: a device fills exactly the rungs whose printed numbers lie within its box."""
    racks = {rack["name"]: rack for rack in page.plan["racks"]}
    pictures = [*page.pictures("rack"), *page.pictures("rack-rear")]
    bodies = [body for picture in pictures for body in attributed(picture, "data-rack")]
    drawn = {(body.attrib["data-rack"], body.attrib["data-face"]): body for body in bodies}
    assert set(drawn) == {(name, face) for name in racks for face in ("front", "rear")}
    for (name, _), body in drawn.items():
        rungs = [(int(text.text or ""), number(text, "y")) for text in body.iter(f"{SVG}text") if text.get("class") == "unit"]
        assert sorted(u for u, _ in rungs) == list(range(1, racks[name]["uHeight"] + 1))
        seen = {}
        for device in attributed(body, "data-device"):
            box = next(rect for rect in device.iter(f"{SVG}rect") if rect.get("class") == "box")
            top, bottom = number(box, "y"), number(box, "y") + number(box, "height")
            seen[device.attrib["data-device"]] = sorted(u for u, y in rungs if top <= y <= bottom)
        planned = {d["name"]: list(range(d["u"], d["u"] + d["uHeight"])) for d in racks[name]["devices"]}
        assert seen == planned


@pytest.mark.requirement("U4")
def test_cables_end_at_their_devices(page: Rendered):
    """By geometry: the ends of each line lie on the boxes of the two devices that the plan connects."""
    (picture,) = page.pictures("wiring")
    boxes = {}
    for group in attributed(picture, "data-device"):
        rect = next(iter(group.iter(f"{SVG}rect")))
        x, y = number(rect, "x"), number(rect, "y")
        boxes[group.attrib["data-device"]] = (x, y, x + number(rect, "width"), y + number(rect, "height"))
    ends = {}
    for group in attributed(picture, "data-cable"):
        (wire,) = group.iter(f"{SVG}line")
        points = [(number(wire, f"x{n}"), number(wire, f"y{n}")) for n in (1, 2)]
        ends[group.attrib["data-cable"]] = {device for point in points for device in boxes if _on(boxes[device], point)}
        assert {group.attrib["data-a"], group.attrib["data-z"]} == {
            end
            for cable in page.plan["cables"]
            if cable["id"] == group.attrib["data-cable"]
            for end in (cable["a"], cable["z"])
        }
    planned = {
        cable["id"]: {cable["a"].partition("/")[0], cable["z"].partition("/")[0]}
        for cable in page.plan["cables"]
        if cable["kind"] == "node-leaf"
    }
    assert len(planned) == 32
    assert ends == planned


@pytest.mark.requirement("U4")
def test_trunks_stand_for_as_many_cables_as_planned(page: Rendered):
    (picture,) = page.pictures("wiring")
    drawn = {
        frozenset((group.attrib["data-a"], group.attrib["data-z"])): int(group.attrib["data-links"])
        for group in attributed(picture, "data-a", "data-z", "data-links")
    }
    planned = Counter(
        frozenset((cable["a"].partition("/")[0], cable["z"].partition("/")[0]))
        for cable in page.plan["cables"]
        if cable["kind"] == "leaf-spine"
    )
    assert drawn == planned
    (overview,) = page.pictures("topology")
    assert sum(int(group.attrib["data-links"]) for group in attributed(overview, "data-links")) == planned.total()


def test_the_page_is_not_blank(page: Rendered):
    width, height, pixels = png_pixels(page.screenshot)
    colours = Counter(pixels)
    assert width * height == len(pixels)
    assert len(colours) > 50, "text, boxes and cables have many shades"
    _, background = colours.most_common(1)[0]
    assert 0.05 < 1 - background / len(pixels) < 0.95
    assert sum(max(colour) - min(colour) > 60 for colour in colours) > 10, "roles and rails are coloured"


def _on(box: tuple[float, float, float, float], point: tuple[float, float]) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def png_pixels(data: bytes) -> tuple[int, int, list[tuple[int, ...]]]:
    """Width, height and pixels of a PNG of 8 bits a channel, not interlaced (what chromium writes)."""
    width, height, depth, kind, _, _, interlace = struct.unpack(">IIBBBBB", data[16:29])
    assert (depth, interlace) == (8, 0)
    channels = {2: 3, 6: 4}[kind]
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    raw, stride = zlib.decompress(packed), width * channels
    above, pixels = bytearray(stride), []
    for row in range(height):
        start = row * (stride + 1)
        above = _unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), above, channels)
        pixels += [tuple(above[i : i + 3]) for i in range(0, stride, channels)]
    return width, height, pixels


def _unfiltered(kind: int, row: bytearray, above: bytearray, step: int) -> bytearray:
    """One scan line with its filter undone (PNG, section 9)."""
    for i in range(len(row)):
        left, up, corner = row[i - step] if i >= step else 0, above[i], above[i - step] if i >= step else 0
        paeth = min((left, up, corner), key=lambda near: abs(left + up - corner - near))
        row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
    return row
