"""Preparing, seeking and memory, measured against ffmpeg and plain PyAV in turn, in one run.

    python -m tests.bench.media_speed prepare|seek|memory [ROUNDS]

Prints medians, all values and the machine's load. `prepare` and `memory` need `ffmpeg` on PATH.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import av
import numpy as np
import psutil

from studio.contract.shot import Reference
from studio.media.frames import Clip
from studio.media.prepare import Prepared, prepare
from studio.media.probe import probe
from studio.media.samples import write_clip
from studio.media.workers import Workers

_X264 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-pix_fmt", "yuv420p"]
_LARGE = "testsrc2=size=3840x2160:rate=30:duration=60"


async def measure_prepare(folder: Path, rounds: int) -> None:
    """1080p60 → 540p24, 10 s with sound, probe and receipt included, against one ffmpeg command."""
    workers = Workers(1)
    try:
        for name, preset in (("with B-frames", "veryfast"), ("without", "ultrafast")):
            source = folder / f"{preset}.mp4"
            write_clip(source, seconds=10, width=1920, height=1080, fps=60, gop=60, preset=preset, drawn_width=480)
            theirs, ours, work = [], [], []
            for n in range(rounds + 1):
                other, marks = folder / f"ffmpeg-{n}.mp4", [_cpu_seconds()]
                theirs.append(
                    await _timed(lambda other=other, source=source: asyncio.to_thread(_ffmpeg, source, other))
                )
                marks.append(_cpu_seconds())
                start = time.perf_counter()
                made = await _prepared(workers, source, folder / f"{preset}-{n}")
                ours.append(time.perf_counter() - start)
                marks.append(_cpu_seconds())
                work.append((marks[2] - marks[1]) / (marks[1] - marks[0]))
            _report(f"prepare, {name}", ours[1:], theirs[1:], "ffmpeg")
            print(f"  processor time: ratio {statistics.median(work[1:]):.2f}")
            mine, peer = _psnr(source, made.output), _psnr(source, other)
            print(f"  PSNR {mine:.2f} dB, ffmpeg {peer:.2f} dB ({mine - peer:+.2f} dB)")
    finally:
        await workers.aclose()


async def measure_seek(folder: Path, rounds: int) -> None:
    """Random pictures of a 1344 × 768 clip of 362 with one key frame in 250: just opened, and from the cache."""
    source = folder / "a.mp4"
    write_clip(source, seconds=362 / 24, width=1344, height=768, gop=250, preset="medium", drawn_width=448)
    rng, exact, plain = random.Random(1), [], []
    for _ in range(rounds * 4):
        n = rng.randrange(250, 362) if rng.random() < 0.3 else rng.randrange(60, 250)
        clip = await Clip.open(source, folder=folder / "cache")
        exact.append(await _timed(lambda clip=clip, n=n: clip.frame(n)))
        await clip.aclose()
        plain.append(await _timed(lambda n=n: asyncio.to_thread(_plain_seek, source, n)))
    _report("exact picture, nothing cached", exact, plain, "plain seek")
    for part in (50, 95):
        print(f"  p{part}: ratio {np.percentile(exact, part) / np.percentile(plain, part):.2f}")
    near = [await _until_near(source, folder, n) for n in rng.sample(range(60, 362), rounds * 4)]
    print(f"a picture near it: {_percentiles(near)}")
    twins = [source, folder / "b.mp4"]
    shutil.copy(source, twins[1])
    whole, decoded = [], []
    for _ in range(rounds):
        clips = [await Clip.open(path, folder=folder / "cache") for path in twins]
        whole.append(await _timed(lambda clips=clips: asyncio.gather(*(clip.whole() for clip in clips))))
        await asyncio.gather(*(clip.aclose() for clip in clips))
        decoded.append(
            await _timed(lambda: asyncio.gather(*(asyncio.to_thread(_decode_whole, path) for path in twins)))
        )
    _report("two clips cached", whole, decoded, "PyAV decoding both to BGRA")
    clip = await Clip.open(source, folder=folder / "cache")
    await clip.whole()
    cached = [await _timed(lambda n=n: clip.frame(n)) for n in rng.sample(range(362), 100)]
    await clip.aclose()
    print(f"from the cache: {_percentiles(cached)}")


async def _until_near(source: Path, folder: Path, n: int) -> float:
    """Seconds until a clip just opened has some picture to show in place of n, which is asked for."""
    clip = await Clip.open(source, folder=folder / "cache")
    start = time.perf_counter()
    wish = asyncio.create_task(clip.frame(n))
    while clip.nearest(n) is None:
        await asyncio.sleep(0.001)
    took = time.perf_counter() - start
    await wish
    await clip.aclose()
    return took


def _decode_whole(source: Path) -> None:
    with av.open(str(source)) as box:
        stream = box.streams.video[0]
        stream.thread_type = "AUTO"
        for frame in box.decode(stream):
            frame.to_ndarray(format="bgra")


async def measure_memory(folder: Path, rounds: int) -> None:
    """Eight 1080p60 clips prepared at once, then 15 s of a 4K source of 60 s: the most that was resident."""
    first = folder / "a.mp4"
    write_clip(first, seconds=10, width=1920, height=1080, fps=60, gop=60, preset="ultrafast", drawn_width=480)
    large = folder / "large.mp4"
    make = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", _LARGE, "-c:v", "libx264", "-preset", "ultrafast"]
    await asyncio.to_thread(subprocess.run, [*make, str(large)], check=True)
    for name, paths, ends in (("8 clips", [first] * 8, [None]), ("60 s of 4K", [large], [15.0, None])):
        for end in ends:
            workers = Workers()
            peak = _Peak()
            watching = asyncio.create_task(peak.watch())
            start = time.perf_counter()
            await asyncio.gather(
                *(_prepared(workers, path, folder / f"{name}-{end}-{n}", end) for n, path in enumerate(paths))
            )
            seconds = time.perf_counter() - start
            watching.cancel()
            await workers.aclose()
            what = f"{name}, cut to {end:g} s" if end else name
            print(f"{what}: {seconds:.1f} s; one worker {peak.one >> 20} MiB, all processes {peak.all >> 20} MiB")
    print(f"load {os.getloadavg()[0]:.1f}")


class _Peak:
    """The largest resident sizes seen, in bytes: of one worker, and of the program with all its workers."""

    def __init__(self) -> None:
        self.one = self.all = 0

    async def watch(self) -> None:
        me = psutil.Process()
        while True:
            sizes = [_resident(child) for child in me.children(recursive=True)]
            self.one = max(self.one, *sizes, 0)
            self.all = max(self.all, sum(sizes) + _resident(me))
            await asyncio.sleep(0.05)


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


async def _prepared(workers: Workers, path: Path, into: Path, end: float | None = None) -> Prepared:
    facts = await probe(workers, path)
    return await prepare(workers, facts, Reference(id="r1", path=path, kind="video", end=end), into)


def _cpu_seconds() -> float:
    """What this program, its workers and all that it waited for have used."""
    me = psutil.Process()
    return sum(sum(process.cpu_times()[:4]) for process in (me, *me.children(recursive=True)))


def _ffmpeg(source: Path, out: Path) -> None:
    scale = ["-vf", "fps=24:round=up,scale=960:540:flags=bicubic"]
    sound = ["-c:a", "aac", "-ar", "32000", "-b:a", "160k", "-movflags", "+faststart"]
    command = ["nice", "-n", "5", "ffmpeg", "-v", "error", "-y", "-i", str(source), *scale, *_X264, *sound, str(out)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def _psnr(source: Path, made: Path) -> float:
    graph = "[0:v]fps=24:round=up,scale=960:540:flags=bicubic[r];[r][1:v]psnr"
    command = ["ffmpeg", "-i", str(source), "-i", str(made), "-lavfi", graph, "-f", "null", "-"]
    said = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True).stderr
    found = re.search(r"average:([\d.]+)", said)
    return float(found.group(1)) if found else float("inf")


def _plain_seek(path: Path, n: int) -> None:
    with av.open(str(path)) as box:
        stream = box.streams.video[0]
        stream.thread_type, stream.codec_context.thread_count = "AUTO", 2
        ticks = round(n / 24 / (stream.time_base or 1))
        box.seek(ticks, stream=stream)
        next(f for f in box.decode(stream) if f.pts is not None and f.pts >= ticks).to_ndarray(format="bgra")


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


def _percentiles(seconds: list[float]) -> str:
    return f"p50 {np.percentile(seconds, 50) * 1000:.1f} ms, p95 {np.percentile(seconds, 95) * 1000:.1f} ms"


def _report(what: str, ours: list[float], theirs: list[float], name: str) -> None:
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    print(f"{what}: ratio {statistics.median(ratios):.2f} {sorted(round(r, 2) for r in ratios)}")
    mine, other, load = statistics.median(ours), statistics.median(theirs), os.getloadavg()[0]
    print(f"  ours {mine:.3f} s, {name} {other:.3f} s, load {load:.1f}")


if __name__ == "__main__":
    benches = {"prepare": measure_prepare, "seek": measure_seek, "memory": measure_memory}
    with tempfile.TemporaryDirectory() as place:
        asyncio.run(benches[sys.argv[1]](Path(place), int(sys.argv[2]) if len(sys.argv) > 2 else 5))
