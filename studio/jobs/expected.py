"""Whether a video is what was asked for: pictures, size, rate, and a sound as long as they are."""

from __future__ import annotations

from typing import Final

from studio.core.words import Message
from studio.jobs.job import Job
from studio.media.verify import Verified

_SOUND_SLACK: Final = 0.25
"""Seconds by which the sound may be shorter or longer than the picture: AAC comes in blocks."""


def mismatch(seen: Verified, job: Job) -> Message | None:
    """How a video differs from what was resolved, if it does."""
    wanted = job.resolved
    if seen.frames != wanted["frames"]:
        return Message("job.wrong_frames", {"is": seen.frames, "wanted": wanted["frames"]})
    size, asked = f"{seen.width}×{seen.height}", f"{wanted['width']}×{wanted['height']}"
    if size != asked:
        return Message("job.wrong_size", {"is": size, "wanted": asked})
    if abs(seen.fps - 24) > 0.01:
        return Message("job.wrong_rate", {"is": round(seen.fps, 3)})
    if not seen.audio_channels:
        return Message("job.no_sound")
    if abs((seen.audio_seconds or 0.0) - seen.video_seconds) > _SOUND_SLACK:
        return Message("job.wrong_sound", {"is": seen.audio_seconds or 0.0, "wanted": seen.video_seconds})
    return None
