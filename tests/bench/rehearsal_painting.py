"""How long the rehearsal's pictures take beside their encoding: 15 s at 1344×768, steps of 0 s, each mode and look.

    python -m tests.bench.rehearsal_painting [ROUNDS]

The bar is 1.5: the whole job (probing, painting, encoding) against the encoding of the same pictures alone, which are
painted beforehand in pieces outside the clock. Both are run in turn; the median counts.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
from PIL import Image

from studio.media.mp4 import Mp4Writer
from studio.rehearsal.edit_upload import EditUpload
from studio.rehearsal.encoding import COMMENT, begin_painting, write_result
from studio.rehearsal.faults import Faults
from studio.rehearsal.paint import SOUND_RATE
from studio.rehearsal.records import Job
from studio.rehearsal.request import VideoGenerationRequest
from studio.rehearsal.rules import Plan, resolve
from studio.rehearsal.uploads import References

PIECE = 48  # pictures held in memory at once


def whole_job(request: VideoGenerationRequest, references: Callable[[], References], path: Path) -> float:
    """Seconds from the request to the file."""
    began = time.perf_counter()
    plan = resolve(request, references(), 1)
    write_result(path, begin_painting(plan, Faults()), Job(request, References(), "m"), Faults(), lambda: False)
    return time.perf_counter() - began


def encoding_alone(plan: Plan, path: Path) -> float:
    """Seconds in the encoder for the same pictures and sound."""
    painting = begin_painting(plan, Faults())
    pictures, spent = painting.frames(), 0.0
    with Mp4Writer(path, plan.width, plan.height, Fraction(24), SOUND_RATE, COMMENT) as writer:
        per_frame, done = SOUND_RATE / 24, 0
        while piece := list(itertools.islice(pictures, PIECE)):
            began = time.perf_counter()
            for picture in piece:
                writer.frame(picture)
                writer.sound(painting.sound[:, round(done * per_frame) : round((done + 1) * per_frame)])
                done += 1
            spent += time.perf_counter() - began
        began = time.perf_counter()
    return spent + time.perf_counter() - began  # the last frames leave the encoder as it closes


def make_clip(path: Path) -> Path:
    """15 s of 1280×720 H.264: a drifting pattern."""
    pattern = np.random.default_rng(1).integers(0, 255, (45, 80, 3)).repeat(16, 0).repeat(16, 1).astype(np.uint8)
    with Mp4Writer(path, 1280, 720, 24) as writer:
        for index in range(360):
            writer.frame(np.roll(pattern, 3 * index, axis=1))
    return path


def main(rounds: int) -> None:
    """Print one line a case."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clip = make_clip(folder / "clip.mp4")
        stills = [Image.fromarray(np.full((768, 1344, 3), shade, np.uint8)) for shade in (60, 200)]
        part = np.zeros((107, 24, 42), np.float32)
        part[:, 5:15, 10:30] = 1
        edit = EditUpload(video_mask=part.tolist(), source_video=clip)
        cases: dict[str, tuple[str, Callable[[], References]]] = {
            "t2va": ("t2va", References),
            "fl2va": ("fl2va", lambda: References(images=list(stills))),
            "ref2va, plain": ("ref2va", lambda: References(videos=[clip])),
            "ref2va, fog": ("ref2va", lambda: References(videos=[clip])),
            "ref2va, snow": ("ref2va", lambda: References(videos=[clip])),
            "ref2va, picture": ("ref2va", lambda: References(images=stills[:1])),
            "t2va, a part of a clip": ("t2va", lambda: References(edit=edit)),
        }
        for title, (task, references) in cases.items():
            extra = {"task": task}
            request = VideoGenerationRequest(prompt=title, seconds="15", aspect_ratio="16:9", extra_params=extra)
            plan = resolve(request, references(), 1)
            jobs, alone = [], []
            for _ in range(rounds):
                alone.append(encoding_alone(plan, folder / "a.mp4"))
                jobs.append(whole_job(request, references, folder / "b.mp4"))
            job, encoder = statistics.median(jobs), statistics.median(alone)
            print(f"{title:16} job {job:5.2f} s  encoding {encoder:5.2f} s  ratio {job / encoder:.2f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
