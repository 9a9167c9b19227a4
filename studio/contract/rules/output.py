"""The result's length and canvas: what the server refuses, and what differs from the clip that is edited."""

from __future__ import annotations

import math
from collections.abc import Iterator

from studio.contract import offers
from studio.contract.canvas import MULTIPLE, CanvasSize
from studio.contract.cropping import crop_to_ratio
from studio.contract.defaults import follow_frames, main_clip
from studio.contract.findings import ContractError, Finding, Mend, Params, Severity
from studio.contract.grid import ceil_rung, is_rung, rungs, seconds_of
from studio.contract.labels import in_upload_order
from studio.contract.params import seconds_max
from studio.contract.plan import Planned, planned
from studio.contract.request import Request
from studio.contract.resolved import resolve_canvas, resolve_frames
from studio.contract.shot import FPS, Reference

_DURATIONS = ("duration", "duration_seconds")
_STRETCH = 1.04
"""Rounding a canvas to 32 px bends a picture by at most this factor; more is seen."""


def check(request: Request) -> Iterator[Finding]:
    """Findings about length and canvas."""
    yield from _length(request)
    yield from _canvas(request)
    yield from _beside_the_references(request)


def _length(request: Request) -> Iterator[Finding]:
    frames, ladder = request.shot.frames, rungs(request.limits, seconds_max(request))
    mend = offers.frames(offers.nearest_rung(frames, ladder))
    low, high = request.limits.output_seconds_min, seconds_max(request)
    asked = not _named_in_extra(request)
    if asked and not round(low * FPS) <= frames <= ladder[-1]:
        params: Params = {"is": frames, "seconds": seconds_of(frames), "min": low, "max": high}
        says = f"MiniMax H3 output duration must be in [{low:g}, {high:g}] seconds, got {seconds_of(frames):.3f}"
        yield Finding("output.frames.range", Severity.ERROR, "frames", params, (mend,), says)
    elif asked and not is_rung(frames):
        params = {"is": frames, "to": ceil_rung(frames), "seconds": seconds_of(ceil_rung(frames))}
        # The server rounds up by itself, so this stops nothing.
        yield Finding("output.frames.off_grid", Severity.WARNING, "frames", params, (mend,))
    try:
        resolve_frames(request)
    except ContractError as refused:
        # A duration that the shot's own frames explain has been told above.
        if refused.code != "output.seconds.range" or frames in ladder or not asked:
            yield _refused(refused)


def _named_in_extra(request: Request) -> bool:
    """Whether `extra` names the duration, which then goes instead of the shot's."""
    extra = request.shot.extra
    target = extra.get("target")
    return not extra.keys().isdisjoint(_DURATIONS) or (isinstance(target, dict) and "duration_seconds" in target)


def _canvas(request: Request) -> Iterator[Finding]:
    shot = request.shot
    try:
        size = resolve_canvas(request)
    except ContractError as refused:
        # Without pictures another rule speaks; before they are read there is nothing to say yet.
        if refused.code != "canvas.no_picture":
            yield _refused(refused, _nearest_aspect(request))
        return
    explicit = (shot.canvas.width, shot.canvas.height)
    if shot.canvas.width is not None and explicit != (size.width, size.height):
        params: Params = {"width": shot.canvas.width, "height": shot.canvas.height, "multiple": MULTIPLE}
        mend = offers.canvas(size.width, size.height)
        becomes: Params = {"to_width": size.width, "to_height": size.height}
        yield Finding("canvas.floored", Severity.WARNING, "canvas", {**params, **becomes}, (mend,))
    if shot.task == "fl2va":
        yield from _keyframes(request, size)
    yield from _orientation(request, size)


