"""Keeping and changing parts of a clip, from the shot to the result: changed where it was drawn, to the latent grid."""

from __future__ import annotations

import json
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

from studio.contract import (
    KeepChange,
    PictureMarks,
    Rectangle,
    RectangleKey,
    Reference,
    Shot,
    SoundMarks,
    Span,
    dump_shot,
    edits,
    parse_shot,
)
from studio.jobs import Job, JobState, Target
from tests.helpers import barcode
from tests.helpers.jobs import bench, small_shot
from tests.helpers.media_factory import clicks, read_sound, write_clip
from tests.helpers.waiting import until

FRAMES, SIZE, CELL = 107, 256, 16
PIECE = (1, 4, 4, 4, 4)
"""Frames of the five latents of 17 frames."""
SEEN = np.s_[: SIZE - 3 * CELL]
"""Rows that the corner mark of a rehearsal does not touch."""
Pictures = npt.NDArray[np.int16]


def latents() -> list[tuple[int, int]]:
    """First frame and frame after the last of each latent."""
    found, at = [], 0
    while at < FRAMES:
        found.append((at, at + PIECE[len(found) % 5]))
        at = found[-1][1]
    return found


def pictures(path: Path) -> Pictures:
    """(frames, height, width, 3) R, G, B."""
    with av.open(str(path)) as box:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in box.decode(video=0)]).astype(np.int16)


def clip(folder: Path, sound: bool = False) -> Path:
    heard = {"sound": clicks(FRAMES / 24, 32_000), "sound_rate": 32_000} if sound else {}
    return write_clip(folder / "clip.mp4", frames=FRAMES, size=(SIZE, SIZE), **heard)  # type: ignore[arg-type]


def edited(path: Path, edit: KeepChange) -> Shot:
    """A shot that keeps and changes parts of a clip, at night."""
    return small_shot(prompt="a city at night", references=(Reference(id="c1", path=path, kind="video", edit=edit),))


async def rendered(shot: Shot) -> Job:
    async with bench() as b:
        job = await b.service.wait((await b.service.submit(shot, Target())).id)
    assert (job.state, job.fault, job.findings) == (JobState.DONE, None, ())
    return job


def far(a: Pictures, b: Pictures) -> npt.NDArray[np.float64]:
    """Mean difference of each frame, where no mark lies."""
    return np.abs(a - b)[:, SEEN].mean(axis=(1, 2, 3))


async def test_a_stretch_of_time_is_changed_where_it_was_drawn(tmp_path: Path) -> None:
    source = clip(tmp_path)
    marks = PictureMarks(rest=0, spans=(Span(start=2.0, end=3.0, change=1),))
    job = await rendered(edited(source, KeepChange(picture=marks)))
    assert job.video is not None
    before, after = pictures(source), pictures(job.video)
    assert len(after) == FRAMES
    difference = far(before, after)
    drawn = [n for a, b in latents() for n in range(a, b) if 2.0 <= (a + b) / 2 / 24 < 3.0]
    assert (drawn[0], drawn[-1]) == (47, 72)  # 48 to 71 were asked for; 47 and 72 share latents with them
    kept = [n for n in range(FRAMES) if n not in drawn]
    assert difference[kept].max() < 4 < 15 < difference[drawn].min()
    bgra = np.concatenate([after[..., ::-1], np.full((*after.shape[:3], 1), 255)], axis=3).astype(np.uint8)
    assert [barcode.read(bgra[n]) for n in kept] == kept


async def test_a_moving_rectangle_is_changed_where_it_was_drawn(tmp_path: Path) -> None:
    source = clip(tmp_path)
    first, last = (RectangleKey(time=t, x=x, y=y, width=0.4, height=0.3) for t, x, y in ((0.5, 0, 0.1), (4, 0.6, 0.4)))
    marks = PictureMarks(rest=0, areas=(Rectangle(keys=(first, last)),))
    job = await rendered(edited(source, KeepChange(picture=marks)))
    assert job.video is not None
    cells = SIZE // CELL
    moved = np.abs(pictures(source) - pictures(job.video)).mean(axis=3)
    measured = moved.reshape(FRAMES, cells, CELL, cells, CELL).mean(axis=(2, 4)) > 8
    middles = (np.arange(cells) + 0.5) / cells
    wanted = np.zeros_like(measured)
    for a, b in latents():
        share = min(1.0, max(0.0, ((a + b) / 2 / 24 - 0.5) / 3.5))
        x, y = 0.6 * share, 0.1 + 0.3 * share
        rows, columns = (middles >= y) & (middles < y + 0.3), (middles >= x) & (middles < x + 0.4)
        wanted[a:b] = rows[:, None] & columns[None, :]
    seen = measured[:, : cells - 3] == wanted[:, : cells - 3]
    assert seen.mean() > 0.99, seen.mean()
    assert (measured & wanted).sum() / wanted.sum() > 0.97


async def test_sound_is_kept_where_it_was_marked(tmp_path: Path) -> None:
    source = clip(tmp_path, sound=True)
    marks = SoundMarks(rest=0, spans=(Span(start=1.5, end=2.5, change=1),))
    job = await rendered(edited(source, KeepChange(sound=marks)))
    assert job.video is not None
    before, rate = read_sound(source)
    after, _ = read_sound(job.video)
    length = min(before.shape[1], after.shape[1])
    gap = np.abs(before[:, :length] - after[:, :length]).mean(axis=0)

    def heard(start: float, end: float) -> float:
        return float(gap[int(start * rate) : int(end * rate)].mean())

    assert max(heard(0.1, 1.4), heard(2.6, 4.3)) < 0.02 < 0.05 < heard(1.6, 2.4)
    assert far(pictures(source), pictures(job.video)).min() > 15  # the picture was not kept


async def test_a_shot_that_keeps_parts_is_saved_undone_and_taken_up_again(tmp_path: Path) -> None:
    plain = small_shot(references=(Reference(id="c1", path=clip(tmp_path), kind="video"),))
    marks = KeepChange(picture=PictureMarks(rest=0, spans=(Span(start=2.0, end=3.0),)))
    shot = edits.set_edit(plain, "c1", marks)
    assert parse_shot(dump_shot(shot, tmp_path), tmp_path) == shot
    assert edits.set_edit(shot, "c1", None) == plain
    async with bench(step_seconds=0.05, stop=False) as b:
        job = await b.service.submit(shot.but(steps=30), Target())
        await until(lambda: b.live(job.id).progress.step, "the first step")
    async with bench() as again:
        await again.service.resume(job.id)
        job = await again.service.wait(job.id)
    assert (job.state, job.fault) == (JobState.DONE, None)
    assert job.sidecar is not None
    recipe = json.loads(job.sidecar.read_bytes())
    assert [upload["field"] for upload in recipe["uploads"]] == ["source_video", "video_noise_mask"]
    assert recipe["shot"]["references"][0]["edit"]["picture"]["spans"][0]["start"] == 2.0
