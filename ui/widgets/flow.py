"""A widget that fills rows from left to right and begins a new one when the width is used up."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.theme.tokens import SPACE_S


class Flow(QWidget):
    """Its children keep their size hints; its height follows from its width. Hidden children take no room.

    No QLayout of ours: PySide (6.11) keeps what it made of the items of one after Qt has deleted them, and takes the
    next object at the same address for them.
    """

    def __init__(self, parent: QWidget | None = None, *, spacing: int = SPACE_S) -> None:
        super().__init__(parent)
        self._spacing = spacing
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, widget: QWidget) -> None:
        """Put a widget after the others."""
        wanted = not (widget.isHidden() and widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide))
        widget.setParent(self)
        widget.setVisible(wanted)
        self.updateGeometry()

    def clear(self) -> None:
        """Delete all widgets; later, from the loop: one of them may be the button whose click led here."""
        for widget in self.widgets():
            widget.hide()
            widget.deleteLater()

    def widgets(self) -> list[QWidget]:
        """All of them, in order; hidden ones, too."""
        return [child for child in self.children() if isinstance(child, QWidget)]

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(width, move=False)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        size = QSize()
        for widget in self._laid_out():
            size = size.expandedTo(_hint(widget))
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a child came, went or changed its size
            self.updateGeometry()
            self._arrange(self.width(), move=True)
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(self.width(), move=True)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.updateGeometry()
        self._arrange(self.width(), move=True)

    def _laid_out(self) -> list[QWidget]:
        return [widget for widget in self.widgets() if not widget.isHidden()]

    def _arrange(self, width: int, *, move: bool) -> int:
        """Lay the children out in `width`; gives the height that they need."""
        margins = self.contentsMargins()
        left, right = margins.left(), width - margins.right()
        x, y, row = left, margins.top(), 0
        for widget in self._laid_out():
            hint = _hint(widget)
            if x + hint.width() > right and row:
                x, y, row = left, y + row + self._spacing, 0
            if move:
                widget.setGeometry(QRect(x, y, hint.width(), hint.height()))
            x += hint.width() + self._spacing
            row = max(row, hint.height())
        return y + row + margins.bottom()


def _hint(widget: QWidget) -> QSize:
    wished = widget.sizeHint().expandedTo(widget.minimumSizeHint())
    return wished.boundedTo(widget.maximumSize()).expandedTo(widget.minimumSize())
