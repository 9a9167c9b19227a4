"""A live log: bounded, appended in batches so that a flood of lines never holds the window up, searched, copied."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontDatabase, QFontMetrics, QGuiApplication, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import tr
from ui.server.log_model import LogModel
from ui.theme.icons import icon
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import ICON, SPACE_M, SPACE_S, mix

MOST_LINES: Final = 5000
_BATCH_MS: Final = 100
_LONGEST: Final = 2000

Index = QModelIndex | QPersistentModelIndex


class LogView(QWidget):
    """Follows its end as long as the user has not scrolled up. Lines can be selected and copied."""

    flushed = Signal()
    """Waiting lines were shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[str] = deque(maxlen=MOST_LINES)
        self.lines = LogModel(MOST_LINES, self)
        self._delegate = _LineDelegate(self)
        self.table = self._make_table()
        self.search = QLineEdit()
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self.find_next)
        self.nothing = QLabel()
        set_role(self.nothing, "dim")
        self.previous_button, self.next_button = QToolButton(), QToolButton()
        self.previous_button.clicked.connect(self.find_previous)
        self.next_button.clicked.connect(self.find_next)
        self.copy_button = QPushButton(icon("copy"), "")
        self.copy_button.setIconSize(QSize(ICON, ICON))
        self.copy_button.clicked.connect(self.copy)
        self._batch = QTimer(self, interval=_BATCH_MS, singleShot=True)
        self._batch.timeout.connect(self._flush)
        self._lay_out()
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        QShortcut(QKeySequence.StandardKey.Copy, self.table, self.copy, context=Qt.ShortcutContext.WidgetShortcut)
        self._retranslate()

    def append(self, line: str) -> None:
        """Show a line soon."""
        self._waiting.append(line[:_LONGEST])
        if not self._batch.isActive():
            self._batch.start()

    def restart(self, lines: Iterable[str]) -> None:
        """Show another log from its beginning."""
        self._waiting.clear()
        self.lines.clear()
        for line in lines:
            self.append(line)

    def copy(self) -> None:
        """Put the selected lines, or all, on the clipboard."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedIndexes())
        chosen = [self.lines.lines[row] for row in rows] or self.lines.lines
        QGuiApplication.clipboard().setText("\n".join(chosen))

    def find_next(self) -> None:
        """Go to the next line that holds the searched text, from the top again after the last."""
        self._find(backward=False)

    def find_previous(self) -> None:
        """Go to the line before that holds it, from the end again before the first."""
        self._find(backward=True)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _make_table(self) -> QTableView:
        # A table asks nothing of rows that cannot be seen; a list view walks all of them at every insertion.
        table = QTableView()
        table.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        table.setModel(self.lines)
        table.setItemDelegate(self._delegate)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.horizontalHeader().hide()
        header = table.verticalHeader()
        header.hide()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(1)
        header.setDefaultSectionSize(QFontMetrics(table.font()).height() + 1)
        return table

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(SPACE_S)
        row.addWidget(self.search, 1)
        row.addWidget(self.nothing)
        row.addWidget(self.previous_button)
        row.addWidget(self.next_button)
        row.addWidget(self.copy_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_M, SPACE_M, SPACE_M, SPACE_M)
        column.setSpacing(SPACE_S)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        self._on_search("")

    def _retranslate(self) -> None:
        self.table.setAccessibleName(tr("Server log"))
        self.search.setPlaceholderText(tr("Search the log"))
        self.search.setAccessibleName(tr("Search the log"))
        self.nothing.setText(tr("nothing found"))
        for button, name, arrow in (
            (self.previous_button, tr("Line before"), "↑"),
            (self.next_button, tr("Next line"), "↓"),
        ):
            button.setText(arrow)
            button.setToolTip(name)
            button.setAccessibleName(name)
        self.copy_button.setText(tr("Copy"))
        self.copy_button.setToolTip(tr("Copy the selected lines, or all"))

    def _flush(self) -> None:
        if not self._waiting:
            return
        bar = self.table.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        gone = self.lines.extend(list(self._waiting))
        self._waiting.clear()
        width = self.lines.widest * self.table.fontMetrics().averageCharWidth() + 2 * SPACE_S
        self.table.setColumnWidth(0, max(width, self.table.viewport().width()))
        if at_end:
            self.table.scrollToBottom()
        elif gone:
            bar.setValue(bar.value() - gone * self.table.verticalHeader().defaultSectionSize())
        self.flushed.emit()

    def _on_search(self, text: str) -> None:
        self._delegate.wanted = text.casefold()
        for button in (self.previous_button, self.next_button):
            button.setVisible(bool(text))
        self.nothing.setVisible(bool(text) and self.lines.find(text, -1) is None)
        self.table.viewport().update()

    def _find(self, *, backward: bool) -> None:
        current = self.table.currentIndex()
        start = current.row() if current.isValid() else -1
        row = self.lines.find(self.search.text(), start, backward=backward)
        self.nothing.setVisible(bool(self.search.text()) and row is None)
        if row is not None:
            self.table.setCurrentIndex(self.lines.index(row))
            self.table.scrollTo(self.lines.index(row), QAbstractItemView.ScrollHint.PositionAtCenter)


class _LineDelegate(QStyledItemDelegate):
    """Paints a line in the fixed font, with the searched text marked."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.wanted = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t, line = tokens(), str(index.data())
        room: QRect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(room, QColor(mix(t.text, t.surface, 0.14)))
        inside = room.adjusted(SPACE_S, 0, 0, 0)
        painter.setFont(option.font)
        if self.wanted:
            self._mark(painter, inside, line, QColor(mix(t.warn, t.surface, 0.35)))
        painter.setPen(QColor(t.text))
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, line)

    def _mark(self, painter: QPainter, inside: QRect, line: str, colour: QColor) -> None:
        metrics, folded = painter.fontMetrics(), line.casefold()
        at = folded.find(self.wanted)
        while at >= 0:
            left = inside.left() + metrics.horizontalAdvance(line[:at])
            width = metrics.horizontalAdvance(line[at : at + len(self.wanted)])
            painter.fillRect(QRect(left, inside.top(), width, inside.height()), colour)
            at = folded.find(self.wanted, at + len(self.wanted))
