"""From the denoise steps so far to when a render ends: a range, never one number that pretends to know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_LOOK_BACK: Final = 10
"""Steps whose pace counts: a machine that becomes slower is believed within a few of them."""

# What follows denoising (decode, encode, fetch, verify): 2–4 % of its time on measured servers, and a few seconds.
_TAIL_LEAST: Final = 0.01
_TAIL_MOST: Final = 0.05
_TAIL_MOST_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class StepSample:
    """Denoise step `step` was seen done at `at` (monotonic seconds) and `wall` (seconds since the epoch)."""

    at: float
    wall: float
    step: int
    seconds_per_step: float | None = None


def paces(samples: Sequence[StepSample]) -> list[tuple[float, float]]:
    """(wall time, seconds a step) at each sample but the first: the server's own figure, else as measured here."""
    return [
        (now.wall, now.seconds_per_step or (now.at - before.at) / (now.step - before.step))
        for before, now in pairwise(samples)
        if now.step > before.step
    ]


def seconds_left(samples: Sequence[StepSample], steps: int, now: float) -> tuple[float, float] | None:
    """Least and most seconds until the video is there, seen from `now` (monotonic); None while nothing is known."""
    known = [pace for _, pace in paces(samples)]
    # The first step after a start compiles: it does not count as soon as others are known.
    known = (known[1:] if len(known) > 2 else known)[-_LOOK_BACK:]
    if not known or steps <= 0:
        return None
    last = samples[-1]
    least, most = min(known), max(known)
    gone = max(0.0, now - last.at)
    to_do = max(0, steps - last.step)
    soonest = to_do * least + steps * least * _TAIL_LEAST - gone
    latest = to_do * most + steps * most * _TAIL_MOST + _TAIL_MOST_SECONDS - gone
    return max(0.0, soonest), max(0.0, latest)
