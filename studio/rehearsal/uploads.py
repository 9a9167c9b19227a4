"""Reference files of a request: what kind each is, the checks made at POST, where they wait for their job.

Order inside a kind is kept, order between kinds is lost (vllm-omni 0.30.0, video/generation/helpers.py).
"""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal

from PIL import Image, UnidentifiedImageError
from starlette.datastructures import UploadFile

from studio.rehearsal.answers import Refused, bad_request

if TYPE_CHECKING:
    from studio.rehearsal.edit_upload import EditUpload

Kind = Literal["image", "video", "audio"]

MIB = 1 << 20
MAX_MIB: dict[Kind, int] = {"image": 30, "video": 50, "audio": 15}
MAX_FILES = 12
MAX_PIXELS = 178_956_970  # VLLM_MAX_IMAGE_PIXELS
IMAGE_FORMATS = frozenset({"jpeg", "png", "webp", "heic", "heif"})
_IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".heic", ".heif"})
_AUDIO_SUFFIXES = frozenset({".wav", ".mp3", ".m4a", ".aac", ".flac", ".ogg"})
_ACCEPTED = {"video": frozenset({".mp4", ".mov"}), "audio": frozenset({".wav", ".mp3"})}
_REFUSALS = {
    "video": "MiniMax H3 reference videos must use an MP4 or MOV file.",
    "audio": "MiniMax H3 reference audio must use a WAV or MP3 file.",
}


@dataclass
class References:
    """What a job is conditioned on. Pictures are in memory, clips and sounds are files that `discard` removes."""

    images: list[Image.Image] = field(default_factory=list)
    videos: list[Path] = field(default_factory=list)
    audios: list[Path] = field(default_factory=list)
    edit: EditUpload | None = None

    def discard(self) -> None:
        """Remove the waiting files and let go of the pictures (the job ended)."""
        for path in (*self.videos, *self.audios):
            with suppress(OSError):
                path.unlink()
        self.images.clear()
        if self.edit is not None:
            self.edit.discard()


def kind_of(content_type: str | None, file_name: str | None) -> Kind:
    """By declared type, then by suffix, else a video."""
    declared = (content_type or "").lower()
    if declared.startswith("image/"):
        return "image"
    if declared.startswith("audio/"):
        return "audio"
    suffix = PurePath(file_name or "").suffix.lower()
    if suffix in _IMAGE_SUFFIXES:
        return "image"
    return "audio" if suffix in _AUDIO_SUFFIXES else "video"


def check_pixels(image: Image.Image) -> None:
    """The deployment's pixel ceiling."""
    count = image.width * image.height
    if count > MAX_PIXELS:
        raise bad_request(
            f"Image dimensions {image.width}x{image.height} ({count} pixels) exceed the maximum of {MAX_PIXELS} pixels."
        )


def read_image(payload: bytes, name: str | None) -> Image.Image:
    """Decode an uploaded picture to RGB as the server does: sniffed format, no EXIF turn, alpha dropped."""
    try:
        with Image.open(io.BytesIO(payload)) as image:
            found = str(image.format or "").lower()
            if found in IMAGE_FORMATS:
                check_pixels(image)
    except Image.DecompressionBombError as error:
        message = f"Invalid uploaded image reference: {name}; image exceeds the decoder pixel limit."
        raise bad_request(message) from error
    except (OSError, ValueError) as error:
        raise bad_request(f"Invalid uploaded image reference: {name}") from error
    if found not in IMAGE_FORMATS:
        raise bad_request(
            f"MiniMax H3 reference images must use JPG, JPEG, PNG, WEBP, HEIC, or HEIF; got {found or 'unknown'}."
        )
    return decode_image(payload, f"uploaded image reference: {name}")


def decode_image(payload: bytes, source: str) -> Image.Image:
    """RGB pixels of a picture; `source` names it in the refusal."""
    try:
        with Image.open(io.BytesIO(payload)) as image:
            check_pixels(image)
            return image.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError) as error:
        raise bad_request(f"Invalid {source}: provided content is not a valid image.") from error


def _copy(upload: UploadFile, path: Path) -> None:
    with path.open("wb") as target:
        shutil.copyfileobj(upload.file, target, MIB)


def waiting_file(folder: Path, suffix: str) -> Path:
    """A new empty file for a clip or sound that waits for its job."""
    handle, path = tempfile.mkstemp(prefix="vllm_omni_reference_", suffix=suffix, dir=folder)
    os.close(handle)
    return Path(path)


async def _take(upload: UploadFile, into: References, folder: Path) -> None:
    kind = kind_of(upload.content_type, upload.filename)
    if (upload.size or 0) > MAX_MIB[kind] * MIB:
        raise bad_request(f"Uploaded reference exceeds the {MAX_MIB[kind]} MiB size limit.")
    if kind == "image":
        into.images.append(await asyncio.to_thread(read_image, await upload.read(), upload.filename))
        return
    suffix = PurePath(upload.filename or "").suffix.lower()
    if suffix and suffix not in _ACCEPTED[kind]:
        raise bad_request(_REFUSALS[kind])
    path = waiting_file(folder, suffix or (".mp3" if kind == "audio" else ".mp4"))
    (into.audios if kind == "audio" else into.videos).append(path)
    await asyncio.to_thread(_copy, upload, path)


async def take_references(uploads: Sequence[UploadFile], folder: Path) -> References:
    """Check and keep `input_references`. Raises `Refused`; nothing is left behind then."""
    if len(uploads) > MAX_FILES:
        raise bad_request(f"MiniMax H3 accepts at most {MAX_FILES} total references.")
    kept = References()
    try:
        for upload in uploads:
            await _take(upload, kept, folder)
    except (Refused, OSError, asyncio.CancelledError):
        kept.discard()
        raise
    return kept
