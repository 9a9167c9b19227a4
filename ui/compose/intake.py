"""From dropped paths to references: folders opened, every file looked at, what is no media said."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from studio.contract.facts import MediaFacts
from studio.contract.shot import Kind
from studio.core import paths
from studio.core.files import write_atomic
from studio.core.notices import Notice, Notices
from studio.core.words import Message, Param
from ui.compose.inbox import FOLDER_LIMIT, Found, expand, kind_by_name
from ui.compose.reading import Reading


async def take_in(dropped: Sequence[Path], reading: Reading, notices: Notices) -> list[tuple[Path, Kind]]:
    """The media files among `dropped`, in order, each with the kind that its content has.

    A file that cannot be read keeps the kind of its name, and its card says why; one that is no media by its name
    either is said and left out.
    """
    found = await asyncio.to_thread(expand, dropped)
    _say_left_out(found, notices)
    files = [path.absolute() for path in (*found.named, *found.inside)]
    if not files:
        notices.post(Notice("warn", Message("compose.nothing_found", {"name": _names(dropped)})))
    facts = await asyncio.gather(*(reading.look(path) for path in files))
    taken: list[tuple[Path, Kind]] = []
    for path, known in zip(files, facts, strict=True):
        if isinstance(known, MediaFacts):
            taken.append((path, known.kind))
        elif (kind := kind_by_name(path)) is not None:
            taken.append((path, kind))
        else:
            reading.forget(path)
            notices.post(Notice("warn", Message(known.code, known.params)))
    return taken


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


def _names(dropped: Sequence[Path]) -> str:
    return ", ".join(path.name or str(path) for path in dropped[:3]) + (" …" if len(dropped) > 3 else "")
