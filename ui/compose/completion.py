"""`@` in the prompt: a list of what can be mentioned, narrowed by what is typed after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QIcon, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QWidget

from studio.core.words import tr

_ASKED: Final = re.compile(r"(?<![A-Za-z0-9_])@([^\s@<>]{0,40})$")
_MENTION_ROLE: Final = Qt.ItemDataRole.UserRole
_WIDTH: Final = 320


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the list: the mention as it is stored, and how it is shown ("Video 1", "clip.mp4")."""

    mention: str
    label: str
    name: str
    icon: QIcon


def asked(text_before: str) -> str | None:
    """What follows an `@` right before the cursor; None when nothing is asked for (an e-mail address does not ask)."""
    found = _ASKED.search(text_before[-48:])
    return found[1] if found else None


class MentionCompleter(QObject):
    """The list under the cursor of a text field."""

    chosen = Signal(str)
    """The user chose this stored mention."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        self._completer = QCompleter(self)
        self._items = QStandardItemModel(self)
        self._shown: tuple[Choice, ...] = ()
        self._popup: QAbstractItemView | None = None
        """The list itself, once it was wanted: to ask the completer for it makes it."""
        self._completer.setModel(self._items)
        self._completer.setWidget(field)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        # By index or by text, as the stubs do not know.
        self._completer.activated[QModelIndex].connect(self._on_activated)  # type: ignore[index]

    @property
    def is_open(self) -> bool:
        """Whether the list is on the screen."""
        return self._popup is not None and self._popup.isVisible()

    def offer(self, prefix: str, choices: Sequence[Choice], at: QRect) -> None:
        """Show what fits `prefix` below the place `at` of the field; nothing when nothing fits."""
        self._fill(tuple(choices))
        self._completer.setCompletionPrefix(prefix)
        if not self._completer.completionCount():
            self.close()
            return
        popup = self._popup = self._completer.popup()
        assert popup is not None  # it is made when it is asked for
        popup.setAccessibleName(tr("References to mention"))
        self._completer.complete(at.adjusted(0, 0, _WIDTH, 0))
        popup.setCurrentIndex(self._completer.completionModel().index(0, 0))

    def take_current(self) -> bool:
        """Choose the line that is marked; False when the list is closed."""
        if self._popup is None or not self.is_open:
            return False
        index = self._popup.currentIndex()
        self.close()
        if index.isValid():
            self._on_activated(index)
        return True

    def close(self) -> None:
        """Take the list away."""
        if self._popup is not None:
            self._popup.hide()

    def _fill(self, choices: tuple[Choice, ...]) -> None:
        if choices == self._shown:
            return
        self._shown = choices
        self._items.clear()
        for choice in choices:
            item = QStandardItem(choice.icon, f"{choice.label}  ·  {choice.name}")
            item.setData(choice.mention, _MENTION_ROLE)
            item.setEditable(False)
            self._items.appendRow(item)

    def _on_activated(self, index: QModelIndex) -> None:
        model: QAbstractItemModel = index.model()
        mention = model.data(index, _MENTION_ROLE)
        if mention:
            self.chosen.emit(str(mention))
