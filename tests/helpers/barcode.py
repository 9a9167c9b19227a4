"""Clips whose every frame says its own number: a row of black and white cells, most significant first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

BITS = 12
CORNERS = {"red": (220, 30, 30), "green": (30, 200, 30), "blue": (40, 40, 220), "yellow": (230, 220, 30)}


def picture(n: int, width: int, height: int) -> npt.NDArray[np.uint8]:
    """(height, width, 3) R, G, B: number n as a barcode in the lower middle, coloured corners, a moving bar."""
    image = np.full((height, width, 3), 110, np.uint8)
    x = (n * 7) % width
    image[:, x : x + width // 16] = (150, 120, 90)
    h, w = height // 5, width // 5
    corners = (np.s_[:h, :w], np.s_[:h, -w:], np.s_[-h:, -w:], np.s_[-h:, :w])
    for at, colour in zip(corners, CORNERS.values(), strict=True):
        image[at] = colour
    top, cell = height * 2 // 5, width // (BITS + 2)
    for bit in range(BITS):
        left = cell * (bit + 1)
        image[top : top + height // 5, left : left + cell] = 255 if n >> (BITS - 1 - bit) & 1 else 0
    return image


def read(bgra: npt.NDArray[np.uint8]) -> int:
    """The number of an upright picture made by `picture`."""
    height, width = bgra.shape[:2]
    y, cell = height // 2, width / (BITS + 2)
    green = bgra[y - 2 : y + 3, :, 1].mean(axis=0)
    return sum(int(green[int(cell * (bit + 1.5))] > 128) << (BITS - 1 - bit) for bit in range(BITS))


def corner_names(bgra: npt.NDArray[np.uint8]) -> list[str]:
    """The colours of the corners, clockwise from the top left."""
    height, width = bgra.shape[:2]
    y, x = height // 12, width // 12
    found = []
    for row, column in ((y, x), (y, width - 1 - x), (height - 1 - y, width - 1 - x), (height - 1 - y, x)):
        rgb = bgra[row, column, 2::-1].astype(int)
        found.append(min(CORNERS, key=lambda name: float(np.abs(rgb - np.array(CORNERS[name])).sum())))
    return found


def write(
    path: Path,
    *,
    frames: int = 48,
    width: int = 256,
    height: int = 256,
    fps: Fraction | int = 24,
    codec: str = "libx264",
    options: dict[str, str] | None = None,
    gop: int = 12,
    b_frames: int = 0,
    times: Sequence[int] | None = None,
    rotation: int = 0,
    sound: bool = False,
    pix_fmt: str = "yuv420p",
) -> Path:
    """Write a barcode clip. `times`: when each frame is shown, in milliseconds (variable rate)."""
    with av.open(str(path), "w") as box:
        stream = box.add_stream(codec, rate=Fraction(fps))
        stream.width, stream.height, stream.pix_fmt = width, height, pix_fmt
        stream.gop_size, stream.max_b_frames = gop, b_frames
        x264 = {"preset": "ultrafast", "bf": str(b_frames), "sc_threshold": "0", "b_strategy": "0"}
        stream.options = options if options is not None else x264 if codec == "libx264" else {}
        if times is not None:
            stream.codec_context.time_base = Fraction(1, 1000)
        if rotation:
            stream.set_display_rotation(rotation)
        track = box.add_stream("aac", rate=32_000, layout="stereo") if sound else None
        for n in range(frames):
            frame = av.VideoFrame.from_ndarray(picture(n, width, height), format="rgb24")
            frame.pts = times[n] if times is not None else n
            frame.time_base = Fraction(1, 1000) if times is not None else 1 / Fraction(fps)
            box.mux(stream.encode(frame))
        box.mux(stream.encode(None))
        if track is not None:
            _write_sound(box, track, frames / float(fps))
    return path


def _write_sound(box: av.container.OutputContainer, track: av.AudioStream, seconds: float) -> None:
    """A 440 Hz tone."""
    samples = (0.2 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * 32_000)) / 32_000)).astype(np.float32)
    for start in range(0, len(samples), 1024):
        block = np.ascontiguousarray(np.stack([samples[start : start + 1024]] * 2))
        frame = av.AudioFrame.from_ndarray(block, format="fltp", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = 32_000, start, Fraction(1, 32_000)
        box.mux(track.encode(frame))
    box.mux(track.encode(None))
