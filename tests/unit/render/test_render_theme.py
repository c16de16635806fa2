"""One palette: the dot beside a rail's cable has the colour that the cable is ordered in."""

import colorsys
import re
from itertools import combinations

import pytest

from railyard.plan.cabling import RAIL_COLORS
from railyard.render.theme import OTHER_NETWORKS, RAIL_COLOURS, ROLES, drawing_css

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


# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
BLIND = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def lab(colour: str, matrix: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of a colour as an eye sees it."""
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels(colour)]
    red, green, blue = (min(1, max(0, sum(a * b for a, b in zip(row, linear, strict=True)))) for row in matrix)
    xyz = ((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505, 0.2126 * red + 0.7152 * green + 0.0722 * blue,
           (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)  # fmt: skip
    x, y, z = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("face", range(3))
@pytest.mark.parametrize("eye", BLIND)
def test_roles_with_the_same_edge_are_told_apart_by_any_eye(face: int, eye: str):
    """Nine colours are too many for every eye: switches outside the training fabric have a striped edge."""
    css = drawing_css().split("--paper:")[face + 1]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", css))
    for one, other in combinations(ROLES, 2):
        if (one in OTHER_NETWORKS) is (other in OTHER_NETWORKS):
            pair = zip(lab(colours[one], BLIND[eye]), lab(colours[other], BLIND[eye]), strict=True)
            assert sum((a - b) ** 2 for a, b in pair) ** 0.5 > 11, (one, other)
