"""Each fault, planted once, is found once and where it is; sound clips have none (see test_verdicts)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studio.compare.comparison import compare_files
from studio.compare.result import Comparison
from tests.integration.compare.scenes import Pixels, rustle, scene, write

N = 72


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("scene") / "a.mp4", scene(N), sound=rustle(3))


def _against(original: Path, folder: Path, pictures: list[Pixels]) -> Comparison:
    return compare_files(original, write(folder / "b.mp4", pictures, crf=22, sound=rustle(3)))


def test_frozen(original: Path, tmp_path: Path) -> None:
    pictures = scene(N)
    found = _against(original, tmp_path, pictures[:30] + [pictures[30]] * 20 + pictures[50:])
    (fault,) = found.faults
    assert (fault.code, fault.frame, fault.count) == ("frozen", 31, 19)
    assert "31" in fault.message.text()


def test_repeated_frames_count_as_dropped(original: Path, tmp_path: Path) -> None:
    pictures = scene(N)
    pictures[40] = pictures[39]
    (fault,) = _against(original, tmp_path, pictures).faults
    assert (fault.code, fault.frame, fault.count) == ("dropped", 40, 1)


def test_frames_left_out_count_as_dropped(original: Path, tmp_path: Path) -> None:
    pictures = scene(N)
    (fault,) = _against(original, tmp_path, pictures[:35] + pictures[39:]).faults
    assert (fault.code, fault.count) == ("dropped", 4)
    assert fault.frame == pytest.approx(35, abs=1)


def test_flash(original: Path, tmp_path: Path) -> None:
    pictures = scene(N)
    pictures[20] = np.clip(pictures[20].astype(np.int16) + 70, 0, 255).astype(np.uint8)
    (fault,) = _against(original, tmp_path, pictures).faults
    assert (fault.code, fault.frame, fault.count) == ("flash", 20, 1)


def test_stretched(original: Path, tmp_path: Path) -> None:
    tall = [np.repeat(picture, 2, axis=0)[:, ::2] for picture in scene(N)]
    found = _against(original, tmp_path, tall)
    assert [fault.code for fault in found.faults] == ["stretched"]
    assert (found.width_b, found.height_b) == (128, 288)


@pytest.mark.parametrize("sound", [None, np.zeros((2, 96_000), np.float32)], ids=["no track", "silence"])
def test_silent(
    original: Path, tmp_path: Path, sound: np.ndarray[tuple[int, int], np.dtype[np.float32]] | None
) -> None:
    found = compare_files(original, write(tmp_path / "b.mp4", scene(N), sound=sound))
    assert [fault.code for fault in found.faults] == ["silent"]
    assert found.sound.b_silent


def test_silent_for_a_stretch(original: Path, tmp_path: Path) -> None:
    sound = rustle(3)
    sound[:, 32_000:64_000] = 0
    (fault,) = compare_files(original, write(tmp_path / "b.mp4", scene(N), sound=sound)).faults
    assert fault.code == "silent"
    assert "from 1.0 s on" in fault.message.text()
