"""Tours of the window that write pictures: for the README, and for those who look before they ship."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.contract import Canvas, Shot
from studio.media.samples import write_clip, write_sound, write_still
from ui.compose.wishes import Wish
from ui.hand import Hand
from ui.theme.palette import Scheme

if TYPE_CHECKING:
    from ui.studio import Studio

_SIZES: Final = ((1440, 900), (1280, 720))
_THEMES: Final[tuple[Scheme, ...]] = ("dark", "light")
_LANGUAGES: Final = ("en", "zh_CN")
_QUICK, _SLOW, _STEP_S = 6, 200, 1.0
"""Steps of the render that is waited for and of those that are only looked at, and the rehearsal's pace."""
_PATIENCE_S: Final = 300


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
    """Every workspace, first empty, then at work, in both themes and languages at 1280 × 720; each template once.

    Writes `<workspace>[-empty]-<theme>-<language>@<scale>x.png` and, at scale 1, `template-<id>.png`. Gives the exit
    code.
    """
    hand = Hand(studio.window)
    scale = round(studio.window.devicePixelRatioF())
    studio.window.resize(1280, 720)
    with tempfile.TemporaryDirectory(prefix="h3studio-tour-") as media:
        await _everywhere(studio, hand, folder, "-empty", scale)
        await lay_out_a_shot(studio, Path(media))
        async with renders_under_way(studio):
            await _everywhere(studio, hand, folder, "", scale)
            if scale == 1:
                await _templates(studio, hand, folder)
    return 0


async def _everywhere(studio: Studio, hand: Hand, folder: Path, state: str, scale: int) -> None:
    for theme, language in product(_THEMES, _LANGUAGES):
        studio.preferences.set_theme(theme)
        studio.preferences.set_language(language)
        for action in studio.window.actions_shown:
            studio.window.go(action)
            await studio.settled()
            await hand.shoot(folder / f"{_name(action)}{state}-{theme}-{language}@{scale}x.png")


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


@contextlib.asynccontextmanager
async def renders_under_way(studio: Studio) -> AsyncIterator[None]:
    """On the rehearsal server: one render of the shot is finished and open beside its source, one runs, one waits."""
    shot = studio.compose.shot
    small = shot.but(canvas=Canvas(width=448, height=256), frames=107, steps=_QUICK, follow=frozenset())
    studio.server.set_step_seconds(_STEP_S)
    studio.server.choose("rehearsal")
    studio.server.start()
    try:
        done = await _submit(studio, small)
        await _until(lambda: (job := studio.queue.jobs.get(done)) is not None and job.video is not None)
        await _until(lambda: studio.compare.comparison is not None)
        studio.compare.playback.seek(60)
        running = await _submit(studio, small.but(steps=_SLOW, seed=shot.seed + 1))
        await _until(lambda: (job := studio.queue.jobs.get(running)) is not None and (job.progress.step or 0) > 1)
        await _submit(studio, small.but(steps=_SLOW, seed=shot.seed + 2))
        studio.queue.select(running)
        studio.window.notice_bar.dismiss()
        studio.window.page("go.library")
        await _until(lambda: studio.library.results.rowCount() > 0)
        first = studio.library.results.id_at(0)
        assert first is not None
        studio.library.select((first,), first)
        yield
    finally:
        for job in studio.queue.jobs.jobs:
            if not job.state.finished:
                await studio.jobs.cancel(job.id)
        await studio.manager.stop()


async def _submit(studio: Studio, shot: Shot) -> str:
    """Put a shot into the queue as *Render* does; gives the id of its job."""
    before = {job.id for job in studio.queue.jobs.jobs}
    studio.orders.place(Wish((shot,)))
    await _until(lambda: len(studio.queue.jobs.jobs) > len(before))
    return next(job.id for job in studio.queue.jobs.jobs if job.id not in before)


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.05)


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
