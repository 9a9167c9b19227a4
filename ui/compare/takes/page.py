"""The page of takes: all of them playing in step, what to do with the one that is looked at, and the keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QHideEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from studio.core.words import ntr, tr
from ui.compare.play_row import PlayRow, play_actions, quiet_button
from ui.compare.takes.model import MOST_TAKES, TakesModel
from ui.compare.takes.stage import TakesStage
from ui.theme import actions
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_S, SPACE_XS
from ui.widgets.elided import ElidedLabel
from ui.widgets.timeline import Timeline


class TakesPage(QWidget):
    """Shows a TakesModel."""

    left = Signal()
    """The user is done with the takes."""

    def __init__(self, model: TakesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.stage, self.timeline = TakesStage(model), Timeline()
        self.actions_by_id = self._make_actions()
        self.play_row = PlayRow(model.playback, self.actions_by_id)
        self._title, self._facts = QLabel(), QLabel()
        self._keys = ElidedLabel(mode=Qt.TextElideMode.ElideRight)
        set_role(self._title, "title")
        set_role(self._facts, "dim")
        set_role(self._keys, "faint")
        self.buttons: dict[str, QToolButton] = {}
        self._lay_out()
        # Keys without Ctrl act on the pictures and on the timeline that belongs to them.
        self.timeline.addActions(self.stage.actions())
        self._connect()
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._model.playback.pause()

    def _make_actions(self) -> dict[str, QAction]:
        model = self._model
        does: dict[str, Callable[[], object]] = {
            **play_actions(model.playback),
            "library.star": model.toggle_star,
            "library.reject": model.toggle_reject,
            "library.compare": model.compare,
            "takes.next": partial(model.move, 1),
            "takes.previous": partial(model.move, -1),
            "takes.leave": self.left.emit,
        }
        made = {id_: actions.make(id_, self.stage, do) for id_, do in does.items()}
        made["play.loop"].setCheckable(True)
        for number in range(1, MOST_TAKES + 1):
            in_here = Qt.ShortcutContext.WidgetWithChildrenShortcut
            QShortcut(QKeySequence(str(number)), self.stage, partial(model.look_at, number - 1), context=in_here)
        return made

    def _lay_out(self) -> None:
        head, foot, column = QHBoxLayout(), QHBoxLayout(), QVBoxLayout(self)
        head.setSpacing(SPACE_XS)
        head.addWidget(self._title)
        head.addSpacing(SPACE_S)
        head.addWidget(self._facts, 1)
        for id_ in ("library.star", "library.reject", "library.compare", "takes.leave"):
            button = quiet_button(QToolButton(), self.actions_by_id[id_])
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            self.buttons[id_] = button
            head.addWidget(button)
        foot.setSpacing(SPACE_L)
        foot.addWidget(self.play_row)
        foot.addWidget(self._keys, 1)
        self._keys.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        column.setContentsMargins(SPACE_S, SPACE_S, SPACE_S, SPACE_S)
        column.setSpacing(SPACE_S)
        column.addLayout(head)
        column.addWidget(self.stage, 1)
        column.addLayout(foot)
        column.addWidget(self.timeline)

    def _connect(self) -> None:
        model, playback = self._model, self._model.playback
        self.stage.opened.connect(model.compare)
        self.timeline.sought.connect(playback.seek)
        self.timeline.range_changed.connect(playback.set_range)
        playback.moved.connect(self.timeline.setValue)
        playback.range_changed.connect(self._show_range)
        model.takes_changed.connect(self._show_takes)
        model.shown_changed.connect(self._show_ready)
        model.marks_changed.connect(self._show_takes)
        model.looked_at.connect(self._show_current)

    def _show_range(self) -> None:
        self.timeline.set_range(*(self._model.playback.range_ or (None, None)))

    def _show_takes(self) -> None:
        model, takes = self._model, self._model.takes
        self._title.setText(ntr("{count} take", "{count} takes", len(takes)))
        starred, rejected = (sum(getattr(take.marks, name) for take in takes) for name in ("star", "reject"))
        parts = [tr("{count} starred", count=starred)] * bool(starred)
        parts += [tr("{count} rejected", count=rejected)] * bool(rejected)
        self._facts.setText(" · ".join(parts))
        if self.timeline.axis().frames != model.positions:
            self.timeline.set_frames(model.positions)
            self.play_row.set_extent(model.positions, model.fps)
        self._show_ready()
        self._show_current()

    def _show_ready(self) -> None:
        self.timeline.set_ready(round(self._model.ready * self._model.positions))

    def _show_current(self) -> None:
        """Texts of the buttons: what they do with the take that is looked at."""
        model = self._model
        if not model.takes:
            return
        marks = model.takes[model.current].marks
        self.buttons["library.star"].setText(tr("Take the star away") if marks.star else tr("Star"))
        self.buttons["library.reject"].setText(tr("Take back") if marks.reject else tr("Reject"))
        if model.before is None:
            self.buttons["library.compare"].setText(tr("Compare with the source"))
        else:
            pair = tr("Compare {a} with {b}", a=model.before + 1, b=model.current + 1)
            self.buttons["library.compare"].setText(pair)

    def _retranslate(self) -> None:
        self.setAccessibleName(tr("Takes"))
        self.timeline.setAccessibleName(tr("Frame"))
        self._keys.setText(tr("1 to 9: look at a take · S: star · X: reject · C: compare it with the one before"))
        self._show_takes()
