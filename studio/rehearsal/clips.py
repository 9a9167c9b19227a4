"""The model's rules on reference clips and sounds, in the server's order and words (reference_video.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.rehearsal.probing import ClipFacts, ProbeError, decoded_seconds, probe_clip, probe_sound
from studio.rehearsal.worker import WorkerError

SHORTEST, LONGEST = 2.0, 15.0  # seconds a file, no tolerance
TOTAL = 15.0  # seconds a kind
TRIMMED = 0.01  # seconds over the total that are cut instead of refused
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of a reference clip that is used: seconds from `start`, `duration` long. Its stored size in pixels."""

    path: Path
    start: float
    duration: float
    has_sound: bool
    width: int
    height: int


def _check_clip(facts: ClipFacts, i: int) -> None:
    size = f"{facts.width}x{facts.height}"
    if min(facts.width, facts.height) < 256 or max(facts.width, facts.height) > 5760:
        raise WorkerError(f"reference video {i} dimensions must be in [256, 5760] pixels, got {size}")
    if not 0.4 <= facts.width / facts.height <= 2.5:
        raise WorkerError(f"reference video {i} aspect ratio must be in [0.4, 2.5], got {size}")
    if not 23.976 <= facts.fps <= 60.0:
        raise WorkerError(f"reference video {i} FPS must be in [23.976, 60], got {facts.fps:.3f}")
    if not SHORTEST <= facts.duration <= LONGEST:
        raise WorkerError(f"reference video {i} duration must be in [2, 15] seconds, got {facts.duration:.3f}")
    if facts.size > 50 * MIB:
        raise WorkerError(f"reference video {i} exceeds the 50 MiB size limit")
    if not {"mp4", "mov"} & set(facts.formats):
        names = ", ".join(sorted(facts.formats))
        raise WorkerError(f"reference video {i} must use an MP4 or MOV container, got {names}")
    if facts.codec not in ("h264", "h265", "hevc"):
        raise WorkerError(f"reference video {i} must use H.264 or H.265 video, got {facts.codec}")
    for codec in facts.audio_codecs:
        if codec not in ("aac", "mp3"):
            raise WorkerError(f"reference video {i} must use AAC or MP3 audio when audio is present, got {codec}")


def _segment(path: Path, i: int, start: float, used: float) -> Segment:
    try:
        facts = probe_clip(path)
    except ProbeError as error:
        raise WorkerError(str(error), client=False) from error
    _check_clip(facts, i)
    if not math.isfinite(start) or not 0 <= start < facts.duration:
        raise WorkerError(f"reference video {i} start_time_seconds is outside the source duration")
    duration = facts.duration - start
    if duration < SHORTEST:
        said = f"reference video {i} must provide at least 2 seconds after start_time_seconds, got {duration:.3f}"
        raise WorkerError(said)
    left = TOTAL - used
    if duration > left and (duration - left > TRIMMED or left < SHORTEST):
        raise WorkerError("reference videos must be at most 15 seconds in total")
    return Segment(path, start, min(duration, left), bool(facts.audio_codecs), facts.width, facts.height)


def check_clips(paths: Sequence[Path], starts: Any) -> tuple[Segment, ...]:
    """Check each clip in turn. `starts`: None, seconds for all, or one value a clip."""
    offsets = list(starts) if isinstance(starts, list | tuple) else [starts] * len(paths)
    if paths and len(offsets) != len(paths):
        raise WorkerError("start_time_seconds must contain one value per reference video")
    segments: list[Segment] = []
    for i, path in enumerate(paths):
        used = sum(segment.duration for segment in segments)
        segments.append(_segment(path, i, float(offsets[i] or 0.0), used))
    return tuple(segments)


def check_audios(paths: Sequence[Path]) -> tuple[float, ...]:
    """Check standalone sounds: first what the files say, then what decodes. Gives the decoded seconds of each."""
    total = 0.0
    for i, path in enumerate(paths):
        try:
            facts = probe_sound(path)
        except ProbeError as error:
            raise WorkerError(str(error), client=False) from error
        if facts.size > 15 * MIB:
            raise WorkerError(f"reference audio {i} exceeds the 15 MiB size limit")
        if not {"wav", "mp3"} & set(facts.formats):
            raise WorkerError(f"reference audio {i} must be WAV or MP3, got {', '.join(facts.formats)}")
        if facts.codec not in ("aac", "mp3") and not facts.codec.startswith("pcm_"):
            raise WorkerError(f"reference audio {i} must use MP3 or PCM audio, got {facts.codec}")
        _check_seconds(i, facts.duration)
        total += facts.duration
    if total > TOTAL:
        raise WorkerError("reference audio must be at most 15 seconds in total")
    lengths = tuple(decoded_seconds(path) for path in paths)
    _check_decoded(lengths)
    return lengths


def check_soundtracks(segments: Sequence[Segment], output_seconds: float) -> None:
    """Soundtracks of clips: a budget of their own, the same words. Used for min(clip, output) seconds."""
    _check_decoded(
        [
            decoded_seconds(segment.path, segment.start, min(segment.duration, output_seconds))
            for segment in segments
            if segment.has_sound
        ]
    )


def _check_decoded(lengths: Sequence[float]) -> None:
    for i, seconds in enumerate(lengths):
        _check_seconds(i, seconds)
    if sum(lengths) > TOTAL:
        raise WorkerError("reference audio must be at most 15 seconds in total")


def _check_seconds(i: int, seconds: float) -> None:
    if not SHORTEST <= seconds <= LONGEST:
        raise WorkerError(f"reference audio {i} duration must be in [2, 15] seconds, got {seconds:.3f}")
