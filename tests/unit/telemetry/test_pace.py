"""What a run's denoise steps teach about the pace of its server."""

from __future__ import annotations

from studio.contract import PastRun
from studio.telemetry import Step, past_run


def steps(*elapsed: float) -> list[Step]:
    return [Step(n, len(elapsed) - 1, at, None) for n, at in enumerate(elapsed)]


def test_the_first_step_is_left_out_and_an_odd_one_does_not_matter() -> None:
    assert past_run(40_000, steps(0, 9, 11, 13, 15, 24, 26)) == PastRun(40_000, 2.0)


def test_lost_lines_are_bridged() -> None:
    seen = [Step(0, 9, 0.0, None), Step(1, 9, 5.0, None), Step(5, 9, 13.0, None), Step(6, 9, 15.0, None)]
    assert past_run(40_000, seen, peak_bytes=7, cold=True) == PastRun(40_000, 2.0, 7, cold=True)


def test_too_little_teaches_nothing() -> None:
    assert past_run(40_000, steps(0, 9, 11, 13)) is None
    assert past_run(0, steps(0, 1, 2, 3, 4, 5)) is None
    assert past_run(40_000, []) is None


def test_where_the_clock_is_cut_to_seconds_the_rate_that_was_told_counts() -> None:
    seen = [Step(n, 9, float(int(n * 0.4)), 0.4 if n else None, False) for n in range(10)]
    assert past_run(40_000, seen) == PastRun(40_000, 0.4)
