"""The sound of both clips: how loud, silent or not, alike or not, in step with the picture or not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from studio.compare.runs import runs
from studio.media import sound as media_sound
from studio.media.container import open_media, sound_track
from studio.media.stills import read_still

Floats = npt.NDArray[np.floating]

RATE = media_sound.RATE // 4
"""Hz at which sounds are matched: an eighth of a millisecond."""
LONGEST_S = 600.0
"""Sound after this is not looked at."""
SILENT_DB = -60.0
"""RMS under this (dBFS) is silence; AAC of digital silence stays well under it."""
SEARCH_S = 20.0
"""Sounds are matched at shifts up to this."""
ALIKE = 0.4
"""Least correlation at which a shift between two sounds means something."""
QUIETEST_DB = -120.0
HEARD_DB = -50.0
"""A tenth of a second over this is heard."""
GAP_S = 0.5
"""Silence shorter than this is a pause."""


@dataclass(frozen=True, slots=True)
class Sound:
    """One clip's first sound track from its first picture on. `mono`: (n,) at 8 kHz; `level_db`: RMS, dBFS."""

    mono: Floats
    level_db: float

    @property
    def silent(self) -> bool:
        """Whether nobody would hear anything."""
        return self.level_db < SILENT_DB


class SoundComparison(BaseModel):
    """Levels are RMS in dBFS, None without a sound track. `correlation` (0…1) and `sync_ms` are None when a side is
    missing or silent; `sync_ms` also when the sounds are not alike. Positive: B's sound comes late against its picture.
    """

    model_config = ConfigDict(frozen=True)

    a_db: float | None = None
    b_db: float | None = None
    a_silent: bool = True
    b_silent: bool = True
    correlation: float | None = None
    sync_ms: float | None = None
    gap_s: float = 0.0
    """Seconds for which B is silent while A is heard, in stretches of `GAP_S` and more."""
    gap_from_s: float | None = None
    """When the first of them begins, in seconds after A's first picture."""


def read_sound(path: Path, start: float) -> Sound | None:
    """The first sound track from `start` (seconds on the file's clock: its first picture); None without one."""
    samples = stereo(path, start, LONGEST_S)
    if samples is None:
        return None
    power = float(np.mean(samples.astype(np.float64) ** 2)) if samples.size else 0.0
    mono = samples[:, : samples.shape[1] // 4 * 4].mean(axis=0).reshape(-1, 4).mean(axis=1)
    return Sound(mono, 10 * np.log10(max(power, 10 ** (QUIETEST_DB / 10))))


def stereo(path: Path, start: float, longest: float) -> npt.NDArray[np.float32] | None:
    """(2, n) float32 at `media.sound.RATE` from `start` to the end of the sound, at most `longest` seconds."""
    if read_still(path) is not None:
        return None
    with open_media(path) as box:
        track = sound_track(box)
        if track is None:
            return None
        span = media_sound.measure(box, track)
        # The file's zero is where its first stream starts; the decoder's times are not shifted to it.
        zero = (box.start_time or 0) / 1_000_000
        if span is None or span[1] <= start + zero:
            return None
        return media_sound.decode_sound(box, track, start + zero, min(longest, span[1] - start - zero))


def sound_lag(a: Sound, b: Sound) -> tuple[float, float]:
    """Seconds that B's sound comes after A's at the best match, and the correlation (0…1) there."""
    size = 1 << (len(a.mono) + len(b.mono) - 1).bit_length()
    match = np.fft.irfft(np.fft.rfft(b.mono, size) * np.conj(np.fft.rfft(a.mono, size)), size)
    reach = min(size // 2 - 1, int(SEARCH_S * RATE))
    lags = np.arange(-reach, reach + 1)
    best = int(lags[np.argmax(np.abs(match[lags]))])
    # Loudness of what overlaps, so that a long clip against a short one can still reach 1.
    over_a = a.mono[max(0, -best) : max(0, len(b.mono) - best)]
    over_b = b.mono[max(0, best) : max(0, len(a.mono) + best)]
    energy = float(np.linalg.norm(over_a) * np.linalg.norm(over_b))
    return best / RATE, min(1.0, float(abs(match[best])) / energy) if energy else 0.0


def compare_sound(a: Sound | None, b: Sound | None, picture_lag: float) -> SoundComparison:
    """Both sounds; `picture_lag`: seconds that B's pictures come after A's."""
    levels = SoundComparison(
        a_db=round(a.level_db, 2) if a else None,
        b_db=round(b.level_db, 2) if b else None,
        a_silent=a is None or a.silent,
        b_silent=b is None or b.silent,
    )
    if a is None or b is None or a.silent or b.silent:
        return levels
    lag, correlation = sound_lag(a, b)
    sync = round(1000 * (lag - picture_lag), 1) if correlation >= ALIKE else None
    gap, start = silent_gap(a, b, picture_lag)
    found = {"correlation": round(correlation, 4), "sync_ms": sync, "gap_s": gap, "gap_from_s": start}
    return levels.model_copy(update=found)


def silent_gap(a: Sound, b: Sound, lag: float) -> tuple[float, float | None]:
    """Seconds for which B, `lag` seconds late, is silent while A is heard; and when the first such stretch begins."""
    tenth = RATE // 10
    late = round(lag * RATE)
    power_a, power_b = (
        (mono[: len(mono) // tenth * tenth].reshape(-1, tenth).astype(np.float64) ** 2).mean(axis=1)
        for mono in (a.mono[max(0, -late) :], b.mono[max(0, late) :])
    )
    n = min(len(power_a), len(power_b))
    gaps = (power_a[:n] > 10 ** (HEARD_DB / 10)) & (power_b[:n] < 10 ** (SILENT_DB / 10))
    long = [(start, length) for start, length in runs(gaps) if length >= GAP_S * 10]
    if not long:
        return 0.0, None
    return sum(length for _, length in long) / 10, round(long[0][0] / 10 + max(0.0, -lag), 2)
