"""Carrying mends out: every mend is a function shot → shot, so undo takes it back like any other edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from studio.contract import edits
from studio.contract.canvas import ASPECTS
from studio.contract.findings import ContractError, Finding, Mend
from studio.contract.keep_change import SoundMarks
from studio.contract.request import Request
from studio.contract.rules import check
from studio.contract.shot import Canvas, Crop, Shot, conditions

MOST_MENDS = 64
"""`mend_all` stops after so many: every reference and field can be mended more than once within it."""

_NOTHING_TO_SEE = ("refs.none", "refs.audio_only", "fl2va.no_picture")


def apply(shot: Shot, mend: Mend, request: Request) -> Shot:
    """The shot after a mend; `request` is the one whose finding offered it.

    Raises ContractError ("mend.unknown") for a mend that no rule offers.
    """
    carry_out = _MENDS.get(mend.code)
    if carry_out is None:
        raise ContractError("mend.unknown", mend_code=mend.code)
    return carry_out(shot, dict(mend.params), request)


def mend_all(request: Request) -> Shot:
    """The shot after the first fitting mend of every error, again until no error with such a mend is left.

    No mend is taken that leaves the shot with nothing to look at: an error that nothing else helps stays, with its
    mends, as the question that only the user can answer. The number of mends is bounded.
    """
    shot = request.shot
    for _ in range(MOST_MENDS):
        present = replace(request, shot=shot)
        mend = _first_helping(present, check(present))
        if mend is None:
            return shot
        shot = apply(shot, mend, present)
    return shot


def _first_helping(request: Request, findings: list[Finding]) -> Mend | None:
    was_empty = _is_empty(findings)
    for mend in (m for f in findings if f.is_error for m in f.mends):
        after = apply(request.shot, mend, request)
        if after != request.shot and (was_empty or not _is_empty(check(replace(request, shot=after)))):
            return mend
    return None


def _is_empty(findings: list[Finding]) -> bool:
    return any(f.code in _NOTHING_TO_SEE for f in findings)


Params = dict[str, Any]
CarryOut = Callable[[Shot, Params, Request], Shot]


def _trim(shot: Shot, p: Params, _: Request) -> Shot:
    return edits.trim(shot, p["ref"], p["start"], p["end"])


def _set_aside_surplus(shot: Shot, p: Params, _: Request) -> Shot:
    counted = [r for r in shot.sent() if conditions(shot, r) and p["kind"] in (None, r.kind)]
    for reference in counted[p["keep"] :]:
        shot = edits.set_aside(shot, reference.id)
    return shot


def _use_as(shot: Shot, p: Params, _: Request) -> Shot:
    return edits.change(shot, p["ref"], kind=p["kind"], role="reference")


def _crop(shot: Shot, p: Params, _: Request) -> Shot:
    return edits.crop(shot, p["ref"], Crop(x=p["x"], y=p["y"], width=p["width"], height=p["height"]))


def _drive(shot: Shot, p: Params, _: Request) -> Shot:
    shot = edits.set_audio_mode(edits.set_task(shot, p["task"]), "lock_source")
    return edits.set_role(shot, p["ref"], "driving")


def _drop_extra(shot: Shot, p: Params, _: Request) -> Shot:
    # A refused duration may stand under either of its names.
    keys = {"duration": ("duration", "duration_seconds", "target")}.get(p["key"], (p["key"], "target"))
    return shot.but(extra={k: v for k, v in shot.extra.items() if k not in keys})


def _one_pass(shot: Shot, _: Params, __: Request) -> Shot:
    extra = {k: v for k, v in shot.extra.items() if k not in ("long_video", "long_video_mode")}
    return shot.but(long_video=None, extra=extra)


def _long_full(shot: Shot, _: Params, __: Request) -> Shot:
    windows = ("long_video_mode", "continuation_window_frames", "continuation_overlap_frames", "continuation_prompts")
    own = {k: v for k, v in (shot.long_video or {}).items() if k not in windows}
    extra = {k: v for k, v in shot.extra.items() if k not in windows}
    return shot.but(long_video={**own, "long_video_mode": "full"}, extra=extra)


def _unmark_sound(shot: Shot, p: Params, _: Request) -> Shot:
    reference = shot.reference(p["ref"])
    if reference is None or reference.edit is None:
        return shot
    return edits.set_edit(shot, p["ref"], reference.edit.but(sound=SoundMarks()))


def _also_reference(shot: Shot, p: Params, _: Request) -> Shot:
    reference = shot.reference(p["ref"])
    if reference is None or reference.edit is None:
        return shot
    return edits.set_edit(shot, p["ref"], reference.edit.but(also_reference=True))


def _aspect(shot: Shot, p: Params, _: Request) -> Shot:
    extra = {k: v for k, v in shot.extra.items() if k != "aspect_ratio" or v in ASPECTS}
    return edits.set_canvas(shot, Canvas(aspect=p["aspect"])).but(extra=extra)


def _reset(shot: Shot, p: Params, _: Request) -> Shot:
    if p["field"] == "audio_mode":
        return edits.set_audio_mode(shot, p["value"])
    return edits.set_fields(shot, **{p["field"]: p["value"]})


_MENDS: dict[str, CarryOut] = {
    "mend.trim_to_rung": _trim,
    "mend.keep_seconds": _trim,
    "mend.whole": lambda shot, p, _: edits.trim(shot, p["ref"], 0.0, None),
    "mend.set_aside": lambda shot, p, _: edits.set_aside(shot, p["ref"]),
    "mend.take_back": lambda shot, p, _: edits.set_aside(shot, p["ref"], False),
    "mend.set_aside_surplus": _set_aside_surplus,
    "mend.drop_sound": lambda shot, p, _: edits.keep_sound(shot, p["ref"], False),
    "mend.use_as.image": _use_as,
    "mend.use_as.video": _use_as,
    "mend.use_as.audio": _use_as,
    "mend.short_edge": lambda shot, p, _: edits.set_short_edge(shot, p["ref"], p["short_edge"]),
    "mend.enlarge": lambda shot, p, _: edits.enlarge(shot, p["ref"]),
    "mend.crop": _crop,
    "mend.uncrop": lambda shot, p, _: edits.crop(shot, p["ref"], None),
    "mend.drive": _drive,
    "mend.role.first": lambda shot, p, _: edits.set_role(shot, p["ref"], "first"),
    "mend.role.last": lambda shot, p, _: edits.set_role(shot, p["ref"], "last"),
    "mend.task.t2va": lambda shot, p, _: edits.set_task(shot, "t2va"),
    "mend.frames": lambda shot, p, _: edits.set_frames(shot, p["frames"]),
    "mend.aspect": _aspect,
    "mend.canvas": lambda shot, p, _: edits.set_canvas(shot, Canvas(width=p["width"], height=p["height"])),
    "mend.reset": _reset,
    "mend.clear": _reset,
    "mend.drop_extra": _drop_extra,
    "mend.one_pass": _one_pass,
    "mend.long_full": _long_full,
    "mend.unmark": lambda shot, p, _: edits.set_edit(shot, p["ref"], None),
    "mend.unmark_sound": _unmark_sound,
    "mend.also_reference": _also_reference,
    "mend.mention": lambda shot, p, _: edits.insert_mention(shot, p["ref"]),
    "mend.unmention": lambda shot, p, _: edits.unmention(shot, p["ref"]),
}
