"""Small real clips, pictures and sounds, each with one feature of real files. Clips count their frames (see barcode.py)
and click at every whole second, so that what comes out of a conversion can be read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from studio.media.receipts import Receipt
from tests.helpers import barcode

Pixels = npt.NDArray[np.uint8]
Sound = npt.NDArray[np.float32]

_LAYOUTS = {1: "mono", 2: "stereo", 6: "5.1"}
_BLOCK = 1024


@dataclass(frozen=True)
class Colour:
    """Tags by FFmpeg's numbers. Defaults: BT.709, limited range."""

    primaries: int = 1
    transfer: int = 1
    matrix: int = 1
    full_range: bool = False


HLG = Colour(9, 18, 9)


def clicks(seconds: float, rate: int = 48_000, channels: int = 2, level: float = 0.2) -> Sound:
    """(channels, n) float32: 440 Hz left, 660 Hz right, and a click of 5 ms at every whole second."""
    t = np.arange(round(seconds * rate)) / rate
    out = np.stack([level * np.sin(2 * np.pi * (440 + 220 * c) * t) for c in range(channels)])
    for second in range(int(seconds) + 1):
        out[:, second * rate : second * rate + rate // 200] = 4 * level
    return out.astype(np.float32)


def click_times(samples: Sound, rate: int) -> list[float]:
    """When the clicks begin, in seconds."""
    loud = np.abs(samples[0]) > 0.5 * np.abs(samples[0]).max()
    at = np.flatnonzero(loud)
    first = at[np.diff(at, prepend=-rate) > rate // 2]
    return [float(n) / rate for n in first]


def write_clip(
    path: Path,
    *,
    frames: int = 48,
    fps: Fraction | int = 24,
    size: tuple[int, int] = (256, 256),
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    times: Sequence[Fraction] | None = None,
    tick: Fraction | None = None,
    rotation: int = 0,
    sar: Fraction | None = None,
    colour: Colour | None = None,
    b_frames: int = 0,
    gop: int = 24,
    sound: Sound | None = None,
    sound_rate: int = 48_000,
    sound_codec: str = "aac",
    sound_start: float = 0.0,
    options: dict[str, str] | None = None,
    container: dict[str, str] | None = None,
    fields: bool = False,
) -> Path:
    """Write `frames` numbered frames of the stored `size`, shown at `times` (seconds) or at a constant `fps`.

    `rotation`: a player turns the stored picture clockwise by it to see it upright. `fields`: interlaced, a bar moving.
    """
    rate = Fraction(fps)
    shown = list(times) if times is not None else [n / rate for n in range(frames)]
    base = tick or (1 / rate if times is None else Fraction(1, 90_000))
    with av.open(str(path), "w", container_options=container or {}) as box:
        video: Any = box.add_stream(codec, rate=rate)
        video.width, video.height, video.pix_fmt = *size, pix_fmt
        video.gop_size, video.max_b_frames = gop, b_frames
        video.codec_context.time_base = base
        video.options = {"preset": "ultrafast", "bf": str(b_frames)} if codec == "libx264" else {}
        video.options |= options or {}
        if sar is not None:
            video.codec_context.sample_aspect_ratio = sar
        if rotation:
            video.set_display_rotation(-rotation)
        if colour is not None:
            context = video.codec_context
            context.color_primaries, context.color_trc = colour.primaries, colour.transfer
            context.colorspace, context.color_range = colour.matrix, 2 if colour.full_range else 1
        track = _Track(box, sound, sound_rate, sound_codec, sound_start) if sound is not None else None
        for n, moment in enumerate(shown):
            if track is not None:
                track.until(float(moment))
            frame = _frame(_drawn(n, size, rotation, fields), pix_fmt, colour)
            frame.pts, frame.time_base = round(moment / base), base
            box.mux(video.encode(frame))
        box.mux(video.encode(None))
        if track is not None:
            track.until(None)
    return path


def _drawn(n: int, size: tuple[int, int], rotation: int, fields: bool) -> Pixels:
    width, height = size if rotation % 180 == 0 else size[::-1]
    image = barcode.picture(n, width, height)
    if fields:
        for odd in (0, 1):
            x = (n * 2 + odd) * 10 % (width - 40)
            image[odd : height // 3 : 2, x : x + 40] = 235
    return np.ascontiguousarray(np.rot90(image, rotation // 90))


def _frame(image: Pixels, pix_fmt: str, colour: Colour | None) -> av.VideoFrame:
    frame = av.VideoFrame.from_ndarray(image, format="rgb24")
    if colour is None:
        return frame.reformat(format=pix_fmt)
    made = frame.reformat(format=pix_fmt, dst_colorspace=colour.matrix, dst_color_range=2 if colour.full_range else 1)
    made.color_primaries, made.color_trc = colour.primaries, colour.transfer
    return made


class _Track:
    def __init__(self, box: Any, samples: Sound, rate: int, codec: str, start: float) -> None:
        self._box, self._samples, self._rate, self._start = box, samples, rate, start
        self._stream = box.add_stream(codec, rate=rate, layout=_LAYOUTS[len(samples)])
        self._at = 0

    def until(self, seconds: float | None) -> None:
        while seconds is None or self._start + self._at / self._rate <= seconds:
            block = np.ascontiguousarray(self._samples[:, self._at : self._at + _BLOCK])
            if not block.shape[1]:
                break
            frame = av.AudioFrame.from_ndarray(block, format="fltp", layout=_LAYOUTS[len(block)])
            frame.sample_rate, frame.time_base = self._rate, Fraction(1, self._rate)
            frame.pts = self._at + round(self._start * self._rate)
            self._box.mux(self._stream.encode(frame))
            self._at += block.shape[1]
        if seconds is None:
            self._box.mux(self._stream.encode(None))


def write_sound(path: Path, samples: Sound, rate: int, codec: str, **options: Any) -> Path:
    """A file with nothing but sound."""
    with av.open(str(path), "w", **options) as box:
        _Track(box, samples, rate, codec, 0.0).until(None)
    return path


def read_clip(path: Path) -> list[Pixels]:
    """All frames as stored, (height, width, 3) B, G, R by the file's own colour tags."""
    with av.open(str(path)) as box:
        return [_bgr(frame) for frame in box.decode(video=0)]


def _bgr(frame: av.VideoFrame) -> Pixels:
    matrix = frame.colorspace if frame.colorspace in (1, 5, 6, 9) else 5
    return np.asarray(frame.to_ndarray(format="bgr24", src_colorspace=matrix), np.uint8)


def change_codes(receipt: Receipt) -> set[str]:
    """The codes of a receipt without their prefix; each has a sentence that its numbers fill."""
    for change in receipt.changes:
        text = change.message.text()
        assert text != change.code and "{" not in text
    return {change.code.removeprefix("change.") for change in receipt.changes}


def numbers(path: Path) -> list[int]:
    """The number that each frame of a clip shows."""
    return [barcode.read(picture) for picture in read_clip(path)]


def read_sound(path: Path) -> tuple[Sound, int]:
    """((channels, n) float32, rate) of the first sound track, as it decodes."""
    with av.open(str(path)) as box:
        stream = box.streams.audio[0]
        resampler = av.AudioResampler(format="fltp")
        blocks = [f.to_ndarray() for frame in box.decode(stream) for f in resampler.resample(frame)]
        return np.concatenate(blocks, axis=1).astype(np.float32), stream.codec_context.sample_rate
