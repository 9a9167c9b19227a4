"""Gaps of the event loop in the busiest session that one can have, under Xvfb.

    python -m tests.bench.stalls [ROUNDS]

In the real window two 15 s clips play in difference mode while a render is prepared (1080p60, 10 s) and uploaded (with
50 MiB of pictures) to the rehearsal server and takes its steps, and the readings of 8 cards are plotted at 1 Hz. A
timer that is due every 4 ms is watched; a gap is how late it came. One line a round, then the medians of the rounds,
and what the main thread was at in the gaps of more than 16 ms.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from PIL import Image
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from studio.contract import Canvas, Reference, Shot
from studio.core.notices import Notices
from studio.jobs import JobState
from studio.jobs.job import Target
from studio.media.samples import write_clip
from studio.server import ServerState
from studio.settings import SettingsStore
from studio.telemetry import Recording
from tests.bench.causes import Causes
from tests.bench.light import forget_main
from tests.bench.screen import a_screen
from tests.bench.telemetry_plot import BEGAN, HERTZ, look
from ui import startup
from ui.loop import EventLoop
from ui.queue.stages import Stage
from ui.queue.time_axis import TimeAxisView
from ui.queue.timeline import Timeline
from ui.studio import Studio
from ui.theme import palette

BEAT_MS = 4
PICTURES, EDGE = 4, 2088  # noise, so that PNG cannot make it smaller: 12.5 MiB each


class Beat:
    """Notes how late a timer comes (ms)."""

    def __init__(self, causes: Causes) -> None:
        self._times: list[float] = []
        self._causes = causes
        self._timer = QTimer(interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_beat)
        self._timer.start()

    def _on_beat(self) -> None:
        self._causes.beat = time.perf_counter()
        self._times.append(self._causes.beat)

    def gaps(self) -> list[float]:
        """The gaps since the last call, smallest first."""
        times, self._times = self._times, []
        return sorted(max(0.0, 1000 * (b - a) - BEAT_MS) for a, b in itertools.pairwise(times))


class Plot:
    """Eight cards' readings, once a second, on a time axis of its own window."""

    def __init__(self) -> None:
        self._view, recording, count = TimeAxisView(), Recording(BEGAN), itertools.count(1)
        self._view.resize(1000, self._view.sizeHint().height())
        self._view.show()

        def tick() -> None:
            n = next(count) * HERTZ
            look(recording, n)
            now = BEGAN + n / HERTZ
            stages = [Stage("denoise", BEGAN, now)]
            self._view.set_timeline(Timeline(stages, now=now, left=None, recording=recording, ghost=None, running=True))

        self._timer = QTimer(interval=1000)
        self._timer.timeout.connect(tick)
        self._timer.start()


async def main(home: Path, rounds: int) -> None:
    """Write the media, open the window, play the rounds."""
    clips = [home / "a.mp4", home / "b.mp4"]
    source = home / "source.mp4"
    for seed, path in enumerate(clips):
        write_clip(path, seconds=15, width=1344, height=768, preset="veryfast", seed=seed, drawn_width=448)
    write_clip(source, seconds=10, width=1920, height=1080, fps=60, preset="veryfast", drawn_width=480)
    pictures = [_noise(home / f"noise-{n}.png", n) for n in range(PICTURES)]
    settings = SettingsStore()
    settings.update(server=settings.present.server.model_copy(update={"rehearsal_step_seconds": 0.3}))
    studio = Studio(settings, Notices())
    try:
        await studio.start(None, with_server=True)
        startup.done()  # as the program does
        await _until(lambda: studio.manager.status.state is ServerState.READY)
        studio.compare.open(*clips)
        studio.window.go("go.compare")
        await _until(lambda: studio.compare.pair is not None and studio.compare.ready == studio.compare.pair.positions)
        await _until(lambda: studio.compare.comparison is not None)
        studio.compare.set_mode("difference")
        _plot = Plot()
        await _play(studio, _shot(source, pictures), rounds)
        await studio.manager.stop()
    finally:
        await studio.aclose()


async def _play(studio: Studio, shot: Shot, rounds: int) -> None:
    causes = Causes()
    beat, p99, worst = Beat(causes), list[float](), list[float]()
    causes.start()
    for n in range(rounds):
        # Another seed and another end: nothing that was prepared before serves again.
        clip = shot.references[0].model_copy(update={"end": 9.0 - n / 8})
        fresh = shot.model_copy(update={"references": (clip, *shot.references[1:]), "seed": n})
        studio.compare.playback.to_start()
        beat.gaps()
        job = await studio.jobs.submit(fresh, Target.of(studio.settings.present.server))
        studio.compare.playback.play(1.0)
        await _until(lambda: not studio.compare.playback.playing)
        gaps = beat.gaps()
        p99.append(gaps[int(len(gaps) * 0.99)])
        worst.append(gaps[-1])
        state = (await studio.jobs.get(job.id)).state
        print(
            f"round {n + 1}: p99 {p99[-1]:.1f} ms, worst {worst[-1]:.1f} ms of {len(gaps)} beats; job {state}",
            flush=True,
        )
        if state in (JobState.FAILED, JobState.LOST):
            raise SystemExit("the render did not go through: the session was not a busy one")
        if not state.finished:
            await studio.jobs.cancel(job.id)
            await studio.jobs.wait(job.id)
    print(f"busiest session: p99 {median(p99):.1f} ms, worst {median(worst):.1f} ms, medians of {rounds} rounds")
    print(f"load {os.getloadavg()[0]:.1f}")
    for cause, held in causes.stop():
        print(f"{held:6.0f} ms  {cause}")


def _shot(source: Path, pictures: list[Path]) -> Shot:
    references = [Reference(id="clip", path=source, kind="video")]
    references += [Reference(id=f"p{n}", path=path, kind="image") for n, path in enumerate(pictures)]
    return Shot(
        task="ref2va",
        prompt="the same harbour in a storm",
        references=tuple(references),
        frames=107,
        canvas=Canvas(width=256, height=256),
        follow=frozenset(),
        steps=30,
    )


def _noise(path: Path, seed: int) -> Path:
    pixels = np.random.default_rng(seed).integers(0, 256, (EDGE, EDGE, 3), np.uint8)
    Image.fromarray(pixels).save(path, compress_level=0)
    return path


async def _until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    forget_main()
    with tempfile.TemporaryDirectory(prefix="h3studio-stalls-") as place, a_screen():
        for variable in ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "VIDEOS_DIR"):
            os.environ[f"XDG_{variable}"] = str(Path(place) / variable)
        application = QApplication(sys.argv)
        palette.apply(application, "dark")
        loop = EventLoop(application)
        asyncio.set_event_loop(loop)
        with loop:
            loop.run_until_complete(main(Path(place), int(sys.argv[1]) if len(sys.argv) > 1 else 5))
