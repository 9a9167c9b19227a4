"""What both exports draw: panels in their own shape, the amplified difference, letters in the colours of the sides.

Texts are English: Pillow's built-in font has Latin letters only.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from studio.compare.decode import Bytes, Indices, on_clock
from studio.compare.result import Comparison
from studio.media._cv import cv2

GAIN = 4
GROUND = (20, 21, 24)
INK = (226, 228, 232)
SIDE_COLOURS = {"A": (0xF2, 0xA6, 0x5A), "B": (0x5A, 0xB1, 0xF2)}
DIFFERENCE_COLOUR = (150, 154, 162)
DIFFERENCE_LABEL = f"A-B x{GAIN}"


@dataclass(frozen=True, slots=True)
class Panels:
    """One pair, drawn: (h, w, 3) R, G, B each, of one size. `pair` is its index into `Comparison.frames`."""

    pair: int
    a: Bytes
    b: Bytes
    difference: Bytes


def drawn_pairs(found: Comparison, pairs: Indices, size: tuple[int, int]) -> Generator[Panels]:
    """The panels of these pairs (rising), decoded in one go. `size`: width and height of a panel."""
    numbers_a, numbers_b = (np.array(numbers)[pairs] for numbers in (found.frames.a, found.frames.b))
    full = (found.width, found.height)
    shape_b = _inside(found.width_b / found.height_b, size)
    compared = same_orientation(found)
    with closing(on_clock(found.a, numbers_a, full)) as side_a, closing(on_clock(found.b, numbers_b, full)) as side_b:
        for pair, a, b in zip(pairs, side_a, side_b, strict=False):
            difference = amplified(a.rgb, b.rgb) if compared else np.zeros_like(a.rgb)
            yield Panels(
                int(pair), _scaled(a.rgb, size), _centred(_scaled(b.rgb, shape_b), size), _scaled(difference, size)
            )


def same_orientation(found: Comparison) -> bool:
    """Whether both lie or both stand: between a landscape and a portrait a difference shows nothing."""
    return (found.width >= found.height) == (found.width_b >= found.height_b)


def amplified(a: Bytes, b: Bytes) -> Bytes:
    """|A - B| × `GAIN`, clipped at 255."""
    return np.asarray(cv2.convertScaleAbs(cv2.absdiff(a, b), alpha=GAIN), np.uint8)


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font, so that an export looks the same on every machine."""
    return ImageFont.load_default(size)


def tab(text: str, colour: tuple[int, int, int], height: int = 22) -> Image.Image:
    """A filled corner tab with a letter in it."""
    letters = font(height * 2 // 3)
    left, _, right, _ = letters.getbbox(text)
    image = Image.new("RGB", (round(right - left) + height * 2 // 3, height), colour)
    draw = ImageDraw.Draw(image)
    draw.text((image.width / 2, height / 2), text, fill=GROUND, font=letters, anchor="mm")
    return image


def _scaled(picture: Bytes, size: tuple[int, int]) -> Bytes:
    smaller = size[0] < picture.shape[1]
    return np.asarray(
        cv2.resize(picture, size, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR), np.uint8
    )


def _inside(aspect: float, size: tuple[int, int]) -> tuple[int, int]:
    """The largest size of a shape (width over height) inside a panel."""
    width = min(size[0], round(size[1] * aspect))
    return max(1, width), max(1, min(size[1], round(width / aspect)))


def _centred(picture: Bytes, size: tuple[int, int]) -> Bytes:
    height, width = picture.shape[:2]
    if (width, height) == size:
        return picture
    panel = np.full((size[1], size[0], 3), GROUND, np.uint8)
    top, left = (size[1] - height) // 2, (size[0] - width) // 2
    panel[top : top + height, left : left + width] = picture
    return panel
