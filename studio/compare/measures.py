"""What two pictures differ by, frame by frame.

MAD is the mean of |A - B| over pixels and R, G, B (8 bit, full range, 0…255). PSNR and SSIM are of luma, with the
values of ffmpeg's `psnr` and `ssim` filters (a clip's PSNR is the filter's closing `y`: of the mean squared error of
all frames).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from av.filter import Graph
from av.video.format import VideoFormat
from av.video.frame import VideoFrame

from studio.compare.decode import Bytes, Picture, averaged
from studio.media._cv import cv2

Floats = npt.NDArray[np.floating]
Rgb = tuple[float, float, float]

GRAY = VideoFormat("gray")
BEST_PSNR = 100.0
"""dB given to equal pictures, whose ratio is infinite."""
SAMPLES = 9216
"""About so many pixels, on a regular grid, carry the colour fit and what is measured after it."""
SMALL = (128, 72)
"""Width and height of the small luma pictures kept of every frame for motion, alignment and faults."""
CELLS = (32, 18)
TICK = Fraction(1, 24)
"""The filter pairs frames by time; any clock will do."""
CELL_CHANGED = 15.0
"""A cell of the picture changed when it differs by this much…"""
CELL_STANDS_OUT = 4.0
"""… and by this many times what the median cell differs by."""


@dataclass(frozen=True, slots=True)
class PairMeasures:
    """The measures of one pair of pictures."""

    mad: float
    fitted: float
    """MAD after the 3×4 colour fit of A to B by least squares; never over `mad`."""
    mse: float
    """Mean squared error of luma."""
    ssim: float
    changed: float
    """Share of the picture (0…1) that changed while the rest did not."""
    calm: float
    """What the median cell of the picture differs by, as MAD."""
    mean_a: Rgb
    """Mean R, G, B."""
    mean_b: Rgb


def psnr(mse: float) -> float:
    """dB of a mean squared error of 8-bit values; at most `BEST_PSNR`."""
    return BEST_PSNR if mse <= 0 else min(BEST_PSNR, 10 * math.log10(255**2 / mse))


class Measurer:
    """Measures pairs of one size; keeps the SSIM filter between them."""

    def __init__(self, width: int, height: int) -> None:
        self._ssim = _Ssim(width, height)
        self._step = max(1, round(math.sqrt(width * height / SAMPLES)))

    def __call__(self, a: Picture, b: Picture) -> PairMeasures:
        mad = cv2.norm(a.rgb, b.rgb, cv2.NORM_L1) / a.rgb.size
        mse = cv2.norm(a.luma, b.luma, cv2.NORM_L2SQR) / a.luma.size
        grid_a, grid_b = (p.rgb[:: self._step, :: self._step].astype(np.float32) for p in (a, b))
        mean_a, mean_b = _mean_rgb(grid_a), _mean_rgb(grid_b)
        fitted = cv2.absdiff(_fit(grid_a, grid_b, mean_a, mean_b), grid_b)
        calm, cells = min((_calm_cells(d) for d in (cv2.absdiff(grid_a, grid_b), fitted)), key=itemgetter(0))
        changed = cells > max(CELL_CHANGED, CELL_STANDS_OUT * calm)
        return PairMeasures(
            mad,
            min(mad, cv2.norm(fitted, cv2.NORM_L1) / fitted.size),
            mse,
            self._ssim(a.luma, b.luma),
            float(changed.mean()),
            calm,
            mean_a,
            mean_b,
        )


def small_luma(picture: Picture) -> Bytes:
    """(72, 128) luma by area averaging, whatever the picture's shape."""
    luma = picture.luma
    # Halving is where OpenCV's area averaging is fast: a twentieth of going there in one step.
    while luma.shape[1] >= 2 * SMALL[0] and luma.shape[0] >= 2 * SMALL[1]:
        luma = averaged(luma, (luma.shape[1] // 2, luma.shape[0] // 2))
    return averaged(luma, SMALL)


def self_difference(smalls: Bytes | Sequence[Bytes]) -> Floats:
    """(n,) mean |frame k - frame k-1| of n small luma pictures (h, w); the first is 0."""
    steps = [cv2.norm(p, q, cv2.NORM_L1) / p.size for p, q in zip(smalls[1:], smalls[:-1], strict=True)]
    return np.array([0.0, *steps])


def colour_fit(a: Floats, b: Floats) -> Floats:
    """A with the colours that bring it nearest to B: one 3×4 matrix for the whole picture, by least squares.

    `a`, `b`: (h, w, 3) float32, 0…255. Returns the same shape.
    """
    return _fit(a, b, _mean_rgb(a), _mean_rgb(b))


def _fit(a: Floats, b: Floats, mean_a: Rgb, mean_b: Rgb) -> Floats:
    x, y = ((p - np.array(m, np.float32)).reshape(-1, 3) for p, m in ((a, mean_a), (b, mean_b)))
    # A whisper of ridge keeps a picture of one colour solvable.
    matrix = np.linalg.solve((x.T @ x).astype(np.float64) + np.eye(3), (x.T @ y).astype(np.float64)).T
    fitted = cv2.transform(a, np.column_stack((matrix, np.array(mean_b) - matrix @ mean_a)))
    clipped: Floats = np.clip(fitted, 0, 255)
    return clipped


def _calm_cells(difference: npt.NDArray[Any]) -> tuple[float, Floats]:
    """The median cell of a (h, w, 3) difference, and all of them, (18, 32)."""
    size = tuple(min(cell, side) for cell, side in zip(CELLS, difference.shape[1::-1], strict=True))
    cells: Floats = cv2.resize(difference, size, interpolation=cv2.INTER_AREA).mean(axis=2)
    return float(np.median(cells)), cells


def _mean_rgb(rgb: npt.NDArray[Any]) -> Rgb:
    red, green, blue, _ = cv2.mean(rgb)
    return red, green, blue


class _Ssim:
    """FFmpeg's `ssim` filter on luma: the number of its command line, at a fraction of the cost of a Gaussian one."""

    def __init__(self, width: int, height: int) -> None:
        # The filter works on blocks of 8×8.
        self._size = (max(8, width), max(8, height))
        self._graph = Graph()
        # Waking a second thread takes longer than the arithmetic.
        self._graph.threads = 1
        self._inputs = [
            self._graph.add_buffer(width=self._size[0], height=self._size[1], format=GRAY, time_base=TICK)
            for _ in range(2)
        ]
        ssim, self._sink = self._graph.add("ssim"), self._graph.add("buffersink")
        for pad, buffer in enumerate(self._inputs):
            buffer.link_to(ssim, 0, pad)
        ssim.link_to(self._sink)
        self._graph.configure()
        self._count = 0

    def __call__(self, a: Bytes, b: Bytes) -> float:
        for buffer, luma in zip(self._inputs, (a, b), strict=True):
            frame = VideoFrame.from_numpy_buffer(np.ascontiguousarray(averaged(luma, self._size)), format="gray")
            frame.pts, frame.time_base = self._count, TICK
            buffer.push(frame)
        self._count += 1
        pulled = self._sink.pull()
        assert isinstance(pulled, VideoFrame)
        return float(pulled.metadata["lavfi.ssim.Y"])
