"""The toolkit's file dialog as a person uses it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget


def asked(owner: QWidget) -> QFileDialog:
    """The dialog that is open above `owner`."""
    (found,) = (dialog for dialog in owner.window().findChildren(QFileDialog) if dialog.isVisible())
    return found


def suggested(dialog: QFileDialog) -> str:
    """The name that stands in it."""
    return _field(dialog).text()


def answer(dialog: QFileDialog, path: Path | str) -> None:
    """Put a name in, and accept it."""
    _field(dialog).setText(str(path))
    dialog.accept()


def _field(dialog: QFileDialog) -> QLineEdit:
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    assert field is not None
    return field
