"""All takes at once, as large as they fit, in the order in which they were given."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ui.compare.takes.cell import TakeCell
from ui.compare.takes.model import TakesModel
from ui.theme.tokens import SPACE_S
from ui.widgets.picture import Side

_USUAL_SHAPE = 16 / 9
"""Width over height of a take that cannot be read."""


class TakesStage(QWidget):
    """Shows the model's takes; the current one has the focus when the stage has it."""

    opened = Signal()
    """The user wants the current take compared."""

    def __init__(self, model: TakesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.cells: list[TakeCell] = []
        model.takes_changed.connect(self._show_takes)
        model.shown_changed.connect(self.refresh)
        model.marks_changed.connect(self.refresh)
        model.looked_at.connect(self._on_looked_at)
        self._show_takes()

    def refresh(self) -> None:
        """Show what is known of all takes now."""
        for index, (cell, take) in enumerate(zip(self.cells, self._model.takes, strict=False)):
            cell.show_take(take, current=index == self._model.current, side=self._side(index))

    def focus_current(self) -> None:
        """Give the keyboard to the current take."""
        if self._model.current < len(self.cells):
            self.cells[self._model.current].setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _side(self, index: int) -> Side:
        model = self._model
        if model.before is None:
            return ""
        return "B" if index == model.current else "A" if index == model.before else ""

    def _show_takes(self) -> None:
        count, has_focus = len(self._model.takes), any(cell.hasFocus() for cell in self.cells)
        while len(self.cells) > count:
            cell = self.cells.pop()
            cell.hide()
            cell.deleteLater()
        while len(self.cells) < count:
            cell = TakeCell(len(self.cells) + 1, self)
            cell.looked_at.connect(partial(self._look_at, len(self.cells)))
            cell.opened.connect(self.opened)
            cell.show()
            self.cells.append(cell)
        self._arrange()
        self.refresh()
        if has_focus:
            self.focus_current()

    def _look_at(self, index: int) -> None:
        self._model.look_at(index)
        self.focus_current()

    def _on_looked_at(self) -> None:
        self.refresh()
        if self.isAncestorOf(self.window().focusWidget() or self):
            self.focus_current()

    def _arrange(self) -> None:
        if not self.cells:
            return
        caption = self.cells[0].caption_height
        shapes = [take.clip.small.layout for take in self._model.takes if take.clip is not None]
        shape = max((layout.width / layout.height for layout in shapes), default=_USUAL_SHAPE)
        columns = columns_for(len(self.cells), shape, self.width(), self.height(), caption)
        rows = math.ceil(len(self.cells) / columns)
        width = (self.width() - (columns - 1) * SPACE_S) // columns
        height = (self.height() - (rows - 1) * SPACE_S) // rows
        for index, cell in enumerate(self.cells):
            row, column = divmod(index, columns)
            cell.setGeometry(QRect(column * (width + SPACE_S), row * (height + SPACE_S), width, height))


def columns_for(count: int, shape: float, width: int, height: int, caption: int) -> int:
    """In how many columns `count` pictures of a shape (width over height), each over a caption, are largest."""

    def picture_width(columns: int) -> float:
        rows = math.ceil(count / columns)
        return min(width / columns, (height / rows - caption) * shape)

    return max(range(1, count + 1), key=picture_width)
