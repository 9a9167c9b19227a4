"""Planted cases: what was done to a clip is what the comparison says was done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFilter

from studio.compare.comparison import compare_files
from tests.integration.compare.scenes import Pixels, rustle, scene, write


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("scene") / "a.mp4", scene(), sound=rustle(2))


def _brighter(picture: Pixels) -> Pixels:
    return np.clip(picture * 0.8 + 45, 0, 255).astype(np.uint8)


def _tinted(picture: Pixels) -> Pixels:
    return np.clip(picture * (0.95, 0.7, 0.5), 0, 255).astype(np.uint8)


def _grey(picture: Pixels) -> Pixels:
    return np.asarray(Image.fromarray(picture).convert("L").convert("RGB"))


def _negative(picture: Pixels) -> Pixels:
    return 255 - picture


def _pasted(picture: Pixels) -> Pixels:
    changed = picture.copy()
    changed[30:80, 150:220] = (250, 20, 20)
    return changed


def _small_patch(picture: Pixels) -> Pixels:
    changed = picture.copy()
    changed[60:84, 100:130] = 255
    return changed


def _repainted(picture: Pixels) -> Pixels:
    # Night, edges, grain: nothing that one colour matrix explains, the same things in the same places.
    edges = np.asarray(Image.fromarray(picture).filter(ImageFilter.CONTOUR), np.float64)
    grain = np.random.default_rng(int(picture[0, 0, 0])).normal(0, 45, picture.shape)
    return np.clip(picture * 0.5 + edges * 0.3 - 60 + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (_brighter, "recoloured"),
        (_tinted, "recoloured"),
        (_grey, "recoloured"),
        (_negative, "recoloured"),
        (_pasted, "edited"),
        (_small_patch, "edited"),
        (_repainted, "regenerated"),
    ],
)
def test_what_was_done_to_every_frame(
    original: Path, tmp_path: Path, change: Callable[[Pixels], Pixels], verdict: str
) -> None:
    changed = write(tmp_path / "b.mp4", [change(picture) for picture in scene()], sound=rustle(2))
    found = compare_files(original, changed)
    assert (found.verdict, found.alignment.offset_frames, found.faults) == (verdict, 0, ())


def test_a_clip_is_identical_to_itself(original: Path) -> None:
    found = compare_files(original, original)
    assert (found.verdict, found.mad_max, found.psnr, found.ssim, found.motion_kept) == ("identical", 0, 100, 1, 1)
    assert (found.sound.correlation, found.sound.sync_ms, found.faults) == (1.0, 0.0, ())


def test_crf_28_is_a_re_encode(original: Path, tmp_path: Path) -> None:
    found = compare_files(original, write(tmp_path / "b.mp4", scene(), crf=28, sound=rustle(2)))
    assert found.verdict == "re-encode"
    assert 0 < found.mad < 5
    assert found.motion_kept > 0.8


def test_another_scene_is_unrelated(original: Path, tmp_path: Path) -> None:
    found = compare_files(original, write(tmp_path / "b.mp4", scene(seed=7)))
    assert (found.verdict, found.alignment.how) == ("unrelated", "none")


def test_a_black_clip_is_unrelated_although_a_colour_fit_explains_it(original: Path, tmp_path: Path) -> None:
    found = compare_files(original, write(tmp_path / "b.mp4", [np.zeros_like(p) for p in scene()]))
    assert found.fitted < 1
    assert found.verdict == "unrelated"
    assert "frozen" in [fault.code for fault in found.faults]


@pytest.mark.parametrize("offset", [-5, 1, 3, 11])
def test_a_shift_is_found_to_the_frame(original: Path, tmp_path: Path, offset: int) -> None:
    shifted = write(tmp_path / "b.mp4", scene(first=offset) if offset >= 0 else scene(1) * -offset + scene(), crf=24)
    found = compare_files(original, shifted)
    assert (found.verdict, found.kind) == ("shifted", "re-encode")
    assert (found.alignment.offset_frames, found.alignment.how) == (offset, "found")
    assert found.frames.a[0] - found.frames.b[0] == offset
    assert str(abs(offset)) in found.verdict_text()


def test_an_asked_offset_is_taken_as_it_is(original: Path) -> None:
    found = compare_files(original, original, 2)
    assert (found.alignment.offset_frames, found.alignment.how, found.frames_compared) == (2, "asked", 46)
    assert found.frames.a[0] == 2
    assert found.mad > 5


def test_a_shift_is_found_by_sound_where_pictures_do_not_tell(tmp_path: Path) -> None:
    still = [scene(1)[0]] * 48
    a = write(tmp_path / "a.mp4", still, sound=rustle(2))
    b = write(tmp_path / "b.mp4", still, sound=rustle(2, late=0.25))
    found = compare_files(a, b)
    assert (found.alignment.offset_frames, found.alignment.how) == (-6, "found")


def test_sound_that_slipped_against_the_picture_is_measured(original: Path, tmp_path: Path) -> None:
    found = compare_files(original, write(tmp_path / "b.mp4", scene(), sound=rustle(2, late=0.1)))
    assert found.alignment.offset_frames == 0
    assert found.sound.sync_ms == pytest.approx(100, abs=1)
