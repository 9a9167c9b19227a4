"""The shot on the table: its history, what is known of its files, what is wrong with it, what it costs.

The one place in Compose that talks to studio. Every edit is a pure function shot → shot from `studio.contract`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from studio.contract import (
    Finding,
    History,
    Limits,
    MediaFacts,
    Mend,
    Refusal,
    Request,
    Shot,
    Unreadable,
    edits,
    follow_main,
    load_limits,
    main_clip,
    mends,
)
from studio.contract.shot import Follow, Reference
from studio.core.notices import Notices
from studio.core.tasks import TaskScope
from studio.media.workers import Workers
from ui.compose import mentions
from ui.compose.adding import ShotAdding
from ui.compose.assistant import Assistant
from ui.compose.autosave import Autosave, Table
from ui.compose.document import Document, Documents, opened, saved
from ui.compose.editing import Change
from ui.compose.estimate import Estimate
from ui.compose.judging import ShotJudging
from ui.compose.loop import loop_runs
from ui.compose.preset_model import PresetModel
from ui.compose.reading import Reading
from ui.compose.recent import Recent
from ui.compose.shot_files import read_shot, write_shot
from ui.compose.surroundings import Surroundings
from ui.compose.wishes import RenderWishes

if TYPE_CHECKING:
    import numpy.typing as npt

TYPING_PAUSE_MS: Final = 1000
"""Typing that pauses this long is a step of undo of its own."""


class ComposeModel(ShotAdding, ShotJudging):
    """What Compose shows and does. Lives on the GUI thread; slow work runs in workers and threads that it owns."""

    shot_changed = Signal()
    findings_changed = Signal()
    """Findings, tags, rows and the resolved output are new."""
    facts_changed = Signal(str)
    thumbnail_changed = Signal(str)
    history_changed = Signal()
    document_changed = Signal()
    """The open documents, the file of one, or whether it is saved, are others."""
    selected_changed = Signal()
    """Another reference is looked at."""
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
        recent: Path | None = None,
        parent: QObject | None = None,
        around: Surroundings | None = None,
    ) -> None:
        """`autosave` is the folder where open shots are kept, `recent` the file with what was used last."""
        super().__init__(parent)
        self.around = around = around or Surroundings()
        self.limits = limits or load_limits()
        self.recent = Recent(recent)
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
        table = self._autosave.restore() if self._autosave else Table()
        self.documents = Documents(table.documents, table.current, self)
        self.documents.switched.connect(self._on_switched)
        self.documents.changed.connect(self._on_documents_changed)
        self._selected: str | None = None
        self._judge()
        self.estimate, self.wishes = Estimate(self), RenderWishes(self)
        self.presets = PresetModel(self, notices, around)
        self.assistant = Assistant(self, around.settings, notices) if around.settings else None
        self._read_files()

    # What there is to see.

    @property
    def shot(self) -> Shot:
        """The shot as it is now."""
        return self.documents.current.shot

    @property
    def history(self) -> History[Shot]:
        """Past, present and future of the shot."""
        return self.documents.current.history

    @property
    def facts(self) -> dict[str, MediaFacts | Unreadable]:
        """What is known of the files, by reference id; one that is still being read is absent."""
        known = self._reading.facts
        return {r.id: known[r.path] for r in self.shot.references if r.path in known}

    @property
    def request(self) -> Request:
        """The shot with its limits and facts, as the rules want it."""
        return Request(self.shot, self.limits, self.facts, self._refusals)

    def use_rules(self, limits: Limits, refusals: tuple[Refusal, ...]) -> None:
        """Judge by the rules of another server: its limits, and what it refused before."""
        if (limits, refusals) != (self.limits, self._refusals):
            self.limits, self._refusals = limits, refusals
            self._judge()
            self.findings_changed.emit()

    @property
    def path(self) -> Path | None:
        """The file that the shot was opened from or saved to."""
        return self.documents.current.path

    @property
    def is_saved(self) -> bool:
        """Whether that file holds just this shot."""
        return self.documents.current.is_saved

    @property
    def selected(self) -> Reference | None:
        """The reference that is looked at closely."""
        return self.shot.reference(self._selected) if self._selected else None

    def select(self, ref_id: str | None) -> None:
        """Look at a reference closely."""
        if ref_id != self._selected:
            self._selected = ref_id
            self.selected_changed.emit()

    @property
    def pending(self) -> int:
        """How many files are being read."""
        return self._reading.pending

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
        return self._reading.thumbnail(reference.path, reference.preparation.ground)

    def waveform(self, reference: Reference) -> npt.NDArray[Any] | None:
        """Lowest and highest sample by slice of time, shape (slices, 2), of a sound, once it is there."""
        return self._reading.waveforms.get(reference.path)

    @property
    def reading(self) -> Reading:
        """What reads the files: pictures, strips and waveforms of references."""
        return self._reading

    # Editing.

    def edit(self, change: Change, label: str, merge: str | None = None) -> None:
        shot = change(self.shot) if callable(change) else change
        self._become(self.history.edit(shot, label, merge=merge))

    def undo(self) -> None:
        """Take the last edit back."""
        self._become(self.history.undo())

    def redo(self) -> None:
        """Bring back what was taken back last."""
        self._become(self.history.redo())

    def type_prompt(self, text: str) -> None:
        """Set the prompt as it stands in the editor; typing without a pause is one step of undo."""
        stored = mentions.to_stored(text, self.names)
        self.edit(lambda s: edits.set_prompt(s, stored), "edit.prompt", merge=f"prompt {self._typing}")
        self._typing_pause.start()

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
            self.documents.update(replace(self.documents.current, was_asked=True))
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

    def new(self) -> None:
        """Begin another shot."""
        self.documents.add(Document(History(self.presets.fresh())))

    def put(self, shot: Shot) -> None:
        """Put a shot that belongs to no file on the table, as another document."""
        self.documents.add(Document(History(shot)))

    def open(self, path: Path) -> None:
        """Put the shot of a file on the table; one that is open already comes to the front."""
        self._scope.start(self._open(path), name="open")

    def save(self, path: Path, then: Callable[[], object] | None = None) -> None:
        """Save the shot to a file, whole or not at all; `then` is called when that is done."""
        self._scope.start(self._save(path, then), name="save")

    async def aclose(self) -> None:
        """Write what waits to be written and end everything that runs."""
        self._typing_pause.stop()
        if self._autosave:
            await self._autosave.aclose()
        await self.presets.aclose()
        if self.assistant:
            await self.assistant.aclose()
        await self._scope.aclose()

    # How it comes about.

    def _become(self, history: History[Shot], *, facts_are_new: bool = False) -> None:
        """Take another history: defaults follow, findings are made anew, files are read, the draft is kept."""
        before = self.history
        self.documents.update(replace(self.documents.current, history=history))
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
        if self.history != before:
            self.history_changed.emit()

    def _settle(self) -> None:
        """What follows the main reference follows it. Not an edit of its own: undo never stops there."""
        settled = follow_main(self.request)
        if settled != self.shot:
            current = self.documents.current
            self.documents.update(replace(current, history=replace(current.history, present=settled)))

    def _read_files(self) -> None:
        if not loop_runs():
            QTimer.singleShot(50, self, self._read_files)
            return
        self._reading.ensure(r.path for r in self.shot.references)

    def _keep_draft(self) -> None:
        if self._autosave:
            self._autosave.keep(Table(self.documents.all, self.documents.index))

    def _on_switched(self) -> None:
        """Another document lies on the table: all is shown anew."""
        self._typing += 1
        self._settle()
        self._read_files()
        self._judge()
        for signal in (self.shot_changed, self.findings_changed, self.history_changed):
            signal.emit()
        self.select(None)

    def _on_documents_changed(self) -> None:
        self._keep_draft()
        self.document_changed.emit()

    async def _render_when_read(self) -> None:
        await self._reading.settled()
        self.request_render()

    async def _open(self, path: Path) -> None:
        path = path.absolute()
        there = next((d for d in self.documents.all if d.path == path), None)
        if there is not None:
            self.documents.select(there.key)
        else:
            document = opened(path, await read_shot(path))
            for reference in document.shot.references:
                self._reading.forget(reference.path)
            self.documents.add(document)
        await self.recent.used_shot(path)

    async def _save(self, path: Path, then: Callable[[], object] | None) -> None:
        path = path.absolute()
        document = self.documents.current
        await write_shot(path, document.shot)
        if (now := self.documents.get(document.key)) is not None:
            self.documents.update(saved(now, path, document.shot))
        self._keep_draft()
        await self.recent.used_shot(path)
        if then is not None:
            then()

    def _on_typing_paused(self) -> None:
        self._typing += 1

    def _on_facts_read(self, path: Path) -> None:
        self._become(self.history, facts_are_new=True)
        for reference in self.shot.references:
            if reference.path == path:
                self.facts_changed.emit(reference.id)

    def _on_picture_read(self, path: Path) -> None:
        for reference in self.shot.references:
            if reference.path == path:
                self.thumbnail_changed.emit(reference.id)
