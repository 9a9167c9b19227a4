"""Log view: a million lines, live at 5,000 lines a second; prints memory, event-loop gaps and search time.

python tests/bench/server_log.py
"""

from __future__ import annotations

import os
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = "pyside6"

import psutil
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from ui.server.log_view import LogView

LINE = "(DiffusionWorker pid=4242) INFO 11-29 13:09:44 [x.py:{n}] a line of the usual length for a server's log"


def main() -> None:
    app = QApplication([])
    view = LogView()
    view.resize(900, 600)
    view.show()
    app.processEvents()
    before = psutil.Process().memory_info().rss
    began = time.perf_counter()
    for start in range(0, 1_000_000, 5000):
        view.restart([]) if start == 0 else None
        view.extend([LINE.format(n=n) for n in range(start, start + 5000)])
        app.processEvents()
    seconds = time.perf_counter() - began
    grown = (psutil.Process().memory_info().rss - before) / (1 << 20)
    print(f"{view.lines.rowCount():,} lines in {seconds:.1f} s, {grown:.0f} MiB more")
    gaps: list[float] = []
    state = {"last": time.process_time(), "sent": 0}
    started = time.monotonic()

    def tick() -> None:
        now = time.process_time()
        gaps.append(now - state["last"])
        while state["sent"] < (time.monotonic() - started) * 5000:
            view.append(LINE.format(n=state["sent"]))
            state["sent"] += 1
        state["last"] = time.process_time()
        if state["sent"] > 25_000:
            app.quit()

    timer = QTimer(interval=5)
    timer.timeout.connect(tick)
    timer.start()
    app.exec()
    gaps.sort()
    print(
        f"5,000 lines/s on top of them: p99 {gaps[int(len(gaps) * 0.99)] * 1e3:.1f} ms, worst {gaps[-1] * 1e3:.1f} ms"
    )
    began = time.perf_counter()
    assert view.lines.find("not to be found", -1) is None
    print(f"search through all of it: {(time.perf_counter() - began) * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
