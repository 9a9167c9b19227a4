"""Two pictures made into one: difference, wipe, overlay. Arrays are (H, W, 4) uint8 BGRA, the result has A's size."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Frame = NDArray[np.uint8]
Mode = Literal["side", "wipe", "difference", "overlay", "flicker", "stacked"]

Kind = Literal["absolute", "signed", "heat"]

MODES: tuple[Mode, ...] = get_args(Mode)
LAID_OVER: frozenset[Mode] = frozenset({"wipe", "difference", "overlay"})
"""Modes that make one picture of both: A and B must both lie or both stand."""
KINDS: tuple[Kind, ...] = get_args(Kind)
GAINS = (1, 2, 4, 8, 16, 32)


@functools.cache
def _cv2() -> Any:
    # Importing OpenCV takes a quarter of a second: not before the first picture.
    from studio.media._cv import cv2

    return cv2


def compose(
    a: Frame | None, b: Frame | None, mode: Mode, *, gain: int, wipe_at: float, kind: Kind = "absolute"
) -> Frame | None:
    """The one picture of a mode that lays A and B over each other; None in the other modes and when one is missing."""
    if a is None or b is None:
        return None
    match mode:
        case "difference":
            return DIFFERENCES[kind](a, b, gain)
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


DIFFERENCES: dict[Kind, Callable[[Frame, Frame, int], Frame]] = {
    "absolute": difference,
    "signed": signed,
    "heat": heat,
}


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
