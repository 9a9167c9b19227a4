"""Killable worker processes: whatever a file does, it does it to a worker."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import mmap
import os
import signal
import struct
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from studio.core.errors import StudioError
from studio.core.tasks import on_thread
from studio.media.errors import MediaError, as_media_error

if TYPE_CHECKING:  # what a pool needs is imported with the first pool, in a thread
    from concurrent.futures import Future
    from multiprocessing.connection import Connection

    from pebble import ProcessPool

log = logging.getLogger(__name__)

T = TypeVar("T")

_POLL_S: Final = 0.1
_LOOK_S: Final = 1.0
_UNKNOWN_END: Final = 255  # multiprocessing's word for a worker whose end nobody can tell of
_LAYOUT: Final = struct.Struct("<qdq")  # pid of the worker, fraction done, whether the caller gave up


class Progress:
    """How far a worker is: a few bytes of a file that both sides map. The worker's side only calls `set`."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as fp:
            self._map = mmap.mmap(fp.fileno(), _LAYOUT.size)

    def set(self, fraction: float) -> None:
        """Say that `fraction` (0…1) of the work is done. Costs nothing: call it as often as you like."""
        struct.pack_into("<d", self._map, 8, min(1.0, max(0.0, fraction)))

    def _read(self) -> tuple[int, float, bool]:
        pid, fraction, gave_up = _LAYOUT.unpack_from(self._map)
        return pid, fraction, bool(gave_up)

    def _begin(self) -> None:
        struct.pack_into("<q", self._map, 0, os.getpid())

    def _give_up(self) -> None:
        struct.pack_into("<q", self._map, 16, 1)

    def _close(self) -> None:
        self._map.close()


class Workers:
    """A small pool of processes with low priority.

    The pool starts at the first `run`. A function that hangs or crashes costs one process; the next job gets a new one.
    """

    def __init__(self, max_workers: int = 2) -> None:
        self._max = max_workers
        self._pool: ProcessPool | None = None
        self._free = asyncio.Semaphore(max_workers)
        self._starting = asyncio.Lock()
        self._running: set[Future[Any]] = set()
        self._closed = False
        self._leash: tuple[Connection, Connection] | None = None
        """Every worker holds the reading end: when ours is closed it dies, also one that is being started just then."""

    async def run(
        self,
        fn: Callable[..., T],
        *args: Any,
        timeout: float,
        progress: Callable[[float], None] | None = None,
    ) -> T:
        """Call `fn(*args)` in a worker and give back what it returns.

        `fn` is a module-level function; args and result are picklable. With `progress`, fn gets a `Progress` as its
        first argument, and `progress(fraction)` is called here, at most ten times a second. `timeout` in seconds
        counts from the moment a worker takes the job. Cancelling the awaiting task kills the worker; when the
        CancelledError arrives, the worker is gone and its half-written files can be removed.
        Raises StudioError as fn raised it, MediaError `media.timeout`, `media.worker_died`, `media.memory`, what the
        system says (`media.disk_full`, …), or `media.broken`, logged, when fn itself is wrong.
        """
        from concurrent.futures.process import BrokenProcessPool

        if self._closed:
            raise RuntimeError("these workers are closed")
        async with self._free:
            if self._closed:
                raise asyncio.CancelledError  # closed while it waited for its turn
            try:
                return await self._try(fn, args, timeout, progress)
            except BrokenProcessPool:
                # Some worker died, of what nobody knows: the pool gives up all of its jobs. The next one is a new one.
                try:
                    return await self._try(fn, args, timeout, progress)
                except BrokenProcessPool as error:
                    raise MediaError("media.worker_died", detail=repr(error)) from error

    async def aclose(self) -> None:
        """End all workers; what still runs or waits is cancelled. Nothing can be run afterwards."""
        self._closed = True
        for future in tuple(self._running):
            future.cancel()
        async with self._starting:
            pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(_end, pool)
        for end in self._leash or ():
            end.close()

    async def _try(
        self, fn: Callable[..., T], args: tuple[Any, ...], timeout: float, progress: Callable[[float], None] | None
    ) -> T:
        from concurrent.futures.process import BrokenProcessPool

        with _shared_progress() as (path, shared):
            pool = await self._started()
            try:
                future = pool.schedule(_call, args=(path, fn, args, progress is not None), timeout=timeout)
            except RuntimeError as error:  # it broke just now
                raise BrokenProcessPool(*error.args) from error
            self._running.add(future)
            try:
                return await self._follow(pool, future, shared, timeout, progress)
            finally:
                self._running.discard(future)

    async def _started(self) -> ProcessPool:
        async with self._starting:
            if self._closed:
                raise asyncio.CancelledError
            if self._pool is None or not self._pool.active:
                broken, self._pool = self._pool, None
                # Cancelled or not: a pool that nobody holds would never be ended.
                self._hold(await on_thread(self._open_pool, broken, dropped=self._hold))
            assert self._pool is not None
            return self._pool

    def _hold(self, pool: ProcessPool) -> None:
        self._pool = pool

    def _open_pool(self, broken: ProcessPool | None) -> ProcessPool:
        from multiprocessing import Pipe

        if self._leash is None:
            self._leash = Pipe(duplex=False)
        return _new_pool(self._max, broken, self._leash[0])

    async def _follow(
        self,
        pool: ProcessPool,
        future: Future[T],
        shared: Progress,
        timeout: float,
        progress: Callable[[float], None] | None,
    ) -> T:
        """What the job gives, or its error as this class tells it."""
        from concurrent.futures.process import BrokenProcessPool

        from pebble import ProcessExpired

        waiting = asyncio.wrap_future(future)
        try:
            await self._watch(pool, waiting, shared, progress)
            return await waiting
        except asyncio.CancelledError:
            shared._give_up()
            if future.cancel():
                await _gone(shared._read()[0])
            raise
        except StudioError as error:
            if error.code == "media.broken":
                log.error("a worker's job failed:\n%s", error.detail)
            raise
        except TimeoutError as error:
            raise MediaError("media.timeout", seconds=timeout) from error
        except ProcessExpired as error:
            if error.exitcode == _UNKNOWN_END:
                pool.stop()  # type: ignore[no-untyped-call]  # its other workers, too, are lost
                raise BrokenProcessPool("what workers are forked from has died") from error
            raise MediaError("media.worker_died", detail=repr(error)) from error

    async def _watch(
        self, pool: ProcessPool, waiting: asyncio.Future[T], shared: Progress, progress: Callable[[float], None] | None
    ) -> None:
        """Tell progress until the job is done. Raises BrokenProcessPool when the pool has forgotten it."""
        from concurrent.futures.process import BrokenProcessPool

        told = -1.0
        while not waiting.done():
            await asyncio.wait({waiting}, timeout=_POLL_S if progress else _LOOK_S)
            if not pool.active and not waiting.done() and not self._closed:
                # It gives up its jobs before it ends, and forgets one that came at that moment.
                await asyncio.wait({waiting}, timeout=_LOOK_S)
                if not waiting.done():
                    raise BrokenProcessPool("it has forgotten its job")
            fraction = shared._read()[1]
            if progress is not None and fraction > told:
                told = fraction
                progress(fraction)


