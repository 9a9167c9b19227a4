"""A look laid over pictures, fast: whole-frame uint8 arithmetic into kept buffers, outlines found at half size."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

from studio.rehearsal.paint.look import Look

Picture = npt.NDArray[np.uint8]

_FALL = {"rain": (46, 9), "snow": (5, 2)}  # pixels a frame, down and sideways
_FLAT = 12  # steps between neighbours up to here are no outline
_GRAIN = 8  # steps
_CLOUD = 40  # pixels across
_STEEP = 6  # how fast an outline darkens


class Stylist:
    """Draws pictures of `width` × `height` (both even) in one look. Deterministic by `seed`. Not for several threads.

    Pictures are handled as (height, width·3) so that a row vector holds one value for each byte of a row.
    """

    def __init__(self, look: Look, width: int, height: int, seed: int) -> None:
        self.look, self.width, self.height = look, width, height
        rng = np.random.default_rng(abs(seed))
        tint = np.tile(np.array(look.tint, np.int16), width)
        self._lift = np.maximum(tint, 0).astype(np.uint8)
        self._drop = np.maximum(-tint, 0).astype(np.uint8)
        self._ink = np.tile(np.array(look.ink, np.uint8), width)
        self._veil = _veil_sheet(look, width, height, rng)
        self._drops = _weather_sheet(look, width, height, rng)
        self._coarse = np.empty((height, width * 3), np.uint8)
        self._part = np.empty_like(self._coarse)

    def draw(self, picture: Picture, index: int) -> Picture:
        """One picture (height, width, 3) in the look; `index` is its number (weather moves)."""
        if self.look.mono:
            grey = Image.fromarray(np.ascontiguousarray(picture[..., 1]))
            flat = np.asarray(grey.resize((self.width * 3, self.height), Image.Resampling.NEAREST))
        else:
            flat = picture.reshape(self.height, self.width * 3)
        out = self._grade(flat, index)
        edges = self._edges(picture)
        # Outlines towards the ink: dark inks lower a ceiling, bright inks raise a floor.
        if max(self.look.ink) > 128:
            np.minimum(edges, self._ink, out=self._part)
            np.maximum(out, self._part, out=out)
        else:
            np.subtract(255, edges, out=self._part)
            np.maximum(self._part, self._ink, out=self._part)
            np.minimum(out, self._part, out=out)
        if self._drops is not None:
            np.maximum(out, self._falling(self._drops, index), out=out)
        return out.reshape(self.height, self.width, 3)

    def _grade(self, flat: Picture, index: int) -> Picture:
        """Posterise, dim to `gain` eighths over the veil, then shift each channel; every step saturates."""
        np.bitwise_and(flat, np.uint8(self.look.levels), out=self._coarse)
        x = (index * self.look.drift) % self.width
        out = self._veil[:, x * 3 : (x + self.width) * 3].copy()
        for shift, eighths in ((1, 4), (2, 2), (3, 1)):
            if self.look.gain & eighths:
                np.right_shift(self._coarse, np.uint8(shift), out=self._part)
                out += self._part
        np.minimum(out, 255 - self._lift, out=out)
        out += self._lift
        np.maximum(out, self._drop, out=out)
        out -= self._drop
        return out

    def _edges(self, picture: Picture) -> Picture:
        """(height, width·3): 0 where smooth, up to `look.edges` on outlines."""
        small = np.ascontiguousarray(picture[::2, ::2, 1])
        steep = np.zeros_like(small)
        left, right = small[:, :-1], small[:, 1:]
        np.subtract(np.maximum(left, right), np.minimum(left, right), out=steep[:, 1:])
        upper, lower = small[:-1], small[1:]
        np.maximum(steep[1:], np.maximum(upper, lower) - np.minimum(upper, lower), out=steep[1:])
        np.maximum(steep, _FLAT, out=steep)
        steep -= _FLAT
        np.minimum(steep, self.look.edges // _STEEP, out=steep)
        steep *= _STEEP
        wide = (self.width * 3, self.height)
        return np.asarray(Image.fromarray(steep).resize(wide, Image.Resampling.NEAREST))

    def _falling(self, drops: Picture, index: int) -> Picture:
        assert self.look.weather is not None
        down, aside = _FALL[self.look.weather]
        y = self.height - (index * down) % self.height
        x = (index * aside) % self.width
        return drops[y : y + self.height, x * 3 : (x + self.width) * 3]


def _veil_sheet(look: Look, width: int, height: int, rng: np.random.Generator) -> Picture:
    """Clouds of light from 0 to about `look.veil` and a little grain. A moving look's sheet is twice the picture's
    width and repeats, so that a moving window shows it drifting."""
    coarse = rng.standard_normal((max(2, height // _CLOUD), max(2, width // _CLOUD)), np.float32)
    around = Image.fromarray(np.pad(coarse, 2, mode="wrap"))  # so that the left edge goes on where the right one ends
    inside = (2, 2, around.width - 2, around.height - 2)
    clouds = np.asarray(around.resize((width, height), Image.Resampling.BICUBIC, inside))
    level = 0.5 + 0.4 * (clouds - clouds.mean()) / clouds.std()
    grain = rng.integers(0, _GRAIN, (height, width * 3), np.uint8)
    sheet = grain + np.repeat((np.clip(level, 0, 1) * look.veil).astype(np.uint8), 3, axis=1)
    return np.tile(sheet, (1, 2)) if look.drift else sheet


def _weather_sheet(look: Look, width: int, height: int, rng: np.random.Generator) -> Picture | None:
    """A sheet of drops twice the picture's size that repeats, so that a moving window shows falling weather."""
    if look.weather is None:
        return None
    rain = look.weather == "rain"
    tile = np.zeros((height, width), np.uint8)
    count = width * height // (900 if rain else 700)
    rows, columns = rng.integers(0, height, count), rng.integers(0, width, count)
    strength = rng.integers(120, 230, count).astype(np.uint8)
    for step in range(22 if rain else 3):
        lean = step // 5 if rain else 0
        for thick in range(1 if rain else 3):
            tile[(rows + step) % height, (columns + lean + thick) % width] = strength
    return np.repeat(np.tile(tile, (2, 2)), 3, axis=1)
