"""A row of joined buttons of which one is down, or none."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from studio.core.words import tr


class Segmented(QWidget):
    """`choices` are (key, marked English text); arrow keys move along the row."""

    chosen = Signal(str)
    """The user chose this key."""

    def __init__(self, choices: Sequence[tuple[str, str]], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices, self._name = tuple(choices), name
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for index, (key, _text) in enumerate(self._choices):
            button = QToolButton()
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setCheckable(True)
            button.setProperty("segment", _place(index, len(self._choices)))
            button.clicked.connect(lambda _checked=False, key=key: self.chosen.emit(key))
            self._group.addButton(button, index)
            self.buttons[key] = button
            row.addWidget(button)
        if self._choices:
            self._group.button(0).setChecked(True)
        self._retranslate()

    def current(self) -> str:
        """The key of the button that is down."""
        return self._choices[self._group.checkedId()][0]

    def set_current(self, key: str | None) -> None:
        """Put another button down, or none; does not emit `chosen`. Raises KeyError for an unknown key."""
        if key is not None:
            self.buttons[key].setChecked(True)
        elif (down := self._group.checkedButton()) is not None:
            self._group.setExclusive(False)
            down.setChecked(False)
            self._group.setExclusive(True)

    def set_tip(self, key: str, tip: str) -> None:
        """Give one button a tooltip."""
        self.buttons[key].setToolTip(tip)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.setAccessibleName(tr(self._name))
        for key, text in self._choices:
            self.buttons[key].setText(tr(text))
            self.buttons[key].setAccessibleName(f"{tr(self._name)}: {tr(text)}")


def _place(index: int, count: int) -> str:
    return "first" if index == 0 else "last" if index == count - 1 else "middle"
