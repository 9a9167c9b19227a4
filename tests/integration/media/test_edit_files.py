"""What is uploaded for an edit: the clip at the size of the canvas, its sound, and the masks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from studio.contract import (
    Canvas,
    Crop,
    KeepChange,
    PictureMarks,
    Reference,
    Request,
    Shot,
    SoundMarks,
    Span,
    load_limits,
)
from studio.media.edit_files import EditFile, edit_files
from studio.media.errors import MediaError
from studio.media.probe import probe_file
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.media_factory import Colour, click_times, clicks, read_sound, write_clip

ALL_KEPT = KeepChange(picture=PictureMarks(rest=0), sound=SoundMarks(rest=0))


async def files_of(
    workers: Workers, path: Path, edit: KeepChange, size: int = 256, **about: Any
) -> dict[str, EditFile]:
    """The files of a t2va shot of 107 frames on a square canvas that edits a clip."""
    reference = Reference(id="a", path=path, kind="video", edit=edit, **about)
    shot = Shot(task="t2va", prompt="x", frames=107, canvas=Canvas(width=256, height=256), references=(reference,))
    made = await edit_files(workers, Request(shot, load_limits(), {"a": probe_file(path)}))
    return {file.field: file for file in made}


def frames(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as box:
        return [frame.to_ndarray(format="bgra") for frame in box.decode(video=0)]


async def test_the_clip_is_cut_and_scaled_to_the_canvas(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=150, fps=30, size=(512, 256), sound=clicks(5))
    made = await files_of(workers, source, ALL_KEPT)
    assert list(made) == ["source_video", "video_noise_mask", "source_audio", "audio_noise_mask"]
    facts = probe_file(made["source_video"].path)
    assert facts.video is not None and facts.audio is None
    assert (facts.video.width, facts.video.height, facts.video.frames, facts.video.fps) == (256, 256, 107, 24)
    grey = [110, 110, 110]
    corners = [frames(made["source_video"].path)[50][y, x, :3].tolist() for y in (8, 248) for x in (8, 248)]
    assert np.allclose(corners, grey, atol=45), "the coloured corners lie outside of the middle"


async def test_time_and_crop_are_those_of_the_card(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=150, size=(512, 512), sound=clicks(6.25))
    crop = Crop(x=0, y=0, width=0.5, height=0.5)
    made = await files_of(workers, source, ALL_KEPT, start=1.5, end=5.0, crop=crop)
    pictures = frames(made["source_video"].path)
    assert len(pictures) == 84, "no longer than the trim"
    assert barcode.corner_names(pictures[0])[0] == "red"
    whole = await files_of(workers, source, ALL_KEPT, start=1.5, end=5.0)
    assert [barcode.read(p) for p in frames(whole["source_video"].path)] == list(range(36, 120))
    samples, rate = read_sound(whole["source_audio"].path)
    assert (samples.shape[1], rate) == (round(3.5 * 32_000), 32_000)
    assert click_times(samples, rate) == pytest.approx([0.5, 1.5, 2.5], abs=0.01)


async def test_a_sound_that_begins_late_stays_in_time(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=107, sound=clicks(3), sound_start=1.0)
    made = await files_of(workers, source, KeepChange(sound=SoundMarks(rest=0)))
    assert list(made) == ["source_audio", "audio_noise_mask"]
    samples, rate = read_sound(made["source_audio"].path)
    assert click_times(samples, rate) == pytest.approx([1, 2, 3], abs=0.03)


async def test_a_clip_that_is_already_of_the_canvas_is_sent_as_it_is(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=107)
    made = await files_of(workers, source, KeepChange(picture=PictureMarks(rest=0)))
    receipt = made["source_video"].receipt
    assert receipt is not None and receipt.untouched
    assert made["source_video"].path.read_bytes() == source.read_bytes()


async def test_what_is_kept_is_hardly_changed_by_the_upload(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=131, colour=Colour(), options={"crf": "8"})
    made = await files_of(workers, source, KeepChange(picture=PictureMarks(rest=0)), start=1.0)
    before, after = frames(source)[24:], frames(made["source_video"].path)
    assert len(before) == len(after) == 107
    assert max(np.abs(a.astype(int) - b).mean() for a, b in zip(before, after, strict=True)) < 1.5


async def test_masks_say_what_was_marked_and_files_are_made_once(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=120, sound=clicks(5))
    edit = ALL_KEPT.but(picture=PictureMarks(rest=0, spans=(Span(start=2, end=9),)))
    made = await files_of(workers, source, edit)
    mask = np.array(json.loads(made["video_noise_mask"].path.read_bytes()))
    assert mask.shape == (32, 8, 8) and sorted(set(mask.ravel())) == [0, 1]
    assert json.loads(made["audio_noise_mask"].path.read_bytes()) == 0
    assert {file.content_type for file in made.values()} == {"video/mp4", "audio/wav", "application/json"}
    stamp = made["source_video"].path.stat().st_mtime_ns
    again = await files_of(workers, source, edit.but(picture=PictureMarks(rest=0, spans=(Span(start=3, end=9),))))
    assert again["source_video"] == made["source_video"] and stamp == again["source_video"].path.stat().st_mtime_ns
    assert again["video_noise_mask"].sha256 != made["video_noise_mask"].sha256


async def test_nothing_kept_is_nothing_sent(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=48)
    assert await files_of(workers, source, KeepChange()) == {}


async def test_a_clip_that_changed_meanwhile_is_not_sent(workers: Workers, tmp_path: Path) -> None:
    source = write_clip(tmp_path / "a.mp4", frames=48)
    reference = Reference(id="a", path=source, kind="video", edit=ALL_KEPT)
    shot = Shot(task="t2va", prompt="x", frames=107, references=(reference,))
    request = Request(shot, load_limits(), {"a": probe_file(source)})
    write_clip(source, frames=72)
    with pytest.raises(MediaError, match=r"media\.changed|changed"):
        await edit_files(workers, request)
