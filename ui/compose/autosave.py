"""The open shots survive everything: written a moment after each change, read back at the next start.

Each window has a file of its own in one folder, held by a lock; a window that starts takes up the files of those that
are gone.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QLockFile, QObject, QTimer

from studio.contract import ContractError, History, dump_shot, parse_shot
from studio.core.files import write_atomic
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from ui.compose.document import Document
from ui.compose.loop import loop_runs

DELAY_MS: Final = 300
"""How long after a change its draft is written; changes meanwhile go with it."""

_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, ContractError)


@dataclass(frozen=True, slots=True)
class Table:
    """The open documents, and which of them lies on the table."""

    documents: tuple[Document, ...] = ()
    current: int = 0

    @property
    def on_table(self) -> Document | None:
        """The one that lies on the table."""
        return self.documents[self.current] if 0 <= self.current < len(self.documents) else None


class Autosave(QObject):
    """Keeps the latest table in one file, without ever blocking or writing half of it."""

    def __init__(self, folder: Path, scope: TaskScope, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._scope = scope
        self._notices = notices
        self._file = folder / f"{secrets.token_hex(4)}.json"
        self._locks: list[QLockFile] = []
        self._taken_up: list[Path] = []
        self._next: Table | None = None
        self._writing = asyncio.Lock()
        self._failed = False
        self._timer = QTimer(self, interval=DELAY_MS, singleShot=True)
        self._timer.timeout.connect(self._on_due)

    def restore(self) -> Table:
        """What was open last time, in every window that is gone. A damaged file is put aside and said."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            left = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
            mine = [file for file in left if self._hold(file)]
            self._hold(self._file)
            tables = [table for file in mine if (table := self._read(file)) is not None]
        except OSError as error:
            self._say_failed(error)
            return Table()
        documents = [document for table in tables for document in table.documents if not document.is_blank]
        on_table = tables[0].on_table if tables else None
        return Table(tuple(documents), documents.index(on_table) if on_table in documents else 0)

    def keep(self, table: Table) -> None:
        """Write this table soon; only the latest one counts."""
        self._next = table
        if not self._timer.isActive():
            self._timer.start()

    async def flush(self) -> None:
        """Write what waits to be written, now."""
        self._timer.stop()
        async with self._writing:
            table, self._next = self._next, None
            if table is None:
                return
            try:
                await asyncio.to_thread(self._write, table)
                self._failed = False
            except OSError as error:
                self._say_failed(error)

    async def aclose(self) -> None:
        """Write what waits, and let another window have the file."""
        await self.flush()
        for lock in self._locks:
            lock.unlock()

    def _hold(self, file: Path) -> bool:
        lock = QLockFile(str(file.with_suffix(".lock")))
        lock.setStaleLockTime(0)  # never by age: only the lock of a process that is gone is stale
        if lock.tryLock(0):
            self._locks.append(lock)
            return True
        return False

    def _read(self, file: Path) -> Table | None:
        try:
            table = json.loads(file.read_bytes())
            documents = tuple(_document(entry) for entry in table["shots"])
            self._taken_up.append(file)
            return Table(documents, int(table.get("current", 0)))
        except _UNREADABLE:
            aside = file.with_name(f"{file.name}.unreadable")
            file.replace(aside)
            self._notices.post(Notice("warn", Message("compose.autosave_unreadable", {"name": aside.name})))
            return None

    def _write(self, table: Table) -> None:
        write_atomic(self._file, _encode(table.documents, table.current))
        while self._taken_up:  # its shots are in ours now
            self._taken_up.pop().unlink(missing_ok=True)

    def _on_due(self) -> None:
        if loop_runs():
            self._scope.start(self.flush(), name="autosave")
        else:
            self._timer.start()

    def _say_failed(self, error: OSError) -> None:
        if not self._failed:  # once, not at every keystroke on a full disk
            what = error.strerror or str(error)
            self._notices.post(Notice("warn", Message("compose.autosave_failed", {"what": what})))
        self._failed = True


def _document(entry: dict[str, Any]) -> Document:
    shot = parse_shot(json.dumps(entry["shot"]).encode(), None)
    path = entry.get("path")
    return Document(History(shot), Path(path) if path else None, shot if entry.get("saved") else None)


def _encode(documents: Sequence[Document], current: int) -> bytes:
    shots = [
        {
            "path": str(d.path) if d.path else None,
            "saved": d.is_saved,
            "shot": json.loads(dump_shot(d.shot, None)),
        }
        for d in documents
    ]
    # Escaped: names of files that are not UTF-8 hold lone surrogates.
    return json.dumps({"current": current, "shots": shots}, indent=1).encode()
