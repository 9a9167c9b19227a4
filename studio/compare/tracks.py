"""The sound of one clip to be drawn and heard: samples from the first picture on, their outline, level and clipping."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from studio.compare.decode import read_timeline
from studio.compare.loudness import Loudness, loudness
from studio.compare.runs import runs
from studio.compare.sound import QUIETEST_DB, SILENT_DB, stereo
from studio.compare.spectrogram import Spectrogram, spectrogram
from studio.media.sound import RATE
from studio.media.workers import Workers

LONGEST_S = 180.0
"""Sound after this is neither drawn nor played: 23 MB a clip."""
OUTLINE_RATE = 200
"""Outline values a second: several a frame, so that a wave can be set against the frame grid."""
FULL = 0.97
"""Share of full scale that counts as it: a coder leaves ripples on a flat top…"""
FULL_OVER = 0.9
"""… and where they go over full scale, the decoded sound was scaled down by up to a tenth…"""
FLAT_TOP = 3
"""… and so many samples in a row there are clipped; one alone is a peak."""
HEARD_SHARE = 1e-3
"""Clipped samples, of all, under which nobody hears it."""
TIMEOUT_S = 300.0

Samples = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float32]
Outline = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """`samples`: (n, 2) at `media.sound.RATE`. `outline`: (m, 2) lowest and highest value, -1…1, at `OUTLINE_RATE`.

    `levels`: its `spectrogram`.
    """

    samples: Samples
    outline: Outline
    levels: Spectrogram
    level_db: float
    """RMS in dBFS."""
    peak_db: float
    """Highest sample in dBFS."""
    loudness: Loudness | None
    """None when it is shorter than 0.4 s."""
    silent_s: float
    """Seconds (in tenths) that are silent."""
    clipped: int
    """Samples on flat tops at full scale."""

    @property
    def is_clipped(self) -> bool:
        """Whether so much of it is clipped that it can be heard."""
        return self.clipped > HEARD_SHARE * len(self.samples)

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples) / RATE


async def read_tracks(workers: Workers, a: Path, b: Path) -> tuple[Track | None, Track | None]:
    """The sound of both clips, None for one without. Raises MediaError, and what `Workers.run` raises."""
    return await workers.run(_read_both, a, b, timeout=TIMEOUT_S)


def read_track(path: Path) -> Track | None:
    """The first sound track from the first picture on, blocking. None without one. Raises MediaError."""
    samples = stereo(path, read_timeline(path).start, LONGEST_S)
    if samples is None or not samples.size:
        return None
    return Track(
        samples=np.ascontiguousarray(np.round(samples.T * 32767), np.int16),
        outline=_outline(samples.mean(axis=0)),
        levels=spectrogram(samples),
        level_db=_decibels(float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))),
        peak_db=_decibels(float(np.abs(samples).max())),
        loudness=loudness(samples),
        silent_s=silent_seconds(samples),
        clipped=clipped_samples(samples),
    )


def silent_seconds(samples: Floats) -> float:
    """Of (2, n) at `media.sound.RATE`: tenths of a second whose RMS is under `SILENT_DB`."""
    tenth = RATE // 10
    whole = samples[:, : samples.shape[1] // tenth * tenth].reshape(2, -1, tenth)
    tenths = 10 * np.log10(np.maximum((whole.astype(np.float64) ** 2).mean(axis=(0, 2)), 1e-12))
    return float((tenths < SILENT_DB).sum()) / 10


def clipped_samples(samples: Floats) -> int:
    """How many of the n moments of (2, n) stand on flat tops: at full scale, `FLAT_TOP` and more in a row."""
    highest = np.abs(samples).max(axis=0)
    full = highest >= (FULL if highest.max(initial=0.0) < 1 else FULL_OVER)
    return sum(length for _, length in runs(full) if length >= FLAT_TOP)


def difference(a: Samples, b: Samples, lag: int) -> Samples:
    """A − B where B starts `lag` samples into A (may be negative); (n, 2) as long as A, cut at full scale."""
    moved = np.zeros(a.shape, np.int32)
    first, last = max(0, lag), min(len(a), len(b) + lag)
    if last > first:
        moved[first:last] = b[first - lag : last - lag]
    cut: Samples = np.clip(a - moved, -32768, 32767).astype(np.int16)
    return cut


def _read_both(a: Path, b: Path) -> tuple[Track | None, Track | None]:
    return read_track(a), read_track(b)


def _outline(mono: npt.NDArray[np.float32]) -> Outline:
    block = RATE // OUTLINE_RATE
    padded = np.pad(mono, (0, -len(mono) % block)).reshape(-1, block)
    return np.stack((padded.min(axis=1), padded.max(axis=1)), axis=1)


def _decibels(value: float) -> float:
    return max(QUIETEST_DB, 20 * float(np.log10(max(value, 1e-9))))
