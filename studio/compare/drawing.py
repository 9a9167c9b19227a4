"""What all exports draw: pictures in their own shape, labels in the colours of the sides, any of the viewer's modes.

Texts are English: Pillow's built-in font has Latin letters only.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from studio.compare.compositing import FLICKER_S, LAID_OVER, Look, Mode, compose
from studio.compare.decode import Bytes, Indices, Picture, on_clock
from studio.compare.kept_parts import EditedClip, parts_shown
from studio.compare.result import Comparison
from studio.media._cv import cv2

GROUND = (20, 21, 24)
INK = (226, 228, 232)
SIDE_COLOURS = {
    "A": (0xF2, 0xA6, 0x5A),
    "B": (0x5A, 0xB1, 0xF2),
    "C": (0xE0, 0x8C, 0xC4),
    "D": (0x5C, 0xC9, 0xA7),
}
DIFFERENCE_COLOUR = (150, 154, 162)


class Beside(NamedTuple):
    """C or D in a grid: its file, its width and height as shown, and its frame for every pair (None: it has none)."""

    path: Path
    size: tuple[int, int]
    frames: tuple[int | None, ...]


class View(NamedTuple):
    """What an export shows: one of the viewer's modes, or `all`: A, B and a picture of both (`third`) in a row."""

    mode: Mode | Literal["all"] = "all"
    look: Look = Look()
    beside: tuple[Beside, ...] = ()
    """Of a grid."""
    edited: EditedClip | None = None
    """What B keeps of A; the mode `kept` needs it."""
    third: Mode = "difference"

    @property
    def made(self) -> Mode | None:
        """The mode of the one picture of both that is shown; None when none is."""
        mode = self.third if self.mode == "all" else self.mode
        return mode if mode in LAID_OVER or mode == "kept" else None

    @property
    def beside_both(self) -> View:
        """The same picture of both, third after A and B."""
        return self._replace(mode="all", third=self.made or "difference", beside=())

    @property
    def panels(self) -> tuple[int, int]:
        """How many stand in a row, and how many rows there are."""
        match self.mode:
            case "stacked":
                return 1, 2
            case "grid":
                return 2, -(-len(self.labels) // 2)
            case "flicker":
                return 1, 1
            case _:
                return len(self.labels), 1

    @property
    def labels(self) -> tuple[str, ...]:
        """What stands in the corner of each panel; of both in turn when they flicker."""
        made = (_label(self.made, self.look),) if self.made is not None else ()
        match self.mode:
            case "all":
                return "A", "B", *made
            case "grid":
                return ("A", "B", "C", "D")[: 2 + len(self.beside)]
            case _:
                return made or ("A", "B")


_KIND_LABELS = {
    "absolute": "|A-B|",
    "root": "root |A-B|",
    "signed": "B-A",
    "heat": "max |A-B|",
    "luma": "luma |A-B|",
}


def _label(made: Mode, look: Look) -> str:
    """Of a picture of both."""
    match made:
        case "wipe":
            return "A | B" if look.upright else "A / B"
        case "overlay":
            return f"A + {look.opacity:.0%} B"
        case "kept":
            return f"kept: |A-B| x{look.gain}   changed: B"
        case _:
            return f"{_KIND_LABELS[look.kind]} x{look.gain}"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One pair, drawn: (h, w, 3) R, G, B panels of one size with their labels.

    `pair` is its index into `Comparison.frames`.
    """

    pair: int
    panels: tuple[Bytes, ...]
    labels: tuple[str, ...]


def drawn_pairs(found: Comparison, pairs: Indices, size: tuple[int, int], view: View) -> Generator[Drawn]:
    """The panels of these pairs (rising), decoded in one go. `size`: width and height of a panel."""
    numbers_a, numbers_b = (np.array(numbers)[pairs] for numbers in (found.frames.a, found.frames.b))
    size_a, size_b = (found.width, found.height), (found.width_b, found.height_b)
    with ExitStack() as opened:
        side_a = opened.enter_context(closing(on_clock(found.a, numbers_a, size_a)))
        side_b = opened.enter_context(closing(on_clock(found.b, numbers_b, size_b)))
        others = [opened.enter_context(closing(_beside(other, pairs))) for other in view.beside]
        for pair, a, b in zip(pairs, side_a, side_b, strict=False):
            panels = list(_panels(found, int(pair), a, b, size, view))
            panels += [_in_panel(next(other, None), size) for other in others]
            if view.mode == "flicker":
                turn = int(pair / found.fps / FLICKER_S) % 2
                yield Drawn(int(pair), (panels[turn],), (view.labels[turn],))
            else:
                yield Drawn(int(pair), tuple(panels), view.labels)


def _beside(other: Beside, pairs: Indices) -> Generator[Picture | None]:
    """Its pictures for these pairs."""
    numbers = [other.frames[pair] for pair in pairs]
    # Where it has none the number before holds its place, so that they rise.
    filled = list(itertools.accumulate((-1 if n is None else n for n in numbers), max))
    with closing(on_clock(other.path, np.array(filled), other.size)) as shown:
        for number, picture in zip(numbers, shown, strict=False):
            yield None if number is None else picture


def _panels(
    found: Comparison, pair: int, a: Picture, b: Picture, size: tuple[int, int], view: View
) -> Generator[Bytes]:
    if view.mode == "all" or view.made is None:
        yield _in_panel(a, size)
        yield _in_panel(b, size)
    if (mode := view.made) is not None:
        if mode == "kept" and view.edited is not None:
            made: Bytes | None = parts_shown(a.bgra, b.bgra, view.edited, found.frames.b[pair], view.look.gain)
        else:
            made = compose(a.bgra, b.bgra, mode, view.look) if same_orientation(found) else None
        yield _scaled(np.zeros_like(a.rgb) if made is None else np.ascontiguousarray(made[..., 2::-1]), size)


def labelled(drawn: Drawn, view: View) -> Bytes:
    """The panels in one picture, each with its label, in the rows of the view."""
    panels = []
    for panel, label in zip(drawn.panels, drawn.labels, strict=True):
        stamp = np.asarray(tab(label, SIDE_COLOURS.get(label, DIFFERENCE_COLOUR)))
        marked, (height, width) = panel.copy(), panel.shape[:2]
        marked[: stamp.shape[0], : stamp.shape[1]] = stamp[:height, :width]
        panels.append(marked)
    across, down = view.panels
    panels += [np.full_like(panels[0], GROUND)] * (across * down - len(panels))
    rows = [np.concatenate(panels[row * across : (row + 1) * across], axis=1) for row in range(down)]
    return np.concatenate(rows)


def same_orientation(found: Comparison) -> bool:
    """Whether both lie or both stand: between a landscape and a portrait a difference shows nothing."""
    return (found.width >= found.height) == (found.width_b >= found.height_b)


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font, so that an export looks the same on every machine."""
    return ImageFont.load_default(size)


@functools.cache
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


def _in_panel(picture: Picture | None, size: tuple[int, int]) -> Bytes:
    """The picture in its own shape in the middle of a panel; an empty one when there is none."""
    if picture is None:
        return np.full((size[1], size[0], 3), GROUND, np.uint8)
    height, width = picture.bgra.shape[:2]
    return _centred(_scaled(picture.rgb, _inside(width / height, size)), size)


def _centred(picture: Bytes, size: tuple[int, int]) -> Bytes:
    height, width = picture.shape[:2]
    if (width, height) == size:
        return picture
    panel = np.full((size[1], size[0], 3), GROUND, np.uint8)
    top, left = (size[1] - height) // 2, (size[0] - width) // 2
    panel[top : top + height, left : left + width] = picture
    return panel
