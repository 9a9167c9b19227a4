"""How the colours moved from A to B: how far (CIEDE2000 of mean colours) and which way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]
Direction = Literal["brighter", "darker", "redder", "greener", "yellower", "bluer", "more_vivid", "paler"]

NOTICEABLE = 2.0
"""A step along one axis of CIELAB that a person notices side by side (2.3 is the usual just noticeable difference)."""

_XYZ_FROM_RGB = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE_D65 = _XYZ_FROM_RGB.sum(axis=1)


@dataclass(frozen=True, slots=True)
class ColourShift:
    """`delta_e`: mean over frames of CIEDE2000 between the frames' mean colours. `directions`: strongest first."""

    delta_e: float
    directions: tuple[Direction, ...]


def colour_shift(a: Floats, b: Floats) -> ColourShift:
    """From (n, 3) mean R, G, B (0…255, sRGB) of each compared frame of A and of B."""
    lab_a, lab_b = lab(a), lab(b)
    lightness, red, yellow = (lab_b - lab_a).mean(axis=0)
    vivid = float((np.hypot(*lab_b[:, 1:].T) - np.hypot(*lab_a[:, 1:].T)).mean())
    steps: dict[Direction, float] = {
        "brighter": lightness,
        "darker": -lightness,
        "redder": red,
        "greener": -red,
        "yellower": yellow,
        "bluer": -yellow,
        # A cast on grey is more vivid, too: the cast is said first.
        "more_vivid": 0.7 * vivid,
        "paler": -vivid,
    }
    seen = sorted((way for way, step in steps.items() if step > NOTICEABLE), key=lambda way: -steps[way])
    return ColourShift(float(delta_e_2000(lab_a, lab_b).mean()), tuple(seen))


def lab(rgb: Floats) -> Floats:
    """(n, 3) sRGB 0…255 → CIELAB (D65)."""
    linear = np.asarray(rgb, np.float64) / 255
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    ratio = linear @ _XYZ_FROM_RGB.T / _WHITE_D65
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio * (29 / 6) ** 2 / 3 + 4 / 29)
    x, y, z = f.T
    return np.stack((116 * y - 16, 500 * (x - y), 200 * (y - z)), axis=1)


def delta_e_2000(first: Floats, second: Floats) -> Floats:
    """(n,) CIEDE2000 of two (n, 3) CIELAB arrays (Sharma, Wu, Dalal 2005)."""
    chroma = (np.hypot(first[:, 1], first[:, 2]) + np.hypot(second[:, 1], second[:, 2])) / 2
    g = 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25.0**7)))
    (l1, c1, h1), (l2, c2, h2) = (_lch(colour, g) for colour in (first, second))
    grey = c1 * c2 == 0
    turn = np.where(grey, 0, (h2 - h1 + 180) % 360 - 180)
    dl, dc, dh = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    light, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = np.where(grey, h1 + h2, h1 + turn / 2)
    t = 1 - 0.17 * _cos(h - 30) + 0.24 * _cos(2 * h) + 0.32 * _cos(3 * h + 6) - 0.20 * _cos(4 * h - 63)
    sl = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    bend = 30 * np.exp(-((((h % 360) - 275) / 25) ** 2))
    rotation = -2 * np.sqrt(c**7 / (c**7 + 25.0**7)) * np.sin(np.radians(2 * bend))
    squares = (dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rotation * (dc / sc) * (dh / sh)
    distance: Floats = np.sqrt(np.maximum(squares, 0))
    return distance


def _lch(colour: Floats, g: Floats) -> tuple[Floats, Floats, Floats]:
    a = colour[:, 1] * (1 + g)
    return colour[:, 0], np.hypot(a, colour[:, 2]), np.degrees(np.arctan2(colour[:, 2], a)) % 360


def _cos(degrees: Floats) -> Floats:
    cosine: Floats = np.cos(np.radians(degrees))
    return cosine