def _keyframes(request: Request, size: CanvasSize) -> Iterator[Finding]:
    if request.shot.canvas.aspect is not None and "canvas" not in request.shot.follow:
        params: Params = {"aspect": request.shot.canvas.aspect, "width": size.width, "height": size.height}
        mend = offers.canvas(size.width, size.height)
        yield Finding("canvas.follows_picture", Severity.NOTE, "canvas", params, (mend,))
    for reference in in_upload_order(request.shot):
        facts = request.facts_of(reference)
        if reference.kind != "image" or facts is None or facts.kind != "image":
            continue
        plan = planned(reference, facts)
        ratio = plan.width / max(1, plan.height)
        if ratio > 0 and abs(math.log(ratio / size.ratio)) > math.log(_STRETCH):
            params = {"name": reference.path.name, "is": ratio, "width": size.width, "height": size.height}
            mend = offers.crop(reference, facts, crop_to_ratio(reference, facts, size.ratio))
            yield Finding("fl2va.stretched", Severity.WARNING, reference.id, params, (mend,))


def _orientation(request: Request, size: CanvasSize) -> Iterator[Finding]:
    clip = main_clip(request)
    if clip is None or clip.plan.width == clip.plan.height or size.width == size.height:
        return
    if (clip.plan.width > clip.plan.height) != (size.width > size.height):
        sizes: Params = {"clip_width": clip.plan.width, "clip_height": clip.plan.height}
        params: Params = {"name": clip.reference.path.name, "width": size.width, "height": size.height, **sizes}
        mend = offers.aspect(clip.plan.width, clip.plan.height)
        yield Finding("canvas.other_orientation", Severity.WARNING, "canvas", params, (mend,))


def _beside_the_references(request: Request) -> Iterator[Finding]:
    try:
        frames = resolve_frames(request)
    except ContractError:
        return
    for reference in in_upload_order(request.shot):
        facts = request.facts_of(reference)
        if facts is not None and facts.kind == reference.kind:
            yield from _beside(request, reference, planned(reference, facts), frames)
    clip = main_clip(request)
    if clip is not None and frames > (own := follow_frames(clip, request.limits)):
        params: Params = {"name": clip.reference.path.name, "is": seconds_of(frames), "of": clip.plan.seconds}
        yield Finding("output.longer_than_clip", Severity.WARNING, "frames", params, (offers.frames(own),))


def _beside(request: Request, reference: Reference, plan: Planned, frames: int) -> Iterator[Finding]:
    output, longest = seconds_of(frames), request.limits.reference_seconds_max
    params: Params = {"name": reference.path.name, "is": output, "of": plan.seconds}
    driving, own = reference.role == "driving", ceil_rung(math.ceil(round(plan.seconds * FPS, 6)))
    mends = (offers.frames(own),) if plan.seconds <= seconds_max(request) else ()
    if reference.kind == "video" and output < plan.seconds <= longest:
        yield Finding("output.shorter_than_clip", Severity.WARNING, "frames", params, mends)
    elif reference.kind == "audio" and output < plan.seconds and (driving or plan.seconds <= longest):
        yield Finding("output.shorter_than_sound", Severity.NOTE, "frames", params, mends)
    elif driving and frames > own:
        yield Finding("output.longer_than_sound", Severity.NOTE, "frames", params)


def _refused(refused: ContractError, *mends: Mend) -> Finding:
    key = {"output.seconds.range": "duration", "extra.target": "target", "canvas.short_edge": "short_edge"}
    if refused.code.startswith("long_video."):
        return refused.finding("long_video", offers.one_pass())
    if refused.code in key:
        return refused.finding("extra", offers.drop_extra(key[refused.code]))
    return refused.finding("canvas", *mends)


def _nearest_aspect(request: Request) -> Mend:
    canvas, clip = request.shot.canvas, main_clip(request)
    if canvas.width is not None and canvas.height is not None:
        return offers.aspect(canvas.width, canvas.height)
    width, _, height = (canvas.aspect or "").partition(":")
    if width.strip().isdecimal() and height.strip().isdecimal() and int(width) and int(height):
        return offers.aspect(int(width), int(height))
    return offers.aspect(clip.plan.width, clip.plan.height) if clip else offers.aspect(16, 9)
