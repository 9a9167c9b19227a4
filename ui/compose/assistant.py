"""The assistant that may rewrite the prompt: a service of the user's own, off until its address is given."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.contract import edits
from studio.core.errors import StudioError
from studio.core.notices import Notices
from studio.core.tasks import TaskScope
from studio.presets import filled, generalised
from studio.settings import SettingsStore, secrets

if TYPE_CHECKING:
    from ui.compose.viewmodel import ComposeModel


class Assistant(QObject):
    """Asks for another wording and waits for it; nothing of the shot changes before `take`."""

    changed = Signal()
    """Whether it is at work, what it answered, or why it did not."""

    def __init__(self, model: ComposeModel, settings: SettingsStore, notices: Notices) -> None:
        super().__init__(model)
        self._model, self._settings = model, settings
        self._scope = TaskScope("assistant", lambda error, _task: notices.error(error))
        self._task: asyncio.Task[None] | None = None
        self.answer: str | None = None
        """The prompt as it would be, in its stored form."""
        self.failure: StudioError | None = None

    @property
    def url(self) -> str:
        """The base address of the service; empty while there is none."""
        return self._settings.present.compose.assistant_url or ""

    @property
    def name(self) -> str:
        """Which of the service's models is asked."""
        return self._settings.present.compose.assistant_model

    @property
    def is_at_work(self) -> bool:
        """Whether an answer is waited for."""
        return self._task is not None

    def set_up(self, url: str, name: str, key: str) -> None:
        """Say which service is asked. A key that is given goes to the desktop's key store, never into the settings."""
        present = self._settings.present.compose
        changes = {"assistant_url": url.strip() or None, "assistant_model": name.strip()}
        self._settings.update(compose=present.model_copy(update=changes))
        if key and url.strip():
            self._scope.start(asyncio.to_thread(secrets.remember, url.strip(), key), name="key")

    def ask(self) -> None:
        """Ask for another wording of the prompt."""
        if self._task is None and self.url:
            self.answer, self.failure = None, None
            self._task = self._scope.start(self._ask(), name="rewrite")
            self._task.add_done_callback(self._on_done)
            self.changed.emit()

    def cancel(self) -> None:
        """Wait no longer."""
        if self._task is not None:
            self._scope.cancel(self._task)

    def take(self) -> None:
        """Put the answer in the place of the prompt, as one step of undo."""
        if (answer := self.answer) is not None:
            self._model.edit(lambda shot: edits.set_prompt(shot, answer), "edit.rewrite")
            self.answer = None
            self.changed.emit()

    async def aclose(self) -> None:
        """End what is under way."""
        await self._scope.aclose()

    async def _ask(self) -> None:
        from studio.presets.rewriting import rewrite  # brings an HTTP client: not before somebody asks

        shot = self._model.shot
        try:
            key = await asyncio.to_thread(secrets.api_key, self.url)
            skeleton = generalised(shot.prompt, shot)
            answer = await rewrite(skeleton, shot.task, url=self.url, model=self.name, key=key)
            self.answer = filled(answer, shot)
        except StudioError as error:
            self.failure = error

    def _on_done(self, _task: asyncio.Task[None]) -> None:
        self._task = None
        self.changed.emit()
