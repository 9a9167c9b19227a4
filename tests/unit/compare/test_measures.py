"""Measures of single pictures, against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from studio.compare.colour_fit import fit_colours, sampled
from studio.compare.measures import ColourMeasures, Measurer, colour_measures, psnr, self_difference, small_luma
from studio.compare.planes import Planes


def _bgra(rgb: np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]) -> np.ndarray:
    return np.dstack((rgb[..., ::-1], np.full(rgb.shape[:2], 255, np.uint8)))


def _picture(rgb: np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]) -> Planes:
    r, g, b = (np.ascontiguousarray(rgb[..., channel]) for channel in range(3))
    return Planes((g, b, r), g)


def _colours(a: Planes, b: Planes, mad: float = 255.0) -> ColourMeasures:
    return colour_measures(sampled(a.gbr), sampled(b.gbr), mad)


def _noise(height: int = 90, width: int = 160) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    return np.random.default_rng(3).integers(0, 200, (height, width, 3), dtype=np.uint8)


def test_equal_pictures() -> None:
    found = Measurer(160, 90)(_picture(_noise()), _picture(_noise()))
    assert (found.mad, found.mse, found.ssim) == (0, 0, 1)
    colours = _colours(_picture(_noise()), _picture(_noise()), found.mad)
    assert (colours.fitted, colours.changed) == (0, 0)
    assert psnr(found.mse) == 100


def test_a_step_of_ten_is_a_mad_of_ten_and_vanishes_after_the_fit() -> None:
    found = Measurer(160, 90)(_picture(_noise()), _picture(_noise() + 10))
    assert (found.mad, found.mse) == (10, 100)
    assert psnr(found.mse) == pytest.approx(28.1308, abs=1e-4)
    colours = _colours(_picture(_noise()), _picture(_noise() + 10), found.mad)
    assert colours.fitted < 0.01
    assert np.subtract(colours.mean_b, colours.mean_a) == pytest.approx([10, 10, 10], abs=1e-3)


def test_mad_is_the_mean_over_pixels_and_channels() -> None:
    a, b = np.zeros((90, 160, 3), np.uint8), np.zeros((90, 160, 3), np.uint8)
    b[:45, :, 0] = 60
    assert Measurer(160, 90)(_picture(a), _picture(b)).mad == 10


def test_the_fit_finds_any_colour_matrix() -> None:
    a = _noise()
    matrix, step = np.array([[0.5, 0.2, 0.1], [0.1, 0.6, 0.1], [0.0, 0.3, 0.4]], np.float32), np.float32([20, 5, 30])
    b = np.round(a @ matrix.T + step).astype(np.uint8)
    fit = fit_colours(_bgra(a), _bgra(b))
    assert fit.before.mean() > 20
    assert fit.after.max() < 0.6
    assert fit.mean_b == pytest.approx(b.mean(axis=(0, 1)), abs=0.01)


def test_the_fit_never_makes_it_worse() -> None:
    a, b = _noise(), np.random.default_rng(4).integers(0, 255, (90, 160, 3), dtype=np.uint8)
    found = Measurer(160, 90)(_picture(a), _picture(b))
    assert _colours(_picture(a), _picture(b), found.mad).fitted <= found.mad


def test_a_patch_is_a_changed_part_and_grain_is_not() -> None:
    a = _noise()
    patched = a.copy()
    patched[20:50, 40:100] = 255
    share = _colours(_picture(a), _picture(patched)).changed
    assert share == pytest.approx(30 * 60 / (90 * 160), abs=0.02)
    grain = np.clip(a + np.random.default_rng(5).normal(0, 12, a.shape), 0, 255).astype(np.uint8)
    assert _colours(_picture(a), _picture(grain)).changed == 0


@pytest.mark.parametrize("size", [(1, 1), (7, 5), (33, 17)])
def test_tiny_pictures_are_measured(size: tuple[int, int]) -> None:
    picture = _picture(_noise(size[1], size[0]))
    found = Measurer(*size)(picture, picture)
    assert (found.mad, found.ssim) == (0, 1)
    assert small_luma(picture.luma).shape == (72, 128)


def test_small_luma_is_an_average() -> None:
    stripes = np.zeros((768, 1344, 3), np.uint8)
    stripes[::2] = 200
    assert np.abs(small_luma(_picture(stripes).luma).astype(int) - 100).max() <= 1


def test_self_difference() -> None:
    smalls = np.zeros((3, 72, 128), np.uint8)
    smalls[1:] = 8
    assert self_difference(smalls).tolist() == [0, 8, 0]
