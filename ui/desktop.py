"""Tells the desktop when a render has ended while the window is not looked at. Never in anybody's way."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from studio.core.words import tr
from studio.jobs import Job, JobService, JobState
from studio.settings import SettingsStore

_SHOWN_MS = 10_000


class DesktopNews(QObject):
    """Follows `service.ended`. Without a tray of the desktop's nothing is shown: the notice in the window remains."""

    def __init__(self, service: JobService, settings: SettingsStore, window: QWidget) -> None:
        super().__init__(window)
        self._settings, self._window = settings, window
        self._tray: QSystemTrayIcon | None = None
        self._unsubscribe = service.ended.subscribe(self._on_ended)

    def close(self) -> None:
        """Stop following and leave the tray."""
        self._unsubscribe()
        if self._tray is not None:
            self._tray.hide()

    def _on_ended(self, job: Job) -> None:
        wanted = self._settings.present.queue.notify and not self._window.isActiveWindow()
        if job.state is JobState.CANCELLED or not wanted or not QSystemTrayIcon.isSystemTrayAvailable():
            return
        icons = QSystemTrayIcon.MessageIcon
        if job.state is JobState.DONE:
            title, text, look = tr("Render finished"), job.title, icons.Information
        else:
            why = job.fault.message.text() if job.fault is not None else ""
            title, text, look = tr("Render failed"), f"{job.title}\n{why}", icons.Warning
        self._icon().showMessage(title, text, look, _SHOWN_MS)

    def _icon(self) -> QSystemTrayIcon:
        if self._tray is None:
            self._tray = QSystemTrayIcon(QApplication.windowIcon(), self)
            self._tray.setToolTip("H3 Studio")
            self._tray.activated.connect(self._on_activated)
            self._tray.messageClicked.connect(self._on_activated)
        self._tray.show()
        return self._tray

    def _on_activated(self, *_: object) -> None:
        self._window.raise_()
        self._window.activateWindow()
        if self._tray is not None:
            self._tray.hide()
