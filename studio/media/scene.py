"""A moving picture of our own: hills, a sea that glitters, clouds, gulls and a boat. No text, nobody else's rights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

Layer = npt.NDArray[np.float32]

_HORIZON: Final = 0.56  # of the height
_SUPERSAMPLING: Final = 4


class _Palette(NamedTuple):
    """Colours as 0xRRGGBB."""

    top: int
    low: int
    sun: int
    far: int
    near: int
    sea: int
    sail: int


_PALETTES: Final = (
    _Palette(top=0x3E76BE, low=0xF6D6B2, sun=0xFFF0C8, far=0x6880A0, near=0x46704C, sea=0x286080, sail=0xEC5C3C),
    _Palette(top=0x3A346E, low=0xFA9C6C, sun=0xFFD696, far=0x70547A, near=0x3E3E54, sea=0x424878, sail=0xF4E8D6),
    _Palette(top=0x78B0D6, low=0xE8F0EC, sun=0xFFFCEC, far=0x88A0A4, near=0x788642, sea=0x3A848A, sail=0xFAC848),
)


class Scene:
    """One landscape by the sea, `width` × `height` pixels. The same `seed` gives the same pictures."""

    def __init__(self, width: int, height: int, seed: int = 0) -> None:
        self.width, self.height = width, height
        rng = np.random.default_rng(seed)
        self._palette = _PALETTES[seed % len(_PALETTES)]
        self._horizon = round(height * _HORIZON)
        self._unit = height / 360  # sizes below are in pixels of a picture 360 high
        self._sun_x = width * float(rng.uniform(0.62, 0.8))
        self._sky = self._painted_sky(rng)
        self._layers = (
            self._clouds(rng),
            self._hills(rng, self._palette.far, height=0.2, speed=5.0),
            self._hills(rng, self._palette.near, height=0.11, speed=14.0),
        )
        self._ripples = [self._ripple(rng, cell) for cell in (9, 5)]
        self._boat = _boat(round(110 * self._unit), self._palette.sail)

    def picture(self, seconds: float) -> npt.NDArray[np.uint8]:
        """(height, width, 3) uint8 R, G, B: the scene at a moment."""
        canvas = self._sky.copy()
        for layer in self._layers:
            layer.draw(canvas, seconds, self.width)
        self._draw_sea(canvas, seconds)
        self._draw_gulls(canvas, seconds)
        self._draw_boat(canvas, seconds)
        return np.asarray(np.clip(canvas, 0, 255), np.uint8)

    def _painted_sky(self, rng: np.random.Generator) -> Layer:
        y = np.linspace(0, 1 / _HORIZON, self.height, dtype=np.float32)[:, None, None]
        sky = _mixed(self._palette.top, self._palette.low, np.clip(y, 0, 1) ** 1.4)
        rows, columns = np.mgrid[: self.height, : self.width].astype(np.float32)
        distance = np.hypot(columns - self._sun_x, rows - self.height * 0.3) / self._unit
        glow = np.exp(-distance / 60) * 0.7 + np.clip(27 - distance, 0, 1)
        sky = sky + (_rgb(self._palette.sun) - sky) * np.clip(glow, 0, 1)[..., None]
        grain = rng.normal(0, 1.2, (self.height, self.width, 1))
        return np.broadcast_to(sky + grain, (self.height, self.width, 3)).astype(np.float32)

    def _clouds(self, rng: np.random.Generator) -> _Scrolling:
        height, width = round(self.height * 0.42), self.width * 2
        puffs = _noise(rng, height, width, 70 * self._unit) + 0.5 * _noise(rng, height, width, 24 * self._unit)
        shape = np.sin(np.linspace(0, np.pi, height, dtype=np.float32))[:, None]
        alpha = np.clip((puffs - 0.2) * 1.6, 0, 0.85) * shape
        shade = 255 - 40 * np.linspace(0, 1, height, dtype=np.float32)[:, None] + 0 * alpha
        return _Scrolling.of(np.stack([shade, shade - 2, shade - 4], 2), alpha, 0, 9 * self._unit, self.width)

    def _hills(self, rng: np.random.Generator, colour: int, *, height: float, speed: float) -> _Scrolling:
        wide, tall = self.width * 2, round(self.height * height)
        x = np.linspace(0, 2 * np.pi, wide, endpoint=False, dtype=np.float32)
        ridge = sum(np.sin(x * k + rng.uniform(0, 7)) / k for k in (3, 5, 8, 13, 31))
        ridge = tall * (0.55 - 0.28 * np.asarray(ridge, np.float32))
        rows = np.arange(tall, dtype=np.float32)[:, None]
        alpha = np.clip(rows - ridge, 0, 1)
        texture = 1 + 0.16 * _noise(rng, tall, wide, 5 * self._unit) + 0.1 * _noise(rng, tall, wide, 2 * self._unit)
        light = texture * (1.12 - 0.35 * rows / tall)
        return _Scrolling.of(
            light[..., None] * _rgb(colour), alpha, self._horizon - tall, speed * self._unit, self.width
        )

    def _ripple(self, rng: np.random.Generator, cell: float) -> Layer:
        tall = self.height - self._horizon
        noise = _noise(rng, tall, self.width * 2, cell * self._unit, stretch=5)
        return np.concatenate([noise, noise[:, : self.width + 1]], 1)

    def _draw_sea(self, canvas: Layer, seconds: float) -> None:
        tall = self.height - self._horizon
        depth = np.linspace(0, 1, tall, dtype=np.float32)[:, None]
        waves = np.zeros((tall, self.width), np.float32)
        for ripple, speed in zip(self._ripples, (17.0, -26.0), strict=True):
            waves += _scrolled(ripple, speed * self._unit * seconds, self.width)
        colour = _mixed(
            self._palette.low, self._palette.sea, (0.1 + 0.85 * np.sqrt(depth))[..., None].astype(np.float32)
        )
        columns = np.arange(self.width, dtype=np.float32)
        path = np.exp(-np.abs(columns - self._sun_x) / ((30 + 90 * depth) * self._unit))
        glitter = np.clip(waves - 0.7, 0, 1) * (0.3 + 2.2 * path)
        sun = _rgb(self._palette.sun)
        canvas[self._horizon :] = colour * (1 + 0.12 * waves[..., None]) + sun * np.clip(glitter, 0, 1)[..., None]

    def _draw_gulls(self, canvas: Layer, seconds: float) -> None:
        for k in range(3):
            x = (self.width * (0.2 + 0.23 * k) + 34 * self._unit * seconds) % (self.width * 1.1)
            y = self.height * (0.2 + 0.06 * k) + 6 * self._unit * math.sin(seconds * 1.7 + k)
            gull = _gull(round(24 * self._unit), math.sin(seconds * 9 + 2 * k))
            _paste(canvas, gull, x, y)

    def _draw_boat(self, canvas: Layer, seconds: float) -> None:
        size = self._boat.width
        x = (self.width * 0.16 + size + 46 * self._unit * seconds) % (self.width + size * 2) - size
        y = self._horizon + self.height * 0.1 + 3 * self._unit * math.sin(seconds * 2.1)
        rolled = self._boat.rotate(3.0 * math.sin(seconds * 1.6), Image.Resampling.BICUBIC)
        _paste(canvas, rolled, x, y)


@dataclass(frozen=True, slots=True)
class _Scrolling:
    """A band that moves sideways without end: premultiplied (rows, columns, 4), wrapped by one picture's width."""

    pixels: Layer
    top: int
    speed: float

    @classmethod
    def of(cls, colour: npt.NDArray[Any], alpha: npt.NDArray[Any], top: int, speed: float, width: int) -> _Scrolling:
        pixels = np.concatenate([colour * alpha[..., None], alpha[..., None]], 2).astype(np.float32)
        return cls(np.concatenate([pixels, pixels[:, : width + 1]], 1), top, speed)

    def draw(self, canvas: Layer, seconds: float, width: int) -> None:
        view = _scrolled(self.pixels, self.speed * seconds, width)
        band = canvas[self.top : self.top + len(view)]
        band *= 1 - view[..., 3:]
        band += view[..., :3]


