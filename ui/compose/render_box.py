"""The Render button, never greyed, and what else it can do; above it what stands in the way and what mends it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio.contract import Finding
from studio.core.words import ntr, tr
from ui.compose.cost_text import time_range
from ui.compose.render_menu import RenderMenu
from ui.compose.viewmodel import ComposeModel
from ui.theme.actions import ACTIONS, shown_key
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.icon_label import IconLabel


class RenderBox(QWidget):
    """Asks the model for the render. After a refusal it shows the first reason until that is gone."""

    show_requested = Signal(object)
    """The user wants to see where this Finding belongs."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._blocking: Finding | None = None
        self._icon = IconLabel("check", "good")
        self._state = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._state.setWordWrap(True)
        self._state.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.mend_button, self.show_button, self.render_button = QPushButton(), QPushButton(), QPushButton()
        self.smoke_button = QPushButton()
        self.menu = RenderMenu(model)
        self.render_button.setIcon(icon("play", "on_accent"))
        set_role(self.render_button, "primary")
        self._lay_out()
        self.mend_button.clicked.connect(self._on_mend_all)
        self.show_button.clicked.connect(self._on_show)
        self.render_button.clicked.connect(model.request_render)
        self.smoke_button.clicked.connect(model.wishes.smoke)
        model.wishes.changed.connect(self.retranslate)
        model.estimate.changed.connect(self.retranslate)
        model.blocked.connect(self._on_blocked)
        model.findings_changed.connect(self.refresh)
        model.reading_changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(SPACE_S)
        line.addWidget(self._icon, alignment=Qt.AlignmentFlag.AlignTop)
        line.addWidget(self._state, 1)
        offers = QHBoxLayout()
        offers.setSpacing(SPACE_XS)
        offers.addWidget(self.show_button)
        offers.addWidget(self.mend_button, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addLayout(line)
        column.addLayout(offers)
        acts = QHBoxLayout()
        acts.setSpacing(SPACE_XS)
        acts.addWidget(self.smoke_button)
        acts.addWidget(self.render_button, 1)
        acts.addWidget(self.menu)
        column.addLayout(acts)

    def refresh(self) -> None:
        """Show whether the shot can be rendered."""
        if self._blocking is not None and self._blocking not in self._model.errors:
            self._blocking = self._model.errors[0] if self._model.errors else None
        errors, seen = self._model.errors, self._model.seen_errors
        if self._blocking is not None:
            self._show("error", "bad", self._blocking.message.text())
        elif self._model.pending:
            self._show("clock", "dim", tr("Reading the files…"))
        elif seen:
            self._show("error", "bad", ntr("{count} thing to mend", "{count} things to mend", len(seen)))
        elif errors:
            self._show("info", "dim", errors[0].message.text())
        else:
            self._show("check", "good", tr("Ready to render"))
        self.show_button.setVisible(self._blocking is not None or bool(seen))
        self.mend_button.setVisible(self._model.can_mend)
        self.retranslate()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        seeds = self._model.wishes.seeds
        self.render_button.setText(tr("Render") if seeds == 1 else tr("Render {count} seeds", count=seeds))
        self.render_button.setToolTip(shown_key(ACTIONS["shot.render"]))
        self.show_button.setText(tr("Show"))
        self.show_button.setAccessibleName(tr("Show what stands in the way"))
        self.mend_button.setText(tr("Mend all and render"))
        self.smoke_button.setText(tr("Smoke"))
        self.smoke_button.setAccessibleName(tr("Smoke this shape"))
        self.smoke_button.setToolTip(self._smoke_tip())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

    def _smoke_tip(self) -> str:
        shot = self._model.wishes.smoke_shot()
        known = self._model.estimate.together((shot,))
        words = tr(
            "Does this shape work at all? The same references, {frames} frames, {steps} steps.",
            frames=shot.frames,
            steps=shot.steps,
        )
        return f"{words} {time_range(known[1])}" if known and known[1] else words

    def _show(self, icon_name: str, role: str, text: str) -> None:
        self._icon.set_icon(icon_name, role)
        self._state.setText(text)

    def _on_blocked(self, finding: Finding) -> None:
        self._blocking = finding
        self.refresh()
        self.show_requested.emit(finding)

    def _on_mend_all(self) -> None:
        self._model.mend_all_and_render()

    def _on_show(self) -> None:
        finding = self._blocking or next(iter(self._model.errors), None)
        if finding is not None:
            self.show_requested.emit(finding)
