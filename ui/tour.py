"""Tours of the window that write pictures: for the README, and for those who look before they ship."""

from __future__ import annotations

import asyncio
import tempfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.media.samples import write_clip, write_sound, write_still
from ui.hand import Hand
from ui.theme.palette import Scheme

if TYPE_CHECKING:
    from ui.studio import Studio

_SIZES: Final = ((1440, 900), (1280, 720))
_THEMES: Final[tuple[Scheme, ...]] = ("dark", "light")
_LANGUAGES: Final = ("en", "zh_CN")


async def take_tour(studio: Studio, folder: Path) -> int:
    """Visit every workspace at two sizes and write `<workspace>-<width>.png` into `folder`. Gives the exit code."""
    hand = Hand(studio.window)
    await asyncio.sleep(0)
    for width, height in _SIZES:
        studio.window.resize(width, height)
        for action in studio.window.actions_shown:
            studio.window.go(action)
            await studio.settled()
            await hand.shoot(folder / f"{_name(action)}-{width}.png")
    return 0


async def take_shots(studio: Studio, folder: Path) -> int:
    """Every workspace, with a shot on the table, in both themes and languages at 1280 × 720; each template once.

    Writes `<workspace>-<theme>-<language>@<scale>x.png` and, at scale 1, `template-<id>.png`. Gives the exit code.
    """
    hand = Hand(studio.window)
    scale = round(studio.window.devicePixelRatioF())
    studio.window.resize(1280, 720)
    with tempfile.TemporaryDirectory(prefix="h3studio-tour-") as media:
        await lay_out_a_shot(studio, Path(media))
        for theme, language in product(_THEMES, _LANGUAGES):
            studio.preferences.set_theme(theme)
            studio.preferences.set_language(language)
            for action in studio.window.actions_shown:
                studio.window.go(action)
                await studio.settled()
                await hand.shoot(folder / f"{_name(action)}-{theme}-{language}@{scale}x.png")
        if scale == 1:
            await _templates(studio, hand, folder)
    return 0


async def lay_out_a_shot(studio: Studio, folder: Path) -> None:
    """Put small media of our own, written into `folder`, and a prompt on the table, and look at the clip closely."""
    clip, still, sound = folder / "harbour.mp4", folder / "coat.png", folder / "rain.wav"
    await asyncio.to_thread(write_clip, clip, seconds=5, width=640, height=360, fps=30, preset="ultrafast")
    await asyncio.to_thread(write_still, still, 480, 640)
    await asyncio.to_thread(write_sound, sound, 4)
    studio.compose.add_paths([clip, still, sound])
    while len(studio.compose.facts) < 3:
        await asyncio.sleep(0.02)
    first = studio.compose.shot.references[0]
    studio.compose.type_prompt("Make <Video 1> a rainy night; she wears the coat of <Picture 1>. Keep every movement.")
    studio.compose.select(first.id)
    studio.compose_page.preview.show_now()


async def _templates(studio: Studio, hand: Hand, folder: Path) -> None:
    studio.preferences.set_theme("dark")
    studio.preferences.set_language("en")
    studio.window.go("go.compose")
    presets = studio.compose.presets
    for preset in presets.all:
        if not presets.is_own(preset):
            presets.apply(preset)
            await studio.settled()
            await hand.shoot(folder / f"template-{preset.id}.png")
            studio.compose.undo()


def _name(action: str) -> str:
    return action.removeprefix("go.")
