"""Optional uploads: latent-mask editing, and the control input that MiniMax-H3 has none of."""

from __future__ import annotations

import json

from studio.rehearsal.answers import bad_request
from studio.rehearsal.request import VideoForm

MAX_MASK = 8 << 20  # bytes


async def check_extras(form: VideoForm) -> None:
    """The checks at POST on masks, their sources and the control fields. Raises `Refused`."""
    for name in ("video_noise_mask", "audio_noise_mask"):
        if (upload := getattr(form, name)) is not None:
            _check_mask(await upload.read(MAX_MASK + 1), name)
    sources = (form.source_video, form.source_audio)
    masks = (form.video_noise_mask, form.audio_noise_mask)
    if any(sources) and not any(masks):
        raise bad_request("Latent-mask editing requires at least one of video_noise_mask or audio_noise_mask.")
    if form.source_audio and not form.audio_noise_mask:
        raise bad_request("source_audio requires an audio_noise_mask upload.")
    _check_control(form)


def _check_mask(payload: bytes, name: str) -> None:
    if len(payload) > MAX_MASK:
        raise bad_request(f"{name} JSON exceeds the 8 MiB limit.")
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError as error:
        raise bad_request(f"{name} JSON file must be UTF-8 encoded.") from error
    if not text:
        raise bad_request(f"{name} JSON file must not be empty.")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise bad_request(f"{name} contains invalid JSON or is nested too deeply.") from error
    if value is None:
        raise bad_request(f"{name} JSON file must contain a mask value.")


def _check_control(form: VideoForm) -> None:
    if form.control_reference is None:
        if form.control_type is not None:
            raise bad_request("control_type requires a control_reference upload.")
        return
    word = (form.control_type or "").strip().lower()
    if not word:
        raise bad_request("control_reference requires control_type.")
    raise bad_request(
        f"Control upload type '{word}' is not supported by this model. Supported control upload types: none."
    )
