"""A desk to compose at: the real model and view, real workers, small real media."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.core.notices import Notices
from studio.media.workers import Workers
from tests.helpers.media_factory import clicks, write_clip, write_sound
from tests.helpers.waiting import until
from ui.compose import ComposeModel, ComposeWorkspace
from ui.theme.language import follow_language
from ui.theme.palette import apply


@dataclass(frozen=True)
class Media:
    """Files: 15.083 s with sound, four of 2 s silent, a portrait picture, 3 s of sound."""

    long: Path
    clips: tuple[Path, ...]
    still: Path
    sound: Path

    @property
    def clip(self) -> Path:
        return self.clips[0]


@pytest.fixture(scope="session")
def media(tmp_path_factory: pytest.TempPathFactory) -> Media:
    from PIL import Image

    folder = tmp_path_factory.mktemp("media")
    still = folder / "still.png"
    gradient = np.tile(np.linspace(0, 255, 288, dtype=np.uint8)[:, None, None], (1, 256, 3))
    Image.fromarray(gradient).save(still)
    return Media(
        long=write_clip(folder / "long.mp4", frames=362, sound=clicks(362 / 24)),
        clips=tuple(write_clip(folder / f"clip-{n}.mp4", frames=48 + n) for n in range(4)),
        still=still,
        sound=write_sound(folder / "theme.wav", clicks(3), 48_000, "pcm_s16le"),
    )


class Desk:
    """The model, its view, the notices, and the ways a person uses them."""

    def __init__(self, model: ComposeModel, view: ComposeWorkspace, notices: Notices) -> None:
        self.model, self.view, self.notices = model, view, notices

    async def add(self, *paths: Path) -> list[str]:
        """Add files one by one and wait until each is read; gives the ids of the new references."""
        before = {r.id for r in self.model.shot.references}
        for count, path in enumerate(paths, len(before) + 1):
            self.model.add_paths([path])
            await self.settled(count)
        return [r.id for r in self.model.shot.references if r.id not in before]

    async def settled(self, references: int) -> None:
        """Wait until the shot has so many references and all are read."""
        await until(
            lambda: len(self.model.shot.references) == references and not len(self.model._scope), "the files to be read"
        )

    def codes(self, ref_id: str) -> set[str]:
        """The codes of the findings that a card shows."""
        return {row.finding.code for row in self.view.tray.cards[ref_id].findings.rows}


@pytest_asyncio.fixture
async def desk(qtbot: QtBot, workers: Workers, tmp_path: Path) -> AsyncIterator[Desk]:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    apply(app, "dark")
    unfollow = follow_language(app)
    notices = Notices()
    model = ComposeModel(workers, notices, autosave=tmp_path / "drafts", recent=tmp_path / "recent.json")
    view = ComposeWorkspace(model)
    qtbot.addWidget(view)
    view.resize(1208, 684)
    view.show()
    yield Desk(model, view, notices)
    await model.aclose()
    unfollow()


def files(paths: Sequence[Path]) -> QMimeData:
    """What a file manager drags."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return mime


def drop(target: QWidget, mime: QMimeData, at: QPointF | None = None) -> bool:
    """Drag something over a widget and let it go, as Qt does; whether it was taken."""
    where = at or QPointF(target.rect().center())
    action, button, no_key = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(where.toPoint(), action, mime, button, no_key)
    QApplication.sendEvent(target, enter)
    if not enter.isAccepted():
        return False
    let_go = QDropEvent(where, action, mime, button, no_key)
    QApplication.sendEvent(target, let_go)
    return let_go.isAccepted()
