"""How long a denoise step takes: t = k·N·(1 + N/N0) for N rows, fitted to what this server did before.

Linear layers cost a row, attention a row times all rows; N0 = 27,000 is where they meet by the model's shape, and k is
the machine's (vllm-omni 0.30.0, h3-contract.md §8). Two runs of different sizes give both; one gives k alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

CROSSOVER: Final = 27_000.0
"""Rows at which attention costs as much as everything else, as long as nothing better was measured."""

GUESS: Final = 0.30
_LEAST_SCATTER: Final = 0.05
_APART: Final = 1.25
"""Runs whose rows differ by less than this tell nothing of how the time grows."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """One finished render: the padded rows of a step, seconds a step, peak bytes of the fullest GPU if known.

    `cold`: the first after the server's start, which compiles; it does not count. `published`: someone else's machine.
    """

    rows: int
    seconds_per_step: float
    peak_bytes: int | None = None
    cold: bool = False
    published: bool = False


@dataclass(frozen=True, slots=True)
class Range:
    """From `least` to `most`, in seconds."""

    least: float
    most: float

    def times(self, factor: float) -> Range:
        """Both ends times a factor."""
        return Range(self.least * factor, self.most * factor)


@dataclass(frozen=True, slots=True)
class Pace:
    """A fitted server: a step of N rows takes `a`·N + `b`·N² seconds, times `low` to `high`.

    `known`: the row counts that it was fitted to, `published`: on someone else's machine.
    """

    a: float
    b: float
    low: float
    high: float
    known: tuple[int, ...]
    published: bool

    def is_guess(self, rows: int) -> bool:
        """Whether a step of `rows` is unlike everything that was measured here: then it is ±30 %."""
        spread = max(self.known) / min(self.known) >= _APART
        near = min(self.known) / _APART <= rows <= max(self.known) * _APART
        return self.published or not (spread or near)

    def step(self, rows: int) -> Range:
        """How long one denoise step of `rows` takes."""
        likely = self.a * rows + self.b * rows**2
        return Range(likely * (1 - GUESS), likely * (1 + GUESS)) if self.is_guess(rows) else self._scattered(likely)

    def _scattered(self, likely: float) -> Range:
        return Range(likely * self.low, likely * self.high)


def work(rows: int, crossover: float = CROSSOVER) -> float:
    """What a step of `rows` costs, in units that compare: rows × (1 + rows / crossover)."""
    return rows * (1 + rows / crossover)


def fit(history: Sequence[PastRun]) -> Pace | None:
    """The pace of a server from its runs; None when none counts. Runs of others count only while there is none here."""
    warm = [run for run in history if not run.cold and run.rows > 0 and run.seconds_per_step > 0]
    own = [run for run in warm if not run.published] or warm
    if not own:
        return None
    a, b = _two_points(own) or _one_point(own)
    ratios = [run.seconds_per_step / (a * run.rows + b * run.rows**2) for run in own]
    low, high = min(*ratios, 1 - _LEAST_SCATTER), max(*ratios, 1 + _LEAST_SCATTER)
    return Pace(a, b, low, high, tuple(sorted({run.rows for run in own})), own[0].published)


def _one_point(runs: Sequence[PastRun]) -> tuple[float, float]:
    from statistics import median  # brings fractions and decimals: not before there is something to learn from

    k = median(run.seconds_per_step / work(run.rows) for run in runs)
    return k, k / CROSSOVER


def _two_points(runs: Sequence[PastRun]) -> tuple[float, float] | None:
    """Least squares of a·N + b·N² = t, where a run counts by its ratio and not by its length; None when it is odd."""
    if max(run.rows for run in runs) / min(run.rows for run in runs) < _APART:
        return None
    terms = [(run.rows / run.seconds_per_step, run.rows**2 / run.seconds_per_step) for run in runs]
    x, y = sum(p for p, _ in terms), sum(q for _, q in terms)
    xx, xy, yy = sum(p * p for p, _ in terms), sum(p * q for p, q in terms), sum(q * q for _, q in terms)
    determinant = xx * yy - xy * xy
    a, b = (x * yy - y * xy) / determinant, (y * xx - x * xy) / determinant
    return (a, b) if a > 0 and b >= 0 else None
