"""The foot of the Settings page: the version, and the diagnostics for a report."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio import __version__
from studio.core.notices import Notices
from studio.settings import SettingsStore
from tests.helpers.waiting import until
from ui.settings import SettingsModel, SettingsWorkspace


async def test_diagnostics_are_copied_and_said_so(qtbot: QtBot) -> None:
    notices = Notices()
    model = SettingsModel(SettingsStore(), notices)
    page = SettingsWorkspace(model)
    qtbot.addWidget(page)
    page.show()
    assert page.about.version.text() == __version__
    QTest.mouseClick(page.about.copy, Qt.MouseButton.LeftButton)
    await until(lambda: bool(notices.recent), "the notice")
    assert notices.recent[0].message.code == "settings.diagnostics_copied"
    assert QGuiApplication.clipboard().text().startswith(f"h3studio {__version__}\n")
    await model.aclose()
