"""One finished render looked at on its own: what is wrong with its pictures and its sound, without a clip beside it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from studio.compare.decode import AHEAD, Bytes, PictureFile
from studio.compare.errors import CompareError
from studio.compare.faults import FLASH_LUMA, FROZEN_FRAMES, MOVES, STANDS, moves_on, off_trend
from studio.compare.kept import Kept
from studio.compare.loudness import Loudness, loudness
from studio.compare.measures import self_difference, small_luma
from studio.compare.runs import runs
from studio.compare.sound import LONGEST_S, stereo
from studio.compare.tracks import HEARD_SHARE, clipped_samples, silent_seconds
from studio.core.paths import cache_dir
from studio.core.words import Message, Param
from studio.media.ahead import ahead
from studio.media.sound import RATE
from studio.media.workers import Progress, Workers

Floats = npt.NDArray[np.floating]
FlawCode = Literal["blank", "still", "frozen", "repeated", "flash", "joints", "silent", "clipped"]

FLAT = 2.0
"""A picture whose luma deviates by less than this (of 255) shows nothing: black, or one colour."""
BLOCK = 17
"""Frames of one block of the model: what is joined badly is joined every 17 frames."""
JOINT_SHARE = 1.8
"""Joints show when the step into a block is this many times the usual step…"""
JOINT_STEP = 0.5
"""… and larger by this (of 255, small luma)…"""
JOINTS = 4
"""… in the median of at least so many blocks."""
TIMEOUT_S = 900.0
MOST = 20_000
"""Kept results take 1 KB each."""


class Flaw(BaseModel):
    """One thing that is wrong. `frame` is where it is first seen, `count` frames have it; None for the whole clip."""

    model_config = ConfigDict(frozen=True)

    code: FlawCode
    frame: int | None = None
    count: int | None = None
    params: dict[str, Param] = {}

    @property
    def message(self) -> Message:
        """The sentence with its numbers."""
        places: dict[str, Param] = {"frame": self.frame, "count": self.count}
        return Message(f"health.{self.code}", places | self.params)


class SoundHealth(BaseModel):
    """A render's sound. `loudness` is None for less than 0.4 s; `silent_s` counts tenths of a second under -60 dBFS."""

    model_config = ConfigDict(frozen=True)

    seconds: float
    loudness: Loudness | None
    silent_s: float
    clipped: int
    """Samples on flat tops at full scale."""


class Health(BaseModel):
    """What was found. No `faults`: nothing that a person should look at first."""

    model_config = ConfigDict(frozen=True)

    frames: int
    width: int
    height: int
    fps: float
    luma: float
    """Mean coded luma of all frames, 16 (black) … 235."""
    motion: float
    """Mean difference from frame to frame, 0…255, of small luma."""
    sound: SoundHealth | None
    """None without a sound track."""
    faults: tuple[Flaw, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.faults


async def check(workers: Workers, path: Path, *, progress: Callable[[float], None] | None = None) -> Health:
    """Decode a whole render in a worker and say what is wrong with it; cancelling kills the worker.

    A file that was checked before is answered by its content. `progress` gets 0…1.
    Raises MediaError for a file that cannot be read, and what `Workers.run` raises.
    """
    folder = cache_dir() / "health"
    return await workers.run(_work, path, folder, timeout=TIMEOUT_S, progress=progress or (lambda _fraction: None))


def check_file(path: Path, tell: Callable[[float], None] = lambda _fraction: None) -> Health:
    """`check` itself, blocking and without the cache. Raises CompareError `compare.no_pictures`, MediaError."""
    smalls: list[Bytes] = []
    with (
        closing(PictureFile(path)) as file,
        closing(ahead((small_luma(picture.luma()) for _, picture in file.pictures()), AHEAD)) as decoded,
    ):
        line = file.line
        for small in decoded:
            smalls.append(small)
            tell(len(smalls) / len(line.times))
    if not smalls:
        raise CompareError("compare.no_pictures", name=path.name)
    pictures = np.stack(smalls)
    sound = _sound(path, line.start)
    return Health(
        frames=len(smalls),
        width=line.size[0],
        height=line.size[1],
        fps=line.fps,
        luma=round(float(pictures.mean()), 2),
        motion=round(float(self_difference(pictures)[1:].mean()) if len(smalls) > 1 else 0.0, 3),
        sound=sound,
        faults=(*picture_flaws(pictures), *sound_flaws(sound)),
    )


def picture_flaws(smalls: Bytes) -> list[Flaw]:
    """From (n, h, w) small luma of all frames."""
    step = self_difference(smalls)
    blank = smalls.std(axis=(1, 2)) < FLAT
    if len(smalls) > FROZEN_FRAMES and not blank.all() and (step < STANDS).all():
        return [Flaw(code="still", count=len(smalls))]
    dark = [run for run in runs(blank) if run[1] >= min(FROZEN_FRAMES, len(smalls))]
    standing = [(start + 1, length) for start, length in runs((step[1:] < STANDS) & ~blank[1:])]
    lively = float(np.median(step)) > MOVES
    frozen = [run for run in standing if lively and run[1] >= FROZEN_FRAMES]
    repeated = [run for run in standing if run[1] < FROZEN_FRAMES and moves_on(step, *run)]
    flashes = runs(np.abs(off_trend(smalls.mean(axis=(1, 2)))) > FLASH_LUMA)
    found: list[tuple[FlawCode, list[tuple[int, int]]]] = [
        ("blank", dark),
        ("frozen", frozen),
        ("repeated", repeated),
        ("flash", flashes),
    ]
    flaws = [Flaw(code=code, frame=at[0][0], count=sum(n for _, n in at)) for code, at in found if at]
    return flaws + joints(step)


def joints(step: Floats) -> list[Flaw]:
    """Jumps at every block's edge, from (n,) differences to the frame before."""
    usual = float(np.median(step[1:])) if len(step) > 1 else 0.0
    if len(step) < BLOCK * JOINTS:
        return []
    steps = [float(np.median(step[phase or BLOCK :: BLOCK])) for phase in range(BLOCK)]
    phase = int(np.argmax(steps))
    if steps[phase] < JOINT_SHARE * usual or steps[phase] - usual < JOINT_STEP:
        return []
    times = round(steps[phase] / usual, 1) if usual > 0.01 else 99.0
    return [
        Flaw(code="joints", frame=phase or BLOCK, count=len(step[phase or BLOCK :: BLOCK]), params={"times": times})
    ]


def sound_flaws(sound: SoundHealth | None) -> list[Flaw]:
    """Silent all through, or clipped. No sound track at all is no flaw: an export may have none."""
    if sound is None:
        return []
    if sound.silent_s >= sound.seconds - 0.2:
        return [Flaw(code="silent")]
    share = sound.clipped / (RATE * sound.seconds)
    peak = sound.loudness.true_peak if sound.loudness else 0.0
    return [Flaw(code="clipped", params={"share": share, "peak": peak})] if share > HEARD_SHARE else []


def _sound(path: Path, start: float) -> SoundHealth | None:
    samples = stereo(path, start, LONGEST_S)
    if samples is None or not samples.size:
        return None
    return SoundHealth(
        seconds=round(samples.shape[1] / RATE, 3),
        loudness=loudness(samples),
        silent_s=silent_seconds(samples),
        clipped=clipped_samples(samples),
    )


def _work(progress: Progress, path: Path, folder: Path) -> Health:
    kept = Kept(folder, Health, MOST)
    key = kept.key(path)
    found = kept.get(key)
    if found is None:
        found = check_file(path, progress.set)
        kept.put(key, found)
    return found
