"""The real window, with data of the test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PySide6.QtWidgets import QApplication

from studio.core.notices import Notices
from studio.settings import SettingsStore
from ui.studio import Studio
from ui.theme import palette
from ui.theme.language import follow_language


@asynccontextmanager
async def a_window() -> AsyncIterator[Studio]:
    """A studio with no server, shown at 1280 × 720 and active. A server that the test starts is stopped.

    Not a fixture: its tasks must not run on between a fixture's part and the test's, when no loop runs.
    """
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    palette.apply(app, "dark")
    forget = follow_language(app)
    studio = Studio(SettingsStore(), Notices())
    studio.window.resize(1280, 720)
    try:
        await studio.start(None, with_server=False)
        studio.window.activateWindow()
        yield studio
    finally:
        if studio.manager.status.ours:
            await studio.manager.stop()
        await studio.aclose()
        forget()
        palette.apply(app, "dark")
