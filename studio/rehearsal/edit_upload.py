"""Latent-mask editing at POST: what is said to its four file parts before a job is made, and where they wait.

Vllm-omni 0.30.0, video/generation/helpers.py: _read_latent_edit_mask_json, _validate_latent_edit_inputs,
_persist_latent_edit_source.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from starlette.datastructures import UploadFile

from studio.rehearsal.answers import bad_request
from studio.rehearsal.request import VideoForm
from studio.rehearsal.uploads import MIB, waiting_file

MAX_MASK = 8 * MIB
MAX_SOURCE = 512 * MIB
_MAX_DEPTH = 64
_SUFFIXES = {"source_video": (".mp4", ".mov"), "source_audio": (".wav", ".mp3")}
_EXPECTED = {"source_video": "an MP4 or MOV file", "source_audio": "a WAV or MP3 file"}


@dataclass(frozen=True, slots=True)
class EditUpload:
    """Masks as JSON had them, nested lists or one number; sources are files that `discard` removes."""

    video_mask: Any = None
    audio_mask: Any = None
    source_video: Path | None = None
    source_audio: Path | None = None

    def discard(self) -> None:
        """Remove the waiting files (the job ended)."""
        for path in filter(None, (self.source_video, self.source_audio)):
            with suppress(OSError):
                path.unlink()


async def read_masks(form: VideoForm) -> EditUpload | None:
    """The masks of a form, before anything of it is kept; None without an edit. Raises `Refused`."""
    if not any((form.source_video, form.source_audio, form.video_noise_mask, form.audio_noise_mask)):
        return None
    video_mask = await _read_mask(form.video_noise_mask, "video_noise_mask")
    audio_mask = await _read_mask(form.audio_noise_mask, "audio_noise_mask")
    if video_mask is None and audio_mask is None:
        raise bad_request("Latent-mask editing requires at least one of video_noise_mask or audio_noise_mask.")
    if form.source_audio is not None and audio_mask is None:
        raise bad_request("source_audio requires an audio_noise_mask upload.")
    return EditUpload(video_mask, audio_mask)


async def keep_sources(form: VideoForm, edit: EditUpload | None, folder: Path) -> EditUpload | None:
    """The edit with its sources in files. Raises `Refused`; nothing is left behind then."""
    if edit is None:
        return None
    video = await _keep_source(form.source_video, "source_video", folder)
    edit = replace(edit, source_video=video)
    try:
        return replace(edit, source_audio=await _keep_source(form.source_audio, "source_audio", folder))
    except BaseException:
        edit.discard()
        raise


async def _read_mask(upload: UploadFile | None, name: str) -> Any:
    if upload is None:
        return None
    payload = await upload.read(MAX_MASK + 1)
    if len(payload) > MAX_MASK:
        raise bad_request(f"{name} JSON exceeds the 8 MiB limit.")
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError as error:
        raise bad_request(f"{name} JSON file must be UTF-8 encoded.") from error
    if not text:
        raise bad_request(f"{name} JSON file must not be empty.")
    value = await asyncio.to_thread(_parse, text, name)
    if value is None:
        raise bad_request(f"{name} JSON file must contain a mask value.")
    return value


def _parse(text: str, name: str) -> Any:
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise bad_request(f"{name} contains invalid JSON or is nested too deeply.") from error
    except ValueError as error:
        raise bad_request("Invalid JSON in form field.") from error
    if _depth(value) > _MAX_DEPTH:
        raise bad_request(f"{name} contains invalid JSON or is nested too deeply.")
    return value


def _depth(value: Any) -> int:
    """How many lists and objects lie inside each other."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, list | dict)]:
        depth += 1
        level = [inner for item in level for inner in (item.values() if isinstance(item, dict) else item)]
    return depth


async def _keep_source(upload: UploadFile | None, name: str, folder: Path) -> Path | None:
    if upload is None:
        return None
    suffix = PurePath(upload.filename or "").suffix.lower()
    if suffix not in _SUFFIXES[name]:
        raise bad_request(f"{name} must be {_EXPECTED[name]}.")
    if (upload.size or 0) > MAX_SOURCE:
        raise bad_request(f"{name} exceeds the {MAX_SOURCE // MIB} MiB size limit.")
    if not upload.size:
        raise bad_request(f"{name} must not be empty.")
    path = waiting_file(folder, suffix)
    try:
        await asyncio.to_thread(_copy, upload, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _copy(upload: UploadFile, path: Path) -> None:
    with path.open("wb") as target:
        shutil.copyfileobj(upload.file, target, MIB)
