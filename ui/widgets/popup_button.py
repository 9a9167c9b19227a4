"""A button that opens a menu of actions made when it is opened."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from ui.theme.icons import icon
from ui.theme.palette import set_role


class PopupButton(QToolButton):
    """`fill(menu)` puts the actions in each time, so that they are in the current language and state."""

    def __init__(
        self, name: str, fill: Callable[[QMenu], None], parent: QWidget | None = None, *, icon_name: str = "more"
    ) -> None:
        super().__init__(parent)
        self._fill = fill
        self.setIcon(icon(icon_name))
        self.set_name(name)
        set_role(self, "quiet")
        self.clicked.connect(self._open)

    def set_name(self, name: str) -> None:
        """What the button is called, in the current language."""
        self.setToolTip(name)
        self.setAccessibleName(name)

    def follow(self, action: QAction) -> None:
        """Be called as an action is, in each language, and be opened by its keys."""

        def name() -> None:
            self.setToolTip(action.toolTip())
            self.setAccessibleName(action.text())

        name()
        action.changed.connect(name)
        action.triggered.connect(self.click)

    def _open(self) -> None:
        menu = QMenu(self)
        self._fill(menu)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.mapToGlobal(self.rect().bottomLeft()))
