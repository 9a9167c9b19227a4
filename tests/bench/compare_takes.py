"""Nine takes at once, 256×256 and 1344×768, 15 s each, through the page itself (painted offscreen).

    python -m tests.bench.compare_takes [SECONDS]

Says when the first pictures stand there, when all is read, the memory of all processes, and how playback goes: how many
of the positions were not shown, and the longest run of positions in a row that were not.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PySide6.QtWidgets import QApplication

from studio.core.notices import Notices
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.waiting import until
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel
from ui.loop import EventLoop
from ui.theme import palette

TAKES, FRAMES = 9, 362


async def measure(folder: Path, width: int, height: int, seconds: float) -> None:
    """One size: open, wait until all is read, play."""
    clip = barcode.write(folder / f"{width}.mp4", frames=FRAMES, width=width, height=height, gop=250, b_frames=3)
    workers = Workers()
    model = CompareModel(workers, Notices())
    page = CompareWorkspace(model)
    page.resize(1368, 830)
    page.show()
    takes = model.takes
    try:
        began = time.perf_counter()
        takes.open([clip] * TAKES)
        await until(lambda: takes.takes and all(take.picture is not None for take in takes.takes), within=120)
        first = time.perf_counter() - began
        peak = 0.0
        while takes.ready < 1:
            peak = max(peak, _uss())
            await asyncio.sleep(0.2)
        read = time.perf_counter() - began
        peak = max(peak, _uss())
        shown: list[int] = []
        takes.shown_changed.connect(lambda: shown.append(takes.shown))
        takes.playback.play()
        await asyncio.sleep(seconds)
        takes.playback.pause()
        steps = [b - a for a, b in itertools.pairwise(shown) if b != a]
        dropped = sum(step - 1 for step in steps)
        in_step = len({barcode.read(take.picture) for take in takes.takes if take.picture is not None}) == 1
        print(
            f"{TAKES} × {width}×{height}: first pictures {first:.1f} s, all read {read:.1f} s, {peak:.0f} MiB; "
            f"{dropped} of {sum(steps)} positions not shown in {seconds:.0f} s, at most {max(steps) - 1} in a row; "
            f"all in step: {in_step}; load {os.getloadavg()[0]:.1f}"
        )
    finally:
        page.hide()
        await model.aclose()
        await workers.aclose()
        page.deleteLater()


def _uss() -> float:
    """Memory of this process and its children that is theirs alone, MiB."""
    total = 0
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        try:
            total += process.memory_full_info().uss
        except psutil.Error:
            continue
    return total / 2**20


async def _main(seconds: float) -> None:
    with tempfile.TemporaryDirectory(prefix="h3studio-takes-") as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for width, height in ((256, 256), (1344, 768)):
            await measure(Path(folder), width, height, seconds)


if __name__ == "__main__":
    app = QApplication([])
    palette.apply(app, "dark")
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(_main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0))
