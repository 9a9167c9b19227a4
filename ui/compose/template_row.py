"""Where to begin from: the templates that fit what is on the table, and the way to all of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from studio.core.words import tr
from studio.presets import Preset
from ui.compose.viewmodel import ComposeModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_S, SPACE_XS
from ui.widgets.flow import Flow

if TYPE_CHECKING:
    from ui.compose.gallery import Gallery

_MOST = 4


class TemplateRow(QWidget):
    """Follows the mode and what is in the tray."""

    def __init__(self, model: ComposeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[Preset, ...] = ()
        self.buttons: list[QPushButton] = []
        self._title, self.all_button = QLabel(), QPushButton()
        set_role(self._title, "caption")
        set_role(self.all_button, "quiet")
        self._row = Flow(spacing=SPACE_XS)
        head = QHBoxLayout()
        head.setSpacing(SPACE_S)
        head.addWidget(self._title)
        head.addStretch()
        head.addWidget(self.all_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        column.addLayout(head)
        column.addWidget(self._row)
        self.all_button.clicked.connect(self.open_gallery)
        model.findings_changed.connect(self.refresh)
        model.presets.changed.connect(self.refresh)
        self.refresh()
        self.retranslate()

    def open_gallery(self) -> Gallery:
        """Show all templates and presets."""
        from ui.compose.gallery import Gallery

        gallery = Gallery(self._model, self.window())
        gallery.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        gallery.open()
        return gallery

    def refresh(self) -> None:
        """Show the templates that fit best."""
        wanted = tuple(self._model.presets.fitting()[:_MOST])
        if wanted != self._shown:
            self._show(wanted)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """One line of them is enough once there is a prompt: that is what needs the room then."""
        room = self.width() if self._model.shot.prompt else None
        for button in self.buttons:
            width = button.sizeHint().width()
            button.setVisible(room is None or width <= room)
            room = None if room is None else room - width - SPACE_XS

    def _show(self, wanted: tuple[Preset, ...]) -> None:
        self._shown = wanted
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons = []
        for preset in wanted:
            button = QPushButton(self._row)
            button.clicked.connect(partial(self._apply, preset))
            self._row.add(button)
            self.buttons.append(button)
        self.retranslate()

    def retranslate(self) -> None:
        """Set the texts in the current language."""
        self._title.setText(tr("TEMPLATES"))
        self.all_button.setText(tr("All templates…"))
        for button, preset in zip(self.buttons, self._shown, strict=True):
            button.setText(tr(preset.title))
            button.setToolTip(tr(preset.purpose))
            button.setAccessibleName(tr("Template {name}", name=tr(preset.title)))
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _apply(self, preset: Preset, _checked: bool = False) -> None:
        self._model.presets.apply(preset)
