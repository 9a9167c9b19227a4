"""Several clips decoded small at once: the right picture at every moment, whatever becomes of one of them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from studio.core.errors import StudioError
from studio.media import small_clips
from studio.media.small_clips import SmallClip, fill, open_small
from studio.media.workers import Workers
from tests.helpers import barcode


def heard(_fraction: float) -> None:
    pass


async def test_pictures_are_small_upright_and_those_of_their_moment(tmp_path: Path, workers: Workers) -> None:
    plain = barcode.write(tmp_path / "a.mp4", frames=24, width=640, height=360, b_frames=3, gop=250)
    turned = barcode.write(tmp_path / "b.mp4", frames=12, width=640, height=360, fps=12, rotation=90)
    deep = barcode.write(tmp_path / "c.mkv", frames=10, codec="ffv1", pix_fmt="yuv444p")
    clips = await open_small(workers, [plain, turned, deep], 240)
    assert all(isinstance(clip, SmallClip) for clip in clips)
    there = [clip for clip in clips if isinstance(clip, SmallClip)]
    try:
        assert [clip.picture(0) for clip in there] == [None] * 3, "nothing is decoded yet"
        told: list[float] = []
        assert await fill(workers, there, told.append) == [None] * 3
        assert told == sorted(told)
        assert [(clip.small.layout.width, clip.small.layout.height) for clip in there] == [
            (240, 136),
            (136, 240),
            (240, 240),
        ]
        assert [clip.ready for clip in there] == [1.0] * 3
        first, second, third = there
        assert [barcode.read(first.picture(n)) for n in (0, 7, 23)] == [0, 7, 23]  # type: ignore[arg-type]
        assert [first.number(s) for s in (0, 0.49, 0.5, 0.999, 1.0)] == [0, 11, 12, 23, None]
        assert [second.number(s) for s in (0.49, 0.999)] == [5, 11]
        assert barcode.read(third.picture(9)) == 9  # type: ignore[arg-type]
    finally:
        for clip in there:
            clip.close()


async def test_a_long_clip_keeps_every_so_many_pictures_of_its_time(
    tmp_path: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_clips, "BUDGET", 256 * 256 * 3 // 2 * 20)
    (clip,) = await open_small(workers, [barcode.write(tmp_path / "a.mp4", frames=48)], 256)
    assert isinstance(clip, SmallClip)
    try:
        await fill(workers, [clip], heard)
        assert (clip.small.every, len(clip.small.times)) == (3, 16)
        shown = [clip.picture(n) for k in range(48) if (n := clip.number(k / 24)) is not None]
        assert [barcode.read(picture) for picture in shown if picture is not None] == [k // 3 * 3 for k in range(48)]
    finally:
        clip.close()


def _deadly(items: list[str]) -> list[str]:
    if "bad" in items:
        os.kill(os.getpid(), signal.SIGKILL)
    return [item.upper() for item in items]


async def test_a_file_that_kills_the_worker_costs_only_itself(workers: Workers) -> None:
    found = await small_clips._all_or_each(workers, _deadly, ["a", "bad", "c"], timeout=60)
    assert (found[0], found[2]) == ("A", "C")
    assert isinstance(found[1], StudioError) and found[1].code == "media.worker_died"
