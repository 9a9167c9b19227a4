"""The library with 10,000 results: reading them in, opening, searching while typing, scrolling.

`python tests/bench/library.py [COUNT]` writes the results (empty videos, recipes of 2 KB) into a temporary folder.
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

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = os.environ["PYQTGRAPH_QT_LIB"] = "pyside6"

from PIL import Image
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from studio.core.notices import Notices
from studio.jobs import DirectServers, JobService, JobStore, Tools
from studio.jobs.library import Library, Query
from studio.media.workers import Workers
from studio.server import RehearsalLauncher
from studio.settings import SettingsStore
from tests.bench.light import forget_main
from tests.helpers.results import write_many
from ui.library import LibraryModel, LibraryWorkspace
from ui.loop import EventLoop
from ui.theme import palette

TYPED = ("l", "la", "lan", "lant", "lantern", "lantern sn", "lantern snow", "灯", "灯笼", "灯笼在雪", "no such word")
ROUNDS = 7


async def measure(home: Path, count: int) -> None:
    """Print a line a figure."""
    folder = home / "Videos" / "H3 Studio"
    write_many(folder, count)
    workers, notices = Workers(), Notices()
    servers = DirectServers(RehearsalLauncher("bench"))
    service = JobService(Tools(JobStore(), workers, servers, SettingsStore(), notices=notices))
    for name in ("read in, index new", "opened again"):
        began = time.perf_counter()
        library = Library(workers, notices)
        model = LibraryModel(library, service, workers, notices)
        view = LibraryWorkspace(model)
        view.resize(1368, 860)
        view.show()
        library.start(folder)
        await _until(lambda model=model: model.results.rowCount() == count)
        view.grab()
        print(f"{name}: {1000 * (time.perf_counter() - began):.0f} ms to the painted grid", flush=True)
        if name == "opened again":
            await _give_pictures(library, home)
            await _type(model, view)
            await _scroll(model, view)
        await model.aclose()
        await library.aclose()
        view.hide()
    await service.aclose()
    await workers.aclose()


async def _give_pictures(library: Library, home: Path) -> None:
    """One picture for all of them: the videos are empty."""
    picture = home / "picture.jpg"
    Image.effect_noise((384, 216), 60).convert("RGB").save(picture, quality=80)
    for entry in await library.entries(list(await library.find(Query()))):
        place = library.thumbnails.path(entry)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.link(picture, place)


async def _type(model: LibraryModel, view: LibraryWorkspace) -> None:
    """From the key to the painted grid that shows what fits, and the longest gap of the event loop meanwhile."""
    heard = asyncio.Event()
    model.results_changed.connect(heard.set)
    beats: list[float] = []
    beat = QTimer(interval=5)
    beat.timeout.connect(lambda: beats.append(time.perf_counter()))
    beat.start()
    for text in TYPED:
        took: list[float] = []
        busy: list[float] = []
        found = 0
        for _ in range(ROUNDS):
            heard.clear()
            if text[:-1]:
                view.filters.search.setText(text[:-1])
                await heard.wait()
                await asyncio.sleep(0.1)
            heard.clear()
            began, worked = time.perf_counter(), time.process_time()
            view.filters.search.setText(text)
            await heard.wait()
            view.grid.viewport().repaint()
            found = model.results.rowCount()
            took.append(1000 * (time.perf_counter() - began))
            busy.append(1000 * (time.process_time() - worked))
            heard.clear()
            view.filters.search.clear()
            await heard.wait()
            await asyncio.sleep(0.1)
        print(f"“{text}” ({found:,}): median {median(took):.1f} ms, {median(busy):.1f} ms of it processor time")
    gaps = [1000 * (b - a) - 5 for a, b in itertools.pairwise(beats)]
    print(f"longest gap of the loop while typing: {max(gaps):.0f} ms")


async def _scroll(model: LibraryModel, view: LibraryWorkspace) -> None:
    """Page by page through all of it: how long a repaint takes."""
    took: list[float] = []
    bar = view.grid.verticalScrollBar()
    for at in range(0, bar.maximum(), max(1, bar.maximum() // 100)):
        bar.setValue(at)
        await asyncio.sleep(0.01)
        began = time.perf_counter()
        view.grid.viewport().repaint()
        took.append(1000 * (time.perf_counter() - began))
    print(f"repaint while scrolling: median {median(took):.1f} ms, worst {max(took):.1f} ms")


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.002)


def main() -> None:
    """Run in a home of its own."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory(prefix="h3studio-") as home:
        for name in ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "VIDEOS_DIR"):
            os.environ[f"XDG_{name}"] = str(Path(home) / name)
        print(f"{count:,} results; load {os.getloadavg()[0]:.1f}")
        app = QApplication([])
        palette.apply(app, "dark")
        loop = EventLoop(app)
        asyncio.set_event_loop(loop)
        with loop:
            loop.run_until_complete(measure(Path(home), count))


if __name__ == "__main__":
    forget_main()
    main()
