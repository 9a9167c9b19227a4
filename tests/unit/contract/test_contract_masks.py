"""Keeping and changing parts of a clip: the latent grid, and the masks that marks become on it."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from studio.contract import (
    Canvas,
    Crop,
    KeepChange,
    PictureMarks,
    Rectangle,
    Request,
    SoundMarks,
    Span,
    Stroke,
    StrokeKey,
    edit_grid,
    marks,
    mask_json,
    model_mask,
    wire_form,
)
from studio.contract.latent_grid import frames_of_latents
from studio.contract.mask_cells import latent_times
from studio.contract.masks import sound_times
from tests.helpers.kept import edited, kept, masks, rectangle

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
