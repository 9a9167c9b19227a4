"""Where results go, and how much prepared files may take."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QPushButton, QWidget

from studio.core.words import mark, tr
from ui.settings.section import Section
from ui.settings.viewmodel import SettingsModel
from ui.widgets.file_dialogs import ask_folder

_GIB = 1 << 30


class FilesSection(Section):
    """Follows the model."""

    def __init__(self, model: SettingsModel, parent: QWidget | None = None) -> None:
        super().__init__(mark("Files"), parent)
        self._model = model
        self.folder = QLineEdit(readOnly=True)
        self.folder.setMinimumWidth(320)
        self.choose, self.default, self.empty = QPushButton(), QPushButton(), QPushButton()
        self.room = QDoubleSpinBox(minimum=0.5, maximum=10_000, decimals=1, singleStep=1)
        self.room.setKeyboardTracking(False)
        self.room.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.add(
            mark("Folder for results"),
            self.folder,
            mark("Each day gets a folder of its own in it."),
            self.choose,
            self.default,
        )
        self.add(
            mark("Space for prepared files"),
            self.room,
            mark("Clips made ready for upload are kept, so that the next render need not make them again."),
            self.empty,
        )
        self.choose.clicked.connect(self._ask_folder)
        self.default.clicked.connect(lambda _checked=False: model.set_results_dir(None))
        self.room.valueChanged.connect(lambda gib: model.change(cache_gib=gib))
        self.empty.clicked.connect(lambda _checked=False: model.empty_cache())

    def refresh(self) -> None:
        """Show what the model knows, in the current language."""
        self.retranslate()
        folder = str(self._model.results_dir)
        self.folder.setText(folder)
        self.folder.setToolTip(folder)
        self.default.setVisible(self._model.present.results_dir is not None)
        blocker = QSignalBlocker(self.room)
        self.room.setValue(self._model.present.cache_gib)
        blocker.unblock()
        self.room.setSuffix(tr(" GiB"))
        self.choose.setText(tr("Choose…"))
        self.default.setText(tr("Use the default"))
        used = self._model.cache_bytes
        self.empty.setText(_empty(used))
        self.empty.setEnabled(bool(used))
        self.choose.setAccessibleName(tr("Choose the folder for results"))
        self.empty.setAccessibleName(tr("Remove all prepared files"))

    def _ask_folder(self) -> None:
        ask_folder(self, tr("Folder for results"), self._model.set_results_dir, folder=self._model.results_dir)


def _empty(used: int | None) -> str:
    if not used:
        return tr("Empty")
    return tr("Empty ({used:.1f} GiB)", used=used / _GIB) if used >= _GIB else tr("Empty ({used:mib})", used=used)
