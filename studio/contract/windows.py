"""Continued long videos: the windows that are denoised one after another, each beginning inside the one before.

Only ref2va does this (vllm-omni 0.30.0, continuation.py: plan_continuation_windows). Every window lies on the frame
grid, and the sequence of one window is what a denoise step costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WINDOW_FRAMES = 277
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
    """Whether a set of `extra_params` renders in continued windows: the default of a long ref2va video."""
    return (
        task == "ref2va"
        and params.get("long_video") is True
        and params.get("long_video_mode") in (None, "continuation")
    )


def windows_of(task: str, frames: int, params: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """The windows in which `frames` are rendered: one, unless the request continues."""
    if not continues(task, params):
        return ((0, frames),)
    window = params.get("continuation_window_frames", WINDOW_FRAMES)
    overlap = params.get("continuation_overlap_frames", OVERLAP_FRAMES)
    if not (isinstance(window, int) and isinstance(overlap, int) and 0 < overlap < window):
        return ((0, frames),)
    return continuation_windows(frames, window, overlap)
