"""The last lines of a log as rows, so that a view draws only those that can be seen; all, or only the grave ones."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ui.server.line_store import SEGMENT, LineStore
from ui.server.log_levels import Gravity, GravityReader

Index = QModelIndex | QPersistentModelIndex


class LogModel(QAbstractListModel):
    """Keeps at most `most` lines; older ones go, `segment` at a time. Rows are the lines that are `least` grave."""

    def __init__(self, most: int, parent: QObject | None = None, *, segment: int = SEGMENT) -> None:
        super().__init__(parent)
        self._most = most
        self._lines = LineStore(most, segment)
        self._reader = GravityReader()
        self._first = 0
        """Number of the oldest line that is kept; lines are numbered from the log's beginning."""
        self._grave = {Gravity.WARNING: array("Q"), Gravity.ERROR: array("Q")}
        """Numbers of the lines that are at least so grave."""
        self.least = Gravity.ALL
        self._rows = 0
        self.widest = 0
        """Characters in the longest line so far."""

    @property
    def lines(self) -> LineStore:
        """What is kept, oldest first."""
        return self._lines

    def line(self, row: int) -> str:
        """The text of a row."""
        return self._lines[row if self.least is Gravity.ALL else self._grave[self.least][row] - self._first]

    def show(self, least: Gravity) -> None:
        """Show only lines that are at least so grave."""
        if least is not self.least:
            self.beginResetModel()
            self.least = least
            self._rows = self._shown()
            self.endResetModel()

    def extend(self, lines: Sequence[str]) -> int:
        """Add lines at the end; gives how many rows went at the beginning."""
        new = lines[-self._most :]
        if not new:
            return 0
        gone = self._make_room(len(new))
        self.widest = max(self.widest, max(map(len, new)))
        number = self._first + len(self._lines)
        try:
            self._lines.append(new)
        except OSError:  # a full disk: what was said is still in the server's own files
            new = new[: self._first + len(self._lines) - number]
        for at, line in enumerate(new, number):
            if (gravity := self._reader.read(line)) is not Gravity.ALL:
                self._grave[Gravity.WARNING].append(at)
                if gravity is Gravity.ERROR:
                    self._grave[Gravity.ERROR].append(at)
        if (shown := self._shown()) > self._rows:
            self.beginInsertRows(QModelIndex(), self._rows, shown - 1)
            self._rows = shown
            self.endInsertRows()
        return gone

    def clear(self) -> None:
        """Forget every line."""
        self.beginResetModel()
        self._lines.clear()
        self._reader, self._first = GravityReader(), 0
        for numbers in self._grave.values():
            del numbers[:]
        self._rows = self.widest = 0
        self.endResetModel()

    def find(self, text: str, start: int, *, backward: bool = False) -> int | None:
        """The nearest row after (before) `start` that holds `text`, ASCII case ignored, going round the end once."""
        if self.least is Gravity.ALL:
            return self._lines.find(text, start, backward=backward)
        wanted = text.lower()
        rows = [*range(start + 1, self._rows), *range(min(start + 1, self._rows))]
        if backward:
            rows = [*reversed(range(max(0, start))), *reversed(range(max(0, start), self._rows))]
        return next((row for row in rows if wanted and wanted in self.line(row).lower()), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._rows

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self.line(index.row()) if role == Qt.ItemDataRole.DisplayRole else None

    def _shown(self) -> int:
        return len(self._lines) if self.least is Gravity.ALL else len(self._grave[self.least])

    def _make_room(self, coming: int) -> int:
        """Forget the oldest lines when there are too many; gives how many rows went."""
        surplus = self._lines.surplus(coming)
        if not surplus:
            return 0
        first = self._first + surplus
        old = {gravity: bisect_left(numbers, first) for gravity, numbers in self._grave.items()}
        gone = surplus if self.least is Gravity.ALL else old[self.least]
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
        self._lines.drop(surplus)
        self._first = first
        for gravity, count in old.items():
            del self._grave[gravity][:count]
        self._rows -= gone
        if gone:
            self.endRemoveRows()
        return gone