@contextlib.contextmanager
def _shared_progress() -> Iterator[tuple[Path, Progress]]:
    try:
        with tempfile.NamedTemporaryFile(prefix="h3studio-", suffix=".progress", delete=False) as fp:
            path = Path(fp.name)
            fp.write(bytes(_LAYOUT.size))
    except OSError as error:
        raise as_media_error(error) from error
    try:
        shared = Progress(path)
        try:
            yield path, shared
        finally:
            shared._close()
    finally:
        path.unlink(missing_ok=True)


async def _gone(pid: int) -> None:
    """Wait until the worker is dead (the pool sees to that within a tick), or a second has passed."""
    import psutil

    for _ in range(100):
        if not pid or not psutil.pid_exists(pid):
            return
        await asyncio.sleep(0.01)


def _new_pool(max_workers: int, broken: ProcessPool | None, leash: Connection) -> ProcessPool:
    from pebble import ProcessPool

    from studio.core.children import clean_environment
    from studio.media.processes import context, deaf_to_interrupts

    if broken is not None:
        _end(broken)
    pool = ProcessPool(
        max_workers=max_workers, initializer=_settle, initargs=(leash, clean_environment()), context=context()
    )
    with deaf_to_interrupts():
        # Asking starts it, and its threads start what follows a worker that was killed.
        assert pool.active
    return pool


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _settle(leash: Connection, environment: Mapping[str, str]) -> None:
    """First thing in a worker: be polite, be bounded, be killable, and never outlive the program."""
    from studio.media.processes import settle

    settle(environment)
    # Pebble's handler runs between bytecodes; a decoder that hangs never gets there.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)
    threading.Thread(target=_follow_parent, args=(leash,), daemon=True).start()


def _follow_parent(leash: Connection) -> None:
    from multiprocessing import connection, parent_process

    parent = parent_process()
    connection.wait([leash, *([parent.sentinel] if parent else [])])
    os._exit(1)


def _call(path: Path, fn: Callable[..., T], args: tuple[Any, ...], with_progress: bool) -> T:
    """In the worker: run the job; only errors that survive pickling leave."""
    shared = Progress(path)
    # Both sides have it mapped now: a program that is killed leaves no file.
    path.unlink(missing_ok=True)
    try:
        if shared._read()[2]:
            raise MediaError("media.failed", what="cancelled")
        shared._begin()
        return fn(shared, *args) if with_progress else fn(*args)
    except Exception as error:
        raise as_media_error(error) from None
    finally:
        shared._close()
