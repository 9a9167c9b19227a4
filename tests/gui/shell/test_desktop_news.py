"""The desktop hears of a render that has ended while the window is not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from studio.core.events import Event
from studio.core.words import Message
from studio.jobs import Job, JobState
from studio.jobs.job import Fault
from studio.settings import SettingsStore
from tests.helpers.jobs import small_shot
from ui.desktop import DesktopNews


class Desktop:
    """A window in the background, and what the desktop was told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.ended: Event[Job] = Event()
        self.settings = SettingsStore()
        self.window = QWidget()
        qtbot.addWidget(self.window)
        service: Any = SimpleNamespace(ended=self.ended)
        self.news = DesktopNews(service, self.settings, self.window)
        self.told: list[tuple[str, str]] = []


@pytest.fixture
def desktop(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desktop]:
    """One with a tray, which the offscreen platform has not."""
    made = Desktop(qtbot)
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _tray, title, text, *_: made.told.append((title, text)))
    yield made
    made.news.close()


def ended(state: JobState, **fields: Any) -> Job:
    return Job(id="j", created=1.0, shot=small_shot(prompt="a red kite"), state=state, **fields)


@pytest.mark.qt_log_ignore("No Icon set", "systemTrayWindowChanged", extend=True)  # the offscreen platform has no tray
def test_it_says_what_became_of_it(desktop: Desktop) -> None:
    desktop.ended.emit(ended(JobState.DONE))
    fault = Fault(code="server.unreachable", params={"url": "http://gpu-box:8091"})
    desktop.ended.emit(ended(JobState.FAILED, fault=fault))
    done, failed = desktop.told
    assert done == ("Render finished", "a red kite")
    assert failed == ("Render failed", f"a red kite\n{Message(fault.code, fault.params).text()}")


def test_it_keeps_quiet_of_what_the_user_did_or_does_not_want(desktop: Desktop) -> None:
    desktop.ended.emit(ended(JobState.CANCELLED))
    desktop.settings.update(queue=desktop.settings.present.queue.model_copy(update={"notify": False}))
    desktop.ended.emit(ended(JobState.DONE))
    assert not desktop.told


def test_it_keeps_quiet_while_the_window_is_looked_at(desktop: Desktop, qtbot: QtBot) -> None:
    desktop.window.show()
    desktop.window.activateWindow()
    qtbot.waitUntil(desktop.window.isActiveWindow)
    desktop.ended.emit(ended(JobState.DONE))
    assert not desktop.told


def test_it_keeps_quiet_once_closed(desktop: Desktop) -> None:
    desktop.news.close()
    desktop.ended.emit(ended(JobState.DONE))
    assert not desktop.told
