"""Whether anything stays behind: every workspace opened 200 times, 50 renders, 50 comparisons, in one window.

    python -m tests.bench.leaks [TIMES]

Prints what the process has after each part: private memory (USS), threads, children, open files, Qt objects under the
window. TIMES (1) divides the numbers above, for a quick look. Exit 1 when threads, children or files grew by more than
the two that come and go with a worker.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import psutil
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from studio.core.notices import Notices
from studio.jobs import JobState
from studio.jobs.job import Target
from studio.media.samples import write_clip
from studio.server import ServerState
from studio.settings import SettingsStore
from tests.helpers.jobs import small_shot
from tests.helpers.waiting import until
from ui.loop import EventLoop
from ui.studio import Studio
from ui.theme import palette

VISITS, RENDERS, COMPARISONS = 200, 50, 50
COME_AND_GO = 2
PATIENCE_S = 900
"""For one wait. Workers give way (nice 5): beside twenty busy programs one gets a thirtieth of a core."""


class Footprint(NamedTuple):
    """What the process holds."""

    uss_mib: float
    threads: int
    children: int
    files: int
    objects: int


async def main(home: Path, share: int) -> int:
    """Play the three parts. Gives the exit code."""
    settings = SettingsStore()
    settings.update(server=settings.present.server.model_copy(update={"rehearsal_step_seconds": 0.0}))
    clips = [home / "a.mp4", home / "b.mp4"]
    for seed, path in enumerate(clips):
        write_clip(path, seconds=2, width=256, height=256, seed=seed)
    studio = Studio(settings, Notices())
    try:
        await studio.start(None, with_server=True)
        await until(lambda: studio.manager.status.state is ServerState.READY, "the server", within=PATIENCE_S)
        # Once everything unmeasured: what is loaded at first use stays.
        await _visit(studio, 2)
        await _render(studio, 2)
        await _compare(studio, clips, 2)
        seen = [await _told(studio, "at rest")]
        for name, times, part in (
            (f"every workspace {VISITS // share} times", VISITS // share, _visit),
            (f"{RENDERS // share} renders", RENDERS // share, _render),
        ):
            await part(studio, times)
            seen.append(await _told(studio, name))
        await _compare(studio, clips, COMPARISONS // share)
        seen.append(await _told(studio, f"{COMPARISONS // share} comparisons"))
        await studio.manager.stop()
    finally:
        await studio.aclose()
    first, last = seen[0], seen[-1]
    counted = ("threads", "children", "files")
    grown = [name for name in counted if getattr(last, name) > getattr(first, name) + COME_AND_GO]
    print(f"grown: {', '.join(grown) or 'nothing'}; memory {last.uss_mib - first.uss_mib:+.0f} MiB")
    return 1 if grown else 0


async def _visit(studio: Studio, times: int) -> None:
    for _ in range(times):
        for action in studio.window.actions_shown:
            studio.window.go(action)
            await asyncio.sleep(0.002)


async def _render(studio: Studio, times: int) -> None:
    for seed in range(times):
        job = await studio.jobs.submit(small_shot(steps=2, seed=seed), Target.of(studio.settings.present.server))
        await studio.jobs.wait(job.id)
        if (await studio.jobs.get(job.id)).state is not JobState.DONE:
            raise SystemExit("a render did not go through")


async def _compare(studio: Studio, clips: list[Path], times: int) -> None:
    for n in range(times):
        studio.compare.open(*(clips if n % 2 else reversed(clips)))
        await until(lambda: studio.compare.opening or studio.compare.comparison is None, "a clip opening")
        await until(lambda: _is_measured(studio), f"comparison {n + 1} of {times}", within=PATIENCE_S)


def _is_measured(studio: Studio) -> bool:
    """Whether the comparison is there. Ends the bench in words when it will not come: on a machine that is busy enough
    a decoder does not begin within its 60 s."""
    compare = studio.compare
    if compare.opening or compare.comparison is not None:
        return not compare.opening
    bad = [notice.message.text() for notice in studio.notices.recent if notice.severity == "bad"]
    if bad:
        raise SystemExit(bad[-1])
    return False


async def _told(studio: Studio, name: str) -> Footprint:
    await asyncio.sleep(1)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    me = psutil.Process()
    found = Footprint(
        me.memory_full_info().uss / 2**20,
        me.num_threads(),
        len(me.children(recursive=True)),
        me.num_fds(),
        len(studio.window.findChildren(QObject)),
    )
    print(f"{name}: " + ", ".join(f"{field} {value:.0f}" for field, value in found._asdict().items()), flush=True)
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="h3studio-leaks-") as place:
        for variable in ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "VIDEOS_DIR"):
            os.environ[f"XDG_{variable}"] = str(Path(place) / variable)
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        application = QApplication(sys.argv)
        palette.apply(application, "dark")
        loop = EventLoop(application)
        asyncio.set_event_loop(loop)
        with loop:
            sys.exit(loop.run_until_complete(main(Path(place), int(sys.argv[1]) if len(sys.argv) > 1 else 1)))
