"""One 3×4 matrix for the whole picture that brings A's colours nearest to B's, by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from studio.compare.decode import Bytes
from studio.media._cv import cv2

Floats = npt.NDArray[np.floating]
Rgb = tuple[float, float, float]

GRID = (128, 72)
"""Width and height of the regular grid of pixels that carries the fit and what is measured after it."""
HALF = 127.5
_MEAN = np.array([[HALF / 3, HALF / 3, HALF / 3, 0]], np.float32)
# A whisper of it keeps a picture of one colour solvable.
_RIDGE = np.diag([6e-5, 6e-5, 6e-5, 0])


@dataclass(frozen=True, slots=True)
class ColourFit:
    """What a fit leaves. Differences are (h, w) means of |A - B| over R, G, B, 0…255."""

    before: Floats
    after: Floats
    mean_a: Rgb
    """Mean R, G, B."""
    mean_b: Rgb


def sampled(gbr: Sequence[Bytes]) -> Bytes:
    """(72, 128, 4): B, G, R and 255 of the pixels on the grid, from (H, W) planes of G, B and R."""
    g, b, r = (cv2.resize(plane, GRID, interpolation=cv2.INTER_NEAREST) for plane in gbr)
    return np.asarray(cv2.merge((b, g, r, np.full_like(g, 255))), np.uint8)


def fit_colours(a: Bytes, b: Bytes) -> ColourFit:
    """Fit A to B. Both (h, w, 4) uint8: B, G, R, and 255, which carries the constant of the fit."""
    # From -1 to 1, where single precision is enough for the sums.
    x, y = (p.reshape(-1, 4).astype(np.float32) / np.float32(HALF) - 1 for p in (a, b))
    # Row by row: one large product would wake BLAS's threads, which takes longer than the arithmetic.
    rows_x, rows_both = x.reshape(a.shape), np.concatenate((x, y), axis=1).reshape(*a.shape[:2], 8)
    sums = (rows_x.transpose(0, 2, 1) @ rows_both).sum(axis=0, dtype=np.float64)
    matrix = np.linalg.solve(sums[:, :4] + _RIDGE, sums[:, 4:])
    fitted = np.clip(cv2.transform(x.reshape(a.shape), matrix.T), -1, 1)
    before, after = (_mean_of_channels(cv2.absdiff(p.reshape(a.shape), y.reshape(a.shape))) for p in (x, fitted))
    means = HALF * (sums[3] / len(x) + 1)
    return ColourFit(before, after, (means[2], means[1], means[0]), (means[6], means[5], means[4]))


def _mean_of_channels(difference: npt.NDArray[Any]) -> Floats:
    return np.asarray(cv2.transform(difference, _MEAN), np.float32)
