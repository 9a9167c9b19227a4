"""Fifty simulated renders: the range holds the truth, and is narrow enough to plan by."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass

from studio.jobs.calibration import Learned, tails
from studio.jobs.eta import StepSample, seconds_left

STEPS = 50


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds of each step (the first may compile), of the end, and of the ends of past runs."""

    steps: list[float]
    tail: float
    past_tails: list[float]


def simulated(seed: int) -> Run:
    """A server with scatter, a slow wander of its pace, now and then a hiccup, and an end that varies."""
    chance = random.Random(seed)
    pace, scatter, wander = chance.uniform(0.5, 260), chance.uniform(0.003, 0.05), chance.uniform(0, 0.02)
    phase = chance.uniform(0, 2 * math.pi)
    steps = []
    for n in range(STEPS):
        took = pace * (1 + wander * math.sin(phase + n / 8)) * max(0.5, chance.gauss(1, scatter))
        steps.append(took * (chance.uniform(1.2, 1.6) if chance.random() < 0.02 else 1))
    steps[0] *= chance.uniform(1, 8)
    tail = STEPS * pace * chance.uniform(0.02, 0.05)
    return Run(steps, tail * chance.uniform(0.96, 1.04), [tail * chance.uniform(0.96, 1.04) for _ in range(4)])


def ranges(run: Run) -> list[tuple[int, float, tuple[float, float]]]:
    """(step, true seconds left, range) after each step, seen a part of a step later as a window does."""
    found, at, samples = [], 0.0, [StepSample(0.0, 0.0, 0)]
    for step, took in enumerate(run.steps, 1):
        at += took
        samples.append(StepSample(at, at, step))
        late = 0.3 * run.steps[step] if step < STEPS else 0.0
        left = seconds_left(samples, STEPS, at + late, run.past_tails)
        assert left is not None
        found.append((step, sum(run.steps[step:]) + run.tail - late, left))
    return found


def test_the_range_holds_the_truth_in_nine_of_ten_runs_from_the_fifth_step_on() -> None:
    runs = [ranges(simulated(seed)) for seed in range(50)]
    for step in range(5, STEPS + 1):
        held = sum(left[0] <= true <= left[1] for run in runs for at, true, left in run if at == step)
        assert held >= 45, f"after step {step} only {held} of 50"


def test_from_half_way_on_it_is_at_most_a_fifth_of_what_is_left() -> None:
    widths = [
        [(left[1] - left[0]) / true for step, true, left in ranges(simulated(seed)) if step >= STEPS // 2]
        for seed in range(50)
    ]
    assert statistics.median(width for run in widths for width in run) <= 0.15
    narrow = sum(max(run) <= 0.20 for run in widths)
    assert narrow >= 47, f"{narrow} of 50 runs"


def test_past_ends_of_the_same_shape_count_and_others_by_their_rows() -> None:
    known = [Learned(rows=rows, seconds_per_step=1.0, tail_seconds=end) for rows, end in ((1000, 2.0), (4000, 8.8))]
    assert tails(known, 4000) == tails(known, 4100) == [8.8]
    assert tails(known, 2000) == [4.0, 4.4]
    assert tails([Learned(rows=1000, seconds_per_step=1.0)], 1000) == []
    first = Learned(rows=4000, seconds_per_step=1.0, tail_seconds=30.0, cold=True)
    assert tails([first], 4000) == [30.0] and tails([*known, first], 4000) == [8.8]
