"""Undo and redo over an immutable value: a document holds past, present and future."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

T = TypeVar("T")
LIMIT = 500


@dataclass(frozen=True, slots=True)
class History(Generic[T]):
    """Past, present and future of a value. All methods give a new history."""

    present: T
    past: tuple[tuple[str, T], ...] = ()
    future: tuple[tuple[str, T], ...] = ()
    merge_key: str | None = None

    def edit(self, value: T, label: str, *, merge: str | None = None) -> History[T]:
        """The history after an edit. `label` is the code of its name; edits with one `merge` key in a row
        (typing, dragging a slider) are one step of undo."""
        if value == self.present:
            return self
        if merge is not None and merge == self.merge_key:
            return replace(self, present=value, future=())
        past = (*self.past, (label, self.present))[-LIMIT:]
        return History(value, past, (), merge)

    def undo(self) -> History[T]:
        """One step back; itself when there is nothing to undo."""
        if not self.past:
            return self
        label, value = self.past[-1]
        return History(value, self.past[:-1], ((label, self.present), *self.future))

    def redo(self) -> History[T]:
        """One step forward; itself when there is nothing to redo."""
        if not self.future:
            return self
        label, value = self.future[0]
        return History(value, (*self.past, (label, self.present)), self.future[1:])

    @property
    def undo_label(self) -> str | None:
        """Code of the edit that undo takes back."""
        return self.past[-1][0] if self.past else None

    @property
    def redo_label(self) -> str | None:
        """Code of the edit that redo brings back."""
        return self.future[0][0] if self.future else None
