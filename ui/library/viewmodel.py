"""The library as the window sees it: what is shown, what is selected, and what can be done with it.

The one place in Library that talks to studio.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QImage

from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message, Param
from studio.jobs import Job, JobService, JobState
from studio.jobs.library import Entry, Library, LibraryError, Marks, Query, Sidecar, Usage
from studio.media.workers import Workers
from ui.library.model import PAGE, ResultListModel
from ui.library.pictures import Pictures
from ui.library.scrubbing import Scrubbing
from ui.library.sound import sound_of_source

_REST_S: Final = 0.7
"""A result that is looked at for so long is looked over for faults."""


class LibraryModel(QObject):
    """Lives on the GUI thread; follows the library and the queue. `aclose` ends what it began."""

    results_changed = Signal()
    """Other results are shown, or the first ones are there now."""
    current_changed = Signal()
    """Another result is current, or more is known of it."""
    poster_changed = Signal(int, QImage)
    """The thumbnail of a result that is looked at, by its id."""
    selected_changed = Signal()
    tags_changed = Signal()
    usage_changed = Signal()
    scanning_changed = Signal()
    """A folder is being read, and how far; or not any more."""
    undo_changed = Signal()
    """There is something else, or nothing, to bring back from the trash."""
    recipe_requested = Signal(object)
    """A Shot to put on the table again."""
    reference_requested = Signal(object)
    """Videos (a list of Path) to use as references."""
    frame_wanted = Signal(object, int, str)
    """The picture of this number of a video (Path) is wanted in a shot, in this Role."""
    compare_requested = Signal(object, object)
    """Two videos (Path), A and B."""
    takes_requested = Signal(object)
    """Several videos (a list of Path) to choose among."""

    def __init__(
        self, library: Library, service: JobService, workers: Workers, notices: Notices, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._library, self._service, self._workers, self._notices = library, service, workers, notices
        self._scope = TaskScope("library window", lambda error, _task: notices.error(error))
        self.pictures = Pictures(library, self._scope, self)
        self.scrubbing = Scrubbing(self._scope, self)
        self.results = ResultListModel(self.pictures.of, self)
        self.query = Query()
        self.loaded = False
        self.selected: tuple[int, ...] = ()
        self.recipe: Sidecar | None = None
        self.tags: list[tuple[str, int]] = []
        self.usage: Usage | None = None
        self.scanned: int | None = None
        """Results read so far while a folder is read."""
        self.undoable: tuple[int, ...] = ()
        self._current: int | None = None
        self._stale = False
        self._finding: asyncio.Task[None] | None = None
        self._scanning: asyncio.Task[None] | None = None
        self._taken: set[str] = set()
        self.results.page_wanted.connect(self._on_page_wanted)
        self.pictures.ready.connect(self.results.repaint)
        self._unsubscribe = [
            library.changed.subscribe(lambda _none: self._on_changed()),
            library.entry_changed.subscribe(self._on_entry),
            service.changed.subscribe(self._on_job),
        ]

    @property
    def results_dir(self) -> Path:
        """Where results go."""
        return self._service.tools.results_dir()

    @property
    def current(self) -> Entry | None:
        """The result that is looked at."""
        return self.results.entry(self._current)

    @property
    def pair(self) -> bool:
        """Whether two results are selected, which can be compared with each other."""
        return len(self.selected) == 2

    @property
    def takes(self) -> bool:
        """Whether so many are selected that they are chosen among."""
        return len(self.selected) > 2

    async def aclose(self) -> None:
        """Stop following and wait for what was begun."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        await self._scope.aclose()

    # What is shown.

    def ask(self, **changes: Any) -> None:
        """Change the query by its fields and show what fits."""
        self.show_query(replace(self.query, **changes))

    def show_query(self, query: Query) -> None:
        """Show what fits. Only the newest query counts."""
        self.query = query
        self._refresh()

    def clear(self) -> None:
        """Leave every filter out."""
        self.show_query(Query(sort=self.query.sort, trashed=self.query.trashed))

    def select(self, ids: Sequence[int], current: int | None) -> None:
        """The user selected these results, and looks at one of them."""
        if tuple(ids) != self.selected:
            self.selected = tuple(ids)
            self.selected_changed.emit()
        if current != self._current:
            self._current, self.recipe = current, None
            self.scrubbing.set_clip(self.current.video if self.current else None)
            self.current_changed.emit()
            self._scope.start(self._read_current(current), name="current")

    def scan(self, folder: Path) -> None:
        """Read a folder of results into the index; a notice says what was found."""
        if self._scanning is None:
            self._scanning = self._scope.start(self._scan(folder), name="scan")

    def cancel_scan(self) -> None:
        """Stop reading; what was read is kept."""
        if self._scanning is not None:
            self._scope.cancel(self._scanning)

    def measure_storage(self) -> None:
        """Find out how much room everything takes."""
        self._scope.start(self._read_usage(), name="usage")

    # What is done with the selected results.

    def toggle_star(self) -> None:
        """Star the selected results, or take their stars away, as the current one has none or has."""
        self._toggle("star")

    def toggle_reject(self) -> None:
        """Reject the selected results, or take that back."""
        self._toggle("reject")

    def set_tags(self, entry: Entry, tags: Sequence[str]) -> None:
        """Give a result these tags; the other selected ones get those that are new."""
        wanted = Marks(tags=tuple(tags)).tags
        added = set(wanted) - set(entry.marks.tags)
        if wanted != entry.marks.tags:
            self._mark([entry.id], lambda marks: marks.but(tags=wanted))
        others = [other for other in self.selected if other != entry.id]
        if added and others and entry.id in self.selected:
            self._mark(others, lambda marks: marks.but(tags=(*marks.tags, *added)))

    def set_notes(self, entry: Entry, notes: str) -> None:
        """Write notes about a result."""
        if notes != entry.marks.notes:
            self._mark([entry.id], lambda marks: marks.but(notes=notes))

    def trash(self) -> None:
        """Move the selected results to the trash (`undo` brings them back); in the trash, take them out of it."""
        if self.query.trashed:
            self._scope.start(self._library.restore(self.selected), name="restore")
        else:
            self._scope.start(self._trash(self.selected), name="trash")

    def undo(self) -> None:
        """Bring back what went to the trash last."""
        ids, self.undoable = self.undoable, ()
        self.undo_changed.emit()
        if ids:
            self._scope.start(self._library.restore(ids), name="undo")

    def empty_trash(self) -> None:
        """Delete for good what is in the trash."""
        self.undoable = ()
        self.undo_changed.emit()
        self._scope.start(self._library.empty_trash(), name="empty")

    def forget(self) -> None:
        """Take the selected results that are not there any more off the library."""
        self._scope.start(self._library.delete(self.selected), name="forget")

    def open_recipe(self) -> None:
        """Ask for the current result's shot to be put on the table."""
        self._with_current(self._open_recipe)

    def use_as_reference(self) -> None:
        """Ask for the selected results to be used as references."""
        self._scope.start(self._use_as_reference(self.selected), name="reference")

    def compare(self) -> None:
        """Compare two selected results (the older one is A), see more as takes; or the current one with its source."""
        if self.pair or self.takes:
            self._scope.start(self._compare_selected(self.selected), name="compare")
        else:
            self._with_current(self._compare_with_source)

    def put_sound_under(self) -> None:
        """Write the current result's pictures with its source's sound to a file beside it; a notice says where."""
        self._with_current(self._put_sound_under)

    def show_folder(self) -> None:
        """Open the current result's folder in the desktop's file manager."""
        if self.current is not None:
            self._open_outside(self.current.video.parent)

    def play_outside(self) -> None:
        """Open the current result in the desktop's own player."""
        if self.current is not None:
            self._open_outside(self.current.video)

    # How it comes about.

    def _refresh(self) -> None:
        self._stale = True
        if self._finding is None:
            self._finding = self._scope.start(self._find(), name="find")

    async def _find(self) -> None:
        try:
            while self._stale:
                self._stale = False
                ids, first = await self._library.first(self.query, PAGE)
                if not self._stale:
                    self.results.show(ids, first)
                    self.loaded = True
                    self.results_changed.emit()
        finally:
            self._finding = None

    def _on_changed(self) -> None:
        self._refresh()
        self._scope.start(self._read_tags(), name="tags")
        self.measure_storage()

    def _on_entry(self, entry: Entry) -> None:
        known = self.results.entry(entry.id)
        if known is not None:
            if known.missing != entry.missing:
                self.pictures.forget(entry.id)
            self.results.put([entry])
        if entry.id == self._current:
            self.current_changed.emit()
        if known is None or known.marks.tags != entry.marks.tags:
            self._scope.start(self._read_tags(), name="tags")

    def _on_job(self, job: Job) -> None:
        if job.state is JobState.DONE and job.id not in self._taken:
            self._taken.add(job.id)
            self._scope.start(self._library.add(job), name=f"add {job.id}")

    def _on_page_wanted(self, page: int) -> None:
        self._scope.start(self._load_page(self.results.page(page)), name=f"page {page}")

    async def _load_page(self, ids: Sequence[int]) -> None:
        self.results.put(await self._library.entries(ids))
        if self._current in ids:
            self.current_changed.emit()

    async def _read_tags(self) -> None:
        tags = await self._library.tags()
        if tags != self.tags:
            self.tags = tags
            self.tags_changed.emit()

    async def _read_usage(self) -> None:
        self.usage = await self._library.usage(self.results_dir)
        self.usage_changed.emit()

    async def _read_current(self, entry_id: int | None) -> None:
        """What is shown of a result beside what the index knows; then, if it is still looked at, its faults."""
        entry = self.results.entry(entry_id)
        if entry is None:
            return
        missing = await self._library.notice_missing(entry)
        poster = await self.pictures.whole(entry)
        if entry_id == self._current and not poster.isNull():
            self.poster_changed.emit(entry.id, poster)
        # Without a recipe there is less to show; it is said where it is asked for.
        with contextlib.suppress(LibraryError):
            recipe = await self._library.sidecar(entry)
            if entry_id == self._current:
                self.recipe = recipe
                self.current_changed.emit()
        await asyncio.sleep(_REST_S)
        if entry_id == self._current and entry.flaws is None and not missing:
            self._library.look_over_soon(entry.id)

    async def _scan(self, folder: Path) -> None:
        def tell(count: int) -> None:
            self.scanned = count
            self.scanning_changed.emit()

        tell(0)
        try:
            found = await self._library.scan(folder, tell)
        finally:
            self.scanned = self._scanning = None
            self.scanning_changed.emit()
        params: dict[str, Param] = {"results": found.results, "new": found.new, "folder": str(folder)}
        more = Message("ui.library.scanned_more", {"without": found.without_recipe}) if found.without_recipe else None
        self._notices.post(Notice("info", Message("ui.library.scanned", params), more))

    def _toggle(self, name: str) -> None:
        if self.current is not None:
            wanted = not getattr(self.current.marks, name)
            self._mark(self.selected or [self.current.id], lambda marks: marks.but(**{name: wanted}))

    def _mark(self, ids: Sequence[int], change: Callable[[Marks], Marks]) -> None:
        self._scope.start(self._library.mark(ids, change), name="mark")

    async def _trash(self, ids: Sequence[int]) -> None:
        try:
            moved = await self._library.trash(ids)
        except LibraryError:
            # Some may have gone before one could not.
            moved = [entry.id for entry in await self._library.entries(ids) if entry.trashed]
            raise
        finally:
            self.undoable = tuple(moved)
            self.undo_changed.emit()

    def _with_current(self, act: Callable[[Entry], Any]) -> None:
        if self.current is not None:
            self._scope.start(act(self.current), name=act.__name__)

    async def _open_recipe(self, entry: Entry) -> None:
        recipe = await self._library.sidecar(entry)
        self.recipe_requested.emit(recipe.to_shot())

    async def _use_as_reference(self, ids: Sequence[int]) -> None:
        videos = [entry.video for entry in await self._there(ids)]
        if videos:
            self.reference_requested.emit(videos)

    async def _compare_selected(self, ids: Sequence[int]) -> None:
        there = sorted(await self._there(ids), key=lambda entry: entry.created)
        if len(ids) == len(there) == 2:
            self.compare_requested.emit(there[0].video, there[1].video)
        elif len(ids) > 2:
            self.takes_requested.emit([entry.video for entry in there])

    async def _compare_with_source(self, entry: Entry) -> None:
        source = (await self._library.sidecar(entry)).source()
        if source is None:
            self._say("info", "ui.library.no_source", name=entry.video.name)
        elif not await asyncio.to_thread(source.exists):
            self._say("warn", "ui.library.source_gone", path=str(source))
        elif await self._there([entry.id]):
            self.compare_requested.emit(source, entry.video)

    async def _put_sound_under(self, entry: Entry) -> None:
        recipe = await self._library.sidecar(entry)
        made = await sound_of_source(self._workers, entry.video, recipe)
        if made is None:
            self._say("info", "ui.library.no_sound_source", name=entry.video.name)
        else:
            self._say("good", "ui.library.sound_saved", source=made.source.name, path=str(made.path))

    async def _there(self, ids: Sequence[int]) -> list[Entry]:
        """The results whose videos are there; says of the first that is not."""
        entries = await self._library.entries(ids)
        gone = [entry for entry in entries if await self._library.notice_missing(entry)]
        if gone:
            message = Message("library.file_gone", {"path": str(gone[0].video)})
            self._notices.post(Notice("warn", message, Message("library.file_gone.mend")))
        return [entry for entry in entries if entry not in gone]

    def _open_outside(self, path: Path) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._say("warn", "ui.library.no_program", path=str(path))

    def _say(self, severity: Any, code: str, **params: Param) -> None:
        self._notices.post(Notice(severity, Message(code, params)))
