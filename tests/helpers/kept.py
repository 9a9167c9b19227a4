"""Shots that keep and change parts of a clip."""

from __future__ import annotations

from typing import Any

from studio.contract import (
    Area,
    Canvas,
    EditMasks,
    KeepChange,
    PictureMarks,
    Rectangle,
    RectangleKey,
    Request,
    Span,
    edit_masks,
)
from tests.helpers.shots import Item, clip, request

SQUARE = Canvas(width=256, height=256)


def rectangle(*keys: tuple[float, float, float, float, float], **more: Any) -> Rectangle:
    names = ("time", "x", "y", "width", "height")
    return Rectangle(keys=tuple(RectangleKey(**dict(zip(names, key, strict=True))) for key in keys), **more)


def edited(edit: KeepChange, *others: Item, source: dict[str, Any] | None = None, **fields: Any) -> Request:
    """A t2va request that edits a square clip of 107 frames with sound."""
    about = {"seconds": 107 / 24, "size": (512, 512), "sound": 107 / 24, **(source or {})}
    plain: dict[str, Any] = {"task": "t2va", "frames": 107, "canvas": SQUARE, "follow": frozenset()}
    return request(clip("a", edit=edit, **about), *others, **{**plain, **fields})


def masks(edit: KeepChange, **more: Any) -> EditMasks:
    found = edit_masks(edited(edit, **more))
    assert found is not None
    return found


def kept(*spans: Span, rest: float = 1.0, areas: tuple[Area, ...] = ()) -> KeepChange:
    return KeepChange(picture=PictureMarks(rest=rest, spans=spans, areas=areas))
