"""Frames laid out from left to right: the one mapping that timeline and curves share, so that they line up."""

from __future__ import annotations

from dataclasses import dataclass

GUTTER = 56
"""Room for labels left of a curve, in device-independent pixels; the timeline above keeps it free."""
GRID = 17
"""H3 works in blocks of 17 frames (facts of the model: lengths are 17n+5)."""


@dataclass(frozen=True, slots=True)
class FrameAxis:
    """`frames` frames between the pixels `left` and `right` of a widget; each frame sits in its middle."""

    frames: int
    left: float
    right: float

    @property
    def step(self) -> float:
        """Pixels between two neighbouring frames."""
        return (self.right - self.left) / max(1, self.frames)

    def x(self, frame: float) -> float:
        """Where a frame's middle is."""
        return self.left + (frame + 0.5) * self.step

    def frame(self, x: float) -> int:
        """The frame at `x`, kept inside 0…frames−1."""
        return max(0, min(self.frames - 1, int((x - self.left) / self.step))) if self.frames else 0

    def grid(self) -> range:
        """First frames of the 17-frame blocks, thinned so that lines stay 6 px apart."""
        every = GRID
        while every * self.step < 6 and every < self.frames:
            every *= 2
        return range(0, self.frames, every)
