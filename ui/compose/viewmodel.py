"""The shot on the table: its history, what is known of its files, what is wrong with it, what it costs.

The one place in Compose that talks to studio. Every edit is a pure function shot → shot from `studio.contract`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy.typing as npt
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from studio.contract import (
    ContractError,
    Finding,
    History,
    Limits,
    MediaFacts,
    Mend,
    Request,
    Resolved,
    Rows,
    Shot,
    Unreadable,
    check,
    edits,
    follow_main,
    load_limits,
    main_clip,
    mends,
    resolve,
    rows,
    tags,
)
from studio.contract.shot import Follow, Kind, Reference
from studio.core.errors import StudioError
from studio.core.notices import Notices
from studio.core.tasks import TaskScope
from studio.media.workers import Workers
from ui.compose import mentions
from ui.compose.autosave import Autosave, Draft
from ui.compose.document import read_shot, write_shot
from ui.compose.editing import Change, ShotEditing
from ui.compose.inbox import png_bytes
from ui.compose.intake import keep_picture, take_in
from ui.compose.loop import loop_runs
from ui.compose.reading import Reading

TYPING_PAUSE_MS: Final = 1000
"""Typing that pauses this long is a step of undo of its own."""

_UNFILLED: Final = frozenset({"refs.none", "fl2va.no_picture", "prompt.empty"})
"""Errors of a shot that is only begun."""


class ComposeModel(ShotEditing):
    """What Compose shows and does. Lives on the GUI thread; slow work runs in workers and threads that it owns."""

    shot_changed = Signal()
    findings_changed = Signal()
    """Findings, tags, rows and the resolved output are new."""
    facts_changed = Signal(str)
    thumbnail_changed = Signal(str)
    history_changed = Signal()
    document_changed = Signal()
    """The file of the shot, or whether it is saved, is another."""
    reading_changed = Signal()
    render_requested = Signal(object)
    """The shot to render."""
    blocked = Signal(object)
    """The first finding that stands in the way of the render that was asked for."""

    def __init__(
        self,
        workers: Workers,
        notices: Notices,
        limits: Limits | None = None,
        autosave: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.limits = limits or load_limits()
        self._notices = notices
        self._scope = TaskScope("compose", lambda error, _task: notices.error(error))
        self._reading = Reading(workers, self._scope, self)
        self._reading.facts_read.connect(self._on_facts_read)
        self._reading.picture_read.connect(self._on_picture_read)
        self._reading.pending_changed.connect(self.reading_changed)
        self._autosave = Autosave(autosave, self._scope, notices, self) if autosave else None
        self._typing = 0
        self._typing_pause = QTimer(self, interval=TYPING_PAUSE_MS, singleShot=True)
        self._typing_pause.timeout.connect(self._on_typing_paused)
        draft = (self._autosave.restore() if self._autosave else None) or Draft(Shot())
        self._history = History(draft.shot)
        self._path = draft.path
        self._saved_shot = draft.shot if draft.saved else None
        self._was_asked = False
        self._judge()
        self._read_files()

    # What there is to see.

    @property
    def shot(self) -> Shot:
        """The shot as it is now."""
        return self._history.present

    @property
    def history(self) -> History[Shot]:
        """Past, present and future of the shot."""
        return self._history

    @property
    def facts(self) -> dict[str, MediaFacts | Unreadable]:
        """What is known of the files, by reference id; one that is still being read is absent."""
        known = self._reading.facts
        return {r.id: known[r.path] for r in self.shot.references if r.path in known}

    @property
    def request(self) -> Request:
        """The shot with its limits and facts, as the rules want it."""
        return Request(self.shot, self.limits, self.facts)

    @property
    def path(self) -> Path | None:
        """The file that the shot was opened from or saved to."""
        return self._path

    @property
    def is_saved(self) -> bool:
        """Whether that file holds just this shot."""
        return self._saved_shot == self.shot

    @property
    def is_worth_saving(self) -> bool:
        """Whether giving this shot up would lose something that is in no file."""
        return not self.is_saved and bool(self.shot.references or self.shot.prompt.strip())

    @property
    def pending(self) -> int:
        """How many files are being read."""
        return self._reading.pending

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stop the render."""
        return tuple(f for f in self.findings if f.is_error)

    @property
    def seen_errors(self) -> tuple[Finding, ...]:
        """The errors that are shown: what is merely not filled in yet is an error only once a render was asked for."""
        return tuple(f for f in self.errors if self._was_asked or f.code not in _UNFILLED)

    @property
    def can_mend(self) -> bool:
        """Whether *Mend all* would bring the render nearer."""
        return any(f.mends for f in self.errors if f.code not in _UNFILLED)

    @property
    def output_findings(self) -> tuple[Finding, ...]:
        """The findings about neither a reference nor the prompt."""
        elsewhere = {"prompt", "references", *(r.id for r in self.shot.references)}
        return tuple(f for f in self.findings if f.subject not in elsewhere)

    def leader(self, field: Follow) -> str:
        """What the length or the canvas follows while it does ("Video 1"); empty when there is nothing to follow."""
        if self.shot.task == "fl2va" and field == "canvas":
            first = next((r for r in self.shot.sent() if r.kind == "image"), None)
        else:
            clip = main_clip(self.request)
            first = clip.reference if clip else None
        own = self.tags.get(first.id, ()) if first else ()
        return own[-1].strip("<>") if own else ""

    def thumbnail(self, reference: Reference) -> QImage | None:
        """The picture of a reference, once it is there."""
        return self._reading.thumbnails.get(reference.path)

    def waveform(self, reference: Reference) -> npt.NDArray[Any] | None:
        """Lowest and highest sample by slice of time, shape (slices, 2), of a sound, once it is there."""
        return self._reading.waveforms.get(reference.path)

    @property
    def reading(self) -> Reading:
        """What reads the files: pictures, strips and waveforms of references."""
        return self._reading

    def findings_of(self, subject: str) -> tuple[Finding, ...]:
        """The findings to show about a reference (by id) or a field of the shot."""
        return tuple(f for f in self.findings if f.subject == subject and (self._was_asked or f.code not in _UNFILLED))

    def prompt_shown(self) -> str:
        """The prompt with tags in the place of mentions."""
        return mentions.to_shown(self.shot.prompt, self.names)

    # Editing.

    def edit(self, change: Change, label: str, merge: str | None = None) -> None:
        shot = change(self.shot) if callable(change) else change
        self._become(self._history.edit(shot, label, merge=merge))

    def undo(self) -> None:
        """Take the last edit back."""
        self._become(self._history.undo())

    def redo(self) -> None:
        """Bring back what was taken back last."""
        self._become(self._history.redo())

    def type_prompt(self, text: str) -> None:
        """Set the prompt as it stands in the editor; typing without a pause is one step of undo."""
        stored = mentions.to_stored(text, self.names)
        self.edit(lambda s: edits.set_prompt(s, stored), "edit.prompt", merge=f"prompt {self._typing}")
        self._typing_pause.start()

    def insert_mention(self, ref_id: str, at: int) -> None:
        """Mention a reference at a place of the shown prompt."""
        shown = self.prompt_shown()
        stored_before = mentions.to_stored(shown[:at], self.names)
        self.edit(lambda s: edits.insert_mention(s, ref_id, len(stored_before)), "edit.mention")

    # Mending and rendering.

    def apply_mend(self, finding: Finding, mend: Mend) -> None:
        """Do what a mend's button says."""
        self.edit(mends.apply(self.shot, mend, self.request), "edit.mend")

    def mend_all(self) -> None:
        """Apply the first mend of every error until none is left that has one; one step of undo."""
        self.edit(mends.mend_all(self.request), "edit.mend_all")

    def request_render(self) -> None:
        """Ask for the render: `render_requested`, or `blocked` with the first error.

        Files that are being read are waited for.
        """
        if self.pending:
            self._scope.start(self._render_when_read(), name="render when read")
        elif self.errors:
            self._was_asked = True
            self.findings_changed.emit()
            self.blocked.emit(self.errors[0])
        else:
            if not self.shot.seed_locked:
                self.draw_seed()
            self.render_requested.emit(self.shot)

    def mend_all_and_render(self) -> None:
        """Mend what can be mended, then ask for the render, unless it became a render of another kind by that."""
        task = self.shot.task
        self.mend_all()
        if self.shot.task == task:
            self.request_render()

    # Files.

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Add files, and the media files in folders, as references; what is no media is said."""
        self._scope.start(self._add_paths(tuple(paths)), name="add")

    def add_image_bytes(self, png: bytes) -> None:
        """Add a pasted picture, kept as a file of its own in the data folder."""
        self._scope.start(self._add_picture(png), name="paste")

    def add_image(self, image: QImage) -> None:
        """Add a bitmap from the clipboard or a drop."""
        self._scope.start(self._add_image(image), name="paste")

    def locate(self, ref_id: str, path: Path) -> None:
        """Say where a reference's file is now."""
        self._reading.forget(path)
        self.replace_path(ref_id, path)

    def new(self) -> None:
        """Begin with an empty shot."""
        self._start_over(Draft(Shot()))

    def open(self, path: Path) -> None:
        """Put the shot of a file on the table."""
        self._scope.start(self._open(path), name="open")

    def save(self, path: Path) -> None:
        """Save the shot to a file, whole or not at all."""
        self._scope.start(self._save(path), name="save")

    async def aclose(self) -> None:
        """Write what waits to be written and end everything that runs."""
        self._typing_pause.stop()
        if self._autosave:
            await self._autosave.flush()
        await self._scope.aclose()

    # How it comes about.

    def _become(self, history: History[Shot], *, facts_are_new: bool = False) -> None:
        """Take another history: defaults follow, findings are made anew, files are read, the draft is kept."""
        before, was_saved = self._history, self.is_saved
        self._history = history
        self._settle()
        self._read_files()
        changed = self.shot != before.present
        if changed or facts_are_new:
            self._judge()
        if changed:
            self.shot_changed.emit()
            self._keep_draft()
        if changed or facts_are_new:
            self.findings_changed.emit()
        if self._history != before:
            self.history_changed.emit()
        if self.is_saved != was_saved:
            self.document_changed.emit()

    def _settle(self) -> None:
        """What follows the main reference follows it. Not an edit of its own: undo never stops there."""
        settled = follow_main(self.request)
        if settled != self.shot:
            self._history = replace(self._history, present=settled)

    def _judge(self) -> None:
        request = self.request
        self.findings: tuple[Finding, ...] = tuple(check(request))
        self.tags: Mapping[str, tuple[str, ...]] = tags(request)
        self.names: mentions.Names = mentions.names(request)
        self.rows: Rows | None = _or_none(rows, request)
        self.resolved: Resolved | None = _or_none(resolve, request)

    def _read_files(self) -> None:
        if not loop_runs():
            QTimer.singleShot(50, self, self._read_files)
            return
        self._reading.ensure(r.path for r in self.shot.references)

    def _keep_draft(self) -> None:
        if self._autosave:
            self._autosave.keep(Draft(self.shot, self._path, self.is_saved))

    def _start_over(self, draft: Draft) -> None:
        for reference in draft.shot.references:
            self._reading.forget(reference.path)
        self._path = draft.path
        self._saved_shot = draft.shot if draft.saved else None
        self._was_asked = False
        self._become(History(draft.shot))
        self._keep_draft()
        self.document_changed.emit()

    async def _render_when_read(self) -> None:
        await self._reading.settled()
        self.request_render()

    async def _add_paths(self, paths: Sequence[Path]) -> None:
        self._add(await take_in(paths, self._reading, self._notices))

    async def _add_picture(self, png: bytes) -> None:
        try:
            path = await keep_picture(png)
        except OSError as error:
            raise StudioError("compose.paste_failed", what=error.strerror or str(error)) from error
        await self._add_paths([path])

    async def _add_image(self, image: QImage) -> None:
        await self._add_picture(await asyncio.to_thread(png_bytes, image))

    def _add(self, taken: Sequence[tuple[Path, Kind]]) -> None:
        self.edit(lambda s: edits.add_references(s, taken, self.limits), "edit.add")

    async def _open(self, path: Path) -> None:
        self._start_over(Draft(await read_shot(path), path, saved=True))

    async def _save(self, path: Path) -> None:
        shot = self.shot
        await write_shot(path, shot)
        self._path, self._saved_shot = path, shot
        self._keep_draft()
        self.document_changed.emit()

    def _on_typing_paused(self) -> None:
        self._typing += 1

    def _on_facts_read(self, path: Path) -> None:
        self._become(self._history, facts_are_new=True)
        for reference in self.shot.references:
            if reference.path == path:
                self.facts_changed.emit(reference.id)

    def _on_picture_read(self, path: Path) -> None:
        for reference in self.shot.references:
            if reference.path == path:
                self.thumbnail_changed.emit(reference.id)


def _or_none(work_out: Callable[[Request], Any], request: Request) -> Any:
    """What `work_out` says of a request; None while the request is one that the contract refuses outright."""
    try:
        return work_out(request)
    except ContractError:
        return None
