"""What the user passes through in `extra`: keys that the server reads, each with what it refuses (server-api §2.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from studio.contract import offers
from studio.contract.findings import Finding, Params, Severity
from studio.contract.grid import as_number
from studio.contract.labels import in_upload_order
from studio.contract.params import extra_params
from studio.contract.plan import planned
from studio.contract.request import Request
from studio.contract.rules.settings import SAYS_SHIFT
from studio.contract.shot import Reference

_IGNORED = ("seconds", "num_frames", "width", "height", "fps", "seed")
"""Keys that the server does not read inside `extra_params` (vllm-omni 0.30.0, serving_video.py)."""
_OVERRIDES = ("duration", "duration_seconds", "aspect_ratio", "target")
_REFRESH_POLICIES = ("once", "repeat")
_PAD_STEP, _PAD_MAX = 64, 1_048_576
_AAC_FRAME = 1024 / 32_000
"""Seconds: a prepared soundtrack is cut to whole frames of that length."""


def check(request: Request) -> Iterator[Finding]:
    """Findings about keys of `extra`. A key that holds what the server refuses is an error, with the server's words."""
    for key, value in request.shot.extra.items():
        if key in _IGNORED:
            yield _about(key, value, "extra.ignored")
        elif key in _OVERRIDES:
            yield _about(key, value, "extra.overrides")
        elif key in _OWN_FIELDS and str(value).lower() != getattr(request.shot, key):
            yield _about(key, value, "extra.other", Severity.ERROR, _other_choice(key, value))
        elif key in _REFUSALS and (says := _REFUSALS[key](value, request)):
            yield _about(key, value, "extra.refused", Severity.ERROR, says)
    if request.shot.task == "fl2va":
        yield from _keyframe_indices(request)


def _about(key: str, value: Any, code: str, severity: Severity = Severity.WARNING, says: str | None = None) -> Finding:
    return Finding(code, severity, "extra", {"key": key, "is": str(value)}, (offers.drop_extra(key),), says)


_OWN_FIELDS = ("task", "audio_mode")
"""The tray is judged by the shot's own: another one would be sent with the wrong references."""


def _other_choice(key: str, value: Any) -> str | None:
    if key == "audio_mode" and value not in ("native", "lock_source"):
        return "MiniMax H3 audio_mode must be native or lock_source"
    return None


def _pad_seq_len(value: Any, _: Request) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int):
        return "MiniMax H3 pad_seq_len must be an integer"
    if value <= 0:
        return f"MiniMax H3 pad_seq_len must be positive, got {value}"
    if value % _PAD_STEP:
        return f"MiniMax H3 pad_seq_len must be a multiple of {_PAD_STEP}, got {value}"
    return f"MiniMax H3 pad_seq_len must be at most {_PAD_MAX}, got {value}" if value > _PAD_MAX else ""


def _batch_frames(value: Any, request: Request) -> str:
    positive = isinstance(value, int) and not isinstance(value, bool) and value > 0
    wrong = request.shot.extra.get("preencode_mp4") and not positive
    return "preencode_batch_frames must be a positive integer" if wrong else ""


def _codec_options(value: Any, _: Request) -> str:
    """Found by the server only after the whole render: a wrong value costs all of its time."""
    if not isinstance(value, Mapping):
        return "video_codec_options must be a JSON object of encoder option names to values"
    other = next((v for v in value.values() if not isinstance(v, str)), None)
    return "" if other is None else f"Argument 'value' has incorrect type (expected str, got {type(other).__name__})"


def _refresh_hint(value: Any, request: Request) -> str:
    if value is None or request.shot.quality != "high":
        return ""  # without a cache of its own the server does not look at it
    if isinstance(value, bool) or not isinstance(value, int):
        return "MiniMax H3 force_refresh_step_hint must be a positive integer"
    steps = request.shot.steps
    if 1 <= value <= steps:
        return ""
    said = "MiniMax H3 force_refresh_step_hint must be between 1 and num_inference_steps"
    return f"{said} ({steps}), got {value}"


