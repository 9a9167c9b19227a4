"""Continued long videos: the windows that are denoised one after another, each beginning inside the one before.

Only ref2va does this (vllm-omni 0.30.0, continuation.py: plan_continuation_windows). Every window lies on the frame
grid, and the sequence of one window is what a denoise step costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.contract.grid import is_rung

WINDOW_FRAMES = 277
WINDOW_MIN, WINDOW_MAX = 107, 345
OVERLAP_FRAMES = 22


def continuation_windows(
    total_frames: int, window_frames: int = WINDOW_FRAMES, overlap_frames: int = OVERLAP_FRAMES
) -> tuple[tuple[int, int], ...]:
    """The windows of a result of `total_frames`, as (first frame, frame after the last)."""
    step = window_frames - overlap_frames
    found = [(0, min(window_frames, total_frames))]
    while found[-1][1] < total_frames:
        start = found[-1][0] + step
        found.append((start, min(start + window_frames, total_frames)))
    return tuple(found)


def continues(task: str, params: Mapping[str, Any]) -> bool:
    """Whether a set of `extra_params` renders in continued windows: the default of a long ref2va video.

    The mode alone asks for windows too, then within the length of one pass (vllm-omni 0.30.0, long_video.py).
    """
    default = "continuation" if params.get("long_video") is True else "full"
    return task == "ref2va" and params.get("long_video_mode", default) == "continuation"


def windows_of(task: str, frames: int, params: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """The windows in which `frames` are rendered: one, unless the request continues. Illegal windows count as one."""
    if not continues(task, params):
        return ((0, frames),)
    window, overlap = window_and_overlap(params)
    return ((0, frames),) if window_refused(window, overlap) else continuation_windows(frames, window, overlap)


def window_and_overlap(params: Mapping[str, Any]) -> tuple[Any, Any]:
    """The two lengths in frames that a set of `extra_params` asks for, as they stand there."""
    return (
        params.get("continuation_window_frames", WINDOW_FRAMES),
        params.get("continuation_overlap_frames", OVERLAP_FRAMES),
    )


def window_refused(window: Any, overlap: Any) -> str:
    """The server's refusal of two lengths in frames, or nothing (vllm-omni 0.30.0, continuation.py)."""
    for name, value in (("window", window), ("overlap", overlap)):
        if isinstance(value, bool) or not isinstance(value, int) or not is_rung(value):
            return f"MiniMax H3 continuation {name} must be an integer on the 17n+5 frame grid"
    if not WINDOW_MIN <= window <= WINDOW_MAX or overlap >= window:
        return "MiniMax H3 continuation window must be 107..345 frames and exceed its overlap"
    return ""
