"""Measures of 362 pairs at 1344×768: this room against ffmpeg's psnr and ssim filters, in turn, in one run.

    .venv/bin/python tests/bench/compare_measures.py [ROUNDS]

Prints wall and processor seconds of each, their ratios, and the machine's load. Needs `ffmpeg` on PATH.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from studio.compare.comparison import compare_files
from studio.media.mp4 import Mp4Writer
from studio.media.scene import Scene

FRAMES, SIZE = 362, (1344, 768)


def main(rounds: int) -> None:
    """Write two clips and measure them `rounds` times both ways."""
    with tempfile.TemporaryDirectory() as folder:
        a, b = Path(folder) / "a.mp4", Path(folder) / "b.mp4"
        _write_clips(a, b)
        ours, theirs = [], []
        for _ in range(rounds):
            theirs.append(_timed(lambda: _ffmpeg(a, b)))
            ours.append(_timed(lambda: compare_files(a, b)))
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {rounds} rounds, median (all)")
    for name, runs in (("ffmpeg", theirs), ("studio", ours)):
        for kind, values in zip(("wall", "cpu"), zip(*runs, strict=True), strict=True):
            print(f"{name} {kind:4} {statistics.median(values):6.2f} s  {[round(v, 2) for v in values]}")
    for kind, index in (("wall", 0), ("cpu", 1)):
        ratios = [mine[index] / other[index] for mine, other in zip(ours, theirs, strict=True)]
        print(f"ratio {kind:5} {statistics.median(ratios):6.2f}    {[round(r, 2) for r in ratios]}")


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
