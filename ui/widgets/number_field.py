"""What every number field needs beside the stylesheet, whose padding does not reach the text inside of one."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractSpinBox

from ui.theme.tokens import SPACE_S


def inset(field: QAbstractSpinBox) -> None:
    """Let its number begin where the text of a line edit does."""
    field.lineEdit().setTextMargins(SPACE_S, 0, 0, 0)
