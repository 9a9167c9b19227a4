"""What is done to a server and its jobs together: connect to another, let go of one, end one with what it renders."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from studio.core.errors import StudioError
from studio.core.notices import Notice, Notices
from studio.core.words import Message
from studio.jobs import Job, JobService
from studio.server import ServerManager
from studio.settings import secrets


async def attach(manager: ServerManager, notices: Notices, url: str, key: str | None) -> None:
    """Use the server at an address in place of ours; a key is remembered for it. Raises ClientError."""
    if manager.status.ours:
        await manager.stop()
    if key is not None and not await asyncio.to_thread(secrets.remember, url, key):
        notices.post(Notice("info", Message("server.key_for_session")))
    await manager.attach(url, key or await asyncio.to_thread(secrets.api_key, url))


async def stop(manager: ServerManager, service: JobService, there: Sequence[Job]) -> None:
    """End our server, or let go of another's: jobs there go on, and are followed over a connection of their own."""
    going_on = there if not manager.status.ours else ()
    for job in going_on:
        await service.detach(job.id)
    await manager.stop()
    for job in going_on:
        await service.resume(job.id)


async def stop_now(manager: ServerManager, service: JobService, there: Sequence[Job]) -> None:
    """Cancel what is on our server, then end it."""
    for job in there:
        with contextlib.suppress(StudioError):  # ended by itself meanwhile
            await service.cancel(job.id)
    await manager.stop()