def _scrolled(pixels: Layer, offset: float, width: int) -> Layer:
    """`width` columns from `offset` on, wrapped, between whole pixels interpolated."""
    offset %= pixels.shape[1] - width - 1
    whole = int(offset)
    part = np.float32(offset - whole)
    return pixels[:, whole : whole + width] * (1 - part) + pixels[:, whole + 1 : whole + 1 + width] * part


def _noise(rng: np.random.Generator, height: int, width: int, cell: float, stretch: float = 1) -> Layer:
    """(height, width) smooth noise around 0, about ±1, that wraps sideways. `cell` in pixels; `stretch` widens it."""
    rows, columns = max(3, round(height / cell)), max(3, round(width / cell / stretch))
    grid = rng.uniform(-1, 1, (rows, columns)).astype(np.float32)
    tiled = Image.fromarray(np.tile(grid, 3))
    return np.asarray(tiled.resize((width * 3, height), Image.Resampling.BICUBIC), np.float32)[:, width : width * 2]


def _rgb(colour: int) -> Layer:
    return np.array([colour >> 16, colour >> 8 & 255, colour & 255], np.float32)


def _mixed(a: int, b: int, amount: Layer) -> Layer:
    return np.asarray(_rgb(a) + (_rgb(b) - _rgb(a)) * amount, np.float32)


