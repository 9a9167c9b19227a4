"""The launch profiles as a list: those that fit this machine first, the others with the reason why not."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from studio.core.words import tr
from ui.server.launch_model import LaunchModel
from ui.theme.icons import icon
from ui.theme.tokens import ICON, SPACE_S

_ID: Final = Qt.ItemDataRole.UserRole


class ProfileList(QWidget):
    """Chooses in a LaunchModel; a profile that does not fit can be chosen all the same: the doctor says more."""

    picked = Signal(str)
    """The user chose this profile."""

    def __init__(self, model: LaunchModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.list = QListWidget()
        self.list.setWordWrap(True)
        self.list.setUniformItemSizes(False)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setIconSize(QSize(ICON, ICON))
        self.list.itemClicked.connect(self._on_picked)
        self.list.itemActivated.connect(self._on_picked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addWidget(self.list, 1)
        self.import_button, self.export_button = QPushButton(), QPushButton()
        self.import_button.clicked.connect(self._on_import)
        self.export_button.clicked.connect(self._on_export)
        row = QHBoxLayout()
        row.setSpacing(SPACE_S)
        row.addWidget(self.import_button)
        row.addWidget(self.export_button)
        row.addStretch()
        column.addLayout(row)
        model.profiles_changed.connect(self._fill)
        self._fill()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._fill()
        super().changeEvent(event)

    def pick(self, profile_id: str) -> None:
        """As if the user had clicked it."""
        for row in range(self.list.count()):
            if self.list.item(row).data(_ID) == profile_id:
                self.list.setCurrentRow(row)
                self._on_picked(self.list.item(row))

    def _fill(self) -> None:
        self.list.setAccessibleName(tr("Launch profiles"))
        self.import_button.setText(tr("Import…"))
        self.export_button.setText(tr("Export…"))
        self.export_button.setEnabled(self._model.profile is not None)
        chosen = self._model.server.profile if self._model.server.kind == "profile" else None
        rows = [(profile, self._model.why_not(profile)) for profile in self._model.profiles]
        self.list.clear()
        for profile, why in sorted(rows, key=lambda row: bool(row[1])):
            reason = why[0].text() if why else tr("Fits this machine") if profile.gpus else ""
            item = QListWidgetItem(icon("warning" if why else "check", "faint" if why else "good"), profile.title)
            item.setText(f"{profile.title}\n{reason}" if reason else profile.title)
            item.setToolTip("\n".join(profile.notes[:4]))
            item.setData(_ID, profile.id)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{profile.title}. {reason}")
            self.list.addItem(item)
            if profile.id == chosen:
                self.list.setCurrentItem(item)

    def _on_picked(self, item: QListWidgetItem) -> None:
        self.picked.emit(item.data(_ID))

    def _on_import(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, tr("Import a profile"), str(Path.home()), "*.json")
        if path:
            self._model.import_file(Path(path))

    def _on_export(self) -> None:
        profile = self._model.profile
        if profile is None:
            return
        start = str(Path.home() / f"{profile.id}.json")
        path, _ = QFileDialog.getSaveFileName(self, tr("Export the profile"), start, "*.json")
        if path:
            self._model.export_file(Path(path))
