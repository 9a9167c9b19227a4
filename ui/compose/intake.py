"""From dropped paths to references: folders opened, every file looked at, what is no media said, doubles noticed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from studio.contract import Limits, Shot, edits
from studio.contract.facts import MediaFacts
from studio.contract.shot import Kind, Role
from studio.core import paths
from studio.core.files import write_atomic
from studio.core.notices import Notice, Notices
from studio.core.words import Message, Param
from ui.compose.inbox import FOLDER_LIMIT, Found, expand, kind_by_name
from ui.compose.reading import Reading
from ui.compose.same import same_content

_NAMED: Final = 5
"""Files that one notice names; of more it says how many there are."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A media file with the kind that its content has; `double`: the same content is there already."""

    path: Path
    kind: Kind
    double: bool = False


async def take_in(
    dropped: Sequence[Path], known: Sequence[Path], reading: Reading, notices: Notices
) -> tuple[Taken, ...]:
    """The media files among `dropped`, in order; `known` are those that the shot has.

    A file that cannot be read keeps the kind of its name, and its card says why; one that is no media by its name
    either is said and left out.
    """
    found = await asyncio.to_thread(expand, dropped)
    _say_left_out(found, notices)
    files = [path.absolute() for path in (*found.named, *found.inside)]
    if not files:
        notices.post(Notice("warn", Message("compose.nothing_found", {"name": _names(dropped)})))
    facts = await asyncio.gather(*(reading.look(path) for path in files))
    media: list[tuple[Path, Kind]] = []
    for path, about in zip(files, facts, strict=True):
        if isinstance(about, MediaFacts):
            media.append((path, about.kind))
        elif (kind := kind_by_name(path)) is not None:
            media.append((path, kind))
        else:
            reading.forget(path)
            notices.post(Notice("warn", Message(about.code, about.params)))
    doubles = await asyncio.to_thread(same_content, [path for path, _ in media], known)
    return tuple(Taken(path, kind, double) for (path, kind), double in zip(media, doubles, strict=True))


def added(
    shot: Shot, taken: Sequence[Taken], limits: Limits, role: Role = "reference", short_edge: int | None = 540
) -> Shot:
    """The shot with these files at the end of its tray, clips to be prepared to `short_edge` (px; None: as they are).

    Doubles, and what goes over the counts, are set aside.

    With the role *first* or *last* the shot becomes one of frames, and the file takes that place.
    """
    if role in ("first", "last"):
        shot = edits.set_task(shot, "fl2va")
    for item in taken:
        shot = edits.add_references(shot, [(item.path, item.kind)], limits)
        newest = shot.references[-1].id
        if item.kind == "video":
            shot = edits.set_short_edge(shot, newest, short_edge)
        if role != "reference":
            shot = edits.set_role(shot, newest, role)
        elif item.double:
            shot = edits.set_aside(shot, newest)
    return shot


def say_set_aside(before: Shot, after: Shot, taken: Sequence[Taken], notices: Notices) -> None:
    """Name what was added and set aside, and why."""
    new = after.references[len(before.references) :]
    aside = [(item, r) for item, r in zip(taken, new, strict=True) if r.set_aside]
    for code, double in (("compose.same_content", True), ("compose.surplus", False)):
        if names := [item.path for item, _ in aside if item.double is double]:
            notices.post(Notice("info", Message(code, {"names": _names(names)})))


async def keep_picture(png: bytes) -> Path:
    """Give a pasted picture a file of its own in the data folder. Raises OSError."""
    name = f"{datetime.now():%Y-%m-%d_%H%M%S}_{secrets.token_hex(2)}.png"
    path = paths.data_dir() / "pasted" / name
    await asyncio.to_thread(write_atomic, path, png)
    return path


def _say_left_out(found: Found, notices: Notices) -> None:
    params: dict[str, Param]
    if found.cut_off is not None:
        params = {"limit": FOLDER_LIMIT, "name": found.cut_off.name}
        notices.post(Notice("warn", Message("compose.too_many", params)))
    if found.left_out:
        notices.post(Notice("info", Message("compose.left_out", {"count": found.left_out})))


def _names(files: Sequence[Path]) -> str:
    named = ", ".join(path.name or str(path) for path in files[:_NAMED])
    return named + (f" … ({len(files)})" if len(files) > _NAMED else "")
