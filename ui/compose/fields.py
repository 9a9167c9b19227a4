"""What all fields of Compose share: undo is the shot's, files go to the tray, number fields have names throughout."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractSpinBox, QPlainTextEdit, QWidget

from ui.widgets.number_field import inset


def leave_to_window(field: QWidget) -> None:
    """Keep a text or number field from taking undo keys for its own typing, and dropped files for their names."""
    parts = [field, field.lineEdit()] if isinstance(field, QAbstractSpinBox) else [field]
    for part in parts:
        part.installEventFilter(_GiveUp(part))
        part.setAcceptDrops(part is field and isinstance(field, QPlainTextEdit))


def name_field(field: QAbstractSpinBox, name: str) -> None:
    """Give a number field its accessible name; screen readers may land on the text inside, which gets its margin."""
    inset(field)
    field.setAccessibleName(name)
    field.lineEdit().setAccessibleName(name)


class _GiveUp(QObject):
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
            return False
        if not event.matches(QKeySequence.StandardKey.Undo) and not event.matches(QKeySequence.StandardKey.Redo):
            return False
        event.ignore()
        return True
