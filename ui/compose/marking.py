"""What a mark of the pointer or of a key makes of a clip's marks: pure functions, one for each act."""

from __future__ import annotations

from typing import Literal, TypeVar

from studio.contract import marks
from studio.contract.keep_change import (
    Area,
    KeepChange,
    PictureMarks,
    Rectangle,
    RectangleKey,
    SoundMarks,
    Span,
    Stroke,
    StrokeKey,
)

LaneName = Literal["picture", "sound"]
Lane = TypeVar("Lane", bound=SoundMarks)
Box = tuple[float, float, float, float]
"""x, y, width, height in fractions of the whole upright picture."""

LEAST = 0.01
"""No rectangle is narrower or lower, in fractions of the picture."""
_MOST = 3.0
FADE_STEP_S = 2 / 24
"""What one key press adds to the soft edges of a mark."""


def lane_of(edit: KeepChange, name: LaneName) -> SoundMarks:
    """The marks of one lane."""
    return edit.picture if name == "picture" else edit.sound


def with_lane(edit: KeepChange, name: LaneName, lane: SoundMarks) -> KeepChange:
    """The marks with another lane."""
    return edit.but(picture=lane) if name == "picture" else edit.but(sound=lane)


def marked(lane: Lane, span: Span) -> Lane:
    """The lane with a span laid over it. The first mark of all decides what the rest is: the opposite."""
    return marks.paint(_opposed(lane, span.change), span)


def with_area(picture: PictureMarks, area: Area) -> PictureMarks:
    """The marks with one more area; as the first mark of all it makes the rest the opposite."""
    return marks.add_area(_opposed(picture, area.change), area)


def retimed(lane: Lane, index: int, span: Span) -> Lane:
    """The lane with the bounds of one span moved; what it covers now is cut away."""
    return marks.paint(marks.replace_span(lane, index, None), span)


def softened(span: Span, by: float) -> Span:
    """The span with its soft edges wider, or narrower, by so many seconds each."""
    most = (span.end - span.start) / 2
    fade_in, fade_out = (min(max(0.0, fade + by), most) for fade in (span.fade_in, span.fade_out))
    return span.but(fade_in=fade_in, fade_out=fade_out)


def span_under(lane: SoundMarks, time: float) -> int | None:
    """Which span lies at a time (s); the later one over the earlier one."""
    under = [index for index, span in enumerate(lane.spans) if span.start <= time < span.end]
    return under[-1] if under else None


def box_at(area: Rectangle, time: float) -> Box:
    """Where a rectangle is at a time (s)."""
    at = marks.rectangle_at(area, time)
    return at.x, at.y, at.width, at.height


def placed(area: Rectangle, time: float, box: Box) -> Rectangle:
    """The rectangle with a key that puts it there at that time."""
    x, y, width, height = box
    width, height = (min(max(LEAST, side), _MOST) for side in (width, height))
    x, y = (min(max(-2.0, place), 3.0) for place in (x, y))
    return marks.with_key(area, RectangleKey(time=time, x=x, y=y, width=width, height=height))


def moved(area: Area, time: float, dx: float, dy: float) -> Area:
    """The area moved by fractions of the picture at a time, which becomes one of its keys."""
    if isinstance(area, Rectangle):
        x, y, width, height = box_at(area, time)
        return placed(area, time, (x + dx, y + dy, width, height))
    before = marks.shift_at(area, time)
    shift = [min(max(-3.0, old + by), 3.0) for old, by in zip(before, (dx, dy), strict=True)]
    return marks.with_key(area, StrokeKey(time=time, dx=shift[0], dy=shift[1]))


def followed(area: Area, since: float, until: float, shifts: list[tuple[float, float, float]]) -> Area:
    """The area moved as something in the picture did: (time, dx, dy), the shifts counted from where the area is at
    `since`. Keys from then to `until` give way."""
    kept = tuple(key for key in area.keys if not since <= key.time <= until)
    if isinstance(area, Rectangle):
        x, y, width, height = box_at(area, since)
        moved_on = area.but(keys=kept or area.keys[:1])
        for time, dx, dy in shifts:
            moved_on = placed(moved_on, time, (x + dx, y + dy, width, height))
        return moved_on
    x, y = marks.shift_at(area, since)
    new = (StrokeKey(time=time, dx=x + dx, dy=y + dy) for time, dx, dy in shifts)
    return area.but(keys=tuple(sorted([*kept, *new], key=lambda key: key.time)))


def has_key(area: Area, time: float) -> bool:
    """Whether the area has a key of its own at a time."""
    return any(abs(key.time - time) <= marks.SAME_TIME for key in area.keys)


def without_key(area: Area, time: float) -> Area:
    """The area without its key at a time; a rectangle keeps its last one."""
    if isinstance(area, Stroke):  # each kind of area has its own kind of keys
        return marks.without_key(area, time)
    return marks.without_key(area, time)


def _opposed(lane: Lane, change: float) -> Lane:
    untouched = not lane.spans and not (isinstance(lane, PictureMarks) and lane.areas)
    return lane.but(rest=1.0 - change) if untouched and change in (0.0, 1.0) else lane
