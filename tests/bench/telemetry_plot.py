"""Eight cards at ten looks a second for an hour: what taking them in, painting and keeping them costs.

QT_QPA_PLATFORM=offscreen python -m tests.bench.telemetry_plot
"""

from __future__ import annotations

import gc
import math
import os
import statistics
import time
from dataclasses import replace

import psutil
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from studio.telemetry import Card, GpuReading, HostReading, Recording, Sample
from ui.queue.stages import Stage
from ui.queue.time_axis import TimeAxisView
from ui.queue.timeline import Timeline
from ui.theme.palette import apply

GIB, CARDS, HERTZ = 1 << 30, 8, 10
BEGAN = 1_000_000.0
KNOWN = tuple(Card(i, "H200", f"GPU-{i}", total=141 * GIB) for i in range(CARDS))


def look(recording: Recording, n: int) -> None:
    """Sample `n`: a slow wave with a ripple, so that no two buckets are alike."""
    wave = 60 + 20 * math.sin(n / 900) + 3 * math.sin(n / 3)
    readings = tuple(GpuReading(int((wave + i) * GIB), 95 + n % 5, 600 + n % 90, 50 + n % 20) for i in range(CARDS))
    recording.add_sample(Sample(BEGAN + n / HERTZ, KNOWN, readings, HostReading(10 * GIB, 64 * GIB)))
    if n % 60 == 0:
        recording.add_step(n / HERTZ, n // 60, 600, 6 + (n % 7) / 10 if n else None)


def rss() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / (1 << 20)


def painted(view: TimeAxisView, target: QImage, times: int = 60) -> tuple[float, float]:
    """Median and 95th percentile of a repaint's processor time, ms."""
    spent = []
    for _ in range(times):
        began = time.thread_time()
        QWidget.render(view, target)
        spent.append((time.thread_time() - began) * 1e3)
    return statistics.median(spent), sorted(spent)[int(0.95 * times)]


def main() -> None:
    app = QApplication.instance() or QApplication([])
    apply(app, "dark")  # type: ignore[arg-type]
    print(f"load {os.getloadavg()[0]:.1f}")
    points()
    before, recording = rss(), Recording(BEGAN)
    began = time.process_time()
    for n in range(3600 * HERTZ):
        look(recording, n)
    hour, took = rss(), time.process_time() - began
    print(f"an hour: {hour - before:.1f} MiB, {took / 36000 * 1e3:.3f} ms a look of {CARDS} cards")
    timeline = shown(recording)
    view, target = plot(timeline)
    print("whole hour: median {:.2f}, p95 {:.2f} ms".format(*painted(view, target)))
    view.set_cursor(BEGAN + 1800)
    print("with the read-out: median {:.2f}, p95 {:.2f} ms".format(*painted(view, target)))
    view.zoom(1 / 30, BEGAN + 1800)
    print("two minutes of it: median {:.2f}, p95 {:.2f} ms".format(*painted(view, target)))
    view.show_whole()
    for key in ("load", "power", "heat"):
        view.set_lane(key, True)
    target = fitted(view)
    print("with load, power, temperature: median {:.2f}, p95 {:.2f} ms".format(*painted(view, target)))
    for key in ("load", "power", "heat"):
        view.set_lane(key, False)
    share(view, recording, timeline)
    looks, early = range(36_600, 36_600 + 24 * 3600), rss()
    for n in looks:
        look(recording, n)
        if n % 10 == 0:
            view.set_timeline(replace(timeline, now=BEGAN + n / HERTZ))
        if n % 100 == 0:
            QWidget.render(view, target)
        if n == looks[len(looks) // 2]:
            half = rss()
    print(f"{len(looks)} looks and {len(looks) // 10} states later: {half - early:+.1f}, then {rss() - half:+.1f} MiB")


def points() -> None:
    """Eight curves of 3,600 points: an hour at one look a second."""
    recording = Recording(BEGAN)
    for n in range(3600):
        look(recording, n * HERTZ)
    view, target = plot(shown(recording))
    print("8 curves of 3600 points: median {:.2f}, p95 {:.2f} ms".format(*painted(view, target)))


def shown(recording: Recording) -> Timeline:
    """A run in its hour, with as long a one behind it."""
    now = BEGAN + 3600
    stages = [Stage("prepare", BEGAN, BEGAN + 20), Stage("denoise", BEGAN + 20, now)]
    return Timeline(stages, now=now, left=(300.0, 400.0), recording=recording, ghost=recording, running=True)


def plot(timeline: Timeline) -> tuple[TimeAxisView, QImage]:
    view = TimeAxisView()
    view.set_timeline(timeline)
    view.resize(1000, view.sizeHint().height())
    return view, fitted(view)


def fitted(view: TimeAxisView) -> QImage:
    view.resize(1000, view.sizeHint().height())
    return QImage(view.size(), QImage.Format.Format_RGB32)


def share(view: TimeAxisView, recording: Recording, timeline: Timeline) -> None:
    """Ten looks and four repaints a second, as in the window: processor time of this thread over 60 such seconds."""
    target = fitted(view)
    began = time.thread_time()
    for second in range(60):
        for tenth in range(HERTZ):
            look(recording, 36_000 + second * HERTZ + tenth)
        for quarter in range(4):
            view.set_timeline(replace(timeline, now=timeline.now + second + quarter / 4))
            QWidget.render(view, target)
    print(f"10 looks and 4 repaints a second: {100 * (time.thread_time() - began) / 60:.2f} % of the GUI thread")


if __name__ == "__main__":
    main()
