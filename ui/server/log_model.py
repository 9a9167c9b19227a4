"""The last lines of a log as rows, so that a view draws only those that can be seen."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ui.server.line_store import SEGMENT, LineStore

Index = QModelIndex | QPersistentModelIndex


class LogModel(QAbstractListModel):
    """Keeps at most `most` lines; older ones go, `segment` at a time."""

    def __init__(self, most: int, parent: QObject | None = None, *, segment: int = SEGMENT) -> None:
        super().__init__(parent)
        self._most = most
        self._lines = LineStore(most, segment)
        self._rows = 0
        self.widest = 0
        """Characters in the longest line so far."""

    @property
    def lines(self) -> LineStore:
        """What is kept, oldest first."""
        return self._lines

    def extend(self, lines: Sequence[str]) -> int:
        """Add lines at the end; gives how many went at the beginning."""
        new = lines[-self._most :]
        if not new:
            return 0
        gone = self._lines.surplus(len(new))
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
            self._lines.drop(gone)
            self._rows -= gone
            self.endRemoveRows()
        self.widest = max(self.widest, max(map(len, new)))
        with contextlib.suppress(OSError):  # a full disk: what was said is still in the server's own files
            self._lines.append(new)
        if len(self._lines) > self._rows:
            self.beginInsertRows(QModelIndex(), self._rows, len(self._lines) - 1)
            self._rows = len(self._lines)
            self.endInsertRows()
        return gone

    def clear(self) -> None:
        """Forget every line."""
        self.beginResetModel()
        self._lines.clear()
        self._rows = 0
        self.widest = 0
        self.endResetModel()

    def find(self, text: str, start: int, *, backward: bool = False) -> int | None:
        """The nearest row after (before) `start` that holds `text`, case ignored, going round the end once."""
        return self._lines.find(text, start, backward=backward)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._rows

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self._lines[index.row()] if role == Qt.ItemDataRole.DisplayRole else None
