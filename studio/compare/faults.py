"""What is wrong with B as a rendering of A, beside looking different: frozen, silent, stretched, flash, dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from studio.compare.alignment import drift
from studio.compare.compositing import other_shape
from studio.compare.decode import Bytes
from studio.compare.runs import runs
from studio.compare.sound import SoundComparison
from studio.core.words import Message, Param

Floats = npt.NDArray[np.floating]
FaultCode = Literal["frozen", "silent", "stretched", "flash", "dropped"]

FROZEN_FRAMES = 12
"""Half a second at 24 fps without a change is seen as a stop; shorter runs are repeated frames."""
STANDS = 0.12
"""Self-difference (of 255, small luma) under which a frame repeats the one before, also after a re-encode…"""
STANDS_SHARE = 0.15
"""… and under this share of A's."""
MOVES = 0.3
"""Self-difference over which A surely moves."""
FLASH_LUMA = 10.0
"""Mean luma that jumps by this and comes back…"""
FLASH_WINDOW = 9
"""… within this many frames (odd)."""


class Fault(BaseModel):
    """One fault. `frame` is B's where it is first seen, `count` frames have it; both None when it is the whole clip.

    The functions below count pairs from 0; `at_frame_of` makes B's frame of it.
    """

    model_config = ConfigDict(frozen=True)

    code: FaultCode
    frame: int | None = None
    count: int | None = None
    params: dict[str, Param] = {}

    @property
    def message(self) -> Message:
        """The sentence with its numbers."""
        places: dict[str, Param] = {"frame": self.frame, "count": self.count}
        part = "_part" if "seconds" in self.params else ""
        return Message(f"fault.{self.code}{part}", places | self.params)

    def at_frame_of(self, numbers: Sequence[int]) -> Fault:
        """The same fault where `numbers` are B's frames of the pairs."""
        return self if self.frame is None else self.model_copy(update={"frame": numbers[self.frame]})


def frozen_fault(self_a: Floats, self_b: Floats) -> list[Fault]:
    """Frozen, from (n,) self-differences of the compared pairs: B stands while A moves."""
    long = [run for run in _standing(self_a, self_b) if run[1] >= FROZEN_FRAMES]
    return [Fault(code="frozen", frame=long[0][0], count=sum(n for _, n in long))] if long else []


def dropped_fault(self_a: Floats, self_b: Floats, small_a: Bytes, small_b: Bytes) -> list[Fault]:
    """Dropped, from self-differences and (n, h, w) small luma of the compared pairs.

    Either B is ahead of A from some frame on, or it repeats frames amid motion.
    """
    skipped, where = drift(small_a, small_b)
    if skipped > 0:
        return [Fault(code="dropped", frame=where, count=skipped)]
    short = [run for run in _standing(self_a, self_b) if run[1] < FROZEN_FRAMES and moves_on(self_b, *run)]
    return [Fault(code="dropped", frame=short[0][0], count=sum(n for _, n in short))] if short else []


def flash_fault(luma_a: Floats, luma_b: Floats) -> list[Fault]:
    """Flash, from (n,) mean luma of the compared pairs: B's brightness jumps and comes back where A's does not."""
    jump = np.minimum(np.abs(off_trend(luma_b)), np.abs(off_trend(luma_b - luma_a)))
    frames = np.flatnonzero(jump > FLASH_LUMA)
    return [Fault(code="flash", frame=int(frames[0]), count=len(frames))] if len(frames) else []


def sound_fault(sound: SoundComparison) -> list[Fault]:
    """Silent: A can be heard and B cannot, all through or for a stretch."""
    if sound.b_silent and not sound.a_silent:
        return [Fault(code="silent")]
    return [Fault(code="silent", params={"seconds": sound.gap_s, "at": sound.gap_from_s})] if sound.gap_s else []


def shape_fault(aspect_a: float, aspect_b: float) -> list[Fault]:
    """Stretched: the same picture (which the caller has seen to) in another shape (width over height, as shown)."""
    if not other_shape(aspect_a, aspect_b):
        return []
    return [Fault(code="stretched", params={"a": round(aspect_a, 3), "b": round(aspect_b, 3)})]


def _standing(self_a: Floats, self_b: Floats) -> list[tuple[int, int]]:
    """(start, length) of the runs in which every frame of B repeats the one before while A moves."""
    still = [(start + 1, length) for start, length in runs(self_b[1:] < STANDS)]
    means = [(self_a[s : s + n].mean(), self_b[s : s + n].mean()) for s, n in still]
    return [run for run, (a, b) in zip(still, means, strict=True) if a > MOVES and b < STANDS_SHARE * a]


def moves_on(self_b: Floats, start: int, length: int) -> bool:
    """Whether a clip moves right before and right after a run of repeats, so that it is a fault and no slow start."""
    before, after = start - 1, start + length
    return before > 0 and after < len(self_b) and bool(min(self_b[before], self_b[after]) > MOVES)


def off_trend(values: Floats) -> Floats:
    """Each value less the median of the window around it."""
    padded = np.pad(values, FLASH_WINDOW // 2, mode="edge")
    return values - np.median(np.lib.stride_tricks.sliding_window_view(padded, FLASH_WINDOW), axis=1)
