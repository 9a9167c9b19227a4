"""When a render ends: a range that holds the truth, and says nothing while nothing is known."""

from __future__ import annotations

import pytest

from studio.jobs.eta import StepSample, paces, seconds_left


def steady(pace: float, steps: int, *, first: float | None = None, told: bool = True) -> list[StepSample]:
    at, samples = 100.0, [StepSample(100.0, 1000.0, 0)]
    for n in range(1, steps + 1):
        took = first if n == 1 and first is not None else pace
        at += took
        samples.append(StepSample(at, 900.0 + at, n, took if told else None))
    return samples


def test_nothing_is_known_before_the_first_step_is_done() -> None:
    assert seconds_left([], 50, 0.0) is None
    assert seconds_left([StepSample(1.0, 1.0, 0)], 50, 2.0) is None


@pytest.mark.parametrize("told", [True, False])
def test_a_steady_pace_gives_a_narrow_range_around_the_truth(told: bool) -> None:
    samples = steady(2.0, 20, told=told)
    left = seconds_left(samples, 50, samples[-1].at)
    assert left is not None
    least, most = left
    assert 58.0 <= least < 60.6 < most < 73.0


def test_the_first_step_compiles_and_does_not_stretch_the_range() -> None:
    slow = seconds_left(steady(2.0, 10, first=40.0), 50, 158.0)
    assert slow is not None and slow[1] < 100.0


def test_a_machine_that_becomes_slower_is_believed() -> None:
    samples = steady(1.0, 20)
    for n in range(21, 38):
        last = samples[-1]
        samples.append(StepSample(last.at + 4.0, last.wall + 4.0, n, 4.0))
    left = seconds_left(samples, 50, samples[-1].at)
    soonest = 4.0 * 13 + 0.01 * 50 * 4.0  # the end takes a hundredth of it at least
    assert left is not None and soonest * 0.9 <= left[0] <= soonest <= left[1]


def test_time_that_passes_since_the_last_step_is_taken_off_and_never_below_nothing() -> None:
    samples = steady(2.0, 20)
    now, later = (seconds_left(samples, 50, samples[-1].at + gone) for gone in (0.0, 1.5))
    assert now is not None and later is not None
    assert later == pytest.approx((now[0] - 1.5, now[1] - 1.5))
    assert seconds_left(samples, 50, samples[-1].at + 1e6) == (0.0, 0.0)


def test_steps_told_in_one_burst_have_the_servers_own_pace() -> None:
    burst = [StepSample(5.0, 5.0, n, 1.9) for n in range(28)]
    assert {pace for _, pace in paces(burst)} == {1.9}


def test_past_runs_tell_how_long_the_end_takes() -> None:
    samples = steady(2.0, 50)
    unknown = seconds_left(samples, 50, samples[-1].at)
    known = seconds_left(samples, 50, samples[-1].at, tails=(19.0, 20.0, 21.0, 300.0))
    assert known is not None and unknown is not None
    assert known[0] <= 20.0 <= known[1] and known[1] - known[0] < 6.0
