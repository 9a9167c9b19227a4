"""The shots that are open: each with its undo, its file and whether that holds it; one of them lies on the table."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal

from studio.contract import History, Shot

SUFFIX: Final = ".h3shot"
_keys = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Document:
    """One open shot. Immutable; `key` tells it from the others while the program runs."""

    history: History[Shot]
    path: Path | None = None
    """The file that it was opened from or saved to."""
    on_disk: Shot | None = None
    """What that file holds."""
    was_asked: bool = False
    """Whether a render was asked for: what is not filled in yet counts as an error from then on."""
    key: int = field(default_factory=lambda: next(_keys))

    @property
    def shot(self) -> Shot:
        """The shot as it is now."""
        return self.history.present

    @property
    def is_saved(self) -> bool:
        """Whether its file holds just this shot."""
        return self.on_disk == self.shot

    @property
    def is_worth_saving(self) -> bool:
        """Whether giving it up would lose something that is in no file."""
        return not self.is_saved and bool(self.shot.references or self.shot.prompt.strip())

    @property
    def is_blank(self) -> bool:
        """Whether nothing was done to it yet, so that another shot may take its place."""
        return self.path is None and not self.history.past and not self.is_worth_saving


class Documents(QObject):
    """The open documents in the order of their tabs; there is always one."""

    changed = Signal()
    """Documents came or went, or one of them has another name or is saved now."""
    switched = Signal()
    """Another document lies on the table."""

    def __init__(self, documents: Iterable[Document] = (), current: int = 0, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all = list(documents) or [Document(History(Shot()))]
        self._at = min(max(0, current), len(self._all) - 1)

    @property
    def all(self) -> tuple[Document, ...]:
        """Every open document."""
        return tuple(self._all)

    @property
    def current(self) -> Document:
        """The one on the table."""
        return self._all[self._at]

    @property
    def index(self) -> int:
        """Where the one on the table is among all."""
        return self._at

    def get(self, key: int) -> Document | None:
        """The document of that key, while it is open."""
        return next((d for d in self._all if d.key == key), None)

    def update(self, document: Document) -> None:
        """Put a newer state of an open document in the place of the older; one that is closed stays closed."""
        for index, before in enumerate(self._all):
            if before.key == document.key:
                self._all[index] = document
                if (before.path, before.is_saved) != (document.path, document.is_saved):
                    self.changed.emit()

    def add(self, document: Document) -> None:
        """Open a document beside the one on the table, or in its place when that is blank."""
        if self.current.is_blank:
            self._all[self._at] = document
        else:
            self._at += 1
            self._all.insert(self._at, document)
        self._tell_switched()

    def select(self, key: int) -> None:
        """Put another open document on the table."""
        keys = [d.key for d in self._all]
        if key in keys and key != self.current.key:
            self._at = keys.index(key)
            self._tell_switched()

    def step(self, places: int) -> None:
        """Go to the next document, or the one before; past the last comes the first."""
        self.select(self._all[(self._at + places) % len(self._all)].key)

    def close(self, key: int) -> None:
        """Give a document up; a blank one comes in the place of the last."""
        on_table = self.current.key
        self._all = [d for d in self._all if d.key != key] or [Document(History(Shot()))]
        keys = [d.key for d in self._all]
        if on_table in keys:
            self._at = keys.index(on_table)
            self.changed.emit()
        else:
            self._at = min(self._at, len(self._all) - 1)
            self._tell_switched()

    def move(self, from_index: int, to_index: int) -> None:
        """Put a tab at another place."""
        on_table = self.current.key
        self._all.insert(to_index, self._all.pop(from_index))
        self._at = [d.key for d in self._all].index(on_table)
        self.changed.emit()

    def _tell_switched(self) -> None:
        self.switched.emit()
        self.changed.emit()


def opened(path: Path, shot: Shot) -> Document:
    """The document of a file that was just read."""
    return Document(History(shot), path, shot)


def saved(document: Document, path: Path, shot: Shot) -> Document:
    """The document once its file holds `shot`."""
    return replace(document, path=path, on_disk=shot)
