"""A preset: a named part of a shot. Built-in ones are templates, with a prompt that has places to fill.

Stored as versioned JSON (`.h3preset`). Fields that a newer version added are kept on save.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import Field, ValidationError

from studio.contract import KeepChange, Kind, Role, Shot, Task, edits
from studio.contract.frozen import Frozen
from studio.core.errors import StudioError
from studio.core.files import safe_stem
from studio.presets.skeleton import filled, generalised

PRESET_VERSION: Final = 1
SUFFIX: Final = ".h3preset"

PARTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "mode": ("task", "audio_mode"),
        "prompt": ("prompt",),
        "canvas": ("canvas",),
        "length": ("frames",),
        "steps": ("steps",),
        "shifts": ("flow_shift", "audio_flow_shift"),
        "seed": ("seed", "seed_locked"),
        "quality": ("quality",),
        "lora": ("lora",),
        "long_video": ("long_video",),
        "extra": ("extra",),
        "notes": ("notes",),
    }
)
"""What a preset can set, by name, and the fields of a shot that belong to it."""

_FOLLOWERS: Final = MappingProxyType({"canvas": "canvas", "length": "frames"})
_BY_HAND: Final = frozenset({"task", "audio_mode", "prompt", "follow", "references", "edit", "version"})


class PresetError(StudioError):
    """A preset that cannot be read, written or used."""


class Preset(Frozen):
    """`sets` holds fields of a shot as a shot file has them; its prompt is a skeleton (see `skeleton`), its `edit` what
    of the first clip is kept and changed.

    `task` is the mode that it is made for, `needs` the references that it speaks of, `roles` the roles of its pictures
    in order. `title`, `purpose` and `note` of built-in ones are English texts of the catalogue.
    """

    version: int = Field(default=PRESET_VERSION, ge=1)
    id: str = Field(max_length=80, pattern=r"^[^./\\\x00-\x1f][^/\\\x00-\x1f]*$")
    """Also the name of its file, without the suffix."""
    title: str = Field(min_length=1, max_length=120)
    purpose: str = ""
    note: str = ""
    """What the model is known to do with it."""
    task: Task
    pictogram: str = ""
    needs: tuple[Kind, ...] = ()
    roles: tuple[Role, ...] = ()
    sets: dict[str, Any] = Field(default_factory=dict)

    @property
    def parts(self) -> frozenset[str]:
        """The names of what it sets, keys of `PARTS`."""
        follows = self.sets.get("follow", ())
        found = {part for part, fields in PARTS.items() if any(name in self.sets for name in fields)}
        return frozenset(found | {part for part, name in _FOLLOWERS.items() if name in follows})


def apply(preset: Preset, shot: Shot) -> Shot:
    """The shot after a preset, as one edit: mode and roles, then its fields, then its prompt with the places filled
    that speak of references. What the preset does not set stays; so do all references.

    Raises pydantic's ValidationError for values that a shot cannot hold.
    """
    sets = preset.sets
    if "task" in sets:
        shot = edits.set_task(shot, sets["task"])
    if "audio_mode" in sets:
        shot = edits.set_audio_mode(shot, sets["audio_mode"])
    pictures = [r.id for r in shot.references if r.kind == "image" and not r.set_aside]
    for ref_id, role in zip(pictures, preset.roles, strict=False):
        shot = edits.set_role(shot, ref_id, role)
    if "edit" in sets:
        shot = _marked(shot, KeepChange.model_validate(sets["edit"]))
    shot = shot.but(**{name: value for name, value in sets.items() if name not in _BY_HAND})
    shot = shot.but(follow=(shot.follow - {n for n in ("frames", "canvas") if n in sets}) | set(sets.get("follow", ())))
    return shot.but(prompt=filled(sets["prompt"], shot)) if "prompt" in sets else shot


def _marked(shot: Shot, edit: KeepChange) -> Shot:
    clip = next((r for r in shot.references if r.kind == "video" and not r.set_aside), None)
    return shot if clip is None else edits.set_edit(shot, clip.id, edit)


def preset_of(shot: Shot, title: str, parts: Iterable[str], *, like: Preset | None = None) -> Preset:
    """The preset that makes another shot like this one in these parts. `like` is one that it replaces."""
    sets: dict[str, Any] = {}
    plain = shot.model_dump(mode="json")
    follow = []
    for part in parts:
        follower = _FOLLOWERS.get(part)
        if follower in shot.follow:
            follow.append(follower)
        else:
            sets.update({name: plain[name] for name in PARTS[part]})
    if follow:
        sets["follow"] = sorted(filter(None, follow))
    if "prompt" in sets:
        sets["prompt"] = generalised(shot.prompt, shot)
    needs = tuple(r.kind for r in shot.sent())
    roles = tuple(r.role for r in shot.sent() if r.kind == "image") if shot.task == "fl2va" else ()
    if like is not None:
        return like.but(title=title, task=shot.task, needs=needs, roles=roles, sets=sets)
    return Preset(id=slug(title), title=title, task=shot.task, needs=needs, roles=roles, sets=sets)


def without_parts(preset: Preset, dropped: Iterable[str]) -> Preset:
    """The preset without some of what it sets."""
    names = {name for part in dropped for name in PARTS[part]}
    follows = {_FOLLOWERS[part] for part in dropped if part in _FOLLOWERS}
    sets = {name: value for name, value in preset.sets.items() if name not in names}
    left = [name for name in sets.pop("follow", ()) if name not in follows]
    return preset.but(sets={**sets, "follow": left} if left else sets)


def slug(title: str) -> str:
    """An id from a title; what no plain letters are becomes a code of its own."""
    plain = re.sub(r"[^a-z0-9]+", "-", safe_stem(title).lower()).strip("-")
    return plain[:60] or "preset-" + "-".join(f"{ord(c):x}" for c in title[:8])


def parse_preset(data: bytes) -> Preset:
    """The preset in a file's bytes. Unknown fields are kept.

    Raises PresetError: "preset.newer" for a later version of the format, "preset.damaged" for what is no preset.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise PresetError("preset.damaged", reason=str(error)) from error
    if not isinstance(document, dict):
        raise PresetError("preset.damaged", reason=f"a {type(document).__name__} instead of an object")
    version = document.get("version", PRESET_VERSION)
    if isinstance(version, int) and version > PRESET_VERSION:
        raise PresetError("preset.newer", version=version, known=PRESET_VERSION)
    try:
        preset = Preset.model_validate(document)
        apply(preset, Shot())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PresetError("preset.damaged", reason=f"{where}: {first['msg']}", detail=str(error)) from error
    except (TypeError, AttributeError) as error:
        raise PresetError("preset.damaged", reason=str(error)) from error
    return preset


def dump_preset(preset: Preset) -> bytes:
    """The preset as UTF-8 JSON, keys sorted."""
    plain = preset.model_dump(mode="json")
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False).encode() + b"\n"
