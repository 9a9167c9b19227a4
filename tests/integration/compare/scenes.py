"""Small textured scenes that move, and clips of them with one thing planted."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from studio.media.mp4 import Mp4Writer

Pixels = npt.NDArray[np.uint8]
Sound = npt.NDArray[np.float32]

WIDTH, HEIGHT = 256, 144
RATE = 32_000


def scene(frames: int = 48, *, seed: int = 1, first: float = 0, step: float = 1.0) -> list[Pixels]:
    """`frames` pictures of a textured ground that pans under a disc on its own path, from moment `first` on."""
    random = np.random.default_rng(seed)
    # Mostly light and shade, some colour, as pictures are: 4:2:0 keeps a quarter of the colour.
    shades = random.integers(40, 216, (14, 120, 1)) + random.integers(-30, 30, (14, 120, 3))
    cells = Image.fromarray(shades.astype(np.uint8))
    ground = np.asarray(cells.resize((4 * WIDTH, HEIGHT), Image.Resampling.BICUBIC))
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    made = []
    for k in range(frames):
        moment = first + k * step
        left = round(3 * moment)
        picture = ground[:, left : left + WIDTH].copy()
        centre = WIDTH / 2 + 90 * np.sin(0.21 * moment + seed), HEIGHT / 2 + 40 * np.cos(0.33 * moment)
        picture[(x - centre[0]) ** 2 + (y - centre[1]) ** 2 < 18**2] = (240, 240, 60)
        made.append(picture)
    return made


def rustle(seconds: float, *, seed: int = 1, late: float = 0.0) -> Sound:
    """(2, n) noise that swells and fades; the same noise comes `late` seconds later."""
    random = np.random.default_rng(seed)
    n, lead = round(seconds * RATE), round(late * RATE)
    noise = random.normal(0, 0.1, n).astype(np.float32) * np.interp(
        np.arange(n), np.arange(0, n, 2000), random.random(-(-n // 2000))
    )
    shifted = np.concatenate((np.zeros(lead), noise))[:n].astype(np.float32)
    return np.stack((shifted, shifted))


def write(
    path: Path,
    pictures: Iterable[Pixels],
    *,
    crf: int = 14,
    fps: int | Fraction = 24,
    sound: Sound | None = None,
    preset: str = "veryfast",
) -> Path:
    """Encode the pictures, and the sound beside them."""
    pictures = list(pictures)
    height, width = pictures[0].shape[:2]
    with Mp4Writer(path, width, height, fps, RATE if sound is not None else None, crf=crf, preset=preset) as writer:
        for picture in pictures:
            writer.frame(picture)
        if sound is not None:
            writer.sound(sound)
    return path
