"""Which frame belongs to which: by number, by time, at an offset."""

from __future__ import annotations

import numpy as np
import pytest

from studio.compare.alignment import common_clock, drift, picture_offset
from studio.compare.decode import Timeline


def _line(n: int, fps: float, *, constant: bool = True) -> Timeline:
    return Timeline(np.arange(n) / fps, fps, constant, 0.0, (128, 72))


def _noise_walk(n: int, seed: int = 1) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    """Small pictures that change everywhere from frame to frame, each a little like its neighbours."""
    random = np.random.default_rng(seed)
    coarse = np.kron(random.normal(0, 1, (n + 2, 9, 16)), np.ones((1, 8, 8)))
    smooth = coarse[:-2] + 2 * coarse[1:-1] + coarse[2:]
    return np.clip(128 + 25 * smooth, 0, 255).astype(np.uint8)


def test_equal_rates_pair_by_number_also_at_23_976() -> None:
    clock = common_clock(_line(96, 24), _line(95, 24000 / 1001))
    assert (clock.pairing, len(clock.a), len(clock.b)) == ("index", 96, 95)


@pytest.mark.parametrize(("fps", "third"), [(30, 3), (25, 3), (60, 7), (12, 1)])
def test_other_rates_pair_by_time_without_drift(fps: float, third: int) -> None:
    clock = common_clock(_line(240, 24), _line(10 * int(fps), fps))
    assert (clock.pairing, clock.fps) == ("time", min(24, fps))
    seconds_a, seconds_b = clock.a / 24, clock.b / fps
    assert np.abs(seconds_a - seconds_b).max() <= 1 / min(fps, 24) + 1e-9
    if fps >= 24:
        assert clock.b[3] == third


def test_a_variable_rate_pairs_by_time() -> None:
    assert common_clock(_line(48, 24), _line(48, 24, constant=False)).pairing == "time"


@pytest.mark.parametrize(("offset", "first", "count"), [(0, (0, 0), 8), (3, (3, 0), 7), (-2, (0, 2), 6)])
def test_pairs_at_an_offset(offset: int, first: tuple[int, int], count: int) -> None:
    a, b = common_clock(_line(10, 24), _line(8, 24)).pairs(offset)
    assert (int(a[0]), int(b[0])) == first
    assert len(a) == len(b) == count
    assert set((a - b).tolist()) == {offset}


def test_an_offset_past_the_end_pairs_nothing() -> None:
    a, b = common_clock(_line(10, 24), _line(8, 24)).pairs(10)
    assert len(a) == len(b) == 0


@pytest.mark.parametrize("offset", [-9, -1, 0, 2, 14])
def test_the_offset_of_pictures(offset: int) -> None:
    walk = _noise_walk(90)
    a, b = walk[20:70], walk[20 + offset : 70 + offset]
    assert picture_offset(a, b) == offset


def test_a_negative_is_aligned_too() -> None:
    walk = _noise_walk(60)
    assert picture_offset(walk[:40], 255 - walk[5:45]) == 5


def test_unrelated_and_unmoving_pictures_do_not_tell() -> None:
    assert picture_offset(_noise_walk(50), _noise_walk(50, seed=2)) is None
    assert picture_offset(_noise_walk(50), np.full((50, 72, 128), 90, np.uint8)) is None


def test_drift_says_how_many_frames_and_where() -> None:
    walk = _noise_walk(90)
    assert drift(walk[:80], np.concatenate((walk[:33], walk[36:83]))) == (3, 33)
    assert drift(walk[:80], walk[:80]) == (0, 0)