def _refresh_policy(value: Any, request: Request) -> str:
    if value is None or request.shot.quality != "high":
        return ""
    if request.shot.extra.get("force_refresh_step_hint") is None:
        return "MiniMax H3 force_refresh_step_policy requires force_refresh_step_hint"
    known = list(_REFRESH_POLICIES)
    return "" if value in known else f"MiniMax H3 force_refresh_step_policy must be one of {known}, got {value!r}"


def _shift(value: Any, _: Request) -> str:
    number = as_number(value)
    return SAYS_SHIFT if number is not None and not number > 0 else ""


def _starts(value: Any, request: Request) -> str:
    """An offset into the clips as they are sent: each must leave the least length."""
    clips = [r for r in in_upload_order(request.shot) if r.kind == "video"]
    if not clips:
        return ""  # read together with the clips, not without them
    starts = value if isinstance(value, list) else [value] * len(clips)
    if len(starts) != len(clips):
        return "start_time_seconds must contain one value per reference video"
    return _clips_after(clips, starts, request) or _soundtracks_after(clips, starts, request)


def _clips_after(clips: Sequence[Reference], starts: Sequence[Any], request: Request) -> str:
    least = request.limits.reference_seconds_min
    for i, (reference, start) in enumerate(zip(clips, starts, strict=True)):
        facts, offset = request.facts_of(reference), as_number(start or 0)
        if not offset or facts is None:
            continue
        plan = planned(reference, facts)
        if not 0 <= offset < plan.seconds:
            return f"reference video {i} start_time_seconds is outside the source duration"
        if plan.seconds - offset < least:
            said = f"reference video {i} must provide at least {least:g} seconds after start_time_seconds"
            return f"{said}, got {plan.seconds - offset:.3f}"
    return ""


def _soundtracks_after(clips: Sequence[Reference], starts: Sequence[Any], request: Request) -> str:
    least, most, heard = request.limits.reference_seconds_min, request.limits.reference_seconds_max, 0
    for reference, start in zip(clips, starts, strict=True):
        facts = request.facts_of(reference)
        sound = planned(reference, facts).sound_seconds if facts is not None else 0.0
        left = math.floor(sound / _AAC_FRAME) * _AAC_FRAME - (as_number(start or 0) or 0.0)
        if sound and start and left < least:
            return f"reference audio {heard} duration must be in [{least:g}, {most:g}] seconds, got {left:.3f}"
        heard += bool(sound)
    return ""


_REFUSALS: dict[str, Callable[[Any, Request], str]] = {
    "pad_seq_len": _pad_seq_len,
    "preencode_batch_frames": _batch_frames,
    "video_codec_options": _codec_options,
    "force_refresh_step_hint": _refresh_hint,
    "force_refresh_step_policy": _refresh_policy,
    "flow_shift": _shift,
    "audio_flow_shift": _shift,
    "start_time_seconds": _starts,
}


def _keyframe_indices(request: Request) -> Iterator[Finding]:
    pictures = sum(r.kind == "image" for r in in_upload_order(request.shot))
    key, value = _given_indices(extra_params(request))
    says = "" if key is None or not pictures else _indices_refused(value, pictures)
    if key is not None and says:
        params: Params = {"key": key, "is": str(value), "pictures": pictures}
        yield Finding("fl2va.frame_indices", Severity.ERROR, "extra", params, (offers.drop_extra(key),), says)


def _given_indices(params: Mapping[str, Any]) -> tuple[str | None, Any]:
    """The key that holds the indices that count, and them; a flat key beats `target` (encoder_processing.py)."""
    target = params.get("target")
    for where, inside in ((params, None), (target if isinstance(target, Mapping) else {}, "target")):
        key = "frame_indices" if "frame_indices" in where else "frame_index"
        if where.get(key) is not None:
            return inside or key, where[key]
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
    if len(indices) != pictures:
        return f"MiniMax H3 FL2VA requires one frame index per image: got {indices} for {pictures} image(s)"
    if indices not in ([0], [-1], [0, -1]):
        return "MiniMax H3 FL2VA frame_indices must be [0], [-1], or [0, -1]"
    return ""
