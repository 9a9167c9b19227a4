"""Keeping and changing parts of a clip: what marks say at a time and a place, and how they are stored."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from studio.contract import (
    History,
    Rectangle,
    RectangleKey,
    SoundMarks,
    Span,
    Stroke,
    StrokeKey,
    dump_shot,
    edits,
    marks,
    parse_shot,
)
from tests.helpers.kept import edited, kept, rectangle


def test_a_span_fades_inside_its_bounds() -> None:
    lane = SoundMarks(rest=0, spans=(Span(start=1, end=3, change=1, fade_in=0.5, fade_out=1),))
    assert [marks.value_at(lane, t) for t in (0.99, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)] == [0, 0, 0.5, 1, 1, 0.5, 0]


def test_painting_cuts_what_it_covers_and_joins_what_is_equal() -> None:
    lane = marks.paint(SoundMarks(rest=0), Span(start=0, end=4))
    lane = marks.paint(lane, Span(start=1, end=2, change=0))
    assert [(s.start, s.end, s.change) for s in lane.spans] == [(0, 1, 1), (2, 4, 1)]
    lane = marks.paint(lane, Span(start=1, end=2))
    assert [(s.start, s.end) for s in lane.spans] == [(0, 4)]
    half = marks.paint(lane, Span(start=3, end=5, change=0.5))
    assert [(s.start, s.end, s.change) for s in half.spans] == [(0, 3, 1), (3, 5, 0.5)]
    assert marks.paint(lane, Span(start=0, end=9, change=0)).spans == ()


def test_a_fade_that_is_cut_off_goes() -> None:
    lane = marks.paint(SoundMarks(rest=0), Span(start=0, end=4, fade_in=1, fade_out=1))
    lane = marks.paint(lane, Span(start=3, end=5, change=0.5))
    assert [(s.fade_in, s.fade_out) for s in lane.spans] == [(1, 0), (0, 0)]


def test_a_rectangle_moves_evenly_and_rests_at_its_ends() -> None:
    box = rectangle((1, 0, 0, 0.2, 0.2), (3, 0.4, 0.8, 0.4, 0.2))
    assert [marks.rectangle_at(box, t).x for t in (0, 1, 2, 3, 9)] == pytest.approx([0, 0, 0.2, 0.4, 0.4])
    assert marks.rectangle_at(box, 2).width == pytest.approx(0.3)


def test_keys_are_put_in_replaced_and_taken_out() -> None:
    box = rectangle((1, 0, 0, 0.2, 0.2))
    later = marks.with_key(box, RectangleKey(time=0.5, x=0.1, y=0, width=0.2, height=0.2))
    assert [key.time for key in later.keys] == [0.5, 1]
    moved = marks.with_key(later, RectangleKey(time=1.01, x=0.9, y=0, width=0.2, height=0.2))
    assert [(key.time, key.x) for key in moved.keys] == [(0.5, 0.1), (1.01, 0.9)]
    assert [key.time for key in marks.without_key(moved, 0.5).keys] == [1.01]
    assert marks.without_key(box, 1) == box, "a rectangle is somewhere"
    stroke = Stroke(radius=0.1, points=((0.5, 0.5),), keys=(StrokeKey(time=1, dx=0.2),))
    assert marks.shift_at(stroke, 5) == (0.2, 0)
    assert marks.shift_at(marks.without_key(stroke, 1), 5) == (0, 0)
    with pytest.raises(ValidationError):
        marks.with_key(box, StrokeKey(time=2))


def test_marks_that_cannot_be_are_refused() -> None:
    for wrong in (
        lambda: Span(start=2, end=2),
        lambda: Span(start=0, end=1, change=1.01),
        lambda: rectangle((1, 0, 0, 0.2, 0.2), (1, 0, 0, 0.2, 0.2)),
        lambda: Rectangle(keys=()),
        lambda: Stroke(radius=0, points=((0, 0),)),
    ):
        with pytest.raises(ValidationError):
            wrong()


def test_a_marked_shot_is_stored_undone_and_read_by_an_older_reader() -> None:
    edit = kept(
        Span(start=0, end=2, change=0), areas=(rectangle((0, 0, 0, 0.5, 0.5)), Stroke(radius=0.1, points=((0, 1),)))
    )
    shot = edited(edit).shot
    document = json.loads(dump_shot(shot, None))
    assert parse_shot(json.dumps(document).encode(), None) == shot
    document["references"][0]["edit"]["picture"]["areas"][0]["mood"] = "newer"
    assert json.loads(dump_shot(parse_shot(json.dumps(document).encode(), None), None)) == document
    del document["references"][0]["edit"]
    bare = parse_shot(json.dumps(document).encode(), None)
    assert bare.references[0].edit is None and bare.source() is None
    history = History(bare).edit(edits.set_edit(bare, "a", edit), "marks")
    assert history.present == shot and history.undo().present == bare and history.undo().redo().present == shot
