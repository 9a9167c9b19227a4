"""A button that stays down while something is on."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from ui.theme.icons import icon
from ui.theme.palette import set_role


class Toggle(QPushButton):
    """Icon and word in the middle, as on the buttons beside it."""

    def __init__(self, icon_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIcon(icon(icon_name))
        self.setCheckable(True)
        set_role(self, "toggle")
