"""Defaults that follow the main reference until the user sets them.

A shot takes its length and canvas from the clip that it edits, ref2va else from the first clip, fl2va its canvas from
the first picture; the rest is 124 frames at 16:9. `Shot.follow` names what still follows.
"""

from __future__ import annotations

from dataclasses import dataclass

from studio.contract.canvas import nearest_aspect, output_canvas
from studio.contract.findings import ContractError
from studio.contract.grid import ceil_rung, rungs
from studio.contract.labels import in_upload_order
from studio.contract.limits import Limits
from studio.contract.plan import Planned, planned
from studio.contract.request import Request
from studio.contract.resolved import first_picture
from studio.contract.shot import Canvas, Reference, Shot

DEFAULT_FRAMES = 124
DEFAULT_ASPECT = "16:9"


@dataclass(frozen=True, slots=True)
class MainClip:
    """The clip that defaults follow, and what it will be sent as."""

    reference: Reference
    plan: Planned


def main_clip(request: Request) -> MainClip | None:
    """The clip that is edited, else the first of a ref2va shot, once its file is known; None without one."""
    first = _leading_clip(request.shot)
    facts = request.facts_of(first) if first is not None else None
    if first is None or facts is None or facts.kind != "video":
        return None
    plan = planned(first, facts)
    return MainClip(first, plan) if plan.frames and plan.width and plan.height else None


def follow_main(request: Request) -> Shot:
    """The shot with everything that follows brought up to date; itself when nothing follows or nothing is known yet."""
    shot = request.shot
    if _waits_for_facts(request):
        return shot
    if "frames" in shot.follow:
        shot = shot.but(frames=_frames(request))
    if "canvas" in shot.follow:
        shot = shot.but(canvas=_canvas(request))
    return request.shot if shot == request.shot else shot


def follow_frames(clip: MainClip, limits: Limits) -> int:
    """The clip's own rung: the shortest legal length that shows all of it."""
    ladder = rungs(limits)
    return max(ladder[0], min(ceil_rung(clip.plan.frames), ladder[-1]))


def _leading_clip(shot: Shot) -> Reference | None:
    return shot.source() or next((r for r in in_upload_order(shot) if r.kind == "video"), None)


def _waits_for_facts(request: Request) -> bool:
    images = (r for r in in_upload_order(request.shot) if r.kind == "image")
    leading = (_leading_clip(request.shot), next(images, None) if request.shot.task == "fl2va" else None)
    return any(r is not None and r.id not in request.facts for r in leading)


def _frames(request: Request) -> int:
    clip = main_clip(request)
    return DEFAULT_FRAMES if clip is None else follow_frames(clip, request.limits)


def _canvas(request: Request) -> Canvas:
    if request.shot.task == "fl2va" and (picture := first_picture(request)) is not None:
        return _canvas_of_picture(picture)
    clip = main_clip(request)
    return Canvas(aspect=nearest_aspect(clip.plan.width, clip.plan.height) if clip else DEFAULT_ASPECT)


def _canvas_of_picture(picture: tuple[int, int]) -> Canvas:
    size = output_canvas("fl2va", first_image=picture)
    try:
        output_canvas("fl2va", width=size.width, height=size.height, first_image=picture)
    except ContractError:
        return Canvas(aspect=DEFAULT_ASPECT)  # so narrow that the picture itself is refused
    return Canvas(width=size.width, height=size.height)
