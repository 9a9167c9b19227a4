"""The Queue workspace: all jobs left, the selected one right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QMenu, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from studio.core.errors import StudioError
from studio.core.words import mark, tr
from studio.jobs import Job, telling
from ui.queue.bar import QueueBar
from ui.queue.candidates import CandidatesDialog
from ui.queue.details import JobDetails
from ui.queue.job_list import JobList
from ui.queue.menu import fill
from ui.queue.viewmodel import QueueModel
from ui.theme.actions import make
from ui.widgets.ask import ask_before
from ui.widgets.empty import EmptyState

_REFRESH_MS = 1000
_LIST_WIDTH = 400


class QueueWorkspace(QWidget):
    """Shows a QueueModel."""

    compose_requested = Signal()
    """The queue is empty and the user wants to make a shot."""

    def __init__(self, model: QueueModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.empty = EmptyState("queue", mark("No renders yet"), mark("Compose a shot"))
        self.empty.pressed.connect(self.compose_requested)
        self.list = JobList(model.jobs)
        self.list.customContextMenuRequested.connect(self._on_menu)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.list.doubleClicked.connect(self._open_current)
        enter = QShortcut(Qt.Key.Key_Return, self.list, context=Qt.ShortcutContext.WidgetShortcut)
        enter.activated.connect(self._open_current)
        make("queue.earlier", self.list, lambda: self._shift(-1))
        make("queue.later", self.list, lambda: self._shift(1))
        self.bar = QueueBar(model.control)
        make("queue.pause", self.bar, self.bar.pause_button.click)
        self.details = JobDetails(model)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.list, 1)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.addWidget(left)
        self._split.addWidget(self.details)
        self._split.setStretchFactor(1, 1)
        self._split.setChildrenCollapsible(False)
        self._split.setSizes([_LIST_WIDTH, 1000])
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._split)
        self._refresh = QTimer(self, interval=_REFRESH_MS)
        self._refresh.timeout.connect(model.jobs.refresh)
        self._refresh.timeout.connect(self.bar.refresh)
        model.jobs.rowsInserted.connect(self._on_rows)
        model.jobs.modelReset.connect(self._on_rows)
        model.jobs.dataChanged.connect(self.bar.refresh)
        model.cancel_requested.connect(self._on_cancel)
        model.choice_requested.connect(self._on_choice)
        model.selected_changed.connect(self._on_selected)
        self._on_rows()
        self._on_selected(model.selected)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._refresh.stop()
        super().hideEvent(event)

    def _retranslate(self) -> None:
        self.setAccessibleName(tr("Queue"))
        self.list.setAccessibleName(tr("Jobs"))
        self._model.jobs.refresh()

    def _on_rows(self) -> None:
        self._stack.setCurrentIndex(1 if self._model.jobs.rowCount() else 0)

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        job = current.data(Qt.ItemDataRole.UserRole)
        self._model.select(job.id if isinstance(job, Job) else None)

    def _open_current(self) -> None:
        if (job := self._model.selected) is not None:
            self._model.open_result(job.id)

    def _shift(self, by: int) -> None:
        if (job := self._model.selected) is not None:
            self._model.jobs.shift(job.id, by)

    def _on_menu(self, at: QPoint) -> None:
        if (job := self._model.selected) is not None:
            menu = QMenu(self.list)
            fill(menu, self._model, job)
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(self.list.viewport().mapToGlobal(at))

    def _on_cancel(self, job: Job) -> None:
        lost = telling.loss(job)
        if lost is None:
            self._model.cancel(job.id)
            return
        what = tr("This is lost: {lost}.", lost=lost)
        question, act = tr("Cancel this render?"), tr("Cancel the render")
        ask_before(self, question, what, act, lambda: self._model.cancel(job.id))

    def _on_choice(self, job: Job) -> None:
        dialog = CandidatesDialog(job, self)
        dialog.look_requested.connect(lambda: self._model.read_candidates(job.id))
        dialog.taken.connect(lambda remote_id: self._model.take(job.id, remote_id))
        dialog.again_requested.connect(lambda: self._model.resume(job.id))

        def show(job_id: str, found: object) -> None:
            if job_id != job.id:
                return
            if isinstance(found, StudioError):
                dialog.show_trouble(str(found))
            elif isinstance(found, list):
                dialog.show_candidates(found)

        following = self._model.candidates_read.connect(show)
        dialog.finished.connect(lambda _: self._model.candidates_read.disconnect(following))
        dialog.open()
        dialog.ask()

    def _on_selected(self, job: Job | None) -> None:
        row = self._model.jobs.row_of(job.id) if job is not None else None
        if row is not None and row != self.list.currentIndex().row():
            self.list.setCurrentIndex(self._model.jobs.index(row))
