"""Files made of a comparison, in the background; a notice says when one is there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from studio.compare.compositing import Frame, Look, Mode
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.media.workers import Workers
from ui.compare.display import Display
from ui.compare.pair import ClipPair
from ui.compare.still import write_png

if TYPE_CHECKING:
    from studio.compare.kept_parts import EditedClip
    from studio.compare.result import Comparison


CLIP_MODES = ("stacked", "wipe", "difference", "overlay", "flicker", "grid", "kept")
"""Modes in which a clip is written as it is shown; in the others with A, B and their difference side by side."""


class Seen(NamedTuple):
    """What is exported. `positions`: those at which C and D are wanted; `edited`: what B keeps of A, if it does."""

    mode: Mode | Literal["all"]
    look: Look
    positions: Sequence[int]
    edited: EditedClip | None


class Saving:
    """Starts the work in `scope`, which tells of errors."""

    def __init__(self, scope: TaskScope, workers: Workers, notices: Notices) -> None:
        self._scope, self._workers, self._notices = scope, workers, notices

    def comparison(
        self,
        found: Comparison,
        pair: ClipPair,
        path: Path,
        display: Display,
        *,
        within: tuple[int, int] | None,
        at: Sequence[int],
        edited: EditedClip | None,
    ) -> None:
        """A clip as it is shown (.mp4, of the positions `within`), a contact sheet (.png, of the positions `at`), or
        the measures (.csv, .json)."""
        first = max(0, found.alignment.offset_frames)
        frames = tuple(found.frames.a[position - first] for position in at)
        if path.suffix.lower() == ".mp4" and within is not None:
            start, end = (min(found.frames_compared - 1, max(0, position - first)) for position in within)
            found = found.part(start, end)
            first += start
        mode = display.mode if display.mode in CLIP_MODES else "all"
        positions = range(first, first + found.frames_compared) if mode == "grid" else ()
        seen = Seen(mode, display.look, positions, edited)
        self._scope.start(self._export(found, pair, path, seen, frames), name="export")

    def picture(self, picture: Frame, path: Path) -> None:
        """A PNG of (h, w, 4) BGRA."""
        self._scope.start(self._write(picture, path), name="picture")

    def b_with_sound_of_a(self, pair: ClipPair, path: Path) -> None:
        """An MP4 of B's pictures and A's sound, at the offset of now."""
        self._scope.start(self._mux(pair, path), name="sound")

    async def _export(
        self,
        found: Comparison,
        pair: ClipPair,
        path: Path,
        seen: Seen,
        at: tuple[int, ...],
    ) -> None:
        from studio.compare.drawing import Beside, View
        from studio.compare.export import Asked, export

        numbers = [pair.numbers_beside(position) for position in seen.positions]
        infos = [other.clip.info for other in pair.beside] if numbers else []
        beside = tuple(
            Beside(info.path, (info.width, info.height), frames)
            for info, frames in zip(infos, zip(*numbers, strict=True), strict=True)
        )
        view = View(seen.mode, seen.look, beside, seen.edited)
        await export(self._workers, found, path, asked=Asked(view, at=at))
        self._say(path)

    async def _write(self, picture: Frame, path: Path) -> None:
        try:
            await asyncio.to_thread(write_png, picture, path)
        except OSError:
            self._notices.post(Notice("bad", Message("ui.compare.not_saved", {"name": path.name})))
        else:
            self._say(path)

    async def _mux(self, pair: ClipPair, path: Path) -> None:
        from studio.compare.mux import mux_sound

        late = -pair.offset / pair.fps
        await mux_sound(self._workers, pair.b.info.path, pair.a.info.path, path, late=late)
        self._say(path)

    def _say(self, path: Path) -> None:
        self._notices.post(Notice("good", Message("ui.compare.saved", {"name": path.name})))