def _paste(canvas: Layer, sprite: Image.Image, x: float, y: float) -> None:
    """Lay an RGBA sprite over the canvas with its centre at (x, y), to a fraction of a pixel."""
    left, top = math.floor(x - sprite.width / 2), math.floor(y - sprite.height / 2)
    shift = (1, 0, left - (x - sprite.width / 2), 0, 1, top - (y - sprite.height / 2))
    moved = sprite.transform(sprite.size, Image.Transform.AFFINE, shift, Image.Resampling.BILINEAR)
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(canvas.shape[1], left + sprite.width), min(canvas.shape[0], top + sprite.height)
    if x0 < x1 and y0 < y1:
        pixels = np.asarray(moved, np.float32)[y0 - top : y1 - top, x0 - left : x1 - left]
        alpha = pixels[..., 3:] / 255
        area = canvas[y0:y1, x0:x1]
        area += (pixels[..., :3] - area) * alpha


def _boat(size: int, sail: int) -> Image.Image:
    """A sailing boat, `size` pixels square."""
    big = max(8, size) * _SUPERSAMPLING
    image = Image.new("RGBA", (big, big))
    draw = ImageDraw.Draw(image)

    def area(points: list[tuple[float, float]], colour: int, brightness: float = 1) -> None:
        red, green, blue = (round(part * brightness) for part in _rgb(colour))
        draw.polygon([(x * big, y * big) for x, y in points], fill=(red, green, blue, 255))

    area([(0.49, 0.1), (0.515, 0.1), (0.515, 0.76), (0.49, 0.76)], 0x4A362C)
    area([(0.53, 0.14), (0.84, 0.66), (0.53, 0.7)], sail)
    area([(0.53, 0.42), (0.7, 0.43), (0.76, 0.53), (0.53, 0.54)], sail, 0.75)
    area([(0.475, 0.2), (0.475, 0.68), (0.2, 0.66)], 0xF4F0E6)
    area([(0.14, 0.74), (0.9, 0.74), (0.78, 0.87), (0.24, 0.87)], 0x703A2A)
    area([(0.14, 0.74), (0.9, 0.74), (0.885, 0.765), (0.155, 0.765)], 0xECDEC4)
    return image.resize((max(8, size), max(8, size)), Image.Resampling.LANCZOS)


def _gull(size: int, flap: float) -> Image.Image:
    """A gull; `flap` -1 (wings down) … 1 (wings up)."""
    size = max(6, size)
    big = size * _SUPERSAMPLING
    image = Image.new("RGBA", (big, big), (250, 250, 250, 0))
    tip, middle = big * (0.5 - 0.24 * flap), big * 0.5
    points = [(big * 0.04, tip), (big * 0.3, middle - big * 0.1), (middle, middle), (big * 0.7, middle - big * 0.1),
              (big * 0.96, tip)]  # fmt: skip
    ImageDraw.Draw(image).line(points, fill=(250, 250, 250, 255), width=max(1, big // 12), joint="curve")
    return image.resize((size, size), Image.Resampling.LANCZOS)
