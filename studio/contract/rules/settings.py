"""Steps, seed, shifts, quality, adapter, long video: the plain settings of a shot."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from studio.contract import offers
from studio.contract.findings import ContractError, Finding, Params, Severity
from studio.contract.grid import as_number
from studio.contract.limits import Limits
from studio.contract.params import extra_params
from studio.contract.request import Request
from studio.contract.resolved import resolve_frames
from studio.contract.shot import FPS, Task
from studio.contract.windows import (
    WINDOW_MAX,
    WINDOW_MIN,
    continues,
    window_and_overlap,
    window_refused,
    windows_of,
)
from studio.core.words import Param

SAYS_SHIFT = "MiniMax H3 shift_scale must be > 0"

_LORA_NAMES = ("name", "lora_name", "adapter")
_LORA_PATHS = ("path", "local_path", "lora_path", "lora_local_path")
_TURBO = re.compile(r"minimax_h3_(fl2v|ref2v)_turbo_(\d+)step_v\d+\.\d+(_768p)?(?:_bf16)?\.safetensors")
"""Only the file's name tells what a Turbo adapter was made for (vllm-omni 0.30.0, minimax_h3/lora.py)."""
_TURBO_TASKS: dict[str, tuple[Task, ...]] = {"fl2v": ("fl2va", "t2va"), "ref2v": ("ref2va",)}


def check(request: Request) -> Iterator[Finding]:
    """Findings about the plain settings of a shot."""
    yield from _ranges(request)
    yield from _quality(request)
    yield from _lora(request)
    yield from _long_video(request)
    yield from _rate(request)


def _ranges(request: Request) -> Iterator[Finding]:
    shot, limits = request.shot, request.limits
    yield from _integer("steps", "num_inference_steps", shot.steps, limits.steps_min, limits.steps_max)
    yield from _integer("seed", "seed", shot.seed, limits.seed_min, limits.seed_max)
    for field, default in _shift_defaults(limits).items():
        value = getattr(shot, field)
        if field not in shot.extra and value <= 0:
            params: Params = {"field": field, "is": value, "limit": 0}
            yield Finding("shift.range", Severity.ERROR, field, params, (offers.reset(field, default),), SAYS_SHIFT)


def _shift_defaults(limits: Limits) -> dict[str, float]:
    return {"flow_shift": limits.flow_shift_default, "audio_flow_shift": limits.audio_flow_shift_default}


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
    if lora is None:
        return
    path = next((lora[k] for k in _LORA_PATHS if lora.get(k)), None)
    if path is None or not any(lora.get(k) for k in _LORA_NAMES):
        says = "Invalid lora object: both name and path are required."
        yield Finding("lora.incomplete", Severity.ERROR, "lora", {}, (offers.reset("lora", None),), says)
        return
    scale = lora.get("scale", lora.get("lora_scale", 1.0))
    if (strength := as_number(scale)) is None and not isinstance(scale, bool):
        says = f"could not convert string to float: {scale!r}"
        yield Finding("lora.scale", Severity.ERROR, "lora", {"is": str(scale)}, (offers.reset("lora", None),), says)
    elif strength != 0 and (made_for := _TURBO.fullmatch(PurePosixPath(str(path)).name)):
        yield from _turbo(request, made_for)


def _turbo(request: Request, made_for: re.Match[str]) -> Iterator[Finding]:
    name, params = made_for[0], extra_params(request)
    tasks, steps = _TURBO_TASKS[made_for[1]], int(made_for[2])
    if request.shot.task not in tasks:
        says = f"{name} is a {made_for[1]} Turbo artifact and serves {list(tasks)}, got task={request.shot.task!r}"
        about: Params = {"name": name, "is": request.shot.task, "known": ", ".join(tasks)}
        yield Finding("lora.task", Severity.ERROR, "lora", about, (offers.reset("lora", None),), says)
    if request.shot.steps != steps:
        says = (
            f"{name} is a {steps}-step artifact and requires num_inference_steps={steps} "
            f"({steps + 1} sigma points produce {steps} denoiser evaluations)"
        )
        yield _pinned(name, "steps", request.shot.steps, steps, says)
    for field, pinned in (("flow_shift", 6.0 if made_for[3] else 12.0), ("audio_flow_shift", 3.0)):
        value = as_number(params.get(field, getattr(request.shot, field)))
        if value is None or not math.isclose(value, pinned):
            yield _pinned(name, field, str(value), pinned, f"{name} requires {field}={pinned:g}")


def _pinned(name: str, field: str, value: Param, pinned: float, says: str) -> Finding:
    params: Params = {"name": name, "field": field, "is": value, "limit": pinned}
    return Finding("lora.pins", Severity.ERROR, field, params, (offers.reset(field, pinned),), says)


def _long_video(request: Request) -> Iterator[Finding]:
    params = extra_params(request)
    asked = request.shot.long_video is not None or params.get("long_video") is True
    if asked and not request.limits.long_video:
        known = {"version": request.limits.server_version}
        yield Finding("long_video.unknown", Severity.WARNING, "long_video", known, (offers.one_pass(),))
    if not continues(request.shot.task, params):
        return
    window, overlap = window_and_overlap(params)
    if says := window_refused(window, overlap):
        sizes: Params = {"window": str(window), "overlap": str(overlap), "min": WINDOW_MIN, "max": WINDOW_MAX}
        yield Finding("long_video.window", Severity.ERROR, "long_video", sizes, (offers.one_pass(),), says)
        return
    yield from _window_prompts(request, params)


def _window_prompts(request: Request, params: dict[str, Any]) -> Iterator[Finding]:
    prompts = params.get("continuation_prompts")
    try:
        windows = windows_of(request.shot.task, resolve_frames(request), params)
    except ContractError:
        return  # the length is refused: another rule says so
    filled = isinstance(prompts, list) and all(isinstance(p, str) and p.strip() for p in prompts)
    if prompts is not None and not (filled and len(prompts) == len(windows)):
        says = f"continuation_prompts must contain exactly {len(windows)} non-empty strings"
        count: Params = {"is": len(prompts) if isinstance(prompts, list) else 0, "limit": len(windows)}
        yield Finding("long_video.prompts", Severity.ERROR, "long_video", count, (), says)


def _rate(request: Request) -> Iterator[Finding]:
    fps = (request.shot.model_extra or {}).get("fps")
    if fps is not None and fps != FPS:
        yield Finding("fps.fixed", Severity.WARNING, "fps", {"is": str(fps), "limit": FPS})
