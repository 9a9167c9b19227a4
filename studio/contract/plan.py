"""What will be sent for a reference once it is prepared: pure arithmetic, the same for rules, cards and media.

The preparation makes clips upright, square-pixelled, progressive, SDR, constant 24 fps by time
(out frame k shows what was on screen at k/24 s), so the rules judge the *plan*, not the source.
"""

from __future__ import annotations

from dataclasses import dataclass

from studio.contract.facts import MediaFacts
from studio.contract.shot import FPS, Reference

MIN_EDGE = 256
"""No edge that the server takes is smaller (vllm-omni 0.30.0, preprocessing.py). `Preparation.enlarge` grows to it."""
MAX_EDGE = 5760
"""No edge that the server takes is larger; larger pictures are scaled down to it."""
SOUND_MIN_S = 2.0
"""No sound that the server takes is shorter (vllm-omni 0.30.0: "reference audio 0 duration must be in [2, 15] seconds,
got 1.515"). A soundtrack of less is left out."""


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
    sound_left_out: float = 0.0
    """Length of a soundtrack that was to be kept and is too short to be sent; 0 when there is none."""
    source: bool = False
    """Whether it is the source of an edit: parts of it come back in the result, so it is kept as it is."""


def frames_at_24(seconds: float) -> int:
    """How many 24 fps frames `seconds` of time become: `round(24·s)`, half to even, like the server's; never 0.

    15.015 s of 23.976 fps material are 360 frames, and so 15.000 s (vllm-omni 0.30.0, time_request.py).
    """
    return max(1, round(seconds * FPS))


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
    if reference.preparation.enlarge:
        width, height = _enlarged(width, height)
    if facts.kind == "image":
        return Planned("image", 0.0, 0.0, 0, *_fitted(width, height), 0.0)
    short = reference.preparation.short_edge
    if short is not None and short < min(width, height):
        width, height = _scaled(width, height, short / min(width, height))
    frames = frames_at_24(seconds)
    sound = _soundtrack(reference, facts, start, end, frames / FPS)
    kept, left_out = (sound, 0.0) if sound >= SOUND_MIN_S else (0.0, sound)
    return Planned("video", start, frames / FPS, frames, even(width), even(height), kept, left_out)


def _soundtrack(reference: Reference, facts: MediaFacts, start: float, end: float, seconds: float) -> float:
    """Seconds from the first picture to the end of a kept track, which may begin later: until then it is silent.

    A track that ends with the pictures (to half of one) is filled up to their `seconds`.
    """
    if facts.audio is None or not reference.keep_sound:
        return 0.0
    until = facts.audio.start + facts.audio.duration
    if until <= max(facts.audio.start, start) or facts.audio.start >= end:
        return 0.0
    return seconds if until > end - 0.5 / FPS else min(round(until - start, 9), seconds)


def _enlarged(width: int, height: int) -> tuple[int, int]:
    shortest = min(width, height)
    return _scaled(width, height, MIN_EDGE / shortest) if 0 < shortest < MIN_EDGE else (width, height)


def _fitted(width: int, height: int) -> tuple[int, int]:
    longest = max(width, height)
    return (width, height) if longest <= MAX_EDGE else _scaled(width, height, MAX_EDGE / longest)


def _scaled(width: int, height: int, scale: float) -> tuple[int, int]:
    return round(width * scale), round(height * scale)
