"""How fast and how exactly an area follows what moves under it, and what one act on marks costs the loop.

Run: `python -m tests.bench.compose_follow`. Figures: compose.md.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

import av
import numpy as np

from studio.contract import Canvas, Reference, Request, Shot, load_limits
from studio.contract.keep_change import KeepChange, PictureMarks, Stroke, StrokeKey
from studio.media.follow import follow
from studio.media.probe import probe_file
from studio.media.workers import Workers
from ui.compose.judgement import judge

FRAMES, WIDTH, HEIGHT = 362, 1344, 768


def place(n: int) -> tuple[float, float]:
    """Where the square is in picture n: pixels from the left and from the top."""
    return 40 + 2 * n, 300 + 100 * np.sin(n / 30)


def moving_square(path: Path) -> Path:
    """A textured square on its way over a textured ground."""
    rng = np.random.default_rng(1)
    ground = rng.integers(60, 190, (HEIGHT // 16, WIDTH // 16, 3), np.uint8).repeat(16, 0).repeat(16, 1)
    square = rng.integers(30, 230, (24, 24, 3), np.uint8).repeat(8, 0).repeat(8, 1)
    with av.open(str(path), "w") as box:
        stream = box.add_stream("libx264", rate=24, options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for n in range(FRAMES):
            image, (x, y) = ground.copy(), (int(v) for v in place(n))
            image[y : y + 192, x : x + 192] = square
            box.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        box.mux(stream.encode(None))
    return path


async def following(path: Path) -> None:
    """Time of one way through the clip, and the worst error."""
    workers, stroke = Workers(), Stroke(radius=0.1, points=((0.1, 0.51),))
    began = time.perf_counter()
    found = await follow(workers, path, stroke, 0.0, range(FRAMES), lambda _fraction: None)
    seconds = time.perf_counter() - began
    x0, y0 = place(0)
    errors = [
        max(abs(dx * WIDTH - (place(n)[0] - x0)), abs(dy * HEIGHT - (place(n)[1] - y0))) for n, dx, dy in found.shifts
    ]
    await workers.aclose()
    print(f"follow {FRAMES} pictures: {seconds:.1f} s, worst error {max(errors):.1f} px, lost at {found.lost}")


def one_act(path: Path) -> None:
    """What the rules cost after an act on marks (masks made anew), and while nothing is new: processor time."""
    facts, limits = probe_file(path), load_limits()
    points = tuple((round(0.2 + 0.5 * n / 40, 4), 0.5) for n in range(40))

    def shot(act: int) -> Shot:
        keys = tuple(StrokeKey(time=n / 6, dx=0.001 * (n + act)) for n in range(90))
        marks = PictureMarks(rest=0, areas=(Stroke(radius=0.06, points=points, keys=keys),))
        clip = Reference(id="r1", path=path, kind="video", edit=KeepChange(picture=marks))
        return Shot(prompt="a", frames=345, canvas=Canvas(aspect="16:9"), references=(clip,))

    def judged(one: Shot) -> float:
        began = time.process_time()
        judge(Request(one, limits, {"r1": facts}))
        return (time.process_time() - began) * 1000

    judged(shot(0))  # what the first act of all brings in is no part of it
    last = shot(0)
    for name, shots in (("new marks", [shot(n) for n in range(1, 22)]), ("the same marks", [last] * 21)):
        took = sorted(map(judged, shots))
        print(f"rules with {name}: {took[10]:.1f} ms, worst of 21 {took[-1]:.1f} ms")


def main() -> None:
    """Print the figures."""
    print(f"load {os.getloadavg()[0]:.0f}")
    with tempfile.TemporaryDirectory() as folder:
        path = moving_square(Path(folder) / "moving.mp4")
        asyncio.run(following(path))
        one_act(path)


if __name__ == "__main__":
    main()
