"""The settings as the window changes them: kept at once, and in force at once.

The one place in Settings that talks to studio.
"""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from studio.core import diagnostics, paths, words
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.media import cache
from studio.settings import Settings, SettingsStore, secrets
from studio.settings.saving import save, save_address
from ui.theme import palette


class SettingsModel(QObject):
    """Lives on the GUI thread; folders and keys are touched in threads."""

    changed = Signal()
    """The settings, or the size of the cache, are others."""

    def __init__(self, store: SettingsStore, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._notices = store, notices
        self._scope = TaskScope("settings", lambda error, _task: notices.error(error))
        self._unsubscribe = store.changed.subscribe(self._on_changed)
        self.cache_bytes: int | None = None
        """What prepared files take; None until it was looked at."""
        self._scales = asyncio.Lock()

    @property
    def present(self) -> Settings:
        """The settings in force."""
        return self._store.present

    @property
    def results_dir(self) -> Path:
        """Where results go."""
        return self.present.results_dir or paths.results_dir()

    def change(self, **changes: Any) -> None:
        """Set fields, for now and for the next start."""
        save(self._store, self._notices, **changes)

    def change_part(self, part: str, **changes: Any) -> None:
        """Set fields of one part ("queue", "compose", "server")."""
        self.change(**{part: getattr(self.present, part).model_copy(update=changes)})

    def change_address(self, part: str, name: str, text: str, **changes: Any) -> None:
        """Set an address of a part; empty, there is none. What is no address is said, and nothing is changed."""
        save_address(self._store, self._notices, part, name, text, **changes)

    def set_language(self, code: str | None) -> None:
        """Speak another language from now on; None: the system's."""
        self.change(language=code)
        words.set_language(code)

    def set_theme(self, scheme: palette.Scheme) -> None:
        """Wear another theme from now on."""
        self.change(theme=scheme)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            palette.apply(app, scheme)

    def set_results_dir(self, folder: Path | None) -> None:
        """Put results elsewhere from now on; None: the folder for videos."""
        self._scope.start(self._set_results_dir(folder), name="results folder")

    def remember_key(self, address: str, key: str) -> None:
        """Keep an API key for an address, in the desktop's key store where there is one."""
        self._scope.start(self._remember_key(address.strip().rstrip("/"), key), name="key")

    def forget_key(self, address: str) -> None:
        """Drop the API key of an address everywhere."""
        self._scope.start(self._forget_key(address.strip().rstrip("/")), name="key")

    def look_at_cache(self) -> None:
        """Weigh the prepared files."""
        self._scope.start(self._weigh(), name="weigh")

    def empty_cache(self) -> None:
        """Remove all prepared files; they are made again when they are needed."""
        self._scope.start(self._empty(), name="empty")

    def copy_diagnostics(self) -> None:
        """Put what a report of a fault needs onto the clipboard."""
        self._scope.start(self._copy_diagnostics(), name="diagnostics")

    async def aclose(self) -> None:
        """Stop what runs."""
        self._unsubscribe()
        await self._scope.aclose()

    async def _set_results_dir(self, folder: Path | None) -> None:
        if folder is not None and (reason := await asyncio.to_thread(_refusal, folder)):
            params = {"path": str(folder), "reason": reason}
            self._notices.post(Notice("warn", Message("settings.folder_refused", params)))
            return
        self.change(results_dir=folder)

    async def _remember_key(self, address: str, key: str) -> None:
        kept = await asyncio.to_thread(secrets.remember, address, key)
        code = "settings.key_kept" if kept else "settings.key_for_session"
        self._notices.post(Notice("info", Message(code, {"where": _where(address)})))

    async def _forget_key(self, address: str) -> None:
        await asyncio.to_thread(secrets.forget, address)
        self._notices.post(Notice("info", Message("settings.key_forgotten", {"where": _where(address)})))

    async def _weigh(self) -> None:
        async with self._scales:  # else an older weight could come in last
            self.cache_bytes = await asyncio.to_thread(cache.kept_bytes)
        self.changed.emit()

    async def _empty(self) -> None:
        await asyncio.to_thread(cache.empty)
        await self._weigh()

    async def _copy_diagnostics(self) -> None:
        text = await asyncio.to_thread(diagnostics.diagnostics)
        QGuiApplication.clipboard().setText(text)
        self._notices.post(Notice("info", Message("settings.diagnostics_copied")))

    def _on_changed(self, _settings: Settings) -> None:
        self.changed.emit()


def _refusal(folder: Path) -> str:
    """Why results cannot go into a folder; empty when they can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return "" if os.access(folder, os.W_OK | os.X_OK) else os.strerror(errno.EACCES)


def _where(address: str) -> str:
    return urlsplit(address).netloc or address
