"""Editing marks of what is kept and changed: pure functions on their values, and what they say at a time."""

from __future__ import annotations

from bisect import bisect_right
from typing import TypeVar

from studio.contract.keep_change import Area, PictureMarks, Rectangle, RectangleKey, SoundMarks, Span, Stroke, StrokeKey
from studio.contract.shot import FPS

SAME_TIME = 0.5 / FPS
"""Seconds within which two times mean the same picture."""

Lane = TypeVar("Lane", bound=SoundMarks)


def value_at(marks: SoundMarks, time: float) -> float:
    """What a lane says at a time of the source (s), 0 keep … 1 change; areas of the picture are left out."""
    value = marks.rest
    for span in marks.spans:
        value += (span.change - value) * weight_at(span, time)
    return value


def weight_at(span: Span, time: float) -> float:
    """How much of a span there is at a time: 1 inside, 0 outside, between them where it fades."""
    if not span.start <= time < span.end:
        return 0.0
    begun = (time - span.start) / span.fade_in if span.fade_in else 1.0
    left = (span.end - time) / span.fade_out if span.fade_out else 1.0
    return min(1.0, begun, left)


def paint(marks: Lane, span: Span) -> Lane:
    """The lane with a span laid over it: what it covers is cut away or dropped, equal neighbours are joined.

    A span that says the same as `rest` only erases.
    """
    left = [part for other in marks.spans for part in _outside(other, span)]
    added = [] if span.change == marks.rest else [span]
    return marks.but(spans=_joined(sorted([*left, *added], key=lambda s: s.start)))


def replace_span(marks: Lane, index: int, span: Span | None) -> Lane:
    """The lane with another span in the place of one, or without it."""
    spans = [*marks.spans[:index], *([] if span is None else [span]), *marks.spans[index + 1 :]]
    return marks.but(spans=tuple(spans))


def add_area(marks: PictureMarks, area: Area) -> PictureMarks:
    """The marks with an area over all others."""
    return marks.but(areas=(*marks.areas, area))


def replace_area(marks: PictureMarks, index: int, area: Area | None) -> PictureMarks:
    """The marks with another area in the place of one, or without it."""
    areas = [*marks.areas[:index], *([] if area is None else [area]), *marks.areas[index + 1 :]]
    return marks.but(areas=tuple(areas))


def counts_at(area: Area, time: float) -> bool:
    """Whether an area counts at a time of the source (s)."""
    return (area.start is None or time >= area.start) and (area.end is None or time < area.end)


def rectangle_at(rectangle: Rectangle, time: float) -> RectangleKey:
    """Where a rectangle is at a time of the source (s)."""
    x, y, width, height = box_at(rectangle, time)
    return RectangleKey(time=time, x=x, y=y, width=width, height=height)


def box_at(rectangle: Rectangle, time: float) -> tuple[float, float, float, float]:
    """The same as plain numbers: x, y, width, height."""
    a, b, share = _between(rectangle.keys, time)
    return (
        a.x + share * (b.x - a.x),
        a.y + share * (b.y - a.y),
        a.width + share * (b.width - a.width),
        a.height + share * (b.height - a.height),
    )


def shift_at(stroke: Stroke, time: float) -> tuple[float, float]:
    """How far a stroke has moved at a time of the source (s), in fractions of the picture's width and height."""
    if not stroke.keys:
        return 0.0, 0.0
    before, after, share = _between(stroke.keys, time)
    return before.dx + share * (after.dx - before.dx), before.dy + share * (after.dy - before.dy)


KeyedArea = TypeVar("KeyedArea", Rectangle, Stroke)
Key = TypeVar("Key", RectangleKey, StrokeKey)


def with_key(area: KeyedArea, key: RectangleKey | StrokeKey) -> KeyedArea:
    """The area with a key put in; it replaces one at the same time.

    Raises pydantic's ValidationError for a key of the other kind of area.
    """
    keys: tuple[RectangleKey | StrokeKey, ...] = area.keys
    others: list[RectangleKey | StrokeKey] = [k for k in keys if abs(k.time - key.time) > SAME_TIME]
    return area.but(keys=tuple(sorted([*others, key], key=lambda k: k.time)))


def without_key(area: KeyedArea, time: float) -> KeyedArea:
    """The area without its key at a time; the only key of a rectangle stays."""
    left = tuple(k for k in area.keys if abs(k.time - time) > SAME_TIME)
    return area if not left and isinstance(area, Rectangle) else area.but(keys=left)


def _between(keys: tuple[Key, ...], time: float) -> tuple[Key, Key, float]:
    """The keys around a time, and how far it lies between them, 0…1."""
    if time <= keys[0].time:
        return keys[0], keys[0], 0.0
    if time >= keys[-1].time:
        return keys[-1], keys[-1], 0.0
    later = bisect_right(keys, time, key=lambda key: key.time)
    before, after = keys[later - 1], keys[later]
    return before, after, (time - before.time) / (after.time - before.time)


def _outside(span: Span, cover: Span) -> list[Span]:
    parts = []
    if cover.start - span.start > SAME_TIME:
        cut = cover.start < span.end
        parts.append(span.but(end=min(span.end, cover.start), fade_out=0.0 if cut else span.fade_out))
    if span.end - cover.end > SAME_TIME:
        cut = cover.end > span.start
        parts.append(span.but(start=max(span.start, cover.end), fade_in=0.0 if cut else span.fade_in))
    return parts


def _joined(spans: list[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last and last.change == span.change and not last.fade_out and not span.fade_in and _touch(last, span):
            joined[-1] = last.but(end=max(last.end, span.end), fade_out=span.fade_out)
        else:
            joined.append(span)
    return tuple(joined)


def _touch(earlier: Span, later: Span) -> bool:
    return later.start - earlier.end <= SAME_TIME
