"""What a run works with, handed in once: store, workers, servers, limits, clock, places, turns."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from studio.contract import Limits
from studio.core import paths
from studio.core.clock import Clock, SystemClock
from studio.core.notices import Notice, Notices
from studio.core.words import Message
from studio.jobs.awake import Awake
from studio.jobs.evidence import Evidence
from studio.jobs.job import Target
from studio.jobs.lanes import Lanes
from studio.jobs.schema import StoreError
from studio.jobs.server_rules import ServerRules
from studio.jobs.servers import Servers
from studio.jobs.store import JobStore
from studio.media.workers import Workers
from studio.settings import SettingsStore
from studio.telemetry import Monitor

if TYPE_CHECKING:
    from studio.jobs.watching import Watching

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)


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
        awake: Awake | None = None,
    ) -> None:
        self.store = store
        self.workers = workers
        self.servers = servers
        self.settings = settings
        self.notices = notices or Notices()
        self.rules = ServerRules(limits, picked=self._limits_picked)
        self.clock: Clock = clock or SystemClock()
        self.awake = awake or Awake(contextlib.nullcontext)
        self.lanes = Lanes()
        self.evidence = Evidence(store)
        self.monitor = Monitor()
        self.watchings: dict[str, Watching] = {}
        """What is seen of the jobs that are on a server now, by job id."""
        self._store_refuses = False
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="jobs-store")

    def _limits_picked(self, lane: str) -> str | None:
        servers = (self.settings.present.server, *self.settings.present.others)
        return next((one.limits for one in servers if Target.of(one).lane == lane), None)

    def results_dir(self) -> Path:
        """The folder for results that were not asked elsewhere."""
        return self.settings.present.results_dir or paths.results_dir()

    def cache_bytes(self) -> int:
        """How much prepared files may take."""
        return round(self.settings.present.cache_gib * (1 << 30))

    def tidy(self) -> bool:
        """Whether the server's copy is deleted once ours is verified."""
        return self.settings.present.tidy_server

    def patience(self) -> float:
        """Seconds without a sign after which a running job is marked as stalled."""
        return self.settings.present.queue.stalled_after_minutes * 60

    def tell(self, message: Message) -> None:
        """News for the user that is no failure."""
        self.notices.post(Notice("warn", message))

    def store_refuses(self, error: StoreError) -> None:
        """The disk does not take a change of a job: said once, until one is taken again."""
        if not self._store_refuses:
            self._store_refuses = True
            log.warning("jobs wait: %s", error)
            told = Message("store.refuses", {"reason": error.params.get("reason")})
            self.notices.post(Notice("bad", told, Message("store.refuses.mend", {"path": str(self.store.path)})))

    def store_writes(self) -> None:
        """It takes them."""
        if self._store_refuses:
            self._store_refuses = False
            self.notices.post(Notice("good", Message("store.writes_again")))

    async def write(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a method of the store on its thread."""
        call = functools.partial(fn, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._executor, call)

    def write_soon(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> None:
        """The same without waiting; order is kept."""
        self._executor.submit(fn, *args, **kwargs).add_done_callback(_log_failure)

    async def aclose(self) -> None:
        """Let the last writes finish and close."""
        await self.servers.aclose()
        await self.monitor.aclose()
        await self.awake.aclose()
        await asyncio.to_thread(self._executor.shutdown, wait=True)
        self.store.close()


def _log_failure(written: Future[Any]) -> None:
    if (error := written.exception()) is not None:
        log.warning("a job's progress could not be saved: %s", error)
