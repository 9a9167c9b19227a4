"""How long a key takes in a long prompt, and how long the cost of a full tray takes. Prints milliseconds.

QT_QPA_PLATFORM=offscreen python -m tests.bench.compose_prompt
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.contract import PastRun, cost, edits
from studio.core.notices import Notices
from studio.media.workers import Workers
from tests.helpers.shots import clip, picture, request, sound
from ui.compose import ComposeModel, ComposeWorkspace
from ui.loop import EventLoop

KEYS = 60
RUNS = tuple(PastRun(40_000 + 500 * n, 5.0 + 0.1 * n, 60 << 30) for n in range(40))


def timed(act: Callable[[], object], times: int) -> list[tuple[float, float]]:
    """Milliseconds of each call: by the clock, and of the processor, which tells more on a busy machine."""
    found = []
    for _ in range(times):
        start, worked = time.perf_counter(), time.process_time()
        act()
        found.append(((time.perf_counter() - start) * 1e3, (time.process_time() - worked) * 1e3))
    return found


def told(name: str, found: list[tuple[float, float]]) -> None:
    """Print the middle and the worst but few of both."""
    wall, cpu = (sorted(one) for one in zip(*found, strict=True))
    late = int(len(found) * 0.95)
    print(
        f"{name:44} p50 {statistics.median(wall):6.1f}  p95 {wall[late]:6.1f} ms"
        f"   processor: p50 {statistics.median(cpu):5.1f}  p95 {cpu[late]:5.1f} ms"
    )


def main() -> None:
    """Measure both."""
    app = QApplication([])
    loop = EventLoop(app)
    with loop:
        loop.run_until_complete(typing(app))
    clips = [clip(f"v{n}", 5.0) for n in range(3)]
    full = request(*(picture(f"p{n}") for n in range(7)), *clips, sound("s", 5.0), prompt="rain " * 1_400)
    told("cost of 11 references, 7,000 characters", timed(lambda: cost(full, RUNS), 50))


async def typing(app: QApplication) -> None:
    """Type at the end of prompts of 100,000 characters, in many lines and in one."""
    workers = Workers()
    model = ComposeModel(workers, Notices())
    view = ComposeWorkspace(model)
    view.resize(1208, 684)
    view.show()
    editor = view.prompt.editor
    model.edit(lambda shot: edits.add_references(shot, [(Path("a.mp4"), "video")]), "edit.add")
    for name, text in (
        ("1,000 characters", "rain falls. " * 80),
        ("100,000 characters, 1,000 lines", ("雨 rain falls on the town 🌧 " * 4 + "\n") * 1000),
        ("100,000 characters, one line", "雨 rain falls on the town 🌧 " * 4000),
        ("100,000 characters, right to left", ("גשם יורד על העיר " * 6 + "\n") * 1000),
    ):
        model.edit(model.shot.but(prompt=text), "edit.prompt")
        editor.go_to(len(text))
        app.processEvents()

        def press() -> None:
            QTest.keyClick(editor, "x")
            editor.grab()

        told(f"a key, {name}", timed(press, KEYS))
        await asyncio.sleep(0)
    await model.aclose()
    await workers.aclose()


if __name__ == "__main__":
    main()
