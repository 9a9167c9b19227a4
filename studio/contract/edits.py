"""Edits: pure functions shot → shot, one for each thing that a person does to a shot.

An unknown reference id leaves the shot as it is. Values that the types cannot hold raise pydantic's ValidationError.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from studio.contract.keep_change import KeepChange
from studio.contract.labels import in_upload_order, mention_of, mentions, window_prompts
from studio.contract.limits import Limits
from studio.contract.shot import (
    Canvas,
    Crop,
    Follow,
    Kind,
    Reference,
    Role,
    Shot,
    Task,
    is_source,
    new_reference_id,
    takes,
)

AudioMode = Literal["native", "lock_source"]


def add_references(shot: Shot, items: Iterable[tuple[Path, Kind]], limits: Limits | None = None) -> Shot:
    """The shot with files added at the end of the tray, each with the role that the task has left for it.

    With `limits`, what goes over the counts is set aside: there, named, and not sent.
    """
    for path, kind in items:
        added = Reference(id=_free_id(shot), path=path, kind=kind, role=_role_left(shot, kind))
        full = limits is not None and takes(shot, added) and _is_full(shot, kind, limits)
        shot = shot.but(references=(*shot.references, added.but(set_aside=full)))
    return shot


def remove(shot: Shot, ref_id: str) -> Shot:
    """The shot without a reference; its mentions go with it."""
    left = tuple(r for r in shot.references if r.id != ref_id)
    return shot if len(left) == len(shot.references) else unmention(shot, ref_id).but(references=left)


def move(shot: Shot, ref_id: str, to_index: int) -> Shot:
    """The shot with a reference at another place of the tray (0 is the first; too large means the last)."""
    moved = shot.reference(ref_id)
    if moved is None:
        return shot
    others = [r for r in shot.references if r.id != ref_id]
    others.insert(max(0, to_index), moved)
    return shot.but(references=tuple(others))


def set_prompt(shot: Shot, prompt: str) -> Shot:
    """The shot with another prompt, mentions in their stored form."""
    return shot.but(prompt=prompt)


def set_task(shot: Shot, task: Task) -> Shot:
    """The shot in another mode. For fl2va the first two pictures become first and last; for ref2va all are references.

    What the new mode does not take stays in the tray, waiting.
    """
    changed = shot.but(task=task)
    if task == "fl2va":
        return _fill_keyframes(changed)
    if task == "ref2va":
        return _with_roles(changed, {r.id: "reference" for r in shot.references if r.role in ("first", "last")})
    return changed


def set_role(shot: Shot, ref_id: str, role: Role) -> Shot:
    """The shot with another role for a reference; who had *first*, *last* or *driving* before takes the role freed."""
    chosen = shot.reference(ref_id)
    if chosen is None or chosen.role == role:
        return shot
    roles: dict[str, Role] = {ref_id: role}
    if role != "reference":
        roles.update({r.id: chosen.role for r in shot.references if r.role == role and r.kind == chosen.kind})
    return _with_roles(shot, roles)


def set_audio_mode(shot: Shot, mode: AudioMode) -> Shot:
    """The shot with or without a driving sound: the first sound that is not set aside drives, or all are references."""
    sounds = [r for r in shot.references if r.kind == "audio"]
    roles: dict[str, Role] = {r.id: "reference" for r in sounds}
    if mode == "lock_source":
        driving = next((r for r in sounds if r.role == "driving"), None)
        driving = driving or next((r for r in sounds if not r.set_aside), None)
        roles.update({driving.id: "driving"} if driving else {})
    return _with_roles(shot.but(audio_mode=mode), roles)


def set_frames(shot: Shot, frames: int) -> Shot:
    """The shot with a length set by hand: it no longer follows the main reference."""
    return shot.but(frames=frames, follow=shot.follow - {"frames"})


def set_canvas(shot: Shot, canvas: Canvas) -> Shot:
    """The shot with a canvas set by hand: it no longer follows the main reference."""
    return shot.but(canvas=canvas, follow=shot.follow - {"canvas"})


def set_follow(shot: Shot, name: Follow, on: bool = True) -> Shot:
    """The shot whose length or canvas follows the main reference again, or stays as it is."""
    return shot.but(follow=shot.follow | {name} if on else shot.follow - {name})


def set_steps(shot: Shot, steps: int) -> Shot:
    """The shot with another number of denoise steps."""
    return shot.but(steps=steps)


def set_seed(shot: Shot, seed: int) -> Shot:
    """The shot with another seed."""
    return shot.but(seed=seed)


def set_fields(shot: Shot, **changes: Any) -> Shot:
    """The shot with any of its plain fields changed (shifts, quality, lora, extra, notes, …)."""
    return shot.but(**changes)


def trim(shot: Shot, ref_id: str, start: float, end: float | None) -> Shot:
    """The shot with another part of a clip or sound, in seconds of its source; `end` None means to its end."""
    return change(shot, ref_id, start=max(0.0, start), end=end)


def crop(shot: Shot, ref_id: str, rectangle: Crop | None) -> Shot:
    """The shot with another crop of a picture or clip; None takes it whole."""
    return change(shot, ref_id, crop=rectangle)


def keep_sound(shot: Shot, ref_id: str, keep: bool) -> Shot:
    """The shot with a clip's soundtrack kept or dropped."""
    return change(shot, ref_id, keep_sound=keep)


