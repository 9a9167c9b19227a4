"""Sound for renders whose references bring none."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from studio.rehearsal.paint.look import Look

Sound = npt.NDArray[np.float32]

_CHORDS = ((0, 4, 7), (0, 3, 7), (0, 5, 7), (0, 4, 9))  # semitones
_FADE = 0.4  # s


def tones(look: Look, seconds: float, rate: int, seed: int) -> Sound:
    """(2, n) float32: a soft chord that moves between the sides, and the hiss of the weather if there is any."""
    rng = np.random.default_rng(abs(seed))
    time = np.arange(round(seconds * rate), dtype=np.float32) / rate
    ground = 110 * 2 ** (rng.integers(0, 12) / 12)
    notes = [ground * 2 ** (step / 12) for step in _CHORDS[int(rng.integers(len(_CHORDS)))]]
    chord = sum(np.sin(2 * np.pi * note * time, dtype=np.float32) for note in notes) / 12
    left = 0.5 + 0.3 * np.sin(0.7 * time)
    sound = np.stack([chord * left, chord * (1 - left)])
    if look.weather is not None:
        hiss = rng.standard_normal(sound.shape, np.float32)
        sound += 0.05 * (hiss if look.weather == "rain" else np.cumsum(hiss, axis=1) * 0.002)
    fade = np.minimum(1, np.minimum(time, time[::-1]) / _FADE)
    return np.clip(sound * fade, -1, 1).astype(np.float32)
