"""Which picture is on screen when: arithmetic over timestamps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from studio.media.timeline import Timeline


def timeline(times: list[Fraction], last: Fraction) -> Timeline:
    return Timeline(np.array([float(t) for t in times]), float(times[-1] + last), len(times), 0)


def picks(found: Timeline, frames: int, tick: float, start: float = 0.0) -> list[int]:
    return [int(n) for n in found.picks(start + np.arange(frames) / 24, tick)]


def test_from_60_fps_every_fifth_half_frame_is_floored() -> None:
    sixty = timeline([Fraction(n, 60) for n in range(120)], Fraction(1, 60))
    assert picks(sixty, 48, 1 / 15360) == [n * 60 // 24 for n in range(48)]


def test_24_fps_stays_frame_for_frame_in_every_time_base() -> None:
    for base in (Fraction(1, 24), Fraction(1, 12288), Fraction(1, 90000), Fraction(1, 1000)):
        rounded = [round(Fraction(n, 24) / base) * base for n in range(360)]
        found = timeline(rounded, Fraction(1, 24))
        assert picks(found, 360, float(base)) == list(range(360)), f"time base {base}"
        assert not found.varies(float(base))


def test_a_hold_of_half_a_second_lasts_twelve_frames() -> None:
    held = timeline([Fraction(n, 24) for n in range(12)] + [Fraction(n, 24) for n in range(24, 36)], Fraction(1, 24))
    assert picks(held, 48, 1 / 90000).count(11) == 13  # its own frame and the twelve of the gap
    assert held.varies(1 / 90000)


def test_before_the_first_picture_the_first_one_shows() -> None:
    late = timeline([Fraction(1, 2) + Fraction(n, 24) for n in range(24)], Fraction(1, 24))
    assert picks(late, 14, 1 / 12288) == [0] * 13 + [1]


@pytest.mark.parametrize("rate", [Fraction(24000, 1001), Fraction(30000, 1001), Fraction(60000, 1001), Fraction(25, 2)])
def test_a_picture_is_never_shown_before_its_time_nor_after_the_next(rate: Fraction) -> None:
    times = [n / rate for n in range(300)]
    for k, n in enumerate(picks(timeline(times, 1 / rate), 100, 1 / 90000)):
        moment = Fraction(k, 24)
        assert times[n] <= moment < times[n + 1]
