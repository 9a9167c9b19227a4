"""A library on real results, in a window of its own."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from studio.core.notices import Notice
from studio.jobs.library import Library
from studio.media.workers import Workers
from tests.helpers.jobs import Bench, bench
from tests.helpers.media_factory import clicks, write_clip
from tests.helpers.results import write_result
from tests.helpers.waiting import until
from ui.hand import Hand
from ui.library import LibraryModel, LibraryWorkspace
from ui.theme import palette
from ui.theme.language import follow_language


@dataclass
class Room:
    """The workspace and what it stands on."""

    bench: Bench
    library: Library
    model: LibraryModel
    view: LibraryWorkspace
    hand: Hand
    folder: Path
    notices: list[Notice] = field(default_factory=list)

    async def shown(self, *stems: str) -> None:
        """Wait until exactly these results are shown, in this order."""
        await until(lambda: self.stems() == list(stems), f"{stems}, not {self.stems()}")

    def stems(self) -> list[str]:
        """The names of what is shown."""
        ids = self.model.results.page(0)
        return [entry.video.stem if (entry := self.model.results.entry(i)) else "?" for i in ids]

    async def select(self, *stems: str) -> None:
        """Select results by their names, as a click and Ctrl+clicks do."""
        rows = [self.stems().index(stem) for stem in stems]
        grid, model = self.view.grid, self.model.results
        grid.clearSelection()
        for row in reversed(rows):
            grid.selectionModel().setCurrentIndex(model.index(row), grid.selectionModel().SelectionFlag.Select)
        grid.setFocus()
        ids = {model.id_at(row) for row in rows}
        await until(lambda: set(self.model.selected) == ids, f"{ids} in {rows}, not {self.model.selected}", within=5)
        await until(grid.hasFocus, "the focus", within=5)

    def said(self) -> str:
        """All notices."""
        return "\n".join(notice.message.text() for notice in self.notices)


Rooms = Callable[[], AbstractAsyncContextManager[Room]]


@pytest.fixture
def folder(own_home: Path) -> Path:
    """Where results go: three of them, newest first `boat`, `owl`, `alley`; boat was made from a clip."""
    results = own_home / "Videos" / "H3 Studio"
    source = write_clip(own_home / "phone clip.mp4", frames=48, size=(256, 256), sound=clicks(2.0))
    results.mkdir(parents=True)
    boat = write_clip(results / "boat.mp4", frames=48, size=(256, 256), sound=clicks(2.0))
    write_result(boat, prompt="A lantern boat in the snow, 雪夜", created=3000.0, source=source, sha256="")
    write_result(results / "owl.mp4", prompt="An owl in the forest", created=2000.0, rehearsal=True)
    write_result(results / "alley.mp4", prompt="A neon alley in the rain", created=1000.0)
    return results


@pytest.fixture
def rooms(folder: Path, qapp: QApplication) -> Rooms:
    """Opens the library inside a test: between a fixture and a test no loop runs, but Qt does."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Room]:
        palette.apply(qapp, "dark")
        unfollow = follow_language(qapp)
        workers = Workers()
        async with bench() as b:
            library = Library(workers, b.notices)
            model = LibraryModel(library, b.service, workers, b.notices)
            view = LibraryWorkspace(model)
            view.resize(1368, 800)
            view.show()
            view.activateWindow()
            room = Room(b, library, model, view, Hand(view), folder)
            b.notices.posted.subscribe(room.notices.append)
            library.start(folder)
            await until(view.isActiveWindow, "the window to be active", within=5)
            await room.shown("boat", "owl", "alley")
            try:
                yield room
            finally:
                view.hide()
                await model.aclose()
                await library.aclose()
                await workers.aclose()
                for made in (view, model):
                    made.deleteLater()
                unfollow()
        # Here, on Qt's thread: Qt's objects must not end on another.
        gc.collect()

    return opened
