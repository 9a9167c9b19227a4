"""A clip of the comparison in one of the viewer's modes, labelled, over its numbers, with A's sound."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from studio.compare.decode import Bytes
from studio.compare.drawing import GROUND, INK, View, drawn_pairs, font, labelled
from studio.compare.result import Comparison
from studio.compare.sound import stereo
from studio.media.mp4 import Mp4Writer
from studio.media.sound import RATE

LONGEST_SIDE = 1920
"""Of all panels together, in pixels."""
STRIP = 32
TEXT_SIZE = 15


def write_difference_clip(found: Comparison, path: Path, view: View, tell: Callable[[float], None]) -> None:
    """Write the clip as H.264 MP4 at the rate of the comparison's clock. `tell` gets 0…1. Blocking."""
    across, down = view.panels
    scale = min(1.0, LONGEST_SIDE / max(across * found.width, down * found.height))
    size = _even(found.width * scale), _even(found.height * scale)
    rate = Fraction(found.fps).limit_denominator(1001)
    n = found.frames_compared
    sound = _sound_of_a(found)
    strip = _Strip(across * size[0])
    with (
        Mp4Writer(
            path,
            across * size[0],
            down * size[1] + STRIP,
            rate,
            RATE if sound is not None else None,
            preset="veryfast",
            faststart=True,
        ) as writer,
        closing(drawn_pairs(found, np.arange(n), size, view)) as drawn,
    ):
        for pair in drawn:
            writer.frame(np.vstack((labelled(pair, view), strip(found, pair.pair))))
            if sound is not None:
                first, last = (round(k * RATE / rate) for k in (pair.pair, pair.pair + 1))
                writer.sound(sound[:, first:last])
            tell((pair.pair + 1) / n)


def write_still(found: Comparison, path: Path, view: View, frame: int) -> None:
    """Write the pair with this frame of A as a PNG of the clips' own pixels, labelled. Blocking.

    Raises CompareError `compare.no_frame`.
    """
    pair = found.pair_of(frame)
    with closing(drawn_pairs(found, np.array([pair]), (found.width, found.height), view)) as drawn:
        Image.fromarray(labelled(next(drawn), view)).save(path, format="PNG")


def _sound_of_a(found: Comparison) -> np.ndarray[tuple[int, int], np.dtype[np.float32]] | None:
    """A's sound from the first compared picture to the last, filled with silence."""
    seconds = found.frames_compared / found.fps
    samples = stereo(found.a, found.start_a, seconds)
    if samples is None:
        return None
    whole = np.zeros((2, round(seconds * RATE)), np.float32)
    whole[:, : samples.shape[1]] = samples[:, : whole.shape[1]]
    return whole


class _Strip:
    """The numbers of one pair on a strip under the pictures."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._font = font(TEXT_SIZE)

    def __call__(self, found: Comparison, k: int) -> Bytes:
        frames = found.frames
        text = (
            f"A {frames.a[k]}   B {frames.b[k]}   MAD {frames.mad[k]:.1f}   PSNR {frames.psnr[k]:.1f} dB   "
            f"SSIM {frames.ssim[k]:.3f}   {found.verdict}"
        )
        image = Image.new("RGB", (self._width, STRIP), GROUND)
        ImageDraw.Draw(image).text((10, STRIP / 2), text, fill=INK, font=self._font, anchor="lm")
        return np.array(image)


def _even(side: float) -> int:
    return max(2, 2 * round(side / 2))
