"""Several clips at once, small: one worker decodes them side by side into stores that the viewer reads meanwhile.

Nine clips of 15 s cost one process and a temporary file of about a gigabyte in all, not nine decoders at full size.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Generator
from collections.abc import Sequence as Some
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from studio.core import paths
from studio.core.errors import StudioError
from studio.core.files import free_bytes
from studio.media.colour import Picture
from studio.media.errors import as_media_error
from studio.media.frame_store import FrameStore, Layout, Shared, unlinked_file
from studio.media.sequence import Sequence
from studio.media.workers import Progress, Workers

BUDGET: Final = 1 << 30
"""Bytes of disk for all clips together; one that is too long for its share keeps every second picture, or third."""

_LOOK_S: Final = 60.0
_FILL_S: Final = 900.0
_LATE_S: Final = 1e-3  # time stamps are rounded to the file's time base

T = TypeVar("T")


class Small(NamedTuple):
    """What is known of a clip before it is decoded. `times`: (n,) float64, when each picture that is kept is shown, in
    seconds after the first one; `seconds` until the last one ends; one picture of `every` so many is kept."""

    layout: Layout
    times: npt.NDArray[np.float64]
    seconds: float
    fps: float
    every: int


class SmallClip:
    """One of them. Pictures come in the order shown; use it from any thread, and end it with `close`."""

    def __init__(self, path: Path, small: Small, folder: Path) -> None:
        self.path, self.small = path, small
        self._store = FrameStore(unlinked_file(folder), small.layout, create=True)

    @property
    def ready(self) -> float:
        """How much of it can be shown, 0…1."""
        return float((self._store.holds >= 0).mean())

    def number(self, seconds: float) -> int | None:
        """Which of the kept pictures is on the screen so long after the first one; None after the end."""
        if not 0 <= seconds < self.small.seconds:
            return None
        return max(0, int(np.searchsorted(self.small.times, seconds + _LATE_S, side="right")) - 1)

    def picture(self, n: int) -> Picture | None:
        """Picture n, (h, w, 4) uint8 B, G, R, A, or the nearest before it that is there already."""
        there = np.flatnonzero(self._store.holds[: n + 1] >= 0)
        return self._store.picture(int(there[-1])) if len(there) else None

    def close(self) -> None:
        """Free its room."""
        self._store.close()

    def _job(self) -> tuple[Path, Shared, int]:
        return self.path, self._store.shared(), self.small.every


async def open_small(workers: Workers, files: Some[Path], edge: int) -> list[SmallClip | StudioError]:
    """Look at the files; pictures will be at most `edge` pixels long. In place of one that is no clip: why.

    Raises MediaError when there is no room for the pictures.
    """
    folder = paths.cache_dir() / "frames"
    opened: list[SmallClip | StudioError] = []
    try:
        share = await asyncio.to_thread(_share, folder, len(files))
        found = await _all_or_each(workers, _look, list(files), edge, share, timeout=_LOOK_S)
        for path, small in zip(files, found, strict=True):
            opened.append(small if isinstance(small, StudioError) else await _opened(path, small, folder))
    except BaseException as error:
        for clip in opened:
            if isinstance(clip, SmallClip):
                clip.close()
        if isinstance(error, OSError):
            raise as_media_error(error) from error
        raise
    return opened


async def fill(workers: Workers, clips: Some[SmallClip], progress: Callable[[float], None]) -> list[StudioError | None]:
    """Decode all of them; `progress` (0…1) comes whenever there are more pictures. In place of one that broke: why.

    Cancelling ends it.
    """
    jobs = [clip._job() for clip in clips]
    return await _all_or_each(workers, _fill, jobs, timeout=_FILL_S, progress=progress)


async def _opened(path: Path, small: Small, folder: Path) -> SmallClip:
    return await asyncio.to_thread(SmallClip, path, small, folder)


def _share(folder: Path, clips: int) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    return min(BUDGET, free_bytes(folder) // 2) // max(1, clips)


async def _all_or_each(
    workers: Workers, work: Callable[..., list[T]], items: list[Any], *args: Any, **how: Any
) -> list[T | StudioError]:
    """`work` of all items in one worker; when they have broken it together, of each alone."""
    try:
        return [*await workers.run(work, items, *args, **how)]
    except StudioError as error:
        if len(items) == 1:
            return [error]
    alone = [await _all_or_each(workers, work, [item], *args, **how) for item in items]
    return [result for results in alone for result in results]


def _look(files: list[Path], edge: int, share: int) -> list[Small | StudioError]:
    return [_seen(path, edge, share) for path in files]


def _seen(path: Path, edge: int, share: int) -> Small | StudioError:
    try:
        with closing(Sequence(path)) as clip:
            scale = min(1.0, edge / max(clip.width, clip.height))
            layout = Layout(_even(clip.width * scale), _even(clip.height * scale), clip.planar, 1, clip.colour)
            every = max(1, math.ceil(len(clip) * layout.frame_bytes / share))
            times = (clip.times - clip.times[0])[::every]
            seconds = float(clip.duration)
            fps = len(clip) / seconds if seconds else 1.0
            return Small(layout._replace(slots=len(times)), times, seconds, fps, every)
    except Exception as error:
        return as_media_error(error, name=path.name)


def _fill(progress: Progress, jobs: list[tuple[Path, Shared, int]]) -> list[StudioError | None]:
    done, errors = [0.0] * len(jobs), list[StudioError | None]([None] * len(jobs))
    with ExitStack() as ending:
        turns = {k: ending.enter_context(closing(_decoded(*job))) for k, job in enumerate(jobs)}
        while turns:
            for k, clip in tuple(turns.items()):
                try:
                    done[k] = next(clip)
                except StopIteration:
                    del turns[k]
                except Exception as error:
                    errors[k] = as_media_error(error, name=jobs[k][0].name)
                    del turns[k]
            progress.set(sum(done) / len(done))
    return errors


def _decoded(path: Path, shared: Shared, every: int) -> Generator[float]:
    """Fills one store; yields how far it is after each packet."""
    with closing(shared.open()) as store, closing(Sequence(path)) as clip:
        clip.shrink(shared.layout.width, shared.layout.height)
        while not clip.ended:
            for n, frame in clip.step():
                if n % every == 0:
                    store.put(n // every, clip.raw(frame))
            yield clip.position / len(clip)


def _even(side: float) -> int:
    return max(2, 2 * round(side / 2))
