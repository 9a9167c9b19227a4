"""The queue of a command-line run, put together and taken apart in one place."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from studio.cli.output import Out
from studio.core.notices import Notices
from studio.jobs import Awake, DirectServers, JobService, JobStore, Tools
from studio.media.workers import Workers
from studio.server import RehearsalLauncher
from studio.settings import SettingsStore


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The service with what the verbs need beside it."""

    service: JobService
    servers: DirectServers
    settings: SettingsStore


@asynccontextmanager
async def command_line(out: Out, *, step_seconds: float | None = None) -> AsyncIterator[CommandLine]:
    """A job service of this process; lets go of everything at the end, servers that hold jobs apart."""
    settings = SettingsStore()
    pace = settings.present.server.rehearsal_step_seconds if step_seconds is None else step_seconds
    servers = DirectServers(RehearsalLauncher("cli", step_seconds=pace))
    store = JobStore()
    if store.trouble is not None:
        out.note(store.trouble.text())
    notices = Notices()
    notices.posted.subscribe(lambda notice: out.note(notice.message.text()))
    workers = Workers()
    service = JobService(Tools(store, workers, servers, settings, notices=notices, awake=Awake()))
    try:
        await service.start(take_over=False)
        yield CommandLine(service, servers, settings)
    finally:
        await service.aclose()
        await workers.aclose()
