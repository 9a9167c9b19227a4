"""The viewer of two 362-frame clips at 1344×768: playback, seeking, memory; printed with the machine's load.

    .venv/bin/python -m tests.bench.compare_viewer [ROUNDS]

Playback goes through the workspace's own model and stage, painted offscreen (`QT_QPA_PLATFORM` decides), in difference
mode: frames that were due and not shown in ROUNDS × 15 s at 24 fps, then the rate when nothing holds it back.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import av
import psutil
from PySide6.QtWidgets import QApplication

from studio.core.notices import Notices
from studio.media.frames import Clip
from studio.media.mp4 import Mp4Writer
from studio.media.scene import Scene
from studio.media.workers import Workers
from tests.bench.light import forget_main
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel
from ui.loop import EventLoop
from ui.theme import palette

FRAMES, SIZE = 362, (1344, 768)


async def main(app: QApplication, rounds: int) -> None:
    """Everything, one after the other."""
    palette.apply(app, "dark")
    with tempfile.TemporaryDirectory() as folder:
        a, b = _clip(Path(folder) / "a.mp4", 16), _clip(Path(folder) / "b.mp4", 26)
        print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores", flush=True)
        await _seeks(a)
        sys.stdout.flush()
        workers = Workers()
        model = CompareModel(workers, Notices())
        workspace = CompareWorkspace(model)
        workspace.resize(1368, 860)
        workspace.show()
        try:
            await _jumps(model, a, b)
            started = time.perf_counter()
            model.open(a, b)
            await _until(lambda: model.pair is not None and model.ready == model.pair.positions)
            print(f"both clips cached after {time.perf_counter() - started:.2f} s")
            await _until(lambda: model.comparison is not None)
            print(f"measured after {time.perf_counter() - started:.2f} s")
            model.set_mode("difference")
            await _playback(model, rounds)
            await _flat_out(model)
            _memory()
        finally:
            await model.aclose()
            await workers.aclose()
    print(f"load {os.getloadavg()[0]:.1f}")


async def _jumps(model: CompareModel, a: Path, b: Path) -> None:
    """From the wish to the exact pictures of both on the stage, beginning at once when the pair is open."""
    model.open(a, b)
    await _until(lambda: model.pair is not None)
    took = []
    for number in (57, 56, 119, 0, *random.Random(3).choices(range(FRAMES), k=30)):
        before = time.perf_counter()
        model.playback.seek(number)
        await _until(lambda number=number: model.shown is not None and model.shown.position == number)
        took.append(time.perf_counter() - before)
    print(f"jumps in the window while it decodes: {_ms(took)}, worst {max(took) * 1000:.0f} ms")


async def _playback(model: CompareModel, rounds: int) -> None:
    dropped, busy = [], []
    for _ in range(rounds):
        shown: set[int] = set()
        watch = model.shown_changed.connect(lambda shown=shown: shown.add(model.shown.position if model.shown else -1))
        model.playback.to_start()
        before, cpu = time.perf_counter(), _cpu()
        model.playback.play(1.0)
        await _until(lambda: not model.playback.playing)
        busy.append((_cpu() - cpu) / (time.perf_counter() - before))
        model.shown_changed.disconnect(watch)
        dropped.append(FRAMES - len(shown | {0}))
    cores = statistics.median(busy)
    print(f"playback: dropped {dropped} of {FRAMES} frames each, {sum(dropped)} in all, processor {cores:.2f} cores")


async def _flat_out(model: CompareModel) -> None:
    before = time.perf_counter()
    for position in range(FRAMES):
        model.playback.seek(position)
        await _until(lambda position=position: model.shown is not None and model.shown.position == position)
    print(f"not held back: {FRAMES / (time.perf_counter() - before):.1f} frames a second")


async def _seeks(path: Path) -> None:
    """Exact frames in random order: right after opening, from the cache, and by a plain PyAV seek."""
    numbers = random.Random(1).sample(range(FRAMES), 12)
    plain = [_plain_seek(path, n) for n in numbers]
    cold = []
    for n in numbers:
        clip = await Clip.open(path)
        before = time.perf_counter()
        await clip.frame(n)
        cold.append(time.perf_counter() - before)
        await clip.aclose()
    clip = await Clip.open(path)
    await clip.whole()
    warm = []
    for n in random.Random(2).choices(range(FRAMES), k=200):
        before = time.perf_counter()
        await clip.frame(n)
        warm.append(time.perf_counter() - before)
    await clip.aclose()
    ratio = statistics.median(cold) / statistics.median(plain)
    print(f"seek, GOP 250: plain PyAV {_ms(plain)}; right after opening {_ms(cold)} ({ratio:.2f} ×)")
    print(f"from the cache: {_ms(warm)}")


def _plain_seek(path: Path, n: int) -> float:
    before = time.perf_counter()
    with av.open(str(path)) as box:
        stream = box.streams.video[0]
        stream.thread_type = "AUTO"
        base = float(stream.time_base or 1)
        box.seek(round(n / 24 / base), stream=stream)
        for frame in box.decode(stream):
            if frame.pts is not None and round(frame.pts * base * 24) >= n:
                frame.to_ndarray(format="bgra")
                break
    return time.perf_counter() - before


def _memory() -> None:
    me = psutil.Process()
    parts = {p.pid: p.memory_full_info().uss for p in (me, *me.children(recursive=True))}
    total = sum(parts.values()) / 2**20
    print(f"memory (USS) of the window {parts[me.pid] / 2**20:.0f} MiB, with its workers {total:.0f} MiB")


def _clip(path: Path, crf: int) -> Path:
    scene = Scene(*SIZE, seed=3)
    with Mp4Writer(path, *SIZE, preset="veryfast", crf=crf) as writer:
        for n in range(FRAMES):
            writer.frame(scene.picture(n / 24))
    return path


def _cpu() -> float:
    me = psutil.Process()
    return sum(sum(p.cpu_times()[:2]) for p in (me, *me.children(recursive=True)))


def _ms(values: list[float]) -> str:
    ordered = sorted(values)
    return f"p50 {statistics.median(values) * 1000:.1f} ms, p95 {ordered[int(len(ordered) * 0.95)] * 1000:.1f} ms"


async def _until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.002)


if __name__ == "__main__":
    forget_main()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication(sys.argv)
    loop = EventLoop(application)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(main(application, int(sys.argv[1]) if len(sys.argv) > 1 else 5))
