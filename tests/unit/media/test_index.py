"""Which picture is on screen when: arithmetic over timestamps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from studio.media.index import Index


def index(times: list[Fraction], last: Fraction, tick: Fraction = Fraction(1, 90_000)) -> Index:
    pts = np.array([round(t / tick) for t in times], np.int64)
    return Index(pts, times[-1] + last, tick, pts[:1], len(times))


def picks(found: Index, frames: int, start: float = 0.0) -> list[int]:
    return [int(n) for n in found.picks(start + np.arange(frames) / 24)]


def test_from_60_fps_every_fifth_half_frame_is_floored() -> None:
    sixty = index([Fraction(n, 60) for n in range(120)], Fraction(1, 60), Fraction(1, 15_360))
    assert picks(sixty, 48) == [n * 60 // 24 for n in range(48)]


def test_24_fps_stays_frame_for_frame_in_every_time_base() -> None:
    for base in (Fraction(1, 24), Fraction(1, 12288), Fraction(1, 90000), Fraction(1, 1000)):
        found = index([Fraction(n, 24) for n in range(360)], Fraction(1, 24), base)
        assert picks(found, 360) == list(range(360)), f"time base {base}"
        assert not found.varies


def test_a_hold_of_half_a_second_lasts_twelve_frames() -> None:
    held = index([Fraction(n, 24) for n in range(12)] + [Fraction(n, 24) for n in range(24, 36)], Fraction(1, 24))
    assert picks(held, 48).count(11) == 13  # its own frame and the twelve of the gap
    assert held.varies


def test_before_the_first_picture_the_first_one_shows() -> None:
    late = index([Fraction(1, 2) + Fraction(n, 24) for n in range(24)], Fraction(1, 24))
    assert picks(late, 14) == [0] * 13 + [1]


@pytest.mark.parametrize("rate", [Fraction(24000, 1001), Fraction(30000, 1001), Fraction(60000, 1001), Fraction(25, 2)])
def test_a_picture_is_never_shown_before_its_time_nor_after_the_next(rate: Fraction) -> None:
    times = [n / rate for n in range(300)]
    for k, n in enumerate(picks(index(times, 1 / rate), 100)):
        moment, tick = Fraction(k, 24), Fraction(1, 90_000)
        assert times[n] - tick <= moment < times[n + 1]
