"""A list to choose one of."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QWidget


class Dropdown(QComboBox):
    """As wide as what is in it, in every language: Qt's own keeps the width that it was first shown with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
