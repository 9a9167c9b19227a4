"""The library as a program uses it: finds, marks, moves and looks over results without blocking the event loop."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

from studio.compare.health import check
from studio.core import paths
from studio.core.errors import StudioError
from studio.core.events import Event
from studio.core.notices import Notice, Notices
from studio.core.tasks import TaskScope
from studio.core.words import Message
from studio.jobs.job import Job
from studio.jobs.library import files
from studio.jobs.library.entry import Entry
from studio.jobs.library.errors import LibraryError
from studio.jobs.library.index import Index
from studio.jobs.library.marks import Marks, mark_beside, write_marks
from studio.jobs.library.query import Query
from studio.jobs.library.recipe import Sidecar, entry_from, read_sidecar, stamp_of
from studio.jobs.library.scan import Found, Stop, scan
from studio.jobs.library.storage import Usage, usage
from studio.jobs.library.thumbnails import Thumbnails
from studio.jobs.results import sidecar
from studio.jobs.states import JobState
from studio.media.workers import Workers

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)


class Library:
    """Owns the index and one thread that it is used on. Call `start` on the running loop, `aclose` at the end.

    It takes one worker at a time, so that a render which is being prepared always has the other.
    """

    def __init__(self, workers: Workers, notices: Notices, path: Path | None = None) -> None:
        self.changed: Event[None] = Event()
        """Results came, went or moved."""
        self.entry_changed: Event[Entry] = Event()
        """One result has other marks, was looked over, or its video was missed or found again."""
        self._workers, self._notices = workers, notices
        self._path = path or paths.data_dir() / "library.sqlite"
        self._scope = TaskScope("library", lambda error, _task: notices.error(error))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="library")
        self._lane = asyncio.Semaphore(1)
        self._marking = asyncio.Lock()
        self._index: Index | None = None
        self._ready = asyncio.Event()
        self._closing = False
        self._looking: set[int] = set()
        self._unkept = False
        self.thumbnails = Thumbnails(workers, paths.cache_dir() / "thumbnails", self._lane)

    def start(self, results_dir: Path) -> None:
        """Open the index; a new one is filled from the folder of results. What is asked before waits for it."""
        self._scope.start(self._open(results_dir), name="open")

    async def aclose(self) -> None:
        """End all work and close the index."""
        self._closing = True
        await self._scope.aclose()
        index, self._index = self._index, None
        if index is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, index.close)
        await asyncio.to_thread(self._thread.shutdown, wait=True)

    # Finding.

    async def find(self, query: Query) -> array[int]:
        """The ids of all results that fit, in order."""
        return await self._call((await self._opened()).find, query)

    async def entries(self, ids: Sequence[int]) -> list[Entry]:
        """The results with these ids, in their order; those that are gone are left out."""
        return await self._call((await self._opened()).entries, ids)

    async def first(self, query: Query, count: int) -> tuple[array[int], list[Entry]]:
        """`find` and the entries of the first `count`, in one go."""
        index = await self._opened()

        def both() -> tuple[array[int], list[Entry]]:
            ids = index.find(query)
            return ids, index.entries(ids[:count])

        return await self._call(both)

    async def tags(self) -> list[tuple[str, int]]:
        """All tags with how many results have them."""
        return await self._call((await self._opened()).tags)

    async def usage(self, results_dir: Path) -> Usage:
        """How much room results, trash and caches take, and what is left where results go."""
        totals = await self._call((await self._opened()).totals)
        return await asyncio.to_thread(usage, totals.results, totals.trash, results_dir, paths.cache_dir())

    async def sidecar(self, entry: Entry) -> Sidecar:
        """A result's recipe. Raises LibraryError `library.no_recipe`."""
        return await asyncio.to_thread(read_sidecar, entry.video)

    # Taking in.

    async def add(self, job: Job) -> None:
        """Take in a finished job's result, unless it is known or not there; then look it over in the background."""
        if job.state is not JobState.DONE or job.video is None or job.verified is None:
            return
        entry_id = await self._call(_add, await self._opened(), job)
        if entry_id is not None:
            self.changed.emit(None)
            self.look_over_soon(entry_id)

    async def scan(self, folder: Path, tell: Callable[[int], None] | None = None) -> Found:
        """Bring the index in line with a folder of results; `tell` gets the number of results so far, on the loop.

        Cancelling ends it; what was read is kept. Raises LibraryError `library.folder_gone`.
        """
        index, loop = await self._opened(), asyncio.get_running_loop()
        given_up = False

        def told(count: int) -> None:
            if given_up or self._closing:
                raise Stop
            if tell is not None:
                loop.call_soon_threadsafe(tell, count)

        try:
            # Not on the index's own thread: finding goes on meanwhile.
            return await asyncio.to_thread(scan, index, folder, told)
        finally:
            given_up = True
            self.changed.emit(None)

    # What is done with results.

    async def mark(self, ids: Sequence[int], change: Callable[[Marks], Marks]) -> None:
        """Change stars, rejections, tags or notes of results.

        Where the file beside a result cannot be written, the index alone keeps them, and a notice says so once.
        """
        index = await self._opened()
        # One after the other: a change begins with what the one before it left.
        async with self._marking:
            for entry in await self.entries(ids):
                marks = change(entry.marks)
                if marks != entry.marks:
                    stamp = await self._keep_marks(entry, marks)
                    await self._call(index.set_marks, entry.id, marks, stamp)
                    await self._tell(entry.id)

    async def mark_video(self, video: Path, change: Callable[[Marks], Marks]) -> Marks:
        """Change the marks of a result by its file, and give the new ones; the index need not know it.

        Raises OSError and LibraryError as `write_marks` where the index does not.
        """
        entry_id = await self._call((await self._opened()).find_video, Path(os.path.abspath(video)))  # noqa: PTH100
        if entry_id is None:
            return await asyncio.to_thread(mark_beside, video, change)
        await self.mark([entry_id], change)
        return next((entry.marks for entry in await self.entries([entry_id])), Marks())

    async def trash(self, ids: Sequence[int]) -> list[int]:
        """Move results into the trash beside them; gives the ids of those that went. Raises LibraryError for the first
        that cannot be moved, after the others were."""
        return await self._move(ids, files.to_trash, trashed=True)

    async def restore(self, ids: Sequence[int]) -> list[int]:
        """Move results out of the trash to where they were; as `trash`."""
        return await self._move(ids, files.from_trash, trashed=False)

    async def empty_trash(self) -> int:
        """Delete for good what is in the trash; gives how many results went. Raises LibraryError as `trash` does."""
        return len(await self.delete(await self.find(Query(trashed=True))))

    async def delete(self, ids: Sequence[int]) -> list[int]:
        """Delete for good those results among `ids` that are in the trash, and forget those that are missing."""
        index, gone, failure = await self._opened(), list[int](), None
        for entry in await self.entries(ids):
            try:
                if entry.trashed:
                    await asyncio.to_thread(files.delete, entry.video)
                elif not entry.missing:
                    continue
            except LibraryError as error:
                failure = failure or error
            else:
                gone.append(entry.id)
                await asyncio.to_thread(self.thumbnails.path(entry).unlink, missing_ok=True)
        await self._call(index.remove, gone)
        self.changed.emit(None)
        if failure is not None:
            raise failure
        return gone

    async def notice_missing(self, entry: Entry) -> bool:
        """Look whether a result's video is there; tells when that has changed. Gives whether it is missing."""
        missing = not await asyncio.to_thread(entry.video.exists)
        if missing != entry.missing:
            index = await self._opened()
            if await self._call(index.set_missing, entry.id, entry.video, missing):
                await self._tell(entry.id)
        return missing

    def look_over_soon(self, entry_id: int) -> None:
        """Have a worker look for faults in a result that was not looked at; the outcome is kept in the index."""
        if entry_id not in self._looking and not self._closing:
            self._looking.add(entry_id)
            self._scope.start(self._look_over(entry_id), name=f"look over {entry_id}")

    # How it comes about.

    async def _open(self, results_dir: Path) -> None:
        loop = asyncio.get_running_loop()
        index = self._index = await loop.run_in_executor(self._thread, Index, self._path)
        self._ready.set()
        if index.trouble is not None:
            mend = f"{index.trouble.code}.mend" if index.trouble.code == "library.index_unwritable" else None
            self._notices.post(Notice("warn", index.trouble, Message(mend) if mend else None))
        if index.fresh and await asyncio.to_thread(results_dir.is_dir):
            await self.scan(results_dir)
        self.changed.emit(None)
        await self._call(index.warm)

    async def _opened(self) -> Index:
        await self._ready.wait()
        if self._index is None:
            raise asyncio.CancelledError  # closed while it was waited for
        return self._index

    async def _call(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Use the index on its thread. Raises LibraryError when the disk is full or the file is damaged."""
        call = functools.partial(fn, *args, **kwargs)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, call)
        except sqlite3.OperationalError as error:
            params = {"path": str(self._path.parent), "reason": str(error)}
            raise LibraryError("library.index_full", mend="library.index_full.mend", **params) from error
        except sqlite3.DatabaseError as error:
            self._path.unlink(missing_ok=True)
            raise LibraryError("library.index_broken", mend="library.index_broken.mend", detail=str(error)) from error

    async def _tell(self, entry_id: int) -> None:
        for entry in await self.entries([entry_id]):
            self.entry_changed.emit(entry)

    async def _keep_marks(self, entry: Entry, marks: Marks) -> int:
        try:
            await asyncio.to_thread(write_marks, entry.video, marks)
        except OSError as error:
            if not self._unkept:
                self._unkept = True
                params = {"name": entry.video.name, "reason": error.strerror or str(error)}
                self._notices.post(Notice("warn", Message("library.marks_unwritable", params)))
        return await asyncio.to_thread(stamp_of, entry.video)

    async def _move(self, ids: Sequence[int], move: Callable[[Path], Path], *, trashed: bool) -> list[int]:
        index, moved, failure = await self._opened(), list[int](), None
        for entry in await self.entries(ids):
            try:
                place = await asyncio.to_thread(move, entry.video)
            except LibraryError as error:
                failure = failure or error
            else:
                await self._call(index.set_place, entry.id, place, trashed=trashed)
                moved.append(entry.id)
        self.changed.emit(None)
        if failure is not None:
            raise failure
        return moved

    async def _look_over(self, entry_id: int) -> None:
        try:
            for entry in await self.entries([entry_id]):
                if entry.flaws is None and not await self.notice_missing(entry):
                    flaws = await self._flaws(entry)
                    await self._call((await self._opened()).set_flaws, entry_id, flaws)
                    await self._tell(entry_id)
        finally:
            self._looking.discard(entry_id)

    async def _flaws(self, entry: Entry) -> list[Message]:
        async with self._lane:
            try:
                health = await check(self._workers, entry.video)
            except StudioError as error:
                # What keeps it from being looked at is what is wrong with it.
                log.info("%s was not looked over: %s", entry.video.name, error.code)
                return [error.message]
        return [flaw.message for flaw in health.faults]


def _add(index: Index, job: Job) -> int | None:
    """The id of a job's result that is new to the index."""
    assert job.video is not None
    if index.holds_job(job.id) or not job.video.exists():
        return None
    recipe = Sidecar.model_validate(sidecar(job))
    new = index.put([entry_from(job.video, recipe)])
    return new[0] if new else None
