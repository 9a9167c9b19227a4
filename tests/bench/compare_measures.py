"""Measures of 362 pairs at 1344×768: this room against ffmpeg's psnr and ssim filters, in turn, in one run.

From files, and from the frames that a viewer has decoded already. `first` is what those filters tell, and MAD: the
figures that people see come. `whole` is that and all that comes after it: colour fit, motion, sound, faults, verdict.

    .venv/bin/python -m tests.bench.compare_measures [ROUNDS]

Prints wall and processor seconds of each, their ratios, and the machine's load. Needs `ffmpeg` on PATH.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from studio.compare.comparison import compare_files, unheard
from studio.compare.decode import Decoded, read_timeline
from studio.compare.measured import Stores, measure, open_clips
from studio.compare.rows import RowWriter
from studio.media.frame_store import Shared
from studio.media.frames import Clip
from studio.media.mp4 import Mp4Writer
from studio.media.scene import Scene

FRAMES, SIZE = 362, (1344, 768)


def main(rounds: int) -> None:
    """Write two clips and measure them `rounds` times both ways."""
    with tempfile.TemporaryDirectory() as folder:
        a, b = Path(folder) / "a.mp4", Path(folder) / "b.mp4"
        _write_clips(a, b)
        asyncio.run(_measure(a, b, rounds))


async def _measure(a: Path, b: Path, rounds: int) -> None:
    started = time.perf_counter()
    clips = [await Clip.open(path) for path in (a, b)]
    stores = await asyncio.gather(*(clip.whole() for clip in clips))
    both = _decoded(a, stores[0]), _decoded(b, stores[1])
    print(f"both clips decoded into the viewer's store: {time.perf_counter() - started:.2f} s wall")
    ways: dict[str, Callable[[], object]] = {
        "ffmpeg": lambda: _ffmpeg(a, b),
        "files, first": lambda: _first(a, b, None),
        "files, whole": lambda: compare_files(a, b),
        "cached, first": lambda: _first(a, b, both),
        "cached, whole": lambda: compare_files(a, b, stores=both),
    }
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            runs[name].append(_timed(way))
    for clip in clips:
        await clip.aclose()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {rounds} rounds, median (all)")
    for index, kind in enumerate(("wall", "cpu")):
        for name, timed in runs.items():
            seconds = [run[index] for run in timed]
            ratios = [mine / other[index] for mine, other in zip(seconds, runs["ffmpeg"], strict=True)]
            print(f"{kind:4} {name:14} {_said(seconds)} s   / ffmpeg {_said(ratios)}")


def _said(values: list[float]) -> str:
    return f"{statistics.median(values):5.2f} {[round(value, 2) for value in values]}"


def _first(a: Path, b: Path, stores: Stores) -> None:
    with closing(open_clips(a, b, stores)) as clips, RowWriter(None) as rows:
        measure(clips, 0, unheard, rows)


def _decoded(path: Path, shared: Shared | None) -> Decoded:
    assert shared is not None
    return Decoded(shared, read_timeline(path))


def _write_clips(a: Path, b: Path) -> None:
    scene = Scene(*SIZE, seed=3)
    with Mp4Writer(a, *SIZE, preset="veryfast", crf=16) as first, Mp4Writer(b, *SIZE, preset="fast", crf=26) as second:
        for n in range(FRAMES):
            picture = scene.picture(n / 24)
            first.frame(picture)
            second.frame(255 - (255 - picture) // 2)


def _ffmpeg(a: Path, b: Path) -> None:
    graph = "[0:v]split[a1][a2];[1:v]split[b1][b2];[a1][b1]psnr[p];[a2][b2]ssim[s]"
    outputs = ["-map", "[p]", "-f", "null", "-", "-map", "[s]", "-f", "null", "-"]
    command = ["ffmpeg", "-v", "error", "-i", str(a), "-i", str(b), "-lavfi", graph, *outputs]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    before, cpu = time.perf_counter(), _cpu()
    work()
    return time.perf_counter() - before, _cpu() - cpu


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
