"""What a unit or a container of somebody else's does not set: text to add, and where."""

from __future__ import annotations

import asyncio
from pathlib import Path

from studio.server import Launcher
from studio.server.doctor.rare import check_shared_memory_of
from studio.server.drop_in import missing_options, missing_pieces
from studio.server.launchers import ContainerLauncher, UnitLauncher


async def lacking(launcher: Launcher) -> tuple[Path | None, str] | None:
    """(file, text to add there), no file for a container's options; None when nothing lacks. Raises StudioError."""
    if isinstance(launcher, ContainerLauncher):
        options = missing_options(await launcher.environment())
        options += _shared_memory(launcher.name, *await launcher.shared_memory())
        return (None, options) if options else None
    assert isinstance(launcher, UnitLauncher)
    shown = await launcher.state()
    if shown.get("LoadState") == "not-found":
        return None
    return await asyncio.to_thread(missing_pieces, launcher.unit, shown)


def _shared_memory(container: str, size: int, ipc: str) -> str:
    """The option that a container lacks, as a line; "" when it has enough."""
    return "".join(f"\n{check.command}" for check in check_shared_memory_of(container, size, ipc) if check.command)
