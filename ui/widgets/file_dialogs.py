"""Which file, which files, which folder, and where to: the toolkit's dialog, asked without blocking.

Its static functions run a loop of their own, in which the program cannot be ended.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget


def ask_file(
    parent: QWidget, title: str, then: Callable[[Path], object], *, names: str = "", folder: Path | None = None
) -> QFileDialog:
    """Ask for a file that is there. `names`: filters as Qt has them, `Shots (*.h3shot);;All files (*)`."""
    dialog = _dialog(parent, title, folder, names)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    return _ask_one(dialog, then)


def ask_files(
    parent: QWidget, title: str, then: Callable[[list[Path]], object], *, names: str = "", folder: Path | None = None
) -> QFileDialog:
    """Ask for files that are there."""
    dialog = _dialog(parent, title, folder, names)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(lambda chosen: then([Path(name) for name in chosen]))
    dialog.open()
    return dialog


def ask_folder(parent: QWidget, title: str, then: Callable[[Path], object], *, folder: Path) -> QFileDialog:
    """Ask for a folder, beginning in `folder`."""
    dialog = _dialog(parent, title, folder, "")
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    return _ask_one(dialog, then)


def ask_where_to(
    parent: QWidget, title: str, then: Callable[[Path], object], *, suggested: Path, names: str
) -> QFileDialog:
    """Ask where to write; the dialog asks before a file is replaced. A name without a suffix gets that of `suggested`.

    A bare name is suggested in the folder where the dialog was last.
    """
    dialog = _dialog(parent, title, None, names)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(suggested.suffix.removeprefix("."))
    dialog.selectFile(str(suggested))
    return _ask_one(dialog, then)


def _dialog(parent: QWidget, title: str, folder: Path | None, names: str) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if folder is not None:
        dialog.setDirectory(str(folder))
    if names:
        dialog.setNameFilter(names)
    return dialog


def _ask_one(dialog: QFileDialog, then: Callable[[Path], object]) -> QFileDialog:
    dialog.fileSelected.connect(lambda name: then(Path(name)))
    dialog.open()
    return dialog
