"""The selected job: what it is, where it stands and why, its stages in time, what came of it, what to do with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QScrollArea, QVBoxLayout, QWidget

from studio.core.words import say, tr
from studio.jobs import Job, JobState, telling
from studio.jobs.cancelling import FREED
from ui.queue.look import LOOK, share_of
from ui.queue.monitor import MonitorPanel
from ui.queue.outcome import Outcome
from ui.queue.stages import Stage
from ui.queue.viewmodel import QueueModel
from ui.theme.icons import icon
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import ICON_LARGE, SPACE_L, SPACE_M, SPACE_S, SPACE_XL, mix
from ui.widgets.ask import ask_before
from ui.widgets.icon_label import IconLabel

_TICK_MS = 250
_PROMPT_LINES = 4


class JobDetails(QScrollArea):
    """Follows `model.selected`; shows nothing of its own."""

    def __init__(self, model: QueueModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._icon = IconLabel("clock", "dim", size=ICON_LARGE)
        self.headline, self.line, self._prompt, self._outline = (_label() for _ in range(4))
        set_role(self.headline, "title")
        set_role(self._outline, "dim")
        self._prompt.setMaximumHeight(_PROMPT_LINES * self.fontMetrics().lineSpacing() + 2)
        self._bar = QProgressBar(textVisible=False, maximum=1000)
        keeps_room = self._bar.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        self._bar.setSizePolicy(keeps_room)
        self.monitor = MonitorPanel()
        self.monitor.export_requested.connect(self._on_export)
        self._legend = QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        set_role(self._legend, "dim")
        self.outcome = Outcome()
        self.outcome.rule_requested.connect(self._on_rule)
        self.outcome.choice_requested.connect(self._on_choice)
        self._make_buttons()
        self._page = self._lay_out()
        self.setWidget(self._page)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show_time)
        model.selected_changed.connect(self._show)
        model.stages_changed.connect(self._show_time)
        model.control.changed.connect(lambda: self._show(model.selected))
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._show_time()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show(self._model.selected)

    def hideEvent(self, event: QHideEvent) -> None:
        self._tick.stop()
        super().hideEvent(event)

    # Making it.

    def _make_buttons(self) -> None:
        self.cancel_button = self._button("stop", self._on_cancel)
        self.compare_button = self._button("compare", self._on_compare)
        set_role(self.compare_button, "primary")
        self.retry_button = self._button("refresh", self._on_retry)
        self.show_button = self._button("folder", self._on_show_file)
        self.copy_button = self._button("copy", self._on_copy)

    def _button(self, name: str, clicked: Any) -> QPushButton:
        button = QPushButton(icon(name, "on_accent" if name == "compare" else "text"), "")
        button.setIconSize(QSize(16, 16))
        button.clicked.connect(clicked)
        return button

    def _lay_out(self) -> QWidget:
        head = QHBoxLayout()
        head.setSpacing(SPACE_S)
        head.addWidget(self._icon)
        head.addWidget(self.headline, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE_S)
        for button in (self.compare_button, self.cancel_button, self.retry_button, self.show_button, self.copy_button):
            buttons.addWidget(button)
        buttons.addStretch()
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        column.setSpacing(SPACE_S)
        column.addLayout(head)
        column.addWidget(self.line)
        column.addWidget(self._bar)
        column.addSpacing(SPACE_S)
        column.addWidget(self._prompt)
        column.addWidget(self._outline)
        column.addSpacing(SPACE_S)
        column.addLayout(buttons)
        column.addSpacing(SPACE_M)
        column.addWidget(self.outcome)
        column.addSpacing(SPACE_S)
        column.addWidget(self.monitor)
        column.addWidget(self._legend)
        column.addStretch()
        return page

    # Showing it.

    def _retranslate(self) -> None:
        self.setAccessibleName(tr("Selected job"))
        self._bar.setAccessibleName(tr("Progress"))
        self.compare_button.setText(tr("Compare with source"))
        self.retry_button.setText(tr("Retry (same seed)"))
        self.show_button.setText(tr("Show file"))
        self.copy_button.setText(tr("Copy details"))
        self.cancel_button.setText(tr("Cancel"))
        self._show(self._model.selected)

    def _show(self, job: Job | None) -> None:
        self._page.setVisible(job is not None)
        if job is None:
            self._tick.stop()
            return
        self._icon.set_icon(*LOOK[job.state])
        self._icon.setAccessibleName(say(f"state.{job.state}"))
        self.headline.setText(self._headline(job))
        self._prompt.setText(job.prompt)
        self._prompt.setToolTip(job.prompt)
        self._outline.setText(telling.outline(job))
        self.line.setHidden(job.state.finished)
        self.outcome.show_job(job, can_be_rule=self._model.control.refusal_of(job) is not None)
        self._show_buttons(job)
        self._show_time()
        if job.state.finished or not self.isVisible():
            self._tick.stop()
        elif not self._tick.isActive():
            self._tick.start()

    def _on_rule(self) -> None:
        if (job := self._model.selected) is not None:
            self._model.control.treat_as_rule(job)

    def _on_choice(self) -> None:
        if (job := self._model.selected) is not None:
            self._model.choice_requested.emit(job)

    def _headline(self, job: Job) -> str:
        """The state with its cause: "Cancelled at 14:05, as you asked"."""
        word = say(f"state.{job.state}")
        word = word[:1].upper() + word[1:]
        end = self._model.end(job)
        if end is None:
            return word
        how = "freed" if end["cause"] == FREED else end["who"]
        return say(f"queue.end.{how}", {"state": word, "clock": telling.clock(float(end["at"]))})

    def _show_buttons(self, job: Job) -> None:
        self.cancel_button.setHidden(job.state.finished or self._model.is_ending(job.id))
        self.retry_button.setVisible(job.state in (JobState.FAILED, JobState.CANCELLED, JobState.LOST))
        has_video = job.state is JobState.DONE and job.video is not None
        self.compare_button.setVisible(has_video and job.source_clip is not None)
        self.show_button.setVisible(has_video)

    def _show_time(self) -> None:
        """What changes while time passes: progress, axis, durations."""
        job = self._model.selected
        if job is None:
            return
        if self._model.is_ending(job.id):
            self.line.setText(tr("Cancelling. On the server it takes effect at the next step."))
        else:
            self.line.setText(self._model.progress_line(job))
        self._bar.setHidden(job.state.finished or job.progress.fraction is None)
        self._bar.setValue(round(1000 * (job.progress.fraction or 0.0)))
        if not self.isVisible():  # the picture is made for eyes
            return
        timeline = self._model.timeline(job)
        if plotted := self._model.plot_is_loaded():
            self.monitor.set_timeline(timeline)
        self.monitor.setVisible(plotted and bool(timeline.stages))
        self._legend.setVisible(bool(timeline.stages))
        self._legend.setText(_legend(list(timeline.stages)))

    # Doing it.

    def _on_cancel(self) -> None:
        job = self._model.selected
        if job is None:
            return
        lost = telling.loss(job)
        if lost is None:
            self._model.cancel(job.id)
            return
        question = tr("Cancel this render?")
        what = tr("This is lost: {lost}.", lost=lost)
        ask_before(self, question, what, tr("Cancel the render"), lambda: self._model.cancel(job.id))

    def _on_retry(self) -> None:
        if (job := self._model.selected) is not None:
            self._model.resume(job.id)

    def _on_compare(self) -> None:
        if (job := self._model.selected) is not None:
            self._model.open_result(job.id)

    def _on_show_file(self) -> None:
        if (job := self._model.selected) is not None:
            self._model.show_file(job.id)

    def _on_export(self, path: Path) -> None:
        if (job := self._model.selected) is not None:
            title = f"{job.title[:80]} · {telling.outline(job)}"
            self._model.save_picture(self.monitor.axis.picture(title=title), path)

    def _on_copy(self) -> None:
        if (job := self._model.selected) is not None:
            QGuiApplication.clipboard().setText(self._model.details(job))


def _label() -> QLabel:
    label = QLabel(textFormat=Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    return label


def _legend(stages: list[Stage]) -> str:
    """Each stage with its colour and duration, and the whole; as rich text."""
    if not stages:
        return ""
    t = tokens()
    parts = [
        f'<span style="color:{mix(t.text, t.surface, max(0.2, share_of(stage.name)))}">■</span>&nbsp;'
        + _unbroken(f"{stage.text()} {telling.duration(stage.seconds)}")
        for stage in stages
    ]
    whole = telling.duration(sum(stage.seconds for stage in stages))
    parts.append(f"<b>{_unbroken(tr('in all {time}', time=whole))}</b>")
    return "&nbsp;&nbsp; ".join(parts)


def _unbroken(text: str) -> str:
    """The same, not to be broken at a line's end: some scripts are broken between any two characters."""
    words = text.replace(" ", "\N{NO-BREAK SPACE}")
    return words if text.isascii() else "\N{WORD JOINER}".join(words)
