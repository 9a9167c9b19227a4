"""Two pictures made into one: difference, wipe, overlay. Arrays are (H, W, 4) uint8 BGRA, the result has A's size."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

Frame = NDArray[np.uint8]
Mode = Literal["side", "wipe", "difference", "overlay", "flicker", "stacked", "grid", "kept"]
Kind = Literal["absolute", "root", "signed", "heat", "luma"]
Fit = Literal["fit", "fill", "stretch"]
"""How B lies over an A of another shape: all of it between bars, cut to A's shape, or pulled to it."""

MODES: tuple[Mode, ...] = get_args(Mode)
LAID_OVER: frozenset[Mode] = frozenset({"wipe", "difference", "overlay"})
"""Modes that make one picture of both: A and B must both lie or both stand."""
KINDS: tuple[Kind, ...] = get_args(Kind)
FITS: tuple[Fit, ...] = get_args(Fit)
SAME_SHAPE = 0.05
"""Shapes (width over height) this near (relative) count as one: H3's canvases are multiples of 32, which alone costs
up to 4 %."""
FLICKER_S = 0.25
"""Two changes there and back a second: enough to see a difference, under the three flashes a second that can harm."""
GAINS = (1, 2, 4, 8, 16, 32)


class Look(NamedTuple):
    """What the modes that lay A and B over each other need. `edge` (0…1 of the width, or of the height unless
    `upright`) belongs to the wipe, `opacity` of B (0…1) to the overlay, `fit` to all when B has another shape."""

    gain: int = 4
    kind: Kind = "absolute"
    edge: float = 0.5
    upright: bool = True
    opacity: float = 0.5
    fit: Fit = "fit"


@functools.cache
def _cv2() -> Any:
    # Importing OpenCV takes a quarter of a second: not before the first picture.
    from studio.media._cv import cv2

    return cv2


def compose(a: Frame | None, b: Frame | None, mode: Mode, look: Look) -> Frame | None:
    """The one picture of a mode that lays A and B over each other; None in the other modes and when one is missing."""
    if a is None or b is None or mode not in LAID_OVER:
        return None
    b = laid(b, a, look.fit)
    match mode:
        case "difference":
            return DIFFERENCES[look.kind](a, b, look.gain)
        case "wipe":
            return wipe(a, b, look.edge, upright=look.upright)
        case "overlay":
            return overlay(a, b, look.opacity)
        case _:
            return None


def fitted(b: Frame, a: Frame) -> Frame:
    """B at A's size: averaged over areas when it shrinks, as the measures see it."""
    if b.shape == a.shape:
        return b
    cv2 = _cv2()
    shrinks = b.shape[1] * b.shape[0] > a.shape[1] * a.shape[0]
    how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    made: Frame = cv2.resize(b, (a.shape[1], a.shape[0]), interpolation=how)
    return made


def laid(b: Frame, a: Frame, fit: Fit) -> Frame:
    """B at A's size; one of another shape (`other_shape`) as `fit` says."""
    height, width = a.shape[:2]
    if fit == "stretch" or not other_shape(width / height, b.shape[1] / b.shape[0]):
        return fitted(b, a)
    scale = (min if fit == "fit" else max)(width / b.shape[1], height / b.shape[0])
    shown = min(width, round(b.shape[1] * scale)), min(height, round(b.shape[0] * scale))
    # Of B, what fills that: all of it between bars, or its middle.
    seen = _middle(b, min(b.shape[1], round(shown[0] / scale)), min(b.shape[0], round(shown[1] / scale)))
    panel = np.zeros_like(a)
    panel[..., 3] = 255
    place = _middle(panel, *shown)
    place[:] = fitted(seen, place)
    return panel


def other_shape(aspect_a: float, aspect_b: float) -> bool:
    """Whether two shapes (width over height) are further apart than what a canvas of 32s costs."""
    return abs(aspect_b / aspect_a - 1) > SAME_SHAPE


