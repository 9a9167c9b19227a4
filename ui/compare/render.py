"""Two pictures made into one: difference, wipe, overlay. Arrays are (H, W, 4) uint8 BGRA, the result has A's size."""

from __future__ import annotations

import functools
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Frame = NDArray[np.uint8]
Mode = Literal["side", "wipe", "difference", "overlay", "flicker", "stacked"]

MODES: tuple[Mode, ...] = get_args(Mode)
GAINS = (1, 2, 4, 8, 16, 32)


@functools.cache
def _cv2() -> Any:
    # Importing OpenCV takes a quarter of a second: not before the first picture.
    from studio.media._cv import cv2

    return cv2


def compose(a: Frame | None, b: Frame | None, mode: Mode, *, gain: int, wipe_at: float) -> Frame | None:
    """The one picture of a mode that lays A and B over each other; None in the other modes and when one is missing."""
    if a is None or b is None:
        return None
    match mode:
        case "difference":
            return difference(a, b, gain)
        case "wipe":
            return wipe(a, b, wipe_at)
        case "overlay":
            return overlay(a, b)
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


def difference(a: Frame, b: Frame, gain: int) -> Frame:
    """|A − B| a channel, times `gain`, cut at 255: black where they are equal."""
    cv2 = _cv2()
    apart: Frame = cv2.absdiff(a, fitted(b, a))
    return apart if gain == 1 else cv2.convertScaleAbs(apart, alpha=gain)


def wipe(a: Frame, b: Frame, at: float) -> Frame:
    """A left of `at` (0…1 of the width), B right of it."""
    column = round(a.shape[1] * at)
    made = a.copy()
    made[:, column:] = fitted(b, a)[:, column:]
    return made


def overlay(a: Frame, b: Frame) -> Frame:
    """The mean of both."""
    made: Frame = _cv2().addWeighted(a, 0.5, fitted(b, a), 0.5, 0)
    return made
