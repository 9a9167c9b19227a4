"""Latent-mask editing in the worker: masks brought to the latent grid, and what is refused, in the server's order.

Stated from vllm-omni 0.30.0 (encoder_processing.py, latent_mask.py), independent of `studio.contract`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from studio.rehearsal.edit_upload import EditUpload
from studio.rehearsal.probing import ProbeError, decoded_seconds, probe_clip
from studio.rehearsal.worker import WorkerError

Mask = npt.NDArray[np.float32]

_AUDIO_HZ = 40
FPS = 24


@dataclass(frozen=True)
class Edit:
    """What of a source is kept: `video_mask` (latents, height/16, width/16), `audio_mask` (2, latents); None for a lane
    that is all made anew. `source_seconds` is how long the source's sound is."""

    source_video: Path | None
    video_mask: Mask | None
    source_audio: Path | None
    audio_mask: Mask | None
    source_seconds: float = 0.0


def resolve_edit(
    upload: EditUpload | None, width: int, height: int, frames: int, *, continues: bool, locked: bool
) -> Edit | None:
    """The edit of a job, or None when nothing is kept. Raises WorkerError with the server's sentence."""
    if upload is None:
        return None
    latents = (frames - 5) // 17 * 5 + 2
    audio_latents = round(frames / FPS * _AUDIO_HZ)
    video_mask = _anything_kept(_video_mask(upload.video_mask, (latents, height // 16, width // 16)))
    audio_mask = _anything_kept(_audio_mask(upload.audio_mask, audio_latents))
    if continues and (video_mask is not None or audio_mask is not None):
        raise WorkerError("MiniMax H3 continuation does not support latent-mask editing; use long_video_mode=full")
    if locked and audio_mask is not None:
        raise WorkerError("MiniMax H3 audio_mode=lock_source cannot be combined with audio latent-mask editing")
    if video_mask is not None and upload.source_video is None:
        raise WorkerError("MiniMax H3 video_noise_mask requires source_video")
    sound = upload.source_audio or upload.source_video
    if audio_mask is not None and sound is None:
        raise WorkerError("MiniMax H3 audio_noise_mask requires source_audio or source_video")
    has_sound = _check_source(upload.source_video) if video_mask is not None else True
    seconds = 0.0
    if audio_mask is not None and sound is not None:
        if upload.source_audio is None and not has_sound:
            raise WorkerError("MiniMax H3 source_video has no audio track for audio editing")
        seconds = _sound_seconds(sound, "source_video audio" if upload.source_audio is None else "source_audio")
    if video_mask is None and audio_mask is None:
        return None
    return Edit(upload.source_video, video_mask, sound, audio_mask, seconds)


def _check_source(path: Path | None) -> bool:
    """Whether a source that decodes has sound."""
    assert path is not None
    try:
        return bool(probe_clip(path).audio_codecs)
    except ProbeError as error:
        raise WorkerError("MiniMax H3 could not decode source_video for editing") from error


def _sound_seconds(path: Path, name: str) -> float:
    try:
        seconds = decoded_seconds(path)
    except (ProbeError, ValueError, OSError, IndexError) as error:
        raise WorkerError(f"MiniMax H3 could not decode {name} for editing") from error
    if seconds <= 0:
        raise WorkerError("MiniMax H3 edit audio must not be empty")
    return seconds


def _anything_kept(mask: Mask | None) -> Mask | None:
    """A mask that changes everything is none."""
    return None if mask is None or bool(np.all(mask == 1)) else mask


def _video_mask(value: Any, full: tuple[int, int, int]) -> Mask | None:
    if value is None:
        return None
    mask = _numbers(value, "video_noise_mask")
    blocks = (full[0], full[1] // 2, full[2] // 2)
    count = int(np.prod(blocks))
    for candidate in _without_leading_ones(mask):
        if candidate.ndim == 0:
            return np.full(full, candidate, np.float32)
        if candidate.ndim == 1 and candidate.size == count:
            candidate = candidate.reshape(blocks)
        if candidate.shape == blocks:
            return candidate.repeat(2, axis=1).repeat(2, axis=2)
        if candidate.shape == full:
            return candidate
    known = f"scalar, ({count},), {blocks}, or {full}"
    raise WorkerError(f"MiniMax H3 video_noise_mask shape must be {known}; got {mask.shape}")


def _audio_mask(value: Any, latents: int) -> Mask | None:
    if value is None:
        return None
    mask = _numbers(value, "audio_noise_mask")
    for candidate in _without_leading_ones(mask):
        if candidate.ndim == 0 or candidate.shape == (latents,):
            return np.broadcast_to(candidate, (2, latents)).copy()
        if candidate.shape == (2 * latents,) or candidate.shape == (2, latents):
            return candidate.reshape(2, latents)
    known = f"scalar, ({latents},), (2, {latents}), or ({2 * latents},)"
    raise WorkerError(f"MiniMax H3 audio_noise_mask shape must be {known}; got {mask.shape}")


def _without_leading_ones(mask: Mask) -> list[Mask]:
    """The mask, and what is left of it as one leading axis of length 1 after the other goes."""
    found = [mask]
    while found[-1].ndim and found[-1].shape[0] == 1:
        found.append(found[-1][0])
    return found


def _numbers(value: Any, name: str) -> Mask:
    kinds = _kinds(value)
    if bool in kinds:
        raise WorkerError(f"MiniMax H3 {name} must not contain booleans")
    try:
        if not kinds <= {int, float}:
            raise ValueError("not a number")
        mask = np.asarray(value, dtype=np.float32)
    except (ValueError, OverflowError, TypeError) as error:
        raise WorkerError(f"MiniMax H3 {name} must be a finite numeric tensor") from error
    if mask.size == 0 or not np.isfinite(mask).all():
        raise WorkerError(f"MiniMax H3 {name} must be non-empty and finite")
    if ((mask < 0) | (mask > 1)).any():
        raise WorkerError(f"MiniMax H3 {name} values must be in [0, 1]")
    return mask


def _kinds(value: Any) -> set[type]:
    """The types of all that is no list."""
    level, found = [value], set[type]()
    while level:
        found |= {type(item) for item in level if not isinstance(item, list)}
        level = [inner for item in level if isinstance(item, list) for inner in item]
    return found
