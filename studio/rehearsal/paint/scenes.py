"""Moving pictures from nothing or from stills: a landscape, a pan over a picture, a way between keyframes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame
from PIL import Image

from studio.rehearsal.paint.look import Look

Picture = npt.NDArray[np.uint8]

_LAYERS = 3
_SOFT = 8  # the sweep's soft edge is this part of the width
_SUN = np.array((255, 244, 214), np.uint8)


def landscape(look: Look, width: int, height: int, frames: int, seed: int) -> Iterator[Picture]:
    """Sky, a wandering sun and hills in parallax."""
    rng = np.random.default_rng(abs(seed))
    sky = _sky(look, width, height)
    hills = [_Hill(look, width, height, layer, rng) for layer in range(_LAYERS)]
    sun_y, radius = int(rng.uniform(0.15, 0.35) * height), max(4, min(width, height) // 11)
    for index in range(frames):
        picture = sky.copy()
        _sun(picture, round(width * (0.15 + 0.7 * index / max(1, frames - 1))), sun_y, radius)
        for layer, hill in enumerate(hills):
            hill.cover(picture, index * (1 + 2 * layer))
        yield picture


def _sun(picture: Picture, x: int, y: int, radius: int) -> None:
    rows, columns = np.ogrid[-radius:radius, -radius:radius]
    box = picture[max(0, y - radius) : y + radius, max(0, x - radius) : x + radius]
    disc = rows**2 + columns**2 < radius**2
    np.copyto(box, _SUN, where=disc[-box.shape[0] :, -box.shape[1] :, None])


def _sky(look: Look, width: int, height: int) -> Picture:
    upper, lower = (np.array(colour, np.float32) for colour in look.sky)
    share = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    column = upper * (1 - share) + lower * share
    return np.broadcast_to(column, (height, width, 3)).astype(np.uint8)


class _Hill:
    """One layer: a colour below an outline that scrolls."""

    def __init__(self, look: Look, width: int, height: int, layer: int, rng: np.random.Generator) -> None:
        x = np.linspace(0, 2 * np.pi, 2 * width, endpoint=False)
        waves = np.sum([np.sin(x * k + rng.uniform(0, 7)) / k for k in (2 + layer, 5 + layer, 9 + 2 * layer)], axis=0)
        outline = ((0.55 + 0.15 * layer + 0.07 * waves) * height).astype(np.int16)
        self._top, self._bottom = int(outline.min()), int(outline.max())
        # Rows between the highest and the lowest point of the outline, over twice the width and once more.
        band = np.arange(self._top, self._bottom, dtype=np.int16)[:, None] >= outline
        self._mask = np.concatenate([band, band[:, :width]], axis=1)[..., None]
        colour = np.array(look.sky[1], np.float32) * (0.62 - 0.17 * layer) + rng.uniform(0, 18, 3)
        self._colour = colour.astype(np.uint8)
        self._period = 2 * width

    def cover(self, picture: Picture, shift: int) -> None:
        """Paint it over `picture`, in place, `shift` pixels on."""
        x = shift % self._period
        mask = self._mask[:, x : x + picture.shape[1]]
        np.copyto(picture[self._top : self._bottom], self._colour, where=mask)
        picture[self._bottom :] = self._colour


def pan(image: Image.Image, width: int, height: int, frames: int, seed: int) -> Iterator[Picture]:
    """A window that glides over the picture, which is scaled to a fourth more than the canvas."""
    scale = 1.25 * max(width / image.width, height / image.height)
    size = (max(width + 1, round(image.width * scale)), max(height + 1, round(image.height * scale)))
    big = np.asarray(image.resize(size, Image.Resampling.BILINEAR), np.uint8)
    room_x, room_y = big.shape[1] - width, big.shape[0] - height
    back = seed % 2 == 1
    for index in range(frames):
        share = index / max(1, frames - 1)
        share = 1 - share if back else share
        x, y = round(room_x * share), round(room_y * share)
        yield np.ascontiguousarray(big[y : y + height, x : x + width])


def between(
    images: tuple[Image.Image, ...], keyframes: tuple[int, ...], width: int, height: int, frames: int
) -> Iterator[Picture]:
    """From the first keyframe to the last: a soft edge sweeps over. A lone picture is approached or left by a zoom."""
    stills = [np.asarray(image.resize((width, height), Image.Resampling.LANCZOS), np.uint8) for image in images]
    if len(stills) == 1:
        yield from _zoom(stills[0], frames, ends_whole=keyframes == (-1,))
        return
    first, last = stills
    soft = max(1, width // _SOFT)
    fade = np.linspace(1, 0, soft, dtype=np.float32)[:, None]
    for index in range(frames):
        edge = round((width + soft) * index / max(1, frames - 1))
        begin, end = max(0, edge - soft), min(edge, width)
        picture = first.copy()
        picture[:, :begin] = last[:, :begin]
        share = fade[begin - (edge - soft) : end - (edge - soft)]
        picture[:, begin:end] = last[:, begin:end] * share + first[:, begin:end] * (1 - share)
        yield picture


def _zoom(whole: Picture, frames: int, *, ends_whole: bool) -> Iterator[Picture]:
    height, width = whole.shape[:2]
    for index in range(frames):
        share = index / max(1, frames - 1)
        inset = 0.12 * (1 - share if ends_whole else share)
        x, y = round(width * inset / 2), round(height * inset / 2)
        part = VideoFrame.from_ndarray(np.ascontiguousarray(whole[y : height - y, x : width - x]), format="rgb24")
        grown = part.reformat(width=width, height=height, format="rgb24", interpolation="FAST_BILINEAR")
        yield grown.to_ndarray().astype(np.uint8, copy=False)
