"""The grid on which an edit is made: what of the source each latent of the result shows.

The video VAE makes 5 latents of 17 frames and 2 of the 5 at the end: the first of a piece holds one frame, the others
four. A latent is a picture of 16-px cells; the model works on blocks of 2 × 2 of them. Sound has 40 latents a second
(vllm-omni 0.30.0, time_request.py, vae_temporal.py, latent_mask.py; that the single frame comes first is read from the
VAE's frame padding and was not seen on a checkpoint).
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from dataclasses import dataclass, field

from studio.contract.cropping import crop_to_ratio
from studio.contract.facts import MediaFacts
from studio.contract.findings import ContractError
from studio.contract.grid import LATENTS_A_STEP, STEP, latents, seconds_of
from studio.contract.request import Request
from studio.contract.resolved import resolve_canvas, resolve_frames
from studio.contract.shot import FPS, Crop, Reference

CELL = 16
_FRAMES_OF_A_LATENT = 4


@dataclass(frozen=True, slots=True)
class EditGrid:
    """Where on the latent grid the source comes out. Times are seconds in the source file, sizes pixels.

    The picture's part `window` fills the canvas of `width` × `height`; frame 0 of the result shows `start`. Grids of
    two sources are equal when they lie alike.
    """

    source: Reference = field(compare=False)
    start: float
    source_frames: int
    """How many frames the source has for it: beyond them the server holds the last one."""
    frames: int
    width: int
    height: int
    window: Crop
    sound_seconds: float
    """Length of the source's sound from `start` on, up to the end of the result; 0 without one."""

    @property
    def rows(self) -> int:
        """Cells down."""
        return self.height // CELL

    @property
    def columns(self) -> int:
        """Cells across."""
        return self.width // CELL

    def latent_at(self, time: float) -> int:
        """The latent of the picture that shows a time of the source; the nearest one outside the result."""
        frame = int((time - self.start) * FPS + 1e-6)
        begins = [first for first, _ in frames_of_latents(self.frames)]
        return max(0, bisect_right(begins, frame) - 1)


@functools.lru_cache(maxsize=32)
def frames_of_latents(frames: int) -> tuple[tuple[int, int], ...]:
    """The frames of each latent of a rung, as (first, after the last): 1, 4, 4, 4, 4, 1, 4, …"""
    found = []
    for n in range(latents(frames)):
        piece, place = divmod(n, LATENTS_A_STEP)
        first = piece * STEP + (1 + (place - 1) * _FRAMES_OF_A_LATENT if place else 0)
        found.append((first, first + (_FRAMES_OF_A_LATENT if place else 1)))
    return tuple(found)


def edit_grid(request: Request) -> EditGrid | None:
    """The grid of a shot that edits a clip; None without one, before its file is known, or while the length or the
    canvas is refused."""
    source = request.shot.source()
    facts = request.facts_of(source) if source is not None else None
    if source is None or facts is None or facts.video is None or not facts.duration:
        return None
    try:
        frames, size = resolve_frames(request), resolve_canvas(request)
    except ContractError:
        return None
    start = min(source.start, facts.duration)
    end = facts.duration if source.end is None else min(source.end, facts.duration)
    have = min(frames, max(1, round((end - start) * FPS)))
    window = crop_to_ratio(source, facts, size.ratio)
    heard = _sound_seconds(facts, start, min(end, start + seconds_of(frames)))
    return EditGrid(source, start, have, frames, size.width, size.height, window, heard)


def _sound_seconds(facts: MediaFacts, start: float, end: float) -> float:
    if facts.audio is None or facts.audio.start >= end:
        return 0.0
    return max(0.0, min(facts.audio.start + facts.audio.duration, end) - start)
