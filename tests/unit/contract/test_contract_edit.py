"""Keeping and changing parts of a clip: marks, the latent grid, masks, their rules and what is sent."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from studio.contract import (
    Area,
    Canvas,
    Crop,
    EditMasks,
    Finding,
    History,
    KeepChange,
    PictureMarks,
    Rectangle,
    RectangleKey,
    Request,
    Shot,
    SoundMarks,
    Span,
    Stroke,
    StrokeKey,
    check,
    dump_shot,
    edit_grid,
    edit_masks,
    edits,
    follow_main,
    limits_of_server,
    load_limits,
    marks,
    mask_json,
    mend_all,
    mends,
    model_mask,
    parse_shot,
    resolve,
    rows,
    tags,
    wire_form,
)
from studio.contract.latent_grid import frames_of_latents
from studio.contract.mask_cells import latent_times
from studio.contract.masks import sound_times
from studio.core.words import known_codes
from tests.helpers.shots import Item, clip, picture, request, sound

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


def found(made: Request, code: str) -> Finding:
    return next(f for f in check(made) if f.code == code)


def codes(made: Request) -> set[str]:
    return {f.code for f in check(made)}


# Marks.


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


# The grid.


def test_five_latents_make_seventeen_frames() -> None:
    assert frames_of_latents(22) == ((0, 1), (1, 5), (5, 9), (9, 13), (13, 17), (17, 18), (18, 22))
    assert len(frames_of_latents(362)) == 107 and frames_of_latents(362)[-1] == (358, 362)


def test_the_grid_lies_where_the_clip_is_seen() -> None:
    grid = edit_grid(edited(kept(rest=0), source={"size": (1024, 512), "start": 1.0, "seconds": 9}))
    assert grid is not None
    times = latent_times(grid.start, grid.frames)
    assert (grid.rows, grid.columns, len(times), len(sound_times(grid))) == (16, 16, 32, 178)
    assert grid.window == Crop(x=0.25, y=0, width=0.5, height=1), "cut to the canvas' shape, not stretched"
    assert times[:2].tolist() == pytest.approx([1 + 0.5 / 24, 1 + 3 / 24])
    assert [grid.latent_at(t) for t in (0, 1, 1 + 1 / 24, 1 + 4.9 / 24, 1 + 17 / 24, 99)] == [0, 0, 1, 1, 5, 31]


def test_there_is_no_grid_before_the_clip_is_known() -> None:
    made = edited(kept(rest=0))
    assert edit_grid(Request(made.shot, made.limits)) is None
    assert edit_grid(Request(made.shot.but(frames=9999), made.limits, made.facts)) is None
    assert wire_form(Request(made.shot, made.limits)).parts == ()


# Masks.


def test_time_is_kept_by_the_middle_of_a_latent() -> None:
    made = masks(kept(Span(start=0, end=2, change=0))).picture
    assert made is not None
    changed = [bool(frame.any()) for frame in made]
    middles = [(a + b) / 48 for a, b in frames_of_latents(107)]
    assert changed == [middle >= 2 for middle in middles]
    assert all(frame.all() for frame in made if frame.any())


def test_a_fade_has_values_between() -> None:
    made = masks(kept(Span(start=1, end=4, change=1, fade_in=1), rest=0)).picture
    assert made is not None
    values = made[:, 0, 0]
    assert values[0] == 0 and values[-8] == 1 and 0 < values[10] < values[12] < 1


def test_a_rectangle_takes_the_cells_that_have_their_middle_in_it() -> None:
    made = masks(kept(areas=(rectangle((0, 0.25, 0.5, 0.25, 0.25), change=0),))).picture
    assert made is not None
    wanted = np.ones((16, 16))
    wanted[8:12, 4:8] = 0
    assert all(np.array_equal(frame, wanted) for frame in made)


def test_place_beats_time_and_an_area_has_a_time_of_its_own() -> None:
    box = rectangle((0, 0, 0, 0.5, 0.5), change=1, start=1, end=3)
    made = masks(kept(Span(start=0, end=2, change=0), areas=(box,))).picture
    assert made is not None
    at = [(a + b) / 48 for a, b in frames_of_latents(107)]
    assert made[:, 0, 0].tolist() == [float(1 <= t < 3 or t >= 2) for t in at]
    assert made[:, 15, 15].tolist() == [float(t >= 2) for t in at]


def test_a_brush_takes_what_it_went_over_and_follows() -> None:
    still = Stroke(radius=0.1, points=((0.2, 0.5), (0.8, 0.5)), change=1)
    made = masks(kept(rest=0, areas=(still,))).picture
    assert made is not None
    y, x = np.mgrid[0:16, 0:16] / 16 + 1 / 32
    beyond = np.maximum(0, np.maximum(0.2 - x, x - 0.8))
    distance = np.hypot(beyond, y - 0.5)
    sure = np.abs(distance - 0.1) > 1 / 64  # within a quarter of a cell of the edge either is right
    assert np.array_equal(made[0][sure] == 1, (distance < 0.1)[sure])
    moving = still.but(points=((0.2, 0.2),), keys=(StrokeKey(time=0), StrokeKey(time=4, dx=0.5, dy=0.5)))
    followed = masks(kept(rest=0, areas=(moving,))).picture
    assert followed is not None
    centres = [np.argwhere(frame).mean(axis=0) for frame in followed]
    assert np.allclose(centres[0], [2.7, 2.7], atol=0.6) and np.allclose(centres[-1], [10.7, 10.7], atol=0.6)


def test_a_crop_leaves_marks_on_what_they_were_drawn_on() -> None:
    box = rectangle((0, 0.5, 0.5, 0.25, 0.25), change=0)
    made = masks(kept(areas=(box,)), source={"crop": Crop(x=0.5, y=0.5, width=0.5, height=0.5)}).picture
    assert made is not None
    assert not made[:, :8, :8].any() and made[:, 8:].all() and made[:, :, 8:].all()


def test_a_trim_leaves_marks_at_their_time() -> None:
    edit = kept(Span(start=2, end=9, change=0)).but(sound=SoundMarks(spans=(Span(start=2, end=9, change=0),)))
    made = masks(edit, source={"start": 2.0, "seconds": 9, "sound": 9.0})
    assert made.picture is not None and not made.picture.any()
    assert made.sound is not None and not made.sound.any()


def test_a_block_changes_when_any_of_its_cells_does() -> None:
    made = masks(kept(rest=0, areas=(rectangle((0, 0, 0, 3 / 16, 1 / 16)),))).picture
    assert made is not None
    assert np.argwhere(model_mask(made)[0]).tolist() == [[0, 0], [0, 1]]


def test_masks_agree_with_marks_read_one_by_one() -> None:
    """Random lanes, rectangles and strokes, cell by cell from what the marks say at a time and place."""
    draw = random.Random(4)

    def span() -> Span:
        start = draw.uniform(0, 4)
        fades = [draw.choice((0.0, draw.uniform(0.05, 1))) for _ in range(2)]
        end = start + draw.uniform(0.05, 2)
        return Span(start=start, end=end, change=draw.random(), fade_in=fades[0], fade_out=fades[1])

    def box() -> Rectangle:
        times = sorted(draw.uniform(0, 5) for _ in range(draw.randrange(1, 5)))
        keys = [
            (time, *(draw.uniform(-0.3, 1) for _ in "xy"), *(draw.uniform(0.05, 0.8) for _ in "wh")) for time in times
        ]
        bounds = sorted(draw.uniform(0, 4.5) for _ in range(2))
        return rectangle(
            *keys, change=draw.random(), start=draw.choice((None, bounds[0])), end=draw.choice((None, bounds[1]))
        )

    for _ in range(30):
        lane, heard = tuple(span() for _ in range(draw.randrange(5))), tuple(span() for _ in range(draw.randrange(5)))
        areas = tuple(box() for _ in range(draw.randrange(4)))
        picture = PictureMarks(rest=draw.random(), spans=lane, areas=areas)
        made = masks(KeepChange(picture=picture, sound=SoundMarks(rest=draw.random(), spans=heard)))
        assert made.picture is not None and made.sound is not None
        times = latent_times(made.grid.start, made.grid.frames)
        for latent, time in enumerate(times.tolist()):
            wanted = np.full((16, 16), marks.value_at(picture, time))
            for area in areas:
                at = marks.rectangle_at(area, time)
                middle = (np.arange(16) + 0.5) / 16
                down = (at.y <= middle) & (middle < at.y + at.height)
                across = (at.x <= middle) & (middle < at.x + at.width)
                if marks.counts_at(area, time):
                    wanted[np.ix_(down, across)] = area.change
            assert np.abs(made.picture[latent] - wanted).max() <= 0.0006
        wanted = [marks.value_at(made.edit.sound, time) for time in sound_times(made.grid).tolist()]
        assert np.abs(made.sound - wanted).max() <= 0.0006


def test_the_smallest_form_of_a_mask_is_sent() -> None:
    def shape(edit: KeepChange) -> tuple[int, ...]:
        made = masks(edit)
        assert made.picture is not None
        plain = np.array(json.loads(mask_json(made.picture)))
        full = plain if plain.ndim else np.full(made.picture.shape, plain)
        if full.shape != made.picture.shape:
            full = full.repeat(2, axis=1).repeat(2, axis=2)
        assert np.allclose(full, made.picture)
        return plain.shape

    assert shape(kept(rest=0)) == ()
    assert shape(kept(Span(start=0, end=2, change=0))) == (32, 8, 8)
    assert shape(kept(rest=0, areas=(rectangle((0, 0, 0, 0.5, 0.5)),))) == (32, 8, 8)
    assert shape(kept(rest=0, areas=(rectangle((0, 0, 0, 3 / 16, 0.5)),))) == (32, 16, 16)
    heard = masks(KeepChange(sound=SoundMarks(spans=(Span(start=0, end=2, change=0),)))).sound
    assert heard is not None and np.array(json.loads(mask_json(heard))).shape == (178,)


def test_a_mask_too_fine_for_its_file_is_made_of_blocks() -> None:
    box = rectangle((0, 0, 0, 0.51, 0.5))
    huge = Canvas(width=2560, height=1440)
    long: dict[str, Any] = {
        "canvas": huge,
        "frames": 719,
        "long_video": {},
        "source": {"seconds": 30, "size": (2560, 1440)},
    }
    fading = Span(start=0, end=20, change=0.5, fade_in=3)
    made = masks(kept(fading, rest=0, areas=(box,)), **long).picture
    assert made is not None and made.shape == (212, 90, 160)
    assert np.array_equal(model_mask(made).repeat(2, axis=1).repeat(2, axis=2), made)
    assert len(mask_json(made)) < 8 << 20


# What is sent.


@pytest.mark.parametrize(
    ("edit", "fields"),
    [
        (KeepChange(), []),
        (kept(rest=0), ["source_video", "video_noise_mask"]),
        (KeepChange(sound=SoundMarks(rest=0)), ["source_audio", "audio_noise_mask"]),
        (
            KeepChange(picture=PictureMarks(rest=0), sound=SoundMarks(rest=0.5)),
            ["source_video", "video_noise_mask", "source_audio", "audio_noise_mask"],
        ),
    ],
)
def test_only_a_lane_that_keeps_something_is_sent(edit: KeepChange, fields: list[str]) -> None:
    assert [part.field for part in wire_form(edited(edit)).parts] == fields


def test_in_reference_mode_the_clip_is_looked_at_too_unless_it_is_not_to_be() -> None:
    both = edited(kept(rest=0), picture("p"), task="ref2va")
    assert [part.field for part in wire_form(both).parts][:2] == ["input_references"] * 2
    assert tags(both) == {"p": ("<Picture 1>",), "a": ("<Audio 1>", "<Video 1>")}
    alone = edited(kept(rest=0).but(also_reference=False), picture("p"), task="ref2va")
    fields = ["input_references", "source_video", "video_noise_mask"]
    assert [part.field for part in wire_form(alone).parts] == fields
    assert tags(alone) == {"p": ("<Picture 1>",)}
    assert rows(alone).total < rows(both).total
    nothing = edited(kept(rest=0).but(also_reference=False), task="ref2va")
    mended = Request(mend_all(nothing), nothing.limits, nothing.facts)
    assert "refs.none" in codes(nothing) and "refs.none" not in codes(mended)
    assert mended.shot.task == "ref2va"


def test_length_and_canvas_follow_the_clip_that_is_edited() -> None:
    plain = {"canvas": Canvas(aspect="16:9"), "follow": frozenset({"frames", "canvas"})}
    made = edited(kept(rest=0), source={"seconds": 8, "size": (540, 960)}, **plain)
    shot = follow_main(made)
    assert (shot.frames, shot.canvas.aspect) == (192, "9:16")
    assert resolve(Request(shot, made.limits, made.facts)).seconds == 8
    assert follow_main(Request(made.shot, made.limits)) == made.shot, "nothing moves before the file is known"


def test_a_picture_goes_on_as_the_first_frame() -> None:
    made = edited(kept(rest=0), picture("p"), task="ref2va", long_video={}).shot
    shot = edits.continue_from(made, Path("/clips/last.png"))
    assert (shot.task, shot.long_video, [r.role for r in shot.sent()]) == ("fl2va", None, ["first"])
    assert shot.sent()[0].path == Path("/clips/last.png") and "canvas" in shot.follow


# Rules.


def test_an_edit_that_the_server_takes_has_no_error_and_says_that_it_is_an_experiment() -> None:
    made = edited(kept(Span(start=0, end=2, change=0)))
    assert not [f for f in check(made) if f.is_error]
    assert found(made, "edit.experimental").subject == "a"


def test_every_sentence_is_there() -> None:
    shown = [
        edited(KeepChange()),
        edited(KeepChange(picture=PictureMarks(rest=0), sound=SoundMarks(rest=0))),
        edited(KeepChange(sound=SoundMarks(rest=0)), source={"sound": None}),
        edited(KeepChange(sound=SoundMarks(rest=0)), sound("s", 5, role="driving"), audio_mode="lock_source"),
        edited(kept(rest=0), long_video={}, task="ref2va"),
        edited(kept(rest=0), clip("b", 5, edit=kept(rest=0))),
        edited(kept(rest=0), source={"seconds": 3, "size": (1024, 512)}),
        edited(kept(rest=0, areas=(rectangle((0, 0.5, 0.5, 0.01, 0.01)),))),
        edited(kept(Span(start=20, end=21), rest=0)),
        edited(KeepChange(sound=SoundMarks(rest=0)), source={"sound": 2.0}),
        edited(kept(rest=0), source={"seconds": 9}),
    ]
    said = {f.code: f for made in shown for f in check(made) if f.code.startswith("edit.")}
    assert said.keys() >= {
        *(
            "edit.all_changed",
            "edit.all_kept",
            "edit.no_sound",
            "edit.lock_source",
            "edit.continuation",
            "edit.several",
        ),
        *("edit.held", "edit.cut.width", "edit.lost_area", "edit.lost_span", "edit.sound_tail", "edit.experimental"),
    }
    for finding in said.values():
        assert "{" not in finding.message.text() and finding.code in known_codes()
        for mend in finding.mends:
            assert "{" not in mend.message.text()


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("edit.no_sound", edited(KeepChange(sound=SoundMarks(rest=0)), source={"sound": None})),
        (
            "edit.lock_source",
            edited(KeepChange(sound=SoundMarks(rest=0)), sound("s", 5, role="driving"), audio_mode="lock_source"),
        ),
        ("edit.continuation", edited(kept(rest=0), long_video={}, task="ref2va")),
        ("edit.several", edited(kept(rest=0), clip("b", 5, edit=kept(rest=0)))),
    ],
)
def test_each_mend_of_a_refusal_helps(code: str, made: Request) -> None:
    finding = found(made, code)
    assert finding.is_error and finding.mends
    for mend in finding.mends:
        after = Request(mends.apply(made.shot, mend, made), made.limits, made.facts)
        assert code not in codes(after), mend.code
    assert not [f for f in check(Request(mend_all(made), made.limits, made.facts)) if f.is_error]


def test_a_server_without_the_parts_stops_the_shot() -> None:
    made = edited(kept(rest=0))
    old = Request(made.shot, load_limits("0.26.0"), made.facts)
    assert found(old, "edit.unsupported").is_error
    names = ("prompt", "extra_params", "input_references", "source_video", "video_noise_mask")
    form = {"properties": {name: {} for name in names}}
    paths = {"/v1/videos": {"post": {"requestBody": {"content": {"multipart/form-data": {"schema": form}}}}}}
    told = Request(made.shot, limits_of_server("0.26.0", {"paths": paths}), made.facts)
    assert "edit.unsupported" not in codes(told), "what the server's own form says beats what is recorded"


def test_the_end_of_a_short_clip_is_told_only_where_it_is_seen() -> None:
    short = {"seconds": 100 / 24}
    assert found(edited(kept(rest=0), source=short), "edit.held").params["is"] == 7
    assert "edit.held" not in codes(edited(kept(Span(start=0, end=2, change=0)), source=short))


def test_a_clip_that_is_only_edited_has_no_limits_of_a_reference() -> None:
    long = {"seconds": 40, "size": (8000, 300)}
    assert not [f for f in check(edited(kept(rest=0), source=long)) if f.is_error]
    assert "ref.video.too_long" in codes(edited(kept(rest=0), source=long, task="ref2va"))
    unread = edited(kept(rest=0))
    assert "ref.not_read" in codes(Request(unread.shot, unread.limits))


def test_a_shot_without_marks_is_as_before() -> None:
    plain = request(clip("a", 5), task="t2va", canvas=Canvas(aspect="16:9"))
    assert plain.shot.sent() == () and "ref.other_task" in codes(plain)
    assert Shot().source() is None
