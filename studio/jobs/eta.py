"""From the denoise steps so far to when a render ends: a range, never one number that pretends to know."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_LOOK_BACK: Final = 16
"""Steps whose pace counts: a machine that becomes slower is believed within a few of them."""
_DEVIATIONS: Final = 1.8
_DRIFT: Final = 0.04
_DRIFT_EARLY: Final = 4.0
"""Share by which the pace may wander in what is left, beyond what its scatter says; more while few steps are known."""
_LEAST_SCATTER: Final = 0.005
_ENOUGH: Final = 5
_HICCUP: Final = 4.0
"""Times the median deviation from the median: a step further off is a hiccup."""
_LEAST_HICCUP: Final = 0.02

# What follows denoising (decode, encode, fetch, verify), until this server's own past runs tell it: 1–5 % of its
# time on measured servers, and a few seconds.
_TAIL_LEAST: Final = 0.01
_TAIL_MOST: Final = 0.05
_TAIL_MOST_SECONDS: Final = 5.0
_TAIL_SCATTER: Final = 0.06
_TAILS: Final = 10
"""Past runs that count, the newest ones."""
_NORMAL: Final = math.sqrt(math.pi / 2)
"""Standard deviation of a normal distribution over its mean absolute one."""


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


def seconds_left(
    samples: Sequence[StepSample], steps: int, now: float, tails: Sequence[float] = ()
) -> tuple[float, float] | None:
    """Least and most seconds until the video is there, seen from `now` (monotonic); None while nothing is known.

    The range is this run's own scatter over what is left of it, and the `tails` (s after the last step) of past runs,
    newest first.
    """
    known = _durations(samples)
    if not known or steps <= 0:
        return None
    pace, spread = statistics.fmean(known), _spread(known)
    to_do = max(0, steps - samples[-1].step)
    # The mean of n steps is itself uncertain, and that counts for every step to come.
    doubt = _DEVIATIONS * spread * math.sqrt(to_do + to_do**2 / len(known))
    doubt += _DRIFT * (1 + _DRIFT_EARLY / len(known)) * to_do * pace
    tail, tail_doubt = _tail(tails, steps * pace)
    left = to_do * pace + tail - max(0.0, now - samples[-1].at)
    either_way = math.hypot(doubt, tail_doubt)  # the steps and the end have nothing to do with each other
    return max(0.0, left - either_way), max(0.0, left + either_way)


def _durations(samples: Sequence[StepSample]) -> list[float]:
    """Seconds of each of the last steps. Steps that were told in one burst have the server's own pace."""
    found: list[float] = []
    for before, now in pairwise(samples):
        count = now.step - before.step
        if count > 0:
            seen = (now.at - before.at) / count
            told = now.seconds_per_step
            found.append(told if told is not None and seen < 0.5 * told else seen)
    # The first step after a start compiles: it does not count as soon as others are known.
    return _calmed((found[1:] if len(found) > 2 else found)[-_LOOK_BACK:])


def _calmed(known: list[float]) -> list[float]:
    """The same with single hiccups cut to the edge of what is usual: one of them says nothing of the steps to come."""
    if len(known) < _ENOUGH:
        return known
    middle = statistics.median(known)
    usual = max(_HICCUP * statistics.median(abs(one - middle) for one in known), _LEAST_HICCUP * middle)
    return [min(max(one, middle - usual), middle + usual) for one in known]


def _spread(known: Sequence[float]) -> float:
    """Standard deviation of a step; of few steps little is known, so it is taken wider."""
    pace = statistics.fmean(known)
    if len(known) < 2:
        return 0.25 * pace
    return max(_LEAST_SCATTER * pace, statistics.stdev(known) * math.sqrt(1 + 4 / len(known)))


def _tail(tails: Sequence[float], denoising: float) -> tuple[float, float]:
    """(seconds from the last step to the file, by how much they may differ)."""
    if not tails:
        least, most = denoising * _TAIL_LEAST, denoising * _TAIL_MOST + _TAIL_MOST_SECONDS
        return (least + most) / 2, (most - least) / 2
    latest = tails[:_TAILS]
    middle = statistics.median(latest)
    near = [tail for tail in latest if 0.5 * middle <= tail <= 1.5 * middle] or [middle]  # one that hung says nothing
    seen = _NORMAL * statistics.fmean(abs(tail - middle) for tail in near)
    # Of few past runs little is known, so their scatter is taken wider.
    return middle, max(_TAIL_SCATTER * middle, _DEVIATIONS * seen) * (1 + 1 / len(near))
