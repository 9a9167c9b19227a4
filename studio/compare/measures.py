"""What two pictures differ by, frame by frame.

MAD is the mean of |A - B| over pixels and R, G, B (8 bit, full range, 0…255). PSNR and SSIM are of luma, with the
values of ffmpeg's `psnr` and `ssim` filters (a clip's PSNR is the filter's closing `y`: of the mean squared error of
all frames).
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter

import numpy as np
import numpy.typing as npt
from av.filter import Graph
from av.video.format import VideoFormat
from av.video.frame import VideoFrame

from studio.compare.colour_fit import Rgb, fit_colours
from studio.compare.decode import Bytes, averaged
from studio.compare.planes import Planes
from studio.media._cv import cv2

Floats = npt.NDArray[np.floating]

GRAY = VideoFormat("gray")
BEST_PSNR = 100.0
"""dB given to equal pictures, whose ratio is infinite."""
SMALL = (128, 72)
"""Width and height of the small luma pictures kept of every frame for motion, alignment and faults."""
CELLS = (32, 18)
TICK = Fraction(1, 24)
"""The filter pairs frames by time; any clock will do."""
CELL_CHANGED = 15.0
"""A cell of the picture changed when it differs by this much…"""
CELL_STANDS_OUT = 4.0
"""… and by this many times what the median cell differs by."""
MOST_WAITING = 512
"""Pairs whose colours wait to be fitted: 37 MB, and more than H3's longest clip has."""


@dataclass(frozen=True, slots=True)
class PairMeasures:
    """What all pixels of one pair of pictures are looked at for."""

    mad: float
    mse: float
    """Mean squared error of luma."""
    ssim: float


@dataclass(frozen=True, slots=True)
class ColourMeasures:
    """What one pair of pictures differs by beside a change of colours, from pixels on a grid."""

    fitted: float
    """MAD after the 3×4 colour fit of A to B by least squares; never over `mad`."""
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
    """Measures pairs of one size, on any thread; keeps an SSIM filter for each."""

    def __init__(self, width: int, height: int) -> None:
        self._size = width, height
        self._of_thread = threading.local()

    def __call__(self, a: Planes, b: Planes) -> PairMeasures:
        apart = sum(cv2.norm(of_a, of_b, cv2.NORM_L1) for of_a, of_b in zip(a.gbr, b.gbr, strict=True))
        mad = apart / (3 * a.luma.size)
        mse = cv2.norm(a.luma, b.luma, cv2.NORM_L2SQR) / a.luma.size
        if not hasattr(self._of_thread, "ssim"):
            self._of_thread.ssim = _Ssim(*self._size)
        return PairMeasures(mad, mse, self._of_thread.ssim(a.luma, b.luma))


class ColourFits:
    """Fits the colours of pairs later than they are added: what is asked for first does not wait for it."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Bytes, Bytes, float]] = []
        self._taken: list[ColourMeasures] = []

    def add(self, a: Bytes, b: Bytes, mad: float) -> None:
        """Keep a pair (72 KB), as `colour_measures` takes it. Long clips are fitted on the way: memory is bounded."""
        self._waiting.append((a, b, mad))
        if len(self._waiting) >= MOST_WAITING:
            self.taken()

    def taken(self) -> list[ColourMeasures]:
        """Of all pairs so far, in the order added."""
        self._taken += [colour_measures(*pair) for pair in self._waiting]
        self._waiting.clear()
        return self._taken


def colour_measures(a: Bytes, b: Bytes, mad: float) -> ColourMeasures:
    """Of two pictures `sampled` on the grid, whose MAD over all pixels is `mad`."""
    fit = fit_colours(a, b)
    calm, cells = min((_calm_cells(d) for d in (fit.before, fit.after)), key=itemgetter(0))
    changed = cells > max(CELL_CHANGED, CELL_STANDS_OUT * calm)
    return ColourMeasures(
        min(mad, float(fit.after.mean())),
        float(np.count_nonzero(changed)) / changed.size,
        calm,
        fit.mean_a,
        fit.mean_b,
    )


def small_luma(luma: Bytes) -> Bytes:
    """(72, 128) from (h, w) luma by area averaging, whatever the picture's shape."""
    # Halving is where OpenCV's area averaging is fast: a twentieth of going there in one step.
    while luma.shape[1] >= 2 * SMALL[0] and luma.shape[0] >= 2 * SMALL[1]:
        luma = averaged(luma, (luma.shape[1] // 2, luma.shape[0] // 2))
    return averaged(luma, SMALL)


def self_difference(smalls: Bytes | Sequence[Bytes]) -> Floats:
    """(n,) mean |frame k - frame k-1| of n small luma pictures (h, w); the first is 0."""
    steps = [cv2.norm(p, q, cv2.NORM_L1) / p.size for p, q in zip(smalls[1:], smalls[:-1], strict=True)]
    return np.array([0.0, *steps])


def _calm_cells(difference: Floats) -> tuple[float, Floats]:
    """The median cell of a (72, 128) difference, and all of them, (18, 32)."""
    cells: Floats = np.asarray(cv2.resize(difference, CELLS, interpolation=cv2.INTER_AREA), np.float32)
    return float(np.median(cells)), cells


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
            frame = VideoFrame.from_numpy_buffer(_in_rows(averaged(luma, self._size)), format="gray")
            frame.pts, frame.time_base = self._count, TICK
            buffer.push(frame)
        self._count += 1
        pulled = self._sink.pull()
        assert isinstance(pulled, VideoFrame)
        return float(pulled.metadata["lavfi.ssim.Y"])


def _in_rows(picture: Bytes) -> Bytes:
    """The same where its rows stand one after the other, whatever is between them; else (turned, mirrored) a copy."""
    return picture if picture.strides[1] == 1 and picture.strides[0] > 0 else np.ascontiguousarray(picture)
