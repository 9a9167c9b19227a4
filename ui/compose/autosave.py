"""The shot on the table survives everything: written a moment after each change, read back at the next start."""

from __future__ import annotations

import asyncio
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QTimer

from studio.contract import ContractError, Shot, dump_shot, parse_shot
from studio.core.files import write_atomic
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from ui.compose.loop import loop_runs

DELAY_MS: Final = 700


@dataclass(frozen=True, slots=True)
class Draft:
    """The shot on the table, the file it belongs to (None: never saved), and whether that file holds just this."""

    shot: Shot
    path: Path | None = None
    saved: bool = False


class Autosave(QObject):
    """Keeps the latest draft in one file, without ever blocking or writing half of it."""

    def __init__(self, file: Path, scope: TaskScope, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = file
        self._scope = scope
        self._notices = notices
        self._next: Draft | None = None
        self._writing = asyncio.Lock()
        self._failed = False
        self._timer = QTimer(self, interval=DELAY_MS, singleShot=True)
        self._timer.timeout.connect(self._on_due)

    def restore(self) -> Draft | None:
        """The draft of last time. A damaged or newer one is put aside, said, and never overwritten."""
        try:
            table = json.loads(self._file.read_bytes())
            shot = parse_shot(json.dumps(table["shot"]).encode(), None)
            path = table.get("path")
            return Draft(shot, Path(path) if path else None, bool(table.get("saved")))
        except FileNotFoundError:
            return None
        except OSError as error:
            self._say_failed(error)
            return None
        except (ValueError, KeyError, TypeError, AttributeError, ContractError):
            aside = self._file.with_name(f"{self._file.stem}.unreadable-{secrets.token_hex(3)}{self._file.suffix}")
            self._file.replace(aside)
            self._notices.post(Notice("warn", Message("compose.autosave_unreadable", {"name": aside.name})))
            return None

    def keep(self, draft: Draft) -> None:
        """Write this draft soon; only the latest one counts."""
        self._next = draft
        if not self._timer.isActive():
            self._timer.start()

    async def flush(self) -> None:
        """Write what waits to be written, now."""
        self._timer.stop()
        async with self._writing:
            draft, self._next = self._next, None
            if draft is None:
                return
            try:
                await asyncio.to_thread(write_atomic, self._file, _encode(draft))
                self._failed = False
            except OSError as error:
                self._say_failed(error)

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


def _encode(draft: Draft) -> bytes:
    shot = json.loads(dump_shot(draft.shot, None))
    table = {"path": str(draft.path) if draft.path else None, "saved": draft.saved, "shot": shot}
    return json.dumps(table, ensure_ascii=False, indent=1).encode()
