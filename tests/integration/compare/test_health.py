"""A render on its own: each thing planted once is found once and where it is; a sound render has nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from studio.compare.health import Health, check, check_file
from studio.media.workers import Workers
from tests.integration.compare.scenes import RATE, Pixels, rustle, scene, write

N = 90


def _tone(seconds: float) -> np.ndarray:
    wave = np.sin(2 * np.pi * 220 * np.arange(round(seconds * RATE)) / RATE).astype(np.float32)
    return np.stack((wave, wave))


def _checked(folder: Path, pictures: list[Pixels], sound: np.ndarray | None = None) -> Health:
    return check_file(write(folder / "render.mp4", pictures, crf=20, sound=sound))


def _flaws(health: Health) -> list[tuple[str, int | None, int | None]]:
    return [(flaw.code, flaw.frame, flaw.count) for flaw in health.faults]


async def test_a_sound_render_has_nothing_and_is_kept(tmp_path: Path, workers: Workers) -> None:
    path = write(tmp_path / "render.mp4", scene(N), sound=rustle(N / 24))
    told: list[float] = []
    found = await check(workers, path, progress=told.append)
    assert (found.ok, found.frames, found.width, found.height) == (True, N, 256, 144)
    assert found.sound is not None
    assert found.sound.loudness is not None
    assert -40 < found.sound.loudness.integrated < -15
    assert found.motion > 1
    assert await check(workers, path.rename(tmp_path / "moved.mp4")) == found


async def test_checking_can_be_cancelled(tmp_path: Path, workers: Workers) -> None:
    task = asyncio.create_task(check(workers, write(tmp_path / "render.mp4", scene(N))))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_frozen_and_repeated(tmp_path: Path) -> None:
    pictures = scene(N)
    pictures[60:80] = [pictures[59]] * 20
    pictures[30] = pictures[29]
    assert _flaws(_checked(tmp_path, pictures)) == [("frozen", 60, 20), ("repeated", 30, 1)]


def test_nothing_moves(tmp_path: Path) -> None:
    found = _checked(tmp_path, [scene(1)[0]] * N)
    assert _flaws(found) == [("still", None, N)]
    assert str(N) in found.faults[0].message.text()


def test_black_all_through_and_black_in_the_middle(tmp_path: Path) -> None:
    pictures = scene(N)
    pictures[40:60] = [np.zeros_like(pictures[0])] * 20
    assert _flaws(_checked(tmp_path, pictures)) == [("blank", 40, 20)]
    assert _flaws(_checked(tmp_path, [np.zeros_like(pictures[0])] * N)) == [("blank", 0, N)]


def test_a_flash_is_found_and_a_cut_is_none(tmp_path: Path) -> None:
    pictures = scene(N)
    pictures[20] = np.clip(pictures[20].astype(np.int16) + 70, 0, 255).astype(np.uint8)
    assert _flaws(_checked(tmp_path, pictures)) == [("flash", 20, 1)]
    assert _checked(tmp_path, scene(N // 2) + scene(N // 2, seed=5)).ok


def test_blocks_that_join_badly(tmp_path: Path) -> None:
    jumping = [picture for block in range(6) for picture in scene(17, first=block * 40)]
    (flaw,) = _checked(tmp_path, jumping).faults
    assert (flaw.code, flaw.frame) == ("joints", 17)


@pytest.mark.parametrize(
    ("sound", "expected"),
    [
        (np.zeros((2, RATE * 4), np.float32), ["silent"]),
        (np.clip(2 * _tone(4), -1, 1), ["clipped"]),
        (0.5 * _tone(4), []),
        (None, []),
    ],
    ids=["silence", "clipped", "tone", "no track"],
)
def test_sound(tmp_path: Path, sound: np.ndarray | None, expected: list[str]) -> None:
    assert [flaw.code for flaw in _checked(tmp_path, scene(N), sound).faults] == expected
