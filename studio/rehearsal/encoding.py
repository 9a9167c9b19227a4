"""From a plan to the result's MP4, with the ordered faults in it."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from studio.media.mp4 import Mp4Writer
from studio.rehearsal.faults import Faults
from studio.rehearsal.paint import SOUND_RATE, Painting, paint
from studio.rehearsal.records import Job
from studio.rehearsal.rules import Plan
from studio.rehearsal.worker import Stopped

COMMENT = "H3 Studio rehearsal"


def begin_painting(plan: Plan, faults: Faults) -> Painting:
    """Start painting what will be encoded."""
    if fault := faults.get("wrong_frames"):
        plan = replace(plan, frames=plan.frames - int(fault.number(17)))
    if fault := faults.get("wrong_canvas"):
        less = int(fault.number(32))
        plan = replace(plan, width=plan.width - less, height=plan.height - less)
    return paint(
        plan,
        edited=not faults.get("unedited"),
        frozen=bool(faults.get("frozen")),
        flash=bool(faults.get("flash")),
        silent=bool(faults.get("silent")),
    )


def write_result(path: Path, painting: Painting, job: Job, faults: Faults, stopping: Callable[[], bool]) -> None:
    """Encode everything that `painting` gives. Raises Stopped when the job is cancelled or the server ends, OSError
    when the disk is full (ordered too)."""
    sound = None if faults.get("no_sound") else painting.sound
    preset, crf = _codec_options(job.request.extra_params or {})
    size = painting.width, painting.height
    sound_rate = SOUND_RATE if sound is not None else None
    with Mp4Writer(path, *size, Fraction(painting.rate), sound_rate, COMMENT, preset, crf) as writer:
        per_frame = SOUND_RATE / painting.rate
        for index, picture in enumerate(painting.frames()):
            if stopping() or job.stopped:
                raise Stopped
            writer.frame(picture)
            if sound is not None:
                writer.sound(sound[:, round(index * per_frame) : round((index + 1) * per_frame)])
    if faults.get("disk_full"):
        raise OSError(errno.ENOSPC, "No space left on device")


def _codec_options(extra: Mapping[str, Any]) -> tuple[str, int]:
    """Preset and crf from `video_codec_options`; wrong ones fail here, after the whole denoise, as on the server."""
    options = dict(extra.get("video_codec_options") or {})
    if any(not isinstance(value, str) for value in options.values()):
        raise TypeError("Argument 'value' has incorrect type (expected str, got int)")
    return options.get("preset", "ultrafast"), int(options.get("crf", 18))
