"""How loud each pitch of a sound is over time, as a picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from studio.media.sound import RATE

COLUMNS_A_SECOND = 50
BANDS = 48
"""Rows of the picture: equal steps of pitch, about five to an octave."""
LOWEST_HZ = 50.0
FLOOR_DB = -80.0
"""What is this far under a sine at full scale is black."""
WINDOW = 2048
"""Samples looked at for one column: 64 ms."""
_AT_ONCE = 512
_HANN = np.hanning(WINDOW).astype(np.float32)
_EDGES = np.geomspace(LOWEST_HZ, RATE / 2, BANDS + 1) * WINDOW / RATE

Floats = npt.NDArray[np.float32]
Spectrogram = npt.NDArray[np.uint8]


def spectrogram(samples: Floats) -> Spectrogram:
    """(BANDS, columns) of (2, n) samples at `media.sound.RATE`: 0 at `FLOOR_DB`, 255 at full scale; high pitch on top.

    Each column is of the window around its middle, each row of the strongest frequency in its band.
    """
    hop = RATE // COLUMNS_A_SECOND
    padded = np.pad(samples.mean(axis=0), (WINDOW - hop) // 2 + np.array([0, WINDOW]))
    columns = -(-samples.shape[1] // hop)
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::hop][:columns]
    first_bins = np.round(_EDGES[:-1]).astype(np.int64)
    levels = [_levels(windows[at : at + _AT_ONCE], first_bins) for at in range(0, columns, _AT_ONCE)]
    made = np.concatenate(levels) if levels else np.empty((0, BANDS))
    return np.ascontiguousarray(made.T[::-1]).astype(np.uint8)


def _levels(windows: Floats, first_bins: npt.NDArray[np.int64]) -> Floats:
    """(columns, BANDS) 0…255."""
    strength = np.abs(np.fft.rfft(windows * _HANN, axis=1)) * (2 / _HANN.sum())
    strongest = np.maximum.reduceat(strength, first_bins, axis=1)
    decibels = 20 * np.log10(np.maximum(strongest, 1e-9))
    levels: Floats = np.clip((decibels - FLOOR_DB) * (255 / -FLOOR_DB), 0, 255)
    return levels
