"""The questions that Compose asks: which files, which shot, and what about work that is in no file. None blocks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from studio.core.words import tr
from ui.compose.document import SUFFIX
from ui.compose.inbox import name_filter


def ask_media(parent: QWidget, folder: Path | None, then: Callable[[list[Path]], None]) -> QFileDialog:
    """Ask for references, beginning in `folder`; `then` gets the files."""
    dialog = _file_dialog(parent, tr("Add references"))
    if folder is not None:
        dialog.setDirectory(str(folder))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setNameFilters([f"{tr('Pictures, clips and sounds')} ({name_filter()})", f"{tr('All files')} (*)"])
    dialog.filesSelected.connect(lambda names: then([Path(name) for name in names]))
    dialog.open()
    return dialog


def ask_one_file(parent: QWidget, title: str, then: Callable[[Path], None]) -> QFileDialog:
    """Ask where a reference's file is now."""
    dialog = _file_dialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    dialog.open()
    return dialog


def ask_shot(parent: QWidget, then: Callable[[Path], None]) -> QFileDialog:
    """Ask for a shot to open."""
    dialog = _file_dialog(parent, tr("Open a shot"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilter(f"{tr('Shots')} (*{SUFFIX})")
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    dialog.open()
    return dialog


def ask_save_name(parent: QWidget, suggested: str, then: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save a shot; an existing file is asked about by the dialog."""
    dialog = _file_dialog(parent, tr("Save the shot"))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
    dialog.setNameFilter(f"{tr('Shots')} (*{SUFFIX})")
    dialog.selectFile(suggested)
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    dialog.open()
    return dialog


def ask_before_losing(parent: QWidget, name: str, save: Callable[[], None], go_on: Callable[[], None]) -> QMessageBox:
    """Ask what becomes of a shot that no file holds, before it is closed."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setText(tr("No file holds “{name}” as it is now.", name=name))
    box.setInformativeText(tr("What was not saved is lost when the shot is closed."))
    saving = box.addButton(tr("Save…"), QMessageBox.ButtonRole.AcceptRole)
    losing = box.addButton(tr("Do not save"), QMessageBox.ButtonRole.DestructiveRole)
    box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(saving)

    def on_clicked(button: object) -> None:
        if button is saving:
            save()
        elif button is losing:
            go_on()

    box.buttonClicked.connect(on_clicked)
    box.open()
    return box


def _file_dialog(parent: QWidget, title: str) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog
