"""The questions that Compose asks: which files, which shot, and what about work that is in no file. None blocks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from studio.core.words import tr
from ui.compose.document import SUFFIX
from ui.compose.inbox import name_filter
from ui.widgets.file_dialogs import ask_file, ask_files, ask_where_to


def ask_media(parent: QWidget, folder: Path | None, then: Callable[[list[Path]], None]) -> QFileDialog:
    """Ask for references, beginning in `folder`; `then` gets the files."""
    names = f"{tr('Pictures, clips and sounds')} ({name_filter()});;{tr('All files')} (*)"
    return ask_files(parent, tr("Add references"), then, names=names, folder=folder)


def ask_shot(parent: QWidget, then: Callable[[Path], None]) -> QFileDialog:
    """Ask for a shot to open."""
    return ask_file(parent, tr("Open a shot"), then, names=f"{tr('Shots')} (*{SUFFIX})")


def ask_save_name(parent: QWidget, suggested: Path, then: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save a shot."""
    return ask_where_to(parent, tr("Save the shot"), then, suggested=suggested, names=f"{tr('Shots')} (*{SUFFIX})")


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