def set_edit(shot: Shot, ref_id: str, edit: KeepChange | None) -> Shot:
    """The shot with other marks of what of a clip is kept and changed; None: it is no longer edited."""
    return change(shot, ref_id, edit=edit)


def continue_from(shot: Shot, still: Path) -> Shot:
    """The shot as one that goes on from a picture: fl2va with it as first frame, other pictures and edits set aside.

    Its length stays as it is set by hand, its canvas follows the picture.
    """
    waiting = shot.but(references=tuple(r.but(set_aside=r.set_aside or _would_go(r)) for r in shot.references))
    added = Reference(id=_free_id(shot), path=still, kind="image", role="first")
    going_on = waiting.but(task="fl2va", references=(*waiting.references, added), long_video=None)
    return set_follow(going_on, "canvas")


def set_aside(shot: Shot, ref_id: str, aside: bool = True) -> Shot:
    """The shot with a reference set aside (not counted, not sent) or taken back."""
    return change(shot, ref_id, set_aside=aside)


def set_short_edge(shot: Shot, ref_id: str, short_edge: int | None) -> Shot:
    """The shot with a clip prepared to another short edge, in px; None keeps the source's."""
    return _prepare(shot, ref_id, short_edge=short_edge)


def enlarge(shot: Shot, ref_id: str, on: bool = True) -> Shot:
    """The shot with a picture or clip of less than 256 px scaled up to that, or left as it is."""
    return _prepare(shot, ref_id, enlarge=on)


def set_ground(shot: Shot, ref_id: str, ground: str | None) -> Shot:
    """The shot with what is transparent in a picture or clip laid over another colour, "#rrggbb"; None: its usual."""
    return _prepare(shot, ref_id, ground=ground)


def replace_path(shot: Shot, ref_id: str, path: Path, kind: Kind | None = None) -> Shot:
    """The shot with a reference's file somewhere else (a missing file found again)."""
    reference = shot.reference(ref_id)
    return shot if reference is None else change(shot, ref_id, path=path, kind=kind or reference.kind)


def insert_mention(shot: Shot, ref_id: str, at: int | None = None) -> Shot:
    """The shot whose prompt mentions a reference at a place of the text, or at its end."""
    text = shot.prompt
    place = len(text) if at is None else min(max(0, at), len(text))
    before, after = text[:place], text[place:]
    gap = " " if before and not before[-1].isspace() else ""
    return shot.but(prompt=before + gap + mention_of(ref_id) + after)


def unmention(shot: Shot, ref_id: str) -> Shot:
    """The shot whose prompt, and those of its windows, no longer mention a reference."""
    shot = shot.but(prompt=_without_mention(shot.prompt, ref_id))
    own = window_prompts(shot)
    return set_window_prompts(shot, [_without_mention(prompt, ref_id) for prompt in own]) if own else shot


def set_window_prompts(shot: Shot, prompts: Sequence[str]) -> Shot:
    """The shot with a prompt for each window of a continued video, mentions in their stored form; none: its prompt
    counts for all."""
    kept = {name: value for name, value in (shot.long_video or {}).items() if name != "continuation_prompts"}
    return shot.but(long_video={**kept, **({"continuation_prompts": list(prompts)} if prompts else {})})


def change(shot: Shot, ref_id: str, **changes: Any) -> Shot:
    """The shot with fields of one reference changed."""
    return shot.but(references=tuple(r.but(**changes) if r.id == ref_id else r for r in shot.references))


def _without_mention(prompt: str, ref_id: str) -> str:
    for mention in reversed(mentions(prompt)):
        if mention.ref_id == ref_id:
            prompt = prompt[: mention.start] + prompt[mention.end :]
    return prompt


def _prepare(shot: Shot, ref_id: str, **changes: Any) -> Shot:
    reference = shot.reference(ref_id)
    return shot if reference is None else change(shot, ref_id, preparation=reference.preparation.but(**changes))


def _would_go(reference: Reference) -> bool:
    """Whether a reference would go along with a new first picture."""
    return reference.kind == "image" or is_source(reference)


def _free_id(shot: Shot) -> str:
    while shot.reference(fresh := new_reference_id()) is not None:
        pass
    return fresh


def _role_left(shot: Shot, kind: Kind) -> Role:
    taken = {r.role for r in shot.sent()}
    if kind == "image" and shot.task == "fl2va":
        return "first" if "first" not in taken else "last" if "last" not in taken else "reference"
    if kind == "audio" and shot.audio_mode == "lock_source" and "driving" not in taken:
        return "driving"
    return "reference"


def _is_full(shot: Shot, kind: Kind, limits: Limits) -> bool:
    given = in_upload_order(shot)
    same = sum(r.kind == kind for r in given)
    most = {"image": limits.images_max, "video": limits.videos_max, "audio": limits.audios_max}[kind]
    return same >= most or len(given) >= limits.references_max


def _fill_keyframes(shot: Shot) -> Shot:
    taken = {r.role for r in shot.sent()}
    keyframes: tuple[Role, ...] = ("first", "last")
    free = [role for role in keyframes if role not in taken]
    waiting = [r for r in shot.references if r.kind == "image" and r.role == "reference" and not r.set_aside]
    return _with_roles(shot, {r.id: role for r, role in zip(waiting, free, strict=False)})


def _with_roles(shot: Shot, roles: dict[str, Role]) -> Shot:
    references: Sequence[Reference] = [r.but(role=roles.get(r.id, r.role)) for r in shot.references]
    return shot.but(references=tuple(references))
