"""Which frame of A belongs to which frame of B: a common clock, and an offset on it, exact to the frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from studio.compare.decode import Bytes, Timeline, averaged

Floats = npt.NDArray[np.floating]
Indices = npt.NDArray[np.int64]

SAME_RATE = 0.002
"""Rates this close (relative) count as one: 23.976 and 24 drift by a third of a frame in 15 s."""
THUMB = (32, 18)
SURE = 0.5
"""Least mean correlation of a found offset; unrelated clips stay under 0.2."""
BETTER = 0.6
"""A found offset leaves at most this share of the decorrelation that no offset leaves."""


class Alignment(BaseModel):
    """`offset_frames` = n: B's frame k is compared with A's frame k + n; with a positive n, B starts n frames into A.

    `how`: asked for, found (by picture or by sound), or none needed or found (then n is 0).
    """

    model_config = ConfigDict(frozen=True)

    offset_frames: int = 0
    how: Literal["asked", "found", "none"] = "none"


@dataclass(frozen=True, slots=True)
class Clock:
    """Both clips on one clock: slot k shows frame `a[k]` of A and, at offset 0, frame `b[k]` of B."""

    a: Indices
    b: Indices
    fps: float
    pairing: Literal["index", "time"]

    def pairs(self, offset: int) -> tuple[Indices, Indices]:
        """Slots of A and of B that are compared at an offset: (n,) each, n may be 0."""
        first, last = max(0, -offset), min(len(self.b), len(self.a) - offset)
        slots = np.arange(first, max(first, last), dtype=np.int64)
        return slots + offset, slots


def common_clock(a: Timeline, b: Timeline) -> Clock:
    """Index k with index k when both run at one constant rate. Otherwise by time, on the slower clip's clock.

    By time, slot k holds what is on screen k/fps seconds after each clip's first picture.
    """
    if a.constant and b.constant and abs(a.fps - b.fps) <= SAME_RATE * a.fps:
        return Clock(np.arange(len(a.times)), np.arange(len(b.times)), a.fps, "index")
    fps = min(a.fps, b.fps)
    return Clock(_on_screen(a, fps), _on_screen(b, fps), fps, "time")


def _on_screen(line: Timeline, fps: float) -> Indices:
    end = line.times[-1] + 1 / line.fps
    slots = np.arange(max(1, round(end * fps))) / fps
    # Time stamps are rounded to the file's time base, so a picture due now may be stamped a little late.
    return np.maximum(np.searchsorted(line.times, slots + 1e-3, side="right") - 1, 0)


def picture_offset(a: Bytes, b: Bytes) -> int | None:
    """The offset at which B's pictures follow A's, or None when the pictures do not tell.

    `a`, `b`: (n, h, w) small luma pictures on the common clock. What never changes says nothing about time and is
    taken out first. 0 wins unless another offset is clearly better.
    """
    scores, offsets = _scores(_changes(a), _changes(b))
    if not len(scores):
        return None
    # Of equally good offsets (periodic motion) the one nearest to none.
    best = int(np.lexsort((np.abs(offsets), -np.round(scores, 4)))[0])
    at_zero = scores[offsets == 0]
    if scores[best] < SURE:
        return None
    if len(at_zero) and 1 - scores[best] > BETTER * (1 - at_zero[0]):
        return 0
    return int(offsets[best])


def drift(a: Bytes, b: Bytes) -> tuple[int, int]:
    """Frames that B skips against A somewhere in the middle, and the slot where; (0, 0) when it keeps step.

    `a`, `b`: (n, h, w) small luma of the compared pairs. The first and the last third are aligned on their own.
    """
    third = len(a) // 3
    if third < 12:
        return 0, 0
    start, end = picture_offset(a[:third], b[:third]), picture_offset(a[-third:], b[-third:])
    if start is None or end is None or end == start:
        return 0, 0
    table = _changes(a) @ _changes(b).T
    slots = np.arange(len(b))
    early, late = (table[np.clip(slots + n, 0, len(a) - 1), slots] for n in (start, end))
    return end - start, int(np.argmax(np.cumsum(early - late))) + 1


def _changes(pictures: Bytes) -> Floats:
    """(n, d) unit vectors of what differs from the clip's mean picture; zero for a picture that is that mean."""
    thumbs = np.stack([averaged(p, THUMB) for p in pictures])
    flat = thumbs.reshape(len(thumbs), -1).astype(np.float32)
    flat -= flat.mean(axis=0)
    flat -= flat.mean(axis=1, keepdims=True)
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    return np.where(length > 0.5 * np.sqrt(flat.shape[1]), flat / np.maximum(length, 1e-6), 0)


def _scores(a: Floats, b: Floats) -> tuple[Floats, Indices]:
    """Mean correlation, of either sign (a negative moves alike), at every offset that leaves a third of the shorter
    clip and 8 frames."""
    table = a @ b.T
    least = max(8, min(len(a), len(b)) // 3)
    offsets = np.arange(least - len(b), len(a) - least + 1)
    return np.array([abs(np.diagonal(table, -n).mean()) for n in offsets]), offsets
