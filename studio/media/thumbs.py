"""Small pictures of media files: one for a card, a row of them for a timeline."""

from __future__ import annotations

import io
from collections.abc import Sequence as Numbers
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image

from studio.media.colour import Picture
from studio.media.errors import MediaError
from studio.media.sequence import Sequence
from studio.media.stills import read_still
from studio.media.workers import Workers

_TIMEOUT_S: Final = 60.0


async def thumbnail(
    workers: Workers, path: Path, *, edge: int = 256, at: float = 0.0, ground: str | None = None
) -> bytes:
    """PNG of what a clip shows at `at` seconds, or of a still, upright, its longer side at most `edge` pixels.

    What is transparent lies over `ground` ("#rrggbb"; None: black under clips, white under stills). Raises MediaError
    when the file has no picture there or cannot be read.
    """
    return await workers.run(thumbnail_png, path, edge, at, ground, timeout=_TIMEOUT_S)


async def filmstrip(
    workers: Workers,
    path: Path,
    *,
    count: int = 8,
    height: int = 64,
    at: Numbers[float] | None = None,
    ground: str | None = None,
) -> bytes:
    """PNG of pictures of a clip side by side, each `height` pixels high.

    They are `count` at the middles of equal parts, or what is shown `at` these seconds (rising). `ground` is as
    in `thumbnail`. Raises MediaError when the file has no picture or cannot be read.
    """
    return await workers.run(filmstrip_png, path, count, height, at, ground, timeout=_TIMEOUT_S)


def thumbnail_png(path: Path, edge: int, at: float, ground: str | None = None) -> bytes:
    """`thumbnail`, blocking."""
    still = read_still(path, ground)
    picture = still if still is not None else _at_times(path, [at], ground=ground)[0]
    image = _image(picture)
    image.thumbnail((edge, edge), Image.Resampling.LANCZOS)
    return _png(image)


def filmstrip_png(
    path: Path, count: int, height: int, at: Numbers[float] | None = None, ground: str | None = None
) -> bytes:
    """`filmstrip`, blocking."""
    still = read_still(path, ground)
    pictures = [still] * len(at or range(count)) if still is not None else _at_times(path, at, count, ground)
    tiles = [
        image.resize((max(1, round(image.width * height / image.height)), height), Image.Resampling.BOX)
        for image in map(_image, pictures)
    ]
    strip = Image.new("RGB", (sum(tile.width for tile in tiles), height))
    left = 0
    for tile in tiles:
        strip.paste(tile, (left, 0))
        left += tile.width
    return _png(strip)


def _at_times(path: Path, seconds: Numbers[float] | None, count: int = 1, ground: str | None = None) -> list[Picture]:
    """What is on the screen at each of the `seconds`, or in the middles of `count` equal parts."""
    clip = Sequence(path, ground)
    try:
        if seconds is None:
            seconds = [clip.times[0] + float(clip.duration) * (k + 0.5) / count for k in range(count)]
        numbers = np.searchsorted(clip.times, np.array(seconds) + 1e-6, side="right") - 1
        return [_decoded(clip, max(0, int(n))) for n in numbers]
    finally:
        clip.close()


def _decoded(clip: Sequence, n: int) -> Picture:
    if not clip.reaches(n):
        clip.seek(n, skip=True)
    while not clip.ended:
        for number, frame in clip.step():
            if number >= n:
                return clip.bgra(frame)
    raise MediaError("frames.lost", name=clip.path.name, number=n)


def _image(bgra: Picture) -> Image.Image:
    return Image.fromarray(np.ascontiguousarray(bgra[..., 2::-1]))


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
