"""A workspace on real clips whose frames say their own number."""

import gc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.core.notices import Notice, Notices
from studio.media.workers import Workers
from tests.helpers import barcode
from tests.helpers.waiting import until
from ui.compare.view import CompareWorkspace
from ui.compare.viewmodel import CompareModel
from ui.theme import palette
from ui.theme.language import follow_language


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """40 frames, one keyframe, B-frames."""
    return barcode.write(tmp_path / "a.mp4", frames=40, gop=250, b_frames=3)


@pytest.fixture
def short_clip(tmp_path: Path) -> Path:
    return barcode.write(tmp_path / "b.mp4", frames=30)


@pytest.fixture
def posted() -> list[Notice]:
    """The notices that the model posted."""
    return []


@pytest_asyncio.fixture
async def model(
    no_children_left: None, workers: Workers, posted: list[Notice], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[CompareModel]:
    """On a machine without a sound device."""
    monkeypatch.setattr("ui.compare.viewmodel.likely", lambda: False)
    notices = Notices()
    notices.posted.subscribe(posted.append)
    made = CompareModel(workers, notices)
    yield made
    await made.aclose()
    made.deleteLater()
    # Here, on Qt's thread: Python may run the next collection on any thread, and Qt's objects must not end on another.
    gc.collect()


@pytest_asyncio.fixture
async def workspace(model: CompareModel, qtbot: QtBot, qapp: QApplication) -> AsyncIterator[CompareWorkspace]:
    palette.apply(qapp, "dark")
    unfollow = follow_language(qapp)
    made = CompareWorkspace(model)
    qtbot.addWidget(made)
    made.resize(1208, 690)
    with qtbot.waitActive(made):
        made.show()
    yield made
    unfollow()


async def opened(model: CompareModel, a: Path, b: Path) -> None:
    """Open two clips and wait for their first pictures, and until all of both is decoded."""
    model.open(a, b)
    await until(lambda: not model.opening and model.shown is not None)
    await until(lambda: model.ready == model.pair.positions)
