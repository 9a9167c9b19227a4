"""The ways out of the program, and what each does to renders and servers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QCloseEvent

from studio.core.words import tr
from studio.jobs.states import JobState

if TYPE_CHECKING:
    from studio.jobs import Job
    from ui.studio import Studio


class Leaving(QObject):
    """Asks what has to be asked before the studio may be left. `ended` is emitted once, when it may."""

    ended = Signal()

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio)
        self._studio = studio
        self._leaves = False

    def on_closing(self, event: QCloseEvent) -> None:
        """The user closes the window."""
        event.ignore()
        if self._leaves:
            return
        busy = self._busy()
        if not busy:
            self._leave("idle")
        elif (remembered := self._studio.settings.present.closing) != "ask":
            self._leave(remembered)
        else:
            self._ask(busy)

    def at_once(self) -> None:
        """Leave without asking, as at a signal: a running render is kept, an idle rehearsal server is not."""
        self._leave("keep" if self._busy() else "idle")

    def _ask(self, busy: list[Job]) -> None:
        from studio.jobs import telling
        from ui.closing import ClosingQuestion

        losing = next(filter(None, map(telling.loss, busy)), None) or tr("the work done so far")
        question = ClosingQuestion(len(busy), losing, self._studio.window)
        question.chosen.connect(self._on_chosen)
        question.open()

    def _on_chosen(self, choice: str, remember: bool) -> None:
        if remember:
            self._studio.settings.update(closing=choice)
        if choice != "cancel":
            self._leave(choice)

    def _leave(self, choice: str) -> None:
        if not self._leaves:
            self._leaves = True
            self._studio.window.hide()
            self._studio.scope.start(self._ending(choice), name="leave")

    async def _ending(self, choice: str) -> None:
        """*keep*: the server goes on. *after*: wait for the running render, then stop the server. *now*: end the
        renders and the server. With nothing running an own rehearsal server is stopped and a real one left alone."""
        studio = self._studio
        try:
            busy = self._busy()
            if choice == "after" and busy:
                await studio.jobs.wait(min(busy, key=lambda job: (not job.state.on_server, job.created)).id)
            elif choice == "now":
                for job in busy:
                    await studio.jobs.cancel(job.id)
            if choice != "keep" and studio.stands("fleet"):
                await asyncio.gather(*(manager.stop() for manager in studio.fleet if manager.status.ours))
        finally:
            self.ended.emit()

    def _busy(self) -> list[Job]:
        """Jobs that closing the window could harm; one that waits for a server is kept by the store."""
        if not self._studio.stands("queue"):
            return []
        idle = (JobState.DRAFT, JobState.WAITING, JobState.CANCELLING)
        # The rows of the queue follow a moment later: a render that has just begun is not taken for one that waits.
        known = {job.id: job for job in (*self._studio.queue.jobs.jobs, *self._studio.jobs.in_hand)}
        return [job for job in known.values() if not job.state.finished and job.state not in idle]
