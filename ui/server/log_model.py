"""The last lines of a log as rows, so that a view draws only those that can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex


class LogModel(QAbstractListModel):
    """Keeps `most` lines; older ones go."""

    def __init__(self, most: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._most = most
        self._lines: list[str] = []
        self.widest = 0
        """Characters in the longest line so far."""

    @property
    def lines(self) -> Sequence[str]:
        """What is kept, oldest first."""
        return self._lines

    def extend(self, lines: Sequence[str]) -> int:
        """Add lines at the end; gives how many went at the beginning."""
        new = lines[-self._most :]
        if not new:
            return 0
        gone = max(0, len(self._lines) + len(new) - self._most)
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
            del self._lines[:gone]
            self.endRemoveRows()
        self.widest = max(self.widest, max(map(len, new)))
        first = len(self._lines)
        self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
        self._lines.extend(new)
        self.endInsertRows()
        return gone

    def clear(self) -> None:
        """Forget every line."""
        self.beginResetModel()
        self._lines.clear()
        self.widest = 0
        self.endResetModel()

    def find(self, text: str, start: int, *, backward: bool = False) -> int | None:
        """The nearest row after (before) `start` that holds `text`, case ignored, going round the end once."""
        count, wanted = len(self._lines), text.casefold()
        if not wanted or not count:
            return None
        after, before = range(start + 1, count), range(min(start, count))
        order = chain(reversed(before), reversed(after)) if backward else chain(after, before)
        here = (start,) if 0 <= start < count else ()
        return next((row for row in chain(order, here) if wanted in self._lines[row].casefold()), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self._lines[index.row()] if role == Qt.ItemDataRole.DisplayRole else None
