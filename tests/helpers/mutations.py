"""Media files that were damaged on purpose: seeds of every kind, and what disks, cables and villains do to them."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pillow_heif
from PIL import Image

from tests.helpers import barcode
from tests.helpers.media_factory import clicks, write_clip, write_sound

X265 = {"x265-params": "log-level=none"}
CLIPS: dict[str, dict[str, Any]] = {
    "plain.mp4": {"sound": clicks(2)},
    "front.mp4": {"container": {"movflags": "+faststart"}, "b_frames": 2},
    "pieces.mp4": {"container": {"movflags": "+frag_keyframe+empty_moov"}},
    "turned.mov": {"rotation": 90, "size": (320, 256), "sound": clicks(2), "sound_codec": "pcm_s16le"},
    "hevc.mp4": {"codec": "libx265", "options": X265},
    "vp9.webm": {"codec": "libvpx-vp9", "options": {"cpu-used": "8", "deadline": "realtime"}},
    "mpeg4.avi": {"codec": "mpeg4", "options": {}, "b_frames": 2},
    "fields.mpg": {"codec": "mpeg2video", "fps": 25, "fields": True, "options": {"flags": "+ilme+ildct"}},
    "stream.ts": {"b_frames": 2, "sound": clicks(2)},
    "wide.mkv": {"sar": Fraction(64, 45), "sound": clicks(2), "sound_codec": "libopus"},
    "deep.mov": {"codec": "prores_ks", "pix_fmt": "yuv422p10le", "options": {}, "frames": 12},
}
SOUNDS = {"a.wav": "pcm_s16le", "a.mp3": "libmp3lame", "a.flac": "flac", "a.m4a": "aac", "a.ogg": "libopus"}
STILLS = ("a.png", "a.jpg", "a.webp", "a.tiff", "a.heic")


def write_seeds(folder: Path) -> list[Path]:
    """Write one small whole file of each kind; 22 in all (an animated GIF among them)."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [write_clip(folder / name, **wishes) for name, wishes in CLIPS.items()]
    made += [write_sound(folder / name, clicks(2.5), 48_000, codec) for name, codec in SOUNDS.items()]
    image = Image.fromarray(barcode.picture(5, 320, 256))
    for name in STILLS:
        if name.endswith("heic"):
            pillow_heif.from_pillow(image).save(folder / name)
        else:
            image.save(folder / name)
        made.append(folder / name)
    frames = [Image.fromarray(barcode.picture(n, 256, 256)).quantize(32) for n in range(6)]
    frames[0].save(folder / "a.gif", save_all=True, append_images=frames[1:], duration=400, loop=0)
    return [*made, folder / "a.gif"]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A damaged copy: flipped bits, a torn end, a lost or zeroed or doubled piece, absurd numbers in the headers."""
    return rng.choice(_WAYS)(bytearray(data), rng)


def _flip(data: bytearray, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 4, 40, 400))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def _tear(data: bytearray, rng: random.Random) -> bytes:
    return bytes(data[: rng.randrange(1, len(data))])


def _lose(data: bytearray, rng: random.Random) -> bytes:
    at, length = _piece(data, rng)
    return bytes(data[:at] + data[at + length :])


def _zero(data: bytearray, rng: random.Random) -> bytes:
    at, length = _piece(data, rng)
    data[at : at + length] = bytes(length)
    return bytes(data)


def _double(data: bytearray, rng: random.Random) -> bytes:
    at, length = _piece(data, rng)
    return bytes(data[:at] + data[at : at + length] + data[at:])


def _absurd(data: bytearray, rng: random.Random) -> bytes:
    """Extreme values where numbers are: in the first bytes, or near the names of an MP4's boxes."""
    marks = [data.find(mark) for mark in (b"moov", b"tkhd", b"stts", b"stsz", b"stsd", b"stco", b"elst", b"mdhd")]
    spots = [at for at in marks if at >= 0] or [0]
    for _ in range(rng.choice((1, 3))):
        at = min(len(data) - 4, max(0, rng.choice(spots) + rng.randrange(-4, 64)))
        data[at : at + 4] = rng.choice(
            (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\x80\0\0\0", b"\0\0\0\1")
        )
    return bytes(data)


def _piece(data: bytearray, rng: random.Random) -> tuple[int, int]:
    at = rng.randrange(len(data))
    return at, min(len(data) - at, int(np.exp(rng.uniform(0, np.log(max(2, len(data) // 4))))))


_WAYS: tuple[Callable[[bytearray, random.Random], bytes], ...] = (_flip, _tear, _lose, _zero, _double, _absurd)
