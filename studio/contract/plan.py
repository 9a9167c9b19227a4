"""What will be sent for a reference once it is prepared: pure arithmetic, the same for rules, cards and media.

The preparation makes clips upright, square-pixelled, progressive, SDR, constant 24 fps by time
(out frame k shows what was on screen at k/24 s), so the rules judge the *plan*, not the source.
"""

from __future__ import annotations

from dataclasses import dataclass

from studio.contract.facts import MediaFacts
from studio.contract.shot import FPS, Reference

MIN_EDGE = 256
"""No edge that the server takes is smaller (vllm-omni 0.30.0, preprocessing.py); small sources are not upscaled."""
MAX_EDGE = 5760
"""No edge that the server takes is larger; larger pictures are scaled down to it."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The upload to be. Sizes in pixels, times in seconds; `frames` at 24 fps (0 for stills and sounds)."""

    kind: str
    start: float
    seconds: float
    frames: int
    width: int
    height: int
    sound_seconds: float
    """Length of the sound that goes along: a clip's kept track, or the sound itself; 0 without."""


def frames_at_24(seconds: float) -> int:
    """How many 24 fps frames show `seconds` of time: those with k/24 < seconds (a hair of slack for float sums)."""
    return max(1, int(-(-round(seconds * FPS * 1e6) // 1_000_000)))


def even(value: float) -> int:
    """The nearest even number, at least 2."""
    return max(2, 2 * round(value / 2))


def planned(reference: Reference, facts: MediaFacts) -> Planned:
    """The upload that `reference` becomes, from its trim, crop, short edge and sound choice."""
    length = facts.duration or 0.0
    start = min(reference.start, length)
    end = length if reference.end is None else min(reference.end, length)
    seconds = round(max(0.0, end - start), 9)  # start + 15 − start is 15, whatever the sums of floats say
    width, height = facts.shown_size or (0, 0)
    if facts.kind == "audio":
        return Planned("audio", start, seconds, 0, 0, 0, seconds)
    if reference.crop is not None:
        width, height = round(width * reference.crop.width), round(height * reference.crop.height)
    if facts.kind == "image":
        return Planned("image", 0.0, 0.0, 0, *_fitted(width, height), 0.0)
    short = reference.preparation.short_edge
    if short is not None and short < min(width, height):
        scale = short / min(width, height)
        width, height = round(width * scale), round(height * scale)
    frames = frames_at_24(seconds)
    sound = 0.0
    if facts.audio is not None and reference.keep_sound:
        sound_end = min(facts.audio.start + facts.audio.duration, end)
        sound = min(max(0.0, sound_end - max(facts.audio.start, start)), frames / FPS)
    return Planned("video", start, frames / FPS, frames, even(width), even(height), sound)


def _fitted(width: int, height: int) -> tuple[int, int]:
    longest = max(width, height)
    if longest <= MAX_EDGE:
        return width, height
    return round(width * MAX_EDGE / longest), round(height * MAX_EDGE / longest)
