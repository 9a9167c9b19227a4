"""One picture of both clips for a file or a button: as the stage shows it, or small."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from studio.core.files import write_atomic
from ui.compare.render import Frame, Mode, fitted, scaled

THUMB_HEIGHT = 60
"""Pixels: twice the size at which it is shown, for fine screens."""


def as_seen(
    a: Frame | None, b: Frame | None, made: Frame | None, mode: Mode, solo: Literal["A", "B", ""]
) -> Frame | None:
    """What the stage shows, in the clips' own pixels: the made picture, one side, or both beside or over each other.

    Flicker is saved as both side by side. B is brought to A's size where they are joined. None when nothing is there.
    """
    if solo:
        return b if solo == "B" else a
    if a is None or b is None:
        return b if a is None else a
    if made is not None:
        return made
    joined: NDArray[np.uint8] = np.concatenate((a, fitted(b, a)), axis=0 if mode == "stacked" else 1)
    return joined


def thumbnail(a: Frame | None, b: Frame | None) -> Frame:
    """A beside B, `THUMB_HEIGHT` pixels high."""
    sides = [scaled(side, THUMB_HEIGHT) for side in (a, b) if side is not None]
    return np.ascontiguousarray(np.concatenate(sides, axis=1))


def write_png(picture: Frame, path: Path) -> None:
    """Write (h, w, 4) BGRA as an opaque PNG; there whole or not at all. Raises OSError."""
    from studio.media._cv import cv2

    _, data = cv2.imencode(".png", picture[..., :3])
    write_atomic(path, data.tobytes())
