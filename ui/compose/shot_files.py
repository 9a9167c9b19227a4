"""Shot files, read and written in a thread."""

from __future__ import annotations

import asyncio
from pathlib import Path

from studio.contract import Shot
from studio.presets.shot_file import load_shot, save_shot


async def read_shot(path: Path) -> Shot:
    """The shot in a file. Raises ContractError: the file cannot be read, is damaged, or comes from a newer version."""
    return await asyncio.to_thread(load_shot, path)


async def write_shot(path: Path, shot: Shot) -> None:
    """Save a shot with paths relative to the file's folder where they can be. Raises ContractError."""
    await asyncio.to_thread(save_shot, shot, path)
