"""The files that the recorded requests carry, made anew: same names, kinds, sizes and lengths."""

from __future__ import annotations

import functools
import io
import wave
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pillow_heif
from PIL import Image

_CODECS = {"mp3": "libmp3lame", "m4a": "aac", "flac": "flac"}
_CLIPS = {
    "v3s.mp4": (3, 640, 480, 24, "libx264", "aac"),
    "v3s.mov": (3, 640, 480, 24, "libx264", None),
    "v3s.webm": (3, 640, 480, 24, "libvpx", None),
    "v3s_silent.mp4": (3, 640, 480, 24, "libx264", None),
    "v3s_128.mp4": (3, 128, 128, 24, "libx264", None),
    "v3s_12fps.mp4": (3, 640, 480, 12, "libx264", None),
    "v4s_small.mp4": (4, 320, 256, 24, "libx264", None),
    "v1s.mp4": (1, 320, 256, 24, "libx264", None),
    "v15.mp4": (15, 320, 256, 24, "libx264", None),
    "v15a.mp4": (15, 320, 256, 24, "libx264", "aac"),
    "v15083.mp4": (362 / 24, 320, 256, 24, "libx264", None),
    "vp9.mp4": (3, 320, 256, 24, "libvpx-vp9", None),
}
_SOUNDS = {"a1s.wav": 1, "a3s.wav": 3, "a8s.wav": 8, "a3s.mp3": 3, "a3s.m4a": 3, "a3s.flac": 3}
_SIZES = {"small.png": (200, 200), "wide.png": (1200, 400)}
_RAW = {"note.txt": b"hello\n", "empty.mp4": b"", "junk.mp4": b"\x8f\x01" * 500, "junk.png": b"\x8f\x01" * 500}
_BIG = {"big.mp4": 54_000_000, "big.png": 33_000_000, "big.wav": 16_000_000}


@functools.cache
def content(name: str) -> bytes:
    """The bytes of the file of this name. Raises KeyError for an unknown one."""
    if name in _RAW:
        return _RAW[name]
    if name in _BIG:
        return bytes(_BIG[name])
    if name in _CLIPS:
        return _clip(Path(name).suffix[1:], *_CLIPS[name])
    if name in _SOUNDS:
        return _sound(Path(name).suffix[1:], _SOUNDS[name])
    if name.startswith("img.") or name in _SIZES:
        return _picture(Path(name).suffix[1:], *_SIZES.get(name, (640, 480)))
    raise KeyError(name)


def _picture(kind: str, width: int, height: int) -> bytes:
    memory = io.BytesIO()
    image = Image.linear_gradient("L").resize((width, height)).convert("RGB")
    if kind == "heic":
        pillow_heif.from_pillow(image).save(memory)
    else:
        image.save(memory, {"jpg": "JPEG"}.get(kind, kind.upper()))
    return memory.getvalue()


def _tone(seconds: float, rate: int = 44_100) -> np.ndarray:
    wave_form = 0.3 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)
    return (wave_form * 32_767).astype(np.int16)[None]


def _sound(kind: str, seconds: float) -> bytes:
    memory = io.BytesIO()
    if kind == "wav":
        with wave.open(memory, "wb") as file:
            file.setparams((1, 2, 44_100, 0, "NONE", ""))
            file.writeframes(_tone(seconds).tobytes())
        return memory.getvalue()
    with av.open(memory, "w", format={"m4a": "mp4"}.get(kind, kind)) as container:
        _fill(container, container.add_stream(_CODECS[kind], rate=44_100, layout="mono"), seconds)
    return memory.getvalue()


def _fill(container: av.container.OutputContainer, stream: av.AudioStream, seconds: float) -> None:
    frame = av.AudioFrame.from_ndarray(_tone(seconds), format="s16", layout="mono")
    frame.sample_rate, frame.pts, frame.time_base = 44_100, 0, Fraction(1, 44_100)
    container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def _clip(kind: str, seconds: float, width: int, height: int, rate: int, codec: str, sound: str | None) -> bytes:
    memory = io.BytesIO()
    with av.open(memory, "w", format=kind) as container:
        video = container.add_stream(codec, rate=rate)
        audio = container.add_stream(sound, rate=44_100, layout="mono") if sound else None
        video.width, video.height, video.pix_fmt = width, height, "yuv420p"
        video.options = {"preset": "ultrafast"} if codec == "libx264" else {"deadline": "realtime", "cpu-used": "8"}
        ramp = np.linspace(0, 255, width).astype(np.uint8)[None].repeat(height, 0)
        for index in range(round(seconds * rate)):
            grey = np.roll(ramp, 3 * index, axis=1)
            container.mux(video.encode(av.VideoFrame.from_ndarray(grey, format="gray")))
        container.mux(video.encode(None))
        if audio:
            _fill(container, audio, seconds)
    return memory.getvalue()
