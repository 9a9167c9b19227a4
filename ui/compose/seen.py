"""What the server will look at in a reference: its canvas, its frames, the pictures that its vision encoder gets.

vllm-omni 0.30.0, reference_video.py and preprocessing.py: every clip is stretched to a canvas of 768 short edge, cut to
the output's length and to a rung of 17n+5 frames; the vision encoder takes every 12th frame, two a second.
"""

from __future__ import annotations

from dataclasses import dataclass

from studio.contract import (
    FPS,
    CanvasSize,
    ContractError,
    MediaFacts,
    Reference,
    Request,
    floor_rung,
    planned,
    reference_image_canvas,
    reference_video_canvas,
)
from studio.core.words import tr

EVERY = 12
"""Of the prepared frames, the vision encoder is given every 12th."""


@dataclass(frozen=True, slots=True)
class Seen:
    """`frames` of `sent` are encoded; `moments` are seconds in the source of the vision encoder's pictures."""

    canvas: CanvasSize
    sent: int = 0
    frames: int = 0
    moments: tuple[float, ...] = ()

    def line(self) -> str:
        """ "The server sees 1344 × 768 · 345 of 362 frames · 31 pictures, 2 a second"."""
        size = f"{self.canvas.width} × {self.canvas.height}"
        if not self.sent:
            return tr("The server sees {size}", size=size)
        return tr(
            "The server sees {size} · {frames} of {sent} frames · {pictures} pictures, 2 a second",
            size=size,
            frames=self.frames,
            sent=self.sent,
            pictures=len(self.moments),
        )


def seen(reference: Reference, facts: MediaFacts, request: Request) -> Seen | None:
    """What the server will look at; None for a sound, and for a size that it refuses."""
    plan = planned(reference, facts)
    try:
        if facts.image is not None:
            return Seen(reference_image_canvas(plan.width, plan.height, limits=request.limits))
        if facts.video is None:
            return None
        canvas = reference_video_canvas(plan.width, plan.height, limits=request.limits)
    except ContractError:
        return None
    taken = min(plan.frames, request.shot.frames)
    moments = tuple(plan.start + k / FPS for k in range(0, taken, EVERY))
    return Seen(canvas, plan.frames, floor_rung(taken), moments)
