"""Steps, seed, shifts, quality, adapter, and what the user passes through in `extra`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from studio.contract import offers
from studio.contract.findings import Finding, Mend, Params, Severity
from studio.contract.labels import in_upload_order
from studio.contract.request import Request
from studio.contract.shot import FPS
from studio.contract.windows import continues
from studio.contract.wire import extra_params

_IGNORED = ("seconds", "num_frames", "width", "height", "fps", "seed")
"""Keys that the server does not read inside `extra_params` (vllm-omni 0.30.0, serving_video.py)."""
_OVERRIDES = ("task", "duration", "duration_seconds", "aspect_ratio", "target")
_LORA_NAMES = ("name", "lora_name", "adapter")
_LORA_PATHS = ("path", "local_path", "lora_path", "lora_local_path")


def check(request: Request) -> Iterator[Finding]:
    """Findings about the plain settings of a shot."""
    yield from _ranges(request)
    yield from _quality(request)
    yield from _lora(request)
    yield from _keyframe_indices(request)
    yield from _extra(request)


def _ranges(request: Request) -> Iterator[Finding]:
    shot, limits = request.shot, request.limits
    yield from _integer("steps", "num_inference_steps", shot.steps, limits.steps_min, limits.steps_max)
    yield from _integer("seed", "seed", shot.seed, limits.seed_min, limits.seed_max)
    shifts = {
        "flow_shift": (shot.flow_shift, limits.flow_shift_default),
        "audio_flow_shift": (shot.audio_flow_shift, limits.audio_flow_shift_default),
    }
    for field, (value, default) in shifts.items():
        if value <= 0:
            params: Params = {"field": field, "is": value, "limit": 0}
            says = "MiniMax H3 shift_scale must be > 0"
            yield Finding("shift.range", Severity.ERROR, field, params, (offers.reset(field, default),), says)


def _integer(field: str, name: str, value: int, low: int, high: int) -> Iterator[Finding]:
    if low <= value <= high:
        return
    bound, word = (low, "greater") if value < low else (high, "less")
    params: Params = {"is": value, "min": low, "max": high, "limit": bound}
    says = f"{name}: Input should be {word} than or equal to {bound}"
    yield Finding(f"{field}.range", Severity.ERROR, field, params, (offers.reset(field, bound),), says)


def _quality(request: Request) -> Iterator[Finding]:
    quality, known = request.shot.quality, request.limits.qualities
    if quality is None:
        return
    if quality not in known:
        params: Params = {"is": quality, "known": ", ".join(known)}
        says = f"quality: Value error, quality must be one of {list(known)}, got {quality!r}"
        yield Finding("quality.unknown", Severity.ERROR, "quality", params, (offers.reset("quality", None),), says)
    elif quality == "high" and continues(request.shot.task, extra_params(request)):
        says = "MiniMax H3 continuation requires uncached denoising; set quality=lossless"
        mend = offers.reset("quality", "lossless")
        yield Finding("quality.continuation", Severity.ERROR, "quality", {"is": quality}, (mend,), says)


def _lora(request: Request) -> Iterator[Finding]:
    lora = request.shot.lora
    if lora is None or (any(lora.get(k) for k in _LORA_NAMES) and any(lora.get(k) for k in _LORA_PATHS)):
        return
    says = "Invalid lora object: both name and path are required."
    yield Finding("lora.incomplete", Severity.ERROR, "lora", {}, (offers.reset("lora", None),), says)


def _keyframe_indices(request: Request) -> Iterator[Finding]:
    if request.shot.task != "fl2va":
        return
    key, value = _given_indices(request.shot.extra)
    pictures = sum(r.kind == "image" for r in in_upload_order(request.shot))
    says = "" if key is None or not pictures else _indices_refused(value, pictures)
    if key is not None and says:
        params: Params = {"key": key, "is": str(value), "pictures": pictures}
        yield Finding("fl2va.frame_indices", Severity.ERROR, "extra", params, (offers.drop_extra(key),), says)


def _given_indices(extra: dict[str, Any]) -> tuple[str | None, Any]:
    target = extra.get("target")
    for where, prefix in ((target if isinstance(target, dict) else {}, "target"), (extra, None)):
        for key in ("frame_indices", "frame_index"):
            if where.get(key) is not None:
                return prefix or key, where[key]
    return None, None


def _indices_refused(value: Any, pictures: int) -> str:
    """The server's refusal of `frame_indices`, or nothing (vllm-omni 0.30.0, encoder_processing.py)."""
    indices = value if isinstance(value, list) else [value]
    whole = [isinstance(i, int) and not isinstance(i, bool) for i in indices]
    if not isinstance(value, list) and not all(whole):
        return "frame_indices must be an integer or a list of integers"
    if not indices:
        return "frame_indices must not be empty"
    if not all(whole):
        return "frame_indices must contain only integers"
    if indices not in ([0], [-1], [0, -1]):
        return "MiniMax H3 FL2VA frame_indices must be [0], [-1], or [0, -1]"
    if len(indices) != pictures:
        return f"MiniMax H3 FL2VA requires one frame index per image: got {indices} for {pictures} image(s)"
    return ""


def _extra(request: Request) -> Iterator[Finding]:
    shot = request.shot
    for key, value in shot.extra.items():
        mend = offers.drop_extra(key)
        if key in _IGNORED:
            yield _about_key("extra.ignored", key, value, mend)
        elif key in _OVERRIDES:
            yield _about_key("extra.overrides", key, value, mend)
    fps = (shot.model_extra or {}).get("fps")
    if fps is not None and fps != FPS:
        yield Finding("fps.fixed", Severity.WARNING, "fps", {"is": str(fps), "limit": FPS})


def _about_key(code: str, key: str, value: Any, mend: Mend) -> Finding:
    return Finding(code, Severity.WARNING, "extra", {"key": key, "is": str(value)}, (mend,))
