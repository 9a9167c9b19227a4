"""Whatever is marked: the rehearsal server, which states the rules on its own, reads our masks as we mean them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.contract import (
    Canvas,
    Crop,
    KeepChange,
    PictureMarks,
    Rectangle,
    RectangleKey,
    SoundMarks,
    Span,
    Stroke,
    StrokeKey,
    check,
    edit_masks,
    mask_json,
    wire_form,
)
from studio.rehearsal.edit_rules import resolve_edit
from studio.rehearsal.edit_upload import EditUpload
from tests.helpers.media_factory import clicks, write_clip
from tests.helpers.shots import clip, request

CHANGES = st.sampled_from([0.0, 0.0, 1.0, 1.0, 0.5, 0.1234])
PLACES = st.floats(-0.5, 1.5, width=16)
SIZES = st.sampled_from([0.01, 0.25, 0.3, 1.0, 2.0])


@st.composite
def spans(draw: st.DrawFn) -> tuple[Span, ...]:
    bounds = sorted(draw(st.sets(st.integers(0, 60), min_size=2, max_size=4)))
    fades = draw(st.sampled_from([(0.0, 0.0), (0.5, 0.0), (0.25, 1.0)]))
    pairs = pairwise(bounds)
    return tuple(
        Span(start=a / 10, end=b / 10, change=draw(CHANGES), fade_in=fades[0], fade_out=fades[1]) for a, b in pairs
    )


@st.composite
def rectangles(draw: st.DrawFn) -> Rectangle:
    times = sorted(draw(st.sets(st.integers(0, 8), min_size=1, max_size=3)))
    keys = tuple(
        RectangleKey(time=t, x=draw(PLACES), y=draw(PLACES), width=draw(SIZES), height=draw(SIZES)) for t in times
    )
    return Rectangle(keys=keys, change=draw(CHANGES), start=draw(st.sampled_from([None, 1.0])))


@st.composite
def strokes(draw: st.DrawFn) -> Stroke:
    points = tuple(draw(st.lists(st.tuples(PLACES, PLACES), min_size=1, max_size=5)))
    keys = draw(st.sampled_from([(), (StrokeKey(time=0), StrokeKey(time=4, dx=0.7, dy=-0.7))]))
    return Stroke(points=points, radius=draw(st.sampled_from([0.01, 0.1, 0.9])), keys=keys, change=draw(CHANGES))


@st.composite
def edits(draw: st.DrawFn) -> KeepChange:
    lanes: list[Any] = [draw(st.one_of(st.just(()), spans())) for _ in range(2)]
    areas = tuple(draw(st.lists(st.one_of(rectangles(), strokes()), max_size=3)))
    picture = PictureMarks(rest=draw(CHANGES), spans=lanes[0], areas=areas)
    return KeepChange(picture=picture, sound=SoundMarks(rest=draw(CHANGES), spans=lanes[1]))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip with sound, for the server to look at."""
    folder = tmp_path_factory.mktemp("media")
    return write_clip(folder / "a.mp4", frames=24, sound=clicks(1, 32_000), sound_rate=32_000)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edit=edits(), shape=st.sampled_from([(256, 256), (256, 128), (96, 320)]), crop=st.booleans())
def test_masks_are_read_as_they_are_meant(source: Path, edit: KeepChange, shape: tuple[int, int], crop: bool) -> None:
    cut = Crop(x=0.1, y=0.2, width=0.5, height=0.7) if crop else None
    about = clip("a", 6.0, sound=6.0, size=(640, 360), edit=edit, crop=cut)
    made = request(about, task="t2va", frames=107, canvas=Canvas(width=shape[0], height=shape[1]), follow=frozenset())
    masks = edit_masks(made)
    assert masks is not None
    assert not [finding for finding in check(made) if finding.is_error]
    files = {part.field for part in wire_form(made).parts}
    picture = None if masks.picture is None else json.loads(mask_json(masks.picture))
    sound = None if masks.sound is None else json.loads(mask_json(masks.sound))
    assert files == {
        *(() if picture is None else ("source_video", "video_noise_mask")),
        *(() if sound is None else ("source_audio", "audio_noise_mask")),
    }
    upload = EditUpload(picture, sound, source, source) if files else None
    read = resolve_edit(upload, shape[0], shape[1], 107, continues=False, locked=False)
    theirs = (None, None) if read is None else (read.video_mask, read.audio_mask)
    if masks.picture is None or theirs[0] is None:
        assert masks.picture is None and theirs[0] is None
    else:
        assert np.allclose(theirs[0], masks.picture, atol=5e-4)
    if masks.sound is None or theirs[1] is None:
        assert masks.sound is None and theirs[1] is None
    else:
        assert np.allclose(theirs[1], np.tile(masks.sound, (2, 1)), atol=5e-4)
