"""What stands behind the window: workers, servers, the queue, the library of results.

Each is made when it is first asked for, which is after the window's first paint: none of it is needed for that.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.core.notices import Notice, Notices
from studio.media.workers import Workers
from studio.settings import SettingsStore

if TYPE_CHECKING:
    from studio.jobs import JobService
    from studio.jobs.library import Library
    from studio.server import Fleet, ServerManager


class Rooms(QObject):
    """The parts of one studio that know nothing of a screen. Needs the running loop."""

    def __init__(self, settings: SettingsStore, notices: Notices) -> None:
        super().__init__()
        self.settings = settings
        self.notices = notices
        self.workers = Workers()

    @cached_property
    def fleet(self) -> Fleet:
        """The user's servers."""
        from studio.server import Fleet, RehearsalLauncher, ServerManager

        step_seconds = self.settings.present.server.rehearsal_step_seconds
        return Fleet(ServerManager(RehearsalLauncher("window", step_seconds=step_seconds)))

    @property
    def manager(self) -> ServerManager:
        """The manager of the first server."""
        return self.fleet.first

    @cached_property
    def jobs(self) -> JobService:
        """The queue. Raises StudioError when its store cannot be opened."""
        from studio.jobs import Awake, JobService, JobStore, ManagedServers, Tools

        store = JobStore()
        if store.trouble is not None:
            self.notices.post(Notice("warn", store.trouble))
        servers = ManagedServers(self.fleet)
        return JobService(Tools(store, self.workers, servers, self.settings, notices=self.notices, awake=Awake()))

    @cached_property
    def results(self) -> Library:
        """The results that were kept."""
        from studio.jobs.library import Library

        return Library(self.workers, self.notices)

    def stands(self, name: str) -> bool:
        """Whether a part has been made already."""
        return name in self.__dict__

    async def close_rooms(self) -> None:
        """Close what was made, users before what they use."""
        if self.stands("results"):
            await self.results.aclose()
        if self.stands("jobs"):
            await self.jobs.aclose()
        if self.stands("fleet"):
            await self.fleet.aclose()
        await self.workers.aclose()
