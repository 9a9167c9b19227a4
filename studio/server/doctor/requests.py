"""What is to be rendered, held against what a profile's server could do: refused here, not after it has loaded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from studio.contract import Shot
from studio.server.doctor.check import Check, Level, passed, trouble
from studio.server.doctor.flags import Flags, offloads
from studio.server.profiles import Profile

_LONGEST: Final = 362
"""Frames of the longest render, with which cuDNN's attention failed on long reference clips (serving facts §4.3)."""
_UNIFIED_EDGE: Final = 576
"""px: the largest short edge that was seen to fit a machine with shared memory."""


def check_requests(profile: Profile, shots: Iterable[Shot]) -> Iterator[Check]:
    """Each want once, however many shots have it; one passing line when all can be rendered, nothing without shots."""
    wanted = list(shots)
    found: dict[str, Check] = {}
    for shot in wanted:
        for check in _of(profile, Flags(profile.args), shot):
            found.setdefault(check.message.text(), check)
    if wanted and not found:
        yield passed("request.well", count=len(wanted))
    yield from found.values()


def _of(profile: Profile, flags: Flags, shot: Shot) -> Iterator[Check]:
    if shot.task not in profile.tasks:
        can = ", ".join(profile.tasks)
        yield trouble(Level.FAIL, "request.task", task=shot.task, can=can)
    lora = json.dumps(shot.lora).lower() if shot.lora else ""
    if "turbo" in lora and shot.task == "ref2va" and len(profile.tasks) == 3:
        yield trouble(Level.FAIL, "request.turbo")
    if "fasth3" in lora and offloads(flags):
        yield trouble(Level.FAIL, "flags.lora_offload")
    edge = min(shot.canvas.width or 0, shot.canvas.height or 0) or 768
    if profile.unified_memory and edge > _UNIFIED_EDGE:
        yield trouble(Level.WARN, "request.unified_edge", edge=edge, most=_UNIFIED_EDGE)
    clips = any(reference.kind == "video" for reference in shot.sent())
    if clips and shot.frames >= _LONGEST and flags.text("--diffusion-attention-backend") == "CUDNN_ATTN":
        yield trouble(Level.WARN, "request.cudnn_long", frames=shot.frames)
