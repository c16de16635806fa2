"""One palette: the dot beside a rail's cable has the colour that the cable is ordered in."""

import colorsys
import re

import pytest

from railyard.plan.cabling import RAIL_COLORS
from railyard.render.theme import RAIL_COLOURS, drawing_css

pytestmark = pytest.mark.requirement("C5")

HUES = {
    "blue": (185, 225), "orange": (28, 45), "green": (145, 175), "red": (350, 365), "violet": (245, 270),
    "brown": (20, 35), "pink": (315, 340), "yellow": (48, 62),
}  # fmt: skip
"""Degrees on the colour wheel; 365 is 5. Brown is a dark or dull orange."""
FACES = [dict(re.findall(r"--rail-(\d): (#[0-9a-f]{6})", part)) for part in re.split(r"@media[^{]*\{", drawing_css())]
FACES = [face for face in FACES if face]


def channels(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def luminance(colour: str) -> float:
    """WCAG 2.1, relative luminance."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_there_are_a_light_a_dark_and_a_printed_face_with_a_colour_for_each_rail():
    assert len(FACES) == 3
    assert all(set(face) == {str(rail) for rail in range(RAIL_COLOURS)} for face in FACES)
    assert len(RAIL_COLORS) == RAIL_COLOURS
    assert FACES[0] == FACES[2], "paper is light"


@pytest.mark.parametrize("face", range(3))
@pytest.mark.parametrize("rail", range(RAIL_COLOURS))
def test_a_rail_s_dot_is_what_its_cable_is_called(face: int, rail: int):
    colour, name = FACES[face][str(rail)], RAIL_COLORS[rail]
    hue, _, saturation = colorsys.rgb_to_hls(*channels(colour))
    low, high = HUES[name]
    degrees = hue * 360
    assert low <= degrees <= high or low <= degrees + 360 <= high, (name, colour, degrees)
    assert saturation > 0.3
    if name == "brown":
        orange = FACES[face][str(RAIL_COLORS.index("orange"))]
        assert luminance(colour) < 0.75 * luminance(orange), "brown is darker than orange"


@pytest.mark.parametrize("face", range(3))
def test_every_rail_stands_out_from_its_ground(face: int):
    """WCAG 2.1, 1.4.11: 3:1 for graphics."""
    ground = luminance("#14181d") if face == 1 else 1.0
    for rail, colour in FACES[face].items():
        light, dark = sorted((luminance(colour), ground), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3, (rail, colour)