def place_in_b(x: float, y: float, aspect_a: float, aspect_b: float, fit: Fit) -> tuple[float, float] | None:
    """Where a place of A (shares 0…1 of width and height) is in a B that is `laid` over it; None on the bars."""
    ratio = aspect_b / aspect_a
    if fit == "stretch" or not other_shape(aspect_a, aspect_b):
        return x, y
    if (ratio > 1) == (fit == "fit"):
        y = 0.5 + (y - 0.5) * ratio
    else:
        x = 0.5 + (x - 0.5) / ratio
    return (x, y) if 0 <= x < 1 and 0 <= y < 1 else None


def _middle(picture: Frame, width: int, height: int) -> Frame:
    """A view of its middle."""
    left, top = (picture.shape[1] - width) // 2, (picture.shape[0] - height) // 2
    return picture[top : top + height, left : left + width]


def scaled(picture: Frame, height: int) -> Frame:
    """The picture that high, in its own shape, by area averaging."""
    width = max(1, round(picture.shape[1] * height / picture.shape[0]))
    cv2 = _cv2()
    made: Frame = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    return made


def difference(a: Frame, b: Frame, gain: int) -> Frame:
    """|A − B| a channel, times `gain`, cut at 255: black where they are equal."""
    cv2 = _cv2()
    apart: Frame = cv2.absdiff(a, fitted(b, a))
    return apart if gain == 1 else cv2.convertScaleAbs(apart, alpha=gain)


def root(a: Frame, b: Frame, gain: int) -> Frame:
    """The square root of the difference, so that small ones are seen beside large ones: 255 stays 255."""
    curve = np.sqrt(np.arange(256) * 255.0).round().astype(np.uint8)
    made: Frame = _cv2().LUT(difference(a, b, gain), curve)
    return made


def signed(a: Frame, b: Frame, gain: int) -> Frame:
    """128 + (B − A) × `gain` a channel, cut to 0…255: grey where they are equal, lighter where B is lighter."""
    made: Frame = _cv2().addWeighted(fitted(b, a), gain, a, -gain, 128)
    return made


def heat(a: Frame, b: Frame, gain: int) -> Frame:
    """The largest |A − B| of R, G, B times `gain` as a colour: black, violet, orange, yellow."""
    cv2 = _cv2()
    apart = difference(a, b, gain)
    largest = cv2.max(cv2.max(apart[..., 0], apart[..., 1]), apart[..., 2])
    made: Frame = cv2.cvtColor(cv2.applyColorMap(largest, cv2.COLORMAP_INFERNO), cv2.COLOR_BGR2BGRA)
    return made


def luma(a: Frame, b: Frame, gain: int) -> Frame:
    """|A − B| of the brightness (BT.601 weights) times `gain`, as grey: another colour, as bright, stays black."""
    cv2 = _cv2()
    grey = [cv2.cvtColor(side, cv2.COLOR_BGRA2GRAY) for side in (a, fitted(b, a))]
    made: Frame = cv2.cvtColor(cv2.convertScaleAbs(cv2.absdiff(*grey), alpha=gain), cv2.COLOR_GRAY2BGRA)
    return made


DIFFERENCES: dict[Kind, Callable[[Frame, Frame, int], Frame]] = {
    "absolute": difference,
    "root": root,
    "signed": signed,
    "heat": heat,
    "luma": luma,
}


def wipe(a: Frame, b: Frame, at: float, *, upright: bool = True) -> Frame:
    """A left of `at` (0…1 of the width) and B right of it; or A above (0…1 of the height) and B below."""
    made, other = a.copy(), fitted(b, a)
    if upright:
        column = round(a.shape[1] * at)
        made[:, column:] = other[:, column:]
    else:
        row = round(a.shape[0] * at)
        made[row:] = other[row:]
    return made


def overlay(a: Frame, b: Frame, opacity: float) -> Frame:
    """B over A."""
    made: Frame = _cv2().addWeighted(a, 1 - opacity, fitted(b, a), opacity, 0)
    return made
