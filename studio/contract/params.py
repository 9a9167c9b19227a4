"""What a shot asks for beside its files: `extra_params`, the canvas fields, and the longest duration.

`task` always goes, duration goes as a decimal. What the user put into `extra` is merged last and wins (vllm-omni
0.30.0, helpers.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.contract.canvas import nearest_aspect
from studio.contract.grid import ceil_rung, seconds_of
from studio.contract.labels import in_upload_order, sent_text, window_prompts
from studio.contract.limits import Limits
from studio.contract.request import Request
from studio.contract.shot import FPS, Shot
from studio.contract.windows import continues


def extra_params(request: Request) -> dict[str, Any]:
    """The object that goes as `extra_params`: what the form has no field for, then the user's own `extra`."""
    shot = request.shot
    params: dict[str, Any] = {
        "task": shot.task,
        "duration": _duration(shot.frames, seconds_max(request)),
        "audio_flow_shift": shot.audio_flow_shift,
    }
    indices = _frame_indices(shot)
    if indices:
        params["frame_indices"] = indices
    if shot.audio_mode != "native":
        params["audio_mode"] = shot.audio_mode
    if shot.long_video is not None:
        params.update({"long_video": True, **shot.long_video})
        if prompts := window_prompts(shot):
            params["continuation_prompts"] = [sent_text(request, prompt) for prompt in prompts]
    return {**params, **shot.extra}


def canvas_fields(shot: Shot) -> dict[str, str]:
    """The form fields that say what canvas is wanted: a named ratio, a size, or both."""
    canvas = shot.canvas
    if canvas.width is None or canvas.height is None:
        # fl2va takes the first picture's shape and would only validate a ratio that it ignores.
        return {} if shot.task == "fl2va" or canvas.aspect is None else {"aspect_ratio": canvas.aspect}
    size = {"width": str(canvas.width), "height": str(canvas.height)}
    # t2va is refused without a named ratio, even beside an explicit size, which is what counts then.
    return {"aspect_ratio": nearest_aspect(canvas.width, canvas.height), **size} if shot.task == "t2va" else size


def seconds_max(request: Request) -> float:
    """The longest duration that the shot's mode takes: 15 s in one pass, 30 s long, 300 s in continued windows."""
    shot = request.shot
    settings = {**({"long_video": True, **shot.long_video} if shot.long_video is not None else {}), **shot.extra}
    return longest_seconds(shot.task, settings, request.limits)


def longest_seconds(task: str, params: Mapping[str, Any], limits: Limits) -> float:
    """The cap that a set of `extra_params` puts on the duration, in seconds (vllm-omni 0.30.0, long_video.py)."""
    if params.get("long_video") is not True:
        return limits.output_seconds_max
    return limits.long_continuation_seconds_max if continues(task, params) else limits.long_full_seconds_max


def _duration(frames: int, longest: float) -> float:
    # The last rung reaches a little beyond the longest duration that may be named; what lies beyond it is no length.
    seconds = seconds_of(frames)
    return longest if longest < seconds <= seconds_of(ceil_rung(round(longest * FPS))) else seconds


def _frame_indices(shot: Shot) -> list[int]:
    # One picture alone means "first" to the server; a lone last picture has to say so.
    keyframes = [r.role for r in in_upload_order(shot) if r.kind == "image"]
    return [-1] if shot.task == "fl2va" and keyframes == ["last"] else []
