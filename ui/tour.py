"""A tour of every workspace that writes a picture of each: for the README, and for those who look before they ship."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from ui.hand import Hand

if TYPE_CHECKING:
    from ui.studio import Studio

_SIZES = ((1440, 900), (1280, 720))


async def take_tour(studio: Studio, folder: Path) -> int:
    """Visit every workspace at two sizes and write `<workspace>-<width>.png` into `folder`. Gives the exit code."""
    hand = Hand(studio.window)
    await asyncio.sleep(0)
    for width, height in _SIZES:
        studio.window.resize(width, height)
        for action in studio.window.actions_shown:
            studio.window.go(action)
            await studio.settled()
            await hand.shoot(folder / f"{action.removeprefix('go.')}-{width}.png")
    return 0
