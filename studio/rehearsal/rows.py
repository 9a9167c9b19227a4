"""How many rows (tokens) a plan puts into every denoise step, and how long a step of so many rows takes.

Stated from the packer of vllm-omni 0.30.0 as measured: one row for each 32×32 px of each latent picture. Text is
estimated at four characters a row; the rest is exact but for rounding in the vision encoder's share of long clips.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from studio.rehearsal.rules import FPS, Plan, canvas_of

PICTURE_EDGE = 2048  # px, short edge of every Ref2VA picture
VISION_PIXELS = 25_165_824  # the vision encoder's budget for one clip: frames × width × height
ATTENTION_ROWS = 27_000  # where attention costs as much as everything else


def count(plan: Plan) -> int:
    """All rows of a step, padded to a multiple of 64."""
    rows = _latents(plan.frames) * _patches(plan.width, plan.height)
    rows += 2 * round(40 * plan.frames / FPS) + len(plan.prompt) // 4
    if plan.task == "fl2va":
        rows += 2 * len(plan.images) * _patches(plan.width, plan.height)
    if plan.task == "ref2va":
        rows += sum(2 * _patches(*_picture(image.width / image.height)) + 8 for image in plan.images)
        rows += sum(_clip(segment.width / segment.height, segment.duration, plan.frames) for segment in plan.clips)
        rows += sum(_sound(min(segment.duration, plan.frames / FPS)) for segment in plan.clips if segment.has_sound)
        rows += sum(_sound(min(seconds, plan.frames / FPS)) for seconds in plan.sound_seconds)
    return math.ceil(rows / 64) * 64


@dataclass(frozen=True)
class Pace:
    """`step_seconds` for every step, or `row_seconds` = k of k·N·(1 + N/27 000) for N rows."""

    step_seconds: float
    row_seconds: float | None = None

    def of(self, rows: int) -> float:
        """Seconds of one step of so many rows."""
        if self.row_seconds is None:
            return self.step_seconds
        return self.row_seconds * rows * (1 + rows / ATTENTION_ROWS)


def _latents(frames: int) -> int:
    return (frames - 5) // 17 * 5 + 2


def _patches(width: int, height: int) -> int:
    return (width // 32) * (height // 32)


def _sound(seconds: float) -> int:
    return 2 * math.ceil(40 * seconds)


def _picture(ratio: float) -> tuple[int, int]:
    return round(max(ratio, 1.0) * PICTURE_EDGE / 32) * 32, round(max(1 / ratio, 1.0) * PICTURE_EDGE / 32) * 32


def _clip(ratio: float, seconds: float, output_frames: int) -> int:
    """Latents of the frames that are looked at, and the vision encoder's view of every twelfth of them."""
    width, height = canvas_of(ratio)
    frames = min(round(FPS * seconds), output_frames)
    pairs = math.ceil(math.ceil(frames / 12) / 2)
    shrunk = min(1.0, VISION_PIXELS / (2 * pairs * width * height))
    seen = pairs * (int(_patches(width, height) * shrunk) + 9)
    return _latents(frames) * _patches(width, height) + seen
