"""What a run works with, handed in once: store, workers, servers, limits, clock, places, turns."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

from studio.contract import Limits, load_limits
from studio.core import paths
from studio.core.clock import Clock, SystemClock
from studio.core.notices import Notice, Notices
from studio.core.words import Message
from studio.jobs.job import Target
from studio.jobs.servers import Servers
from studio.jobs.store import JobStore
from studio.media.workers import Workers
from studio.settings import SettingsStore

P = ParamSpec("P")
T = TypeVar("T")


class Tools:
    """The surroundings of every run of one studio. The store is written on one thread, in order."""

    def __init__(
        self,
        store: JobStore,
        workers: Workers,
        servers: Servers,
        settings: SettingsStore,
        *,
        notices: Notices | None = None,
        limits: Limits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.store = store
        self.workers = workers
        self.servers = servers
        self.settings = settings
        self.notices = notices or Notices()
        self.limits = limits or load_limits()
        self.clock: Clock = clock or SystemClock()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="jobs-store")
        self._turns: dict[str, asyncio.Lock] = {}

    def results_dir(self) -> Path:
        """The folder for results that were not asked elsewhere."""
        return self.settings.present.results_dir or paths.results_dir()

    def tidy(self) -> bool:
        """Whether the server's copy is deleted once ours is verified."""
        return self.settings.present.tidy_server

    def tell(self, message: Message) -> None:
        """News for the user that is no failure."""
        self.notices.post(Notice("warn", message))

    async def write(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of the store on its thread."""
        call = functools.partial(fn, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._executor, call)

    def write_soon(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> None:
        """The same without waiting; order is kept."""
        self._executor.submit(fn, *args, **kwargs)

    @asynccontextmanager
    async def turn(self, target: Target) -> AsyncIterator[None]:
        """One job at a time on each server, in the order of asking."""
        lock = self._turns.setdefault(target.url or target.kind, asyncio.Lock())
        async with lock:
            yield

    async def aclose(self) -> None:
        """Let the last writes finish and close."""
        await self.servers.aclose()
        await asyncio.to_thread(self._executor.shutdown, wait=True)
        self.store.close()
