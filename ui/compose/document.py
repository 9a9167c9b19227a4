"""Shot files on disk: read and written whole, in a thread, with errors that say what to do."""

from __future__ import annotations

import asyncio
from pathlib import Path

from studio.contract import Shot, dump_shot, parse_shot
from studio.core.errors import StudioError
from studio.core.files import write_atomic

SUFFIX = ".h3shot"


async def read_shot(path: Path) -> Shot:
    """The shot in a file. Raises StudioError: the file cannot be read, is damaged, or comes from a newer version."""
    try:
        data = await asyncio.to_thread(path.read_bytes)
    except OSError as error:
        raise StudioError("compose.open_failed", name=path.name, what=error.strerror or str(error)) from error
    return parse_shot(data, path.parent)


async def write_shot(path: Path, shot: Shot) -> None:
    """Save a shot with paths relative to the file's folder where they can be. Raises StudioError."""
    try:
        await asyncio.to_thread(write_atomic, path, dump_shot(shot, path.parent))
    except OSError as error:
        raise StudioError("compose.save_failed", name=path.name, what=error.strerror or str(error)) from error
