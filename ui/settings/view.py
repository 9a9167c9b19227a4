"""The Settings workspace: sections on one page. What is changed is in force at once; there is nothing to confirm."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.settings.about import AboutSection
from ui.settings.files import FilesSection
from ui.settings.look import LookSection
from ui.settings.rendering import PreparationSection, PromptHelpSection, RenderingSection
from ui.settings.servers import ServersSection
from ui.settings.viewmodel import SettingsModel
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_L, SPACE_XL

_WIDEST = 760


class SettingsWorkspace(QWidget):
    """Shows a SettingsModel."""

    server_requested = Signal()
    """The user wants to choose a server: show that workspace."""

    def __init__(self, model: SettingsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._title = QLabel()
        set_role(self._title, "title")
        self.files, self.look, self.servers = FilesSection(model), LookSection(model), ServersSection(model)
        self.preparation, self.rendering = PreparationSection(model), RenderingSection(model)
        self.help, self.about = PromptHelpSection(model), AboutSection(model)
        self._sections = (
            self.look,
            self.files,
            self.servers,
            self.preparation,
            self.rendering,
            self.help,
            self.about,
        )
        self._lay_out()
        self.servers.server_requested.connect(self.server_requested)
        model.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what the model knows, in the current language."""
        self._title.setText(tr("Settings"))
        for section in self._sections:
            section.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._model.look_at_cache()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        page = QWidget(maximumWidth=_WIDEST)
        column = QVBoxLayout(page)
        column.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_XL)
        column.setSpacing(SPACE_XL)
        column.addWidget(self._title)
        for section in self._sections:
            column.addWidget(section)
        column.addStretch(1)
        beside = QWidget()
        row = QHBoxLayout(beside)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(page, 1)
        row.addStretch()
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(beside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scroll)
