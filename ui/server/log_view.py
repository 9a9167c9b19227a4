"""A live log: bounded, appended in batches so that a flood of lines never holds the window up, searched, copied."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
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
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import mark, tr
from ui.server.line_store import SEGMENT
from ui.server.log_levels import Gravity
from ui.server.log_model import LogModel
from ui.theme.icons import icon
from ui.theme.palette import set_role, tokens
from ui.theme.tokens import ICON, SPACE_M, SPACE_S, mix
from ui.widgets.dropdown import Dropdown
from ui.widgets.empty import EmptyState
from ui.widgets.file_dialogs import ask_where_to

NO_SERVER: Final = mark("What a server that the studio starts has to say appears here.")
ELSEWHERE: Final = mark("The log of a server that somebody else started stays with it: it cannot be read from here.")
MOST_LINES: Final = 1_000_000
_AT_ONCE: Final = 5000
"""Lines shown in one go: a flood is spread over several."""
_COPIED: Final = 20_000
"""Lines that *Copy* takes at most; *Save* takes all."""
_BATCH_MS: Final = 100
_LONGEST: Final = 2000

Index = QModelIndex | QPersistentModelIndex


class LogView(QWidget):
    """Follows its end as long as the user has not scrolled up. Lines can be selected and copied."""

    flushed = Signal()
    """Waiting lines were shown."""
    unsaved = Signal(Path, OSError)
    """The log could not be written to that file, and why."""

    def __init__(self, parent: QWidget | None = None, *, most: int = MOST_LINES, segment: int = SEGMENT) -> None:
        super().__init__(parent)
        self._waiting: deque[str] = deque(maxlen=most)
        self.lines = LogModel(most, self, segment=segment)
        self.facts = ""
        """What stands above a copied or saved log: the machine, the server."""
        self._delegate = _LineDelegate(self)
        self.table = self._make_table()
        self.stack = QStackedWidget()
        self.empty = EmptyState("server", NO_SERVER)
        for page in (self.empty, self.table):
            self.stack.addWidget(page)
        self.levels = Dropdown()
        self.levels.currentIndexChanged.connect(self._on_level)
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
        self.save_button = QPushButton(icon("download"), "")
        self.save_button.setIconSize(QSize(ICON, ICON))
        self.save_button.clicked.connect(self._on_save)
        self.pinned = QPushButton(icon("error", "bad"), "", flat=True)
        self.pinned.setVisible(False)
        self.pinned.clicked.connect(self._on_pinned)
        self._pinned_line = ""
        self._batch = QTimer(self, interval=_BATCH_MS, singleShot=True)
        self._batch.timeout.connect(self._flush)
        self._lay_out()
        self._show_page(has_lines=False)
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        QShortcut(QKeySequence.StandardKey.Copy, self.table, self.copy, context=Qt.ShortcutContext.WidgetShortcut)
        self._retranslate()

    def append(self, line: str) -> None:
        """Show a line soon."""
        self._waiting.append(line[:_LONGEST])
        if not self._batch.isActive():
            self._batch.start()

    def extend(self, lines: Sequence[str]) -> None:
        """Show many lines now."""
        self._waiting.extend(line[:_LONGEST] for line in lines)
        self._flush()

    def explain_empty(self, sentence: str) -> None:
        """Say why there is no log (a marked English text)."""
        self.empty.set_sentence(sentence)

    def pin(self, line: str) -> None:
        """Keep the first error in sight above the log; an empty line takes it away."""
        self._pinned_line = line
        self.pinned.setText(self.pinned.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, 480))
        self.pinned.setToolTip(line)
        self.pinned.setVisible(bool(line))

    def save(self, path: Path) -> None:
        """Write the whole log to a file. Raises OSError."""
        with path.open("wb") as fp:
            fp.write(self.facts.encode())
            for piece in self.lines.lines.texts():
                fp.write(piece)

    def restart(self, lines: Iterable[str]) -> None:
        """Show another log from its beginning."""
        self._waiting.clear()
        self.lines.clear()
        self._show_page(has_lines=False)
        for line in lines:
            self.append(line)

    def copy(self) -> None:
        """Put the selected lines, or all, on the clipboard."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedIndexes())
        chosen = [self.lines.line(row) for row in rows]
        count = self.lines.rowCount()
        text = "\n".join(chosen or map(self.lines.line, range(max(0, count - _COPIED), count)))
        QGuiApplication.clipboard().setText(text if chosen else self.facts + text)

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
        row.addWidget(self.levels)
        row.addWidget(self.search, 1)
        row.addWidget(self.nothing)
        row.addWidget(self.previous_button)
        row.addWidget(self.next_button)
        row.addWidget(self.copy_button)
        row.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_M, SPACE_M, SPACE_M, SPACE_M)
        column.setSpacing(SPACE_S)
        column.addLayout(row)
        column.addWidget(self.pinned, alignment=Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.stack, 1)
        self._on_search("")

    def _retranslate(self) -> None:
        self.table.setAccessibleName(tr("Server log"))
        self.levels.setAccessibleName(tr("Lines shown"))
        if not self.levels.count():
            self.levels.addItems([""] * len(Gravity))
        for index, name in enumerate((tr("All lines"), tr("Warnings, errors"), tr("Errors"))):
            self.levels.setItemText(index, name)
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
        self.save_button.setText(tr("Save…"))
        self.pinned.setAccessibleName(tr("First error"))

    def _flush(self) -> None:
        if not self._waiting:
            return
        self._show_page(has_lines=True)
        bar = self.table.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        gone = self.lines.extend([self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))])
        if self._waiting:
            self._batch.start()
        width = self.lines.widest * self.table.fontMetrics().averageCharWidth() + 2 * SPACE_S
        self.table.setColumnWidth(0, max(width, self.table.viewport().width()))
        if at_end:
            self.table.scrollToBottom()
        elif gone:
            bar.setValue(bar.value() - gone * self.table.verticalHeader().defaultSectionSize())
        self.flushed.emit()

    def _show_page(self, *, has_lines: bool) -> None:
        self.stack.setCurrentWidget(self.table if has_lines else self.empty)
        for control in (self.levels, self.search, self.copy_button, self.save_button):
            control.setVisible(has_lines)

    def _on_level(self, index: int) -> None:
        self.lines.show(Gravity(max(0, index)))
        self.table.scrollToBottom()
        self._on_search(self.search.text())

    def _on_save(self) -> None:
        suggested = Path.home() / "server.log"
        ask_where_to(self, tr("Save the log"), self._save, suggested=suggested, names="*.log")

    def _save(self, path: Path) -> None:
        try:
            self.save(path)
        except OSError as error:
            self.unsaved.emit(path, error)

    def _on_pinned(self) -> None:
        self.levels.setCurrentIndex(Gravity.ALL)
        row = self.lines.find(self._pinned_line[:_LONGEST], -1)
        if row is not None:
            self.table.setCurrentIndex(self.lines.index(row))
            self.table.scrollTo(self.lines.index(row), QAbstractItemView.ScrollHint.PositionAtCenter)

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
