"""Rectangles of a given shape, in fractions of a picture."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from studio.contract import Crop

Sides = tuple[int, int]
"""Which sides are dragged: −1 left or top, 1 right or bottom, 0 neither."""


def in_shape(box: QRectF, shape: float, held: Sides) -> QRectF:
    """`box` with width = `shape` × height, inside 0…1. The side across from the one that is held stays where it is;
    with none held across a direction, the middle stays."""
    wide, high = box.width(), box.height()
    if held[0]:
        high = wide / shape
    else:
        wide = high * shape
    shrink = min(1.0, _room(box.left(), box.right(), held[0]) / wide, _room(box.top(), box.bottom(), held[1]) / high)
    wide, high = wide * shrink, high * shrink
    left = _placed(box.left(), box.right(), wide, held[0])
    return QRectF(left, _placed(box.top(), box.bottom(), high, held[1]), wide, high)


def middle(ratio: float, width: int, height: int) -> Crop | None:
    """The largest part of a ratio, in pixels, in the middle of a picture; None when that is all of it."""
    wide, high = min(1.0, ratio * height / width), min(1.0, width / height / ratio)
    return Crop(x=(1 - wide) / 2, y=(1 - high) / 2, width=wide, height=high) if wide < 1 or high < 1 else None


def _room(low: float, high: float, side: int) -> float:
    if side > 0:
        return 1 - low
    return high if side < 0 else 1.0


def _placed(low: float, high: float, size: float, side: int) -> float:
    at = low if side > 0 else high - size if side < 0 else (low + high - size) / 2
    return min(max(0.0, at), 1 - size)
