"""References that do not come through `input_references`: the single file, and JSON with data or http(s) URLs."""

from __future__ import annotations

import asyncio
import base64
import binascii
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from studio.rehearsal.answers import bad_request
from studio.rehearsal.probing import ProbeError, probe_clip
from studio.rehearsal.request import VideoForm, VideoGenerationRequest
from studio.rehearsal.uploads import (
    MAX_MIB,
    MIB,
    References,
    decode_image,
    kind_of,
    read_image,
    waiting_file,
)

FETCH_SECONDS = 60
_NO_PICTURES = "input_reference: provided content is not a valid image or video."
_NO_CLIP = "video_reference.video_url: provided content is not a valid video."


async def take_other_references(form: VideoForm, asked: VideoGenerationRequest, into: References, folder: Path) -> None:
    """Add what the single-file and JSON fields bring to `into`. Raises `Refused`."""
    if not form.input_references:
        for item in _listed(asked.image_reference):
            payload = await _load(item, "image")
            into.images.append(await asyncio.to_thread(decode_image, payload, "image_reference.image_url"))
        for item in _listed(asked.video_reference):
            path = _keep(await _load(item, "video"), folder, ".mp4")
            into.videos.append(path)
            await asyncio.to_thread(_check_decodes, path, _NO_CLIP)
        if form.input_reference is not None:
            await _take_single(form, into, folder)
    for item in _listed(asked.audio_reference):
        into.audios.append(_keep(await _load(item, "audio"), folder, ".wav"))


def _check_decodes(path: Path, refusal: str) -> None:
    try:
        probe_clip(path)
    except ProbeError as error:
        raise bad_request(f"Invalid {refusal}") from error


async def _take_single(form: VideoForm, into: References, folder: Path) -> None:
    upload = form.input_reference
    kind = kind_of(upload.content_type, upload.filename)
    if (upload.size or 0) > MAX_MIB[kind] * MIB:
        raise bad_request(f"Uploaded reference exceeds the {MAX_MIB[kind]} MiB size limit.")
    if kind == "image":
        into.images.append(await asyncio.to_thread(read_image, await upload.read(), upload.filename))
    elif kind == "audio":
        raise bad_request(f"Invalid {_NO_PICTURES}")
    else:
        # The real server takes this file apart and counts each frame as a clip: four are enough to be refused.
        path = _keep(await upload.read(), folder, ".mp4")
        into.videos.extend([path] * 4)
        await asyncio.to_thread(_check_decodes, path, _NO_PICTURES)


def _listed(value: BaseModel | Sequence[BaseModel] | None) -> Sequence[BaseModel]:
    if value is None:
        return []
    return [value] if isinstance(value, BaseModel) else value


def _keep(payload: bytes, folder: Path, suffix: str) -> Path:
    path = waiting_file(folder, suffix)
    path.write_bytes(payload)
    return path


async def _load(reference: BaseModel, kind: str) -> bytes:
    url = getattr(reference, f"{kind}_url", None)
    if url is None:
        raise bad_request(f"Invalid {kind}_reference: file_id is not supported yet.")
    field = f"{kind}_reference.{kind}_url"
    if url.startswith(f"data:{kind}"):
        try:
            return base64.b64decode(url.partition(",")[2])
        except (binascii.Error, ValueError) as error:
            raise bad_request(f"Invalid {field}: {kind} data is not valid base64.") from error
    if not url.startswith(("http://", "https://")):
        raise bad_request(f"Invalid {field}: must be an http(s) URL or data URL.")
    return await asyncio.to_thread(_fetch, url, field, kind)


def _fetch(url: str, field: str, kind: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=FETCH_SECONDS) as answer:
            payload: bytes = answer.read()
            return payload
    except urllib.error.HTTPError as error:
        raise bad_request(f"Invalid {field}: server returned HTTP {error.code}.") from error
    except (OSError, ValueError) as error:
        raise bad_request(f"Invalid {field}: failed to download {kind}.") from error
