"""Words in pictures: the corner mark that tells a rehearsal, and the prompt set into a scene."""

from __future__ import annotations

import textwrap

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Picture = npt.NDArray[np.uint8]

_OPACITY = 0.7


class Stamp:
    """Text at a fixed place: a soft dark plate with light letters, laid over pictures in place."""

    def __init__(self, text: str, size: float, *, right: int = 0, bottom: int = 0) -> None:
        font = ImageFont.load_default(size)
        box = ImageDraw.Draw(Image.new("L", (1, 1))).multiline_textbbox((0, 0), text, font=font)
        pad = int(size * 0.4)
        width, height = int(box[2] - box[0]) + 2 * pad, int(box[3] - box[1]) + 2 * pad
        plate = Image.new("L", (width, height), 24)
        ImageDraw.Draw(plate).multiline_text((pad - box[0], pad - box[1]), text, fill=245, font=font)
        self._plate = np.asarray(plate, np.float32)[..., None] * _OPACITY
        self.width = width
        self.right, self.bottom = right, bottom

    def lay(self, picture: Picture) -> None:
        """Lay it over, in place. Cut off where the picture is too small."""
        height, width = self._plate.shape[:2]
        y = max(0, picture.shape[0] - self.bottom - height)
        x = max(0, picture.shape[1] - self.right - width)
        under = picture[y : y + height, x : x + width]
        mixed = under * (1 - _OPACITY) + self._plate[: under.shape[0], : under.shape[1]]
        under[:] = mixed.astype(np.uint8)


def corner_mark(width: int, height: int) -> Stamp:
    """The word "rehearsal", small, at the lower right."""
    size = max(11.0, min(width, height) / 36)
    return Stamp("rehearsal", size, right=int(size * 0.6), bottom=int(size * 0.6))


def prompt_title(prompt: str, width: int, height: int) -> Stamp:
    """The prompt, wrapped, in the lower left of the picture."""
    size = max(13.0, min(width, height) / 22)
    columns = max(12, int(width * 0.8 / (size * 0.55)))
    text = "\n".join(textwrap.wrap(" ".join(prompt.split()), columns, max_lines=3, placeholder=" …")) or "…"
    stamp = Stamp(text, size, bottom=int(size * 2.4))
    stamp.right = max(0, width - stamp.width - int(size))
    return stamp
