"""Search and filters: a query put together from controls, shown by them when it changes elsewhere."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.core.words import mark, ntr, tr
from studio.jobs.library import Query
from ui.library.telling import TASKS
from ui.library.viewmodel import LibraryModel
from ui.theme.icons import icon
from ui.theme.palette import set_role
from ui.theme.tokens import SPACE_M, SPACE_S
from ui.widgets.dropdown import Dropdown
from ui.widgets.flow import Flow
from ui.widgets.popup_button import PopupButton
from ui.widgets.toggle import Toggle

_DAY: Final = 86400
_DATES: Final = (
    ("", mark("Any time")),
    ("0", mark("Today")),
    ("7", mark("Last 7 days")),
    ("30", mark("Last 30 days")),
)
_KINDS: Final = (("", mark("All modes")), *TASKS.items())
_ORIGINS: Final = (("", mark("Any origin")), ("model", mark("By the model")), ("rehearsal", mark("Rehearsals")))
_MARKS: Final = (
    ("", mark("Any mark")),
    ("star", mark("Starred")),
    ("kept", mark("Not rejected")),
    ("rejected", mark("Rejected")),
)
_REJECTED: Final[Mapping[str, bool]] = MappingProxyType({"kept": False, "rejected": True})
_SORTS: Final = (
    ("newest", mark("Newest first")),
    ("oldest", mark("Oldest first")),
    ("longest", mark("Longest first")),
    ("largest", mark("Largest first")),
    ("prompt", mark("By prompt")),
)


class Filters(QWidget):
    """The bar over the grid."""

    folder_wanted = Signal()
    """The user wants to read another folder into the library."""
    emptying_wanted = Signal()
    to_grid = Signal()
    """The user is done typing and wants to go to what was found."""

    def __init__(self, model: LibraryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.search = _Search()
        self.search.textChanged.connect(lambda text: model.ask(text=text))
        self.search.left.connect(self.to_grid)
        self.date, self.kind = _Choice(_DATES, mark("Date")), _Choice(_KINDS, mark("Mode"))
        self.origin, self.sort = _Choice(_ORIGINS, mark("Origin")), _Choice(_SORTS, mark("Order"))
        self.tag = _Choice((), mark("Tag"))
        self.date.chosen.connect(lambda key: model.ask(since=_midnight(int(key)) if key else None))
        self.kind.chosen.connect(lambda key: model.ask(task=key or None))
        self.origin.chosen.connect(lambda key: model.ask(rehearsal=key == "rehearsal" if key else None))
        self.sort.chosen.connect(lambda key: model.ask(sort=key))
        self.tag.chosen.connect(lambda key: model.ask(tag=key or None))
        self.mark = _Choice(_MARKS, mark("Marks"))
        self.mark.chosen.connect(lambda key: model.ask(starred=key == "star", rejected=_REJECTED.get(key)))
        self.faulty, self.trash = Toggle("warning"), Toggle("remove")
        self.faulty.clicked.connect(lambda on: model.ask(faulty=on))
        self.trash.clicked.connect(self._on_trash)
        self.clear_button = QToolButton()
        set_role(self.clear_button, "quiet")
        self.clear_button.clicked.connect(self._on_clear)
        self.emptying = QPushButton()
        set_role(self.emptying, "danger")
        self.emptying.clicked.connect(self.emptying_wanted)
        self.more = PopupButton("", self._fill)
        self.count = QLabel()
        set_role(self.count, "dim")
        self._lay_out()
        model.results_changed.connect(self._show)
        model.tags_changed.connect(self._show_tags)
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        upper = QHBoxLayout()
        upper.setSpacing(SPACE_S)
        upper.addWidget(self.search, 1)
        upper.addWidget(self.sort)
        upper.addWidget(self.emptying)
        upper.addWidget(self.trash)
        upper.addWidget(self.more)
        lower = Flow()
        choices = (self.date, self.kind, self.origin, self.mark, self.tag)
        for widget in (*choices, self.faulty, self.clear_button, self.count):
            lower.add(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        column.setSpacing(SPACE_S)
        column.addLayout(upper)
        column.addWidget(lower)

    def _retranslate(self) -> None:
        self.search.setPlaceholderText(tr("Search prompts, notes, tags and names"))
        self.search.setAccessibleName(tr("Search"))
        named = (
            (self.faulty, tr("With faults")),
            (self.trash, tr("Trash")),
        )
        for button, name in named:
            button.setText(name)
            button.setAccessibleName(name)
        self.emptying.setText(tr("Empty the trash…"))
        self.clear_button.setText(tr("Clear the filters"))
        self.more.set_name(tr("More"))
        for choice in (self.date, self.kind, self.origin, self.mark, self.sort):
            choice.retranslate()
        self._show_tags()
        self._show()

    def _show(self) -> None:
        """Show the query as it is, and how much fits."""
        query = self._model.query
        if query.text != self.search.text():
            with QSignalBlocker(self.search):
                self.search.setText(query.text)
        self.kind.show_key(query.task or "")
        self.origin.show_key("" if query.rehearsal is None else "rehearsal" if query.rehearsal else "model")
        self.sort.show_key(query.sort)
        self.tag.show_key(query.tag or "")
        if query.since is None:
            self.date.show_key("")
        rejected = next((key for key, wanted in _REJECTED.items() if wanted is query.rejected), "")
        self.mark.show_key("star" if query.starred else rejected)
        self.faulty.setChecked(query.faulty)
        self.trash.setChecked(query.trashed)
        self.clear_button.setVisible(query.narrows)
        count = self._model.results.rowCount()
        self.emptying.setVisible(query.trashed and count > 0)
        self.count.setText(ntr("{count:n} result", "{count:n} results", count) if self._model.loaded else "")
        self.count.setMinimumHeight(self.faulty.sizeHint().height())

    def _show_tags(self) -> None:
        tags = [(name, f"{name} ({count})") for name, count in self._model.tags]
        self.tag.set_choices((("", tr("All tags")), *tags))
        self.tag.setVisible(bool(tags) or self._model.query.tag is not None)
        self.tag.show_key(self._model.query.tag or "")

    def _on_trash(self, on: bool) -> None:
        self._model.show_query(Query(trashed=on, sort=self._model.query.sort))

    def _on_clear(self) -> None:
        self._model.clear()
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill(self, menu: QMenu) -> None:
        menu.addAction(tr("Read the results folder again"), partial(self._model.scan, self._model.results_dir))
        menu.addAction(icon("folder"), tr("Read another folder…"), self.folder_wanted.emit)


class _Search(QLineEdit):
    """Escape clears it, then leaves; Down and Enter go on to what was found."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif key in (Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        else:
            super().keyPressEvent(event)


class _Choice(Dropdown):
    """A list of (key, marked English text); `chosen` tells the key that the user chose."""

    chosen = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], name: str) -> None:
        super().__init__()
        self._choices, self._name = tuple(choices), name
        self.activated.connect(lambda _index: self.chosen.emit(str(self.currentData())))

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer others."""
        self._choices = tuple(choices)
        self.retranslate()

    def show_key(self, key: str) -> None:
        """Show this choice; does not emit `chosen`."""
        self.setCurrentIndex(max(0, self.findData(key)))

    def retranslate(self) -> None:
        """Show name and choices in the current language."""
        key = self.currentData()
        self.setAccessibleName(tr(self._name))
        self.clear()
        for known, text in self._choices:
            self.addItem(tr(text), known)
        self.show_key(key or "")


def _midnight(days: int) -> float:
    """The beginning of the day so many days ago, in wall seconds."""
    at = time.localtime(time.time() - days * _DAY)
    return time.mktime((at.tm_year, at.tm_mon, at.tm_mday, 0, 0, 0, 0, 0, -1))
