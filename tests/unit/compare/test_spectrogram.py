"""A spectrogram tells pitch, loudness and time."""

import numpy as np
import pytest

from studio.compare.spectrogram import BANDS, COLUMNS_A_SECOND, FLOOR_DB, LOWEST_HZ, spectrogram
from studio.media.sound import RATE


def sine(hertz: float, level: float = 1.0, seconds: float = 2.0) -> np.ndarray:
    wave = level * np.sin(np.arange(round(seconds * RATE)) * 2 * np.pi * hertz / RATE)
    return np.tile(wave, (2, 1)).astype(np.float32)


@pytest.mark.parametrize("hertz", [100.0, 440.0, 1000.0, 8000.0, 15000.0])
def test_a_tone_is_in_the_row_of_its_pitch(hertz: float) -> None:
    found = spectrogram(sine(hertz))
    assert found.shape == (BANDS, 2 * COLUMNS_A_SECOND)
    row = int(found[:, COLUMNS_A_SECOND].argmax())
    octaves_a_row = np.log2(RATE / 2 / LOWEST_HZ) / BANDS
    assert (BANDS - 1 - row) * octaves_a_row == pytest.approx(np.log2(hertz / LOWEST_HZ), abs=2 * octaves_a_row)


def test_levels_are_decibels_under_full_scale() -> None:
    loud, soft = (spectrogram(sine(1000.0, level))[:, 50].max() for level in (1.0, 0.1))
    assert int(loud) - int(soft) == pytest.approx(20 * 255 / -FLOOR_DB, abs=2)
    assert loud >= 250
    assert not spectrogram(np.zeros((2, RATE), np.float32)).any()


def test_a_sound_stands_in_its_time() -> None:
    sound = np.zeros((2, 2 * RATE), np.float32)
    sound[:, RATE:] = sine(1000.0, seconds=1.0)
    heard = spectrogram(sound).max(axis=0)
    assert heard[: COLUMNS_A_SECOND - 2].max() == 0
    assert heard[COLUMNS_A_SECOND + 2 : -2].min() > 240


def test_a_sound_shorter_than_a_window_has_columns() -> None:
    assert spectrogram(sine(1000.0, seconds=0.03)).shape == (BANDS, 2)
