"""A clip of the comparison: A, B and their difference side by side over the numbers, with A's sound."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from studio.compare.decode import Bytes
from studio.compare.drawing import (
    DIFFERENCE_COLOUR,
    DIFFERENCE_LABEL,
    GROUND,
    INK,
    SIDE_COLOURS,
    Panels,
    drawn_pairs,
    font,
    tab,
)
from studio.compare.result import Comparison
from studio.compare.sound import stereo
from studio.media.mp4 import Mp4Writer
from studio.media.sound import RATE

PANEL = 640
"""Longest side of a panel in pixels; three of them lie beside one another."""
STRIP = 32
TEXT_SIZE = 15


def write_difference_clip(found: Comparison, path: Path, tell: Callable[[float], None]) -> None:
    """Write the clip as H.264 MP4 at the rate of the comparison's clock. `tell` gets 0…1. Blocking."""
    scale = min(1.0, PANEL / max(found.width, found.height))
    size = _even(found.width * scale), _even(found.height * scale)
    rate = Fraction(found.fps).limit_denominator(1001)
    n = found.frames_compared
    sound = _sound_of_a(found)
    strip = _Strip(3 * size[0])
    tabs = _tabs()
    with (
        Mp4Writer(
            path,
            3 * size[0],
            size[1] + STRIP,
            rate,
            RATE if sound is not None else None,
            preset="veryfast",
            faststart=True,
        ) as writer,
        closing(drawn_pairs(found, np.arange(n), size)) as drawn,
    ):
        for panels in drawn:
            row = np.hstack(
                [_labelled(p, t) for p, t in zip((panels.a, panels.b, panels.difference), tabs, strict=True)]
            )
            writer.frame(np.vstack((row, strip(found, panels))))
            if sound is not None:
                first, last = (round(k * RATE / rate) for k in (panels.pair, panels.pair + 1))
                writer.sound(sound[:, first:last])
            tell((panels.pair + 1) / n)


def _sound_of_a(found: Comparison) -> np.ndarray[tuple[int, int], np.dtype[np.float32]] | None:
    """A's sound from the first compared picture to the last, filled with silence."""
    seconds = found.frames_compared / found.fps
    samples = stereo(found.a, found.start_a, seconds)
    if samples is None:
        return None
    whole = np.zeros((2, round(seconds * RATE)), np.float32)
    whole[:, : samples.shape[1]] = samples[:, : whole.shape[1]]
    return whole


def _tabs() -> tuple[Bytes, Bytes, Bytes]:
    labels = {**SIDE_COLOURS, DIFFERENCE_LABEL: DIFFERENCE_COLOUR}
    a, b, difference = (np.asarray(tab(text, colour)) for text, colour in labels.items())
    return a, b, difference


def _labelled(panel: Bytes, label: Bytes) -> Bytes:
    height, width = min(label.shape[0], panel.shape[0]), min(label.shape[1], panel.shape[1])
    panel[:height, :width] = label[:height, :width]
    return panel


class _Strip:
    """The numbers of one pair on a strip under the pictures."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._font = font(TEXT_SIZE)

    def __call__(self, found: Comparison, panels: Panels) -> Bytes:
        frames, k = found.frames, panels.pair
        text = (
            f"A {frames.a[k]}   B {frames.b[k]}   MAD {frames.mad[k]:.1f}   PSNR {frames.psnr[k]:.1f} dB   "
            f"SSIM {frames.ssim[k]:.3f}   {found.verdict}"
        )
        image = Image.new("RGB", (self._width, STRIP), GROUND)
        ImageDraw.Draw(image).text((10, STRIP / 2), text, fill=INK, font=self._font, anchor="lm")
        return np.array(image)


def _even(side: float) -> int:
    return max(2, 2 * round(side / 2))
