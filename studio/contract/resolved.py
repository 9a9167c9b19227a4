"""What a request comes to: the canvas, length and settings that the server works out from the wire form.

The precedence of keys is the server's (vllm-omni 0.30.0, encoder_processing.py: resolve_minimax_h3_shape): `target`
beats flat keys, `duration_seconds` beats `duration`, and a key that is there with null still hides the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.contract.canvas import SHORT_EDGE, CanvasSize, output_canvas
from studio.contract.findings import ContractError
from studio.contract.grid import frames_for, seconds_of
from studio.contract.labels import in_upload_order
from studio.contract.params import canvas_fields, extra_params, longest_seconds
from studio.contract.plan import planned
from studio.contract.request import Request
from studio.contract.shot import Task
from studio.contract.windows import windows_of

_DEFAULT_FRAMES: dict[str, int] = {"t2va": 209, "fl2va": 209, "ref2va": 124}


@dataclass(frozen=True, slots=True)
class Resolved:
    """What will be rendered. Sizes in px; `seconds` is `frames` / 24, the real length of the result.

    `windows` are denoised one after another, each with all `steps`; one, unless a long video continues.
    """

    task: Task
    width: int
    height: int
    frames: int
    seconds: float
    steps: int
    seed: int
    flow_shift: float
    audio_flow_shift: float
    quality: str | None
    audio_mode: str
    windows: tuple[tuple[int, int], ...]


def resolve(request: Request) -> Resolved:
    """What a request comes to. Raises ContractError with the server's sentence where the server would refuse."""
    shot, params = request.shot, extra_params(request)
    frames = resolve_frames(request)
    size = resolve_canvas(request)
    return Resolved(
        task=shot.task,
        width=size.width,
        height=size.height,
        frames=frames,
        seconds=seconds_of(frames),
        steps=shot.steps,
        seed=shot.seed,
        flow_shift=params.get("flow_shift", shot.flow_shift),
        audio_flow_shift=params["audio_flow_shift"],
        quality=shot.quality,
        audio_mode=params.get("audio_mode", "native"),
        windows=windows_of(shot.task, frames, params),
    )


def resolve_frames(request: Request) -> int:
    """The rung that will be rendered. Raises ContractError when the server would refuse the length."""
    params = extra_params(request)
    _check_long_video(request.shot.task, params)
    target = _target(params)
    if "duration_seconds" in target:
        duration = target["duration_seconds"]
    else:
        duration = params["duration_seconds"] if "duration_seconds" in params else params["duration"]
    if duration is None:
        return _DEFAULT_FRAMES[request.shot.task]
    return frames_for(duration, request.limits, longest_seconds(request.shot.task, params, request.limits))


def resolve_canvas(request: Request) -> CanvasSize:
    """The size that will be rendered. Raises ContractError when the server would refuse it."""
    shot, params = request.shot, extra_params(request)
    target = _target(params)
    aspect: Any = canvas_fields(shot).get("aspect_ratio")
    aspect = target.get("aspect_ratio", params.get("aspect_ratio", aspect))
    explicit = shot.canvas.width is not None
    _check_short_edge(target.get("short_edge", params.get("short_edge", SHORT_EDGE)), explicit=explicit)
    return output_canvas(
        shot.task, aspect, shot.canvas.width, shot.canvas.height, first_picture(request), limits=request.limits
    )


def first_picture(request: Request) -> tuple[int, int] | None:
    """Width and height, as sent, of the first picture of an fl2va shot; None without one or before it is known."""
    first = next((r for r in in_upload_order(request.shot) if r.kind == "image"), None)
    facts = request.facts_of(first) if first is not None else None
    if first is None or facts is None:
        return None
    plan = planned(first, facts)
    return (plan.width, plan.height) if plan.width and plan.height else None


def _target(params: Mapping[str, Any]) -> Mapping[str, Any]:
    target = params.get("target")
    if target is None:
        return {}
    if not isinstance(target, Mapping):
        raise ContractError.as_server("extra.target", "MiniMax H3 extra_args['target'] must be an object")
    return target


def _check_long_video(task: str, params: Mapping[str, Any]) -> None:
    if not isinstance(params.get("long_video", False), bool):
        raise ContractError.as_server("long_video.flag", "MiniMax H3 long_video must be a boolean")
    mode = params.get("long_video_mode", "full")
    if mode not in ("full", "continuation"):
        said = "MiniMax H3 long_video_mode must be full or continuation"
        raise ContractError.as_server("long_video.mode", said, {"is": str(mode)})
    if mode == "continuation" and task != "ref2va":
        said = "MiniMax H3 continuation requires Ref2VA request execution (not step execution)"
        raise ContractError.as_server("long_video.continuation", said)


def _check_short_edge(value: object, *, explicit: bool) -> None:
    # Beside an explicit size any whole number passes; it is not used then.
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or (value != SHORT_EDGE and not explicit):
        said = f"MiniMax H3 target.short_edge must be {SHORT_EDGE}, got {value!r}"
        raise ContractError.as_server("canvas.short_edge", said, {"is": str(value), "limit": SHORT_EDGE})
