"""The results as items for a view: all of them are counted, those that are looked at are loaded, a page at a time."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, QUrl, Signal
from PySide6.QtGui import QImage

from studio.jobs.library import Entry
from ui.library.telling import in_short

PAGE: Final = 60
EntryRole: Final = Qt.ItemDataRole.UserRole
"""The Entry; None while its page is being loaded."""
PictureRole: Final = Qt.ItemDataRole.UserRole + 1
"""The small picture as QImage; None while there is none."""

Index = QModelIndex | QPersistentModelIndex


class ResultListModel(QAbstractListModel):
    """Rows are ids; `picture` gives the picture of an entry that is shown, or None and asks for it."""

    page_wanted = Signal(int)
    """Entries of this page are asked for, and not there."""

    def __init__(self, picture: Callable[[Entry], QImage | None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._picture = picture
        self._ids = array("q")
        self._entries: dict[int, Entry] = {}
        self._asked: set[int] = set()

    def show(self, ids: array[int], first: Iterable[Entry]) -> None:
        """Show these results; the entries of the first ones are there already."""
        self.beginResetModel()
        self._ids = ids
        self._entries = {entry.id: entry for entry in first}
        self._asked.clear()
        self.endResetModel()

    def put(self, entries: Sequence[Entry]) -> None:
        """Take in loaded or changed entries."""
        self._entries.update((entry.id, entry) for entry in entries)
        rows = [row for entry in entries if (row := self.row_of(entry.id)) is not None]
        if rows:
            self.dataChanged.emit(self.index(min(rows)), self.index(max(rows)))

    def repaint(self, entry_id: int) -> None:
        """A result's picture is there now."""
        if (row := self.row_of(entry_id)) is not None:
            self.dataChanged.emit(self.index(row), self.index(row), [PictureRole])

    def refresh(self) -> None:
        """Have every item painted again: the language changed."""
        if self._ids:
            self.dataChanged.emit(self.index(0), self.index(len(self._ids) - 1))

    def page(self, number: int) -> list[int]:
        """The ids of a page."""
        return list(self._ids[number * PAGE : (number + 1) * PAGE])

    def row_of(self, entry_id: int) -> int | None:
        """Where a result stands."""
        try:
            return self._ids.index(entry_id)
        except ValueError:
            return None

    def id_at(self, row: int) -> int | None:
        """The id in a row."""
        return self._ids[row] if 0 <= row < len(self._ids) else None

    def entry(self, entry_id: int | None) -> Entry | None:
        """A result, if it is loaded."""
        return self._entries.get(entry_id) if entry_id is not None else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._ids)

    def flags(self, index: Index) -> Qt.ItemFlag:
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return plain | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._ids):
            return None
        entry = self._entries.get(self._ids[index.row()])
        if entry is None:
            self._ask(index.row() // PAGE)
            return None
        if role == EntryRole:
            return entry
        if role == PictureRole:
            return self._picture(entry)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return in_short(entry)
        return entry.prompt[:1000] if role == Qt.ItemDataRole.ToolTipRole else None

    def mimeTypes(self) -> list[str]:
        return ["text/uri-list"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        mime = QMimeData()
        entries = [entry for index in indexes if isinstance(entry := index.data(EntryRole), Entry)]
        mime.setUrls([QUrl.fromLocalFile(str(entry.video)) for entry in entries if not entry.missing])
        return mime

    def supportedDragActions(self) -> Qt.DropAction:
        return Qt.DropAction.CopyAction

    def _ask(self, page: int) -> None:
        if page not in self._asked:
            self._asked.add(page)
            self.page_wanted.emit(page)
