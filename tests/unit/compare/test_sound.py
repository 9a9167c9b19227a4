"""Two sounds: how far apart in time, how alike, how loud."""

from __future__ import annotations

import numpy as np
import pytest

from studio.compare.sound import RATE, Sound, compare_sound, sound_lag


def _noise(seconds: float, seed: int = 1) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.random.default_rng(seed).normal(0, 0.1, round(seconds * RATE))


@pytest.mark.parametrize("lag", [-0.5, 0.0, 0.125, 1.75])
def test_the_lag_is_found_to_a_sample_also_between_other_lengths(lag: float) -> None:
    long, n = _noise(8), round(abs(lag) * RATE)
    early, late = Sound(long[n:], -20), Sound(long[: 5 * RATE], -20)
    a, b = (early, late) if lag >= 0 else (late, early)
    found, correlation = sound_lag(a, b)
    assert found == pytest.approx(lag, abs=0.5 / RATE)
    assert correlation == pytest.approx(1, abs=0.01)


def test_sync_is_told_against_the_picture() -> None:
    noise = _noise(5)
    shifted = Sound(np.concatenate((np.zeros(RATE // 4), noise)), -20)
    assert compare_sound(Sound(noise, -20), shifted, picture_lag=0.0).sync_ms == 250
    assert compare_sound(Sound(noise, -20), shifted, picture_lag=0.25).sync_ms == 0


def test_other_sounds_have_no_sync() -> None:
    found = compare_sound(Sound(_noise(5), -20), Sound(_noise(5, seed=2), -20), 0.0)
    assert found.correlation is not None
    assert found.correlation < 0.1
    assert found.sync_ms is None


@pytest.mark.parametrize("missing", [None, Sound(np.zeros(RATE), -120.0)])
def test_a_missing_or_silent_side_has_no_correlation(missing: Sound | None) -> None:
    found = compare_sound(Sound(_noise(5), -20), missing, 0.0)
    assert (found.a_silent, found.b_silent, found.correlation, found.sync_ms) == (False, True, None, None)
