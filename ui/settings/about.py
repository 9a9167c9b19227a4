"""Which studio this is, and what a report of a fault needs to know of it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from studio import __version__
from studio.core.words import mark, tr
from ui.settings.section import Section
from ui.settings.viewmodel import SettingsModel


class AboutSection(Section):
    """Shows the version; copies the diagnostics."""

    def __init__(self, model: SettingsModel, parent: QWidget | None = None) -> None:
        super().__init__(mark("About"), parent)
        self.version, self.copy = QLabel(__version__), QPushButton()
        self.add(
            mark("H3 Studio"),
            self.version,
            mark("Diagnostics are versions, machine, folders and the end of the log; keys and passwords are left out."),
            self.copy,
        )
        self.copy.clicked.connect(lambda _checked=False: model.copy_diagnostics())

    def refresh(self) -> None:
        """Show the texts in the current language."""
        self.retranslate()
        self.version.setAccessibleName(tr("Version {version}", version=__version__))
        self.copy.setText(tr("Copy diagnostics"))
