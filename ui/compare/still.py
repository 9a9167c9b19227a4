"""One picture of both clips for a file or a button: as the stage shows it, or small."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from studio.compare.compositing import Frame, Mode, laid, scaled
from studio.core.files import write_atomic

THUMB_SIZE = (212, 112)
"""Width and height in pixels, at most: twice the size at which it is shown, for fine screens."""


def as_seen(
    a: Frame | None,
    b: Frame | None,
    made: Frame | None,
    mode: Mode,
    solo: Literal["A", "B", ""],
    beside: Sequence[Frame | None] = (),
) -> Frame | None:
    """What the stage shows, in the clips' own pixels: the made picture, one side, or all beside or over each other.

    Flicker is saved as both side by side. All are brought to A's size where they are joined, in their own shape.
    None when nothing is there.
    """
    if solo:
        return b if solo == "B" else a
    if a is None or b is None:
        return b if a is None else a
    if made is not None:
        return made
    if mode == "grid" and beside:
        cells = [np.zeros_like(a) if cell is None else laid(cell, a, "fit") for cell in (a, b, *beside)]
        cells += [np.zeros_like(a)] * (len(cells) % 2)
        return np.concatenate([np.concatenate(cells[k : k + 2], axis=1) for k in range(0, len(cells), 2)])
    joined: NDArray[np.uint8] = np.concatenate((a, laid(b, a, "fit")), axis=0 if mode == "stacked" else 1)
    return joined


def thumbnail(a: Frame | None, b: Frame | None) -> Frame:
    """A beside B, of one height, within `THUMB_SIZE`."""
    sides = [side for side in (a, b) if side is not None]
    height = thumb_height(sum(side.shape[1] / side.shape[0] for side in sides))
    return np.ascontiguousarray(np.concatenate([scaled(side, height) for side in sides], axis=1))


def thumb_height(shape: float) -> int:
    """Pixels of height at which pictures side by side, `shape` times as wide as high, fit into `THUMB_SIZE`."""
    width, height = THUMB_SIZE
    return max(1, min(height, int(width / shape)))


def write_png(picture: Frame, path: Path) -> None:
    """Write (h, w, 4) BGRA as an opaque PNG; there whole or not at all. Raises OSError."""
    from studio.media._cv import cv2

    _, data = cv2.imencode(".png", picture[..., :3])
    write_atomic(path, data.tobytes())
