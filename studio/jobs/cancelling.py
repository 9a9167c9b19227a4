"""The end of a job on its server: asked for, and seen to have come.

A DELETE is answered before the GPU is free: the server stops at its next denoise step, and nothing ends its reading of
references or its decoding (vllm-omni 0.30.0, server-api §3.6).
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Final

from studio.client import Client, ClientError
from studio.core.errors import StudioError
from studio.jobs.record import Record
from studio.jobs.sending import Sending
from studio.jobs.servers import Connection
from studio.jobs.states import JobState
from studio.jobs.tools import Tools
from studio.server import records

log = logging.getLogger(__name__)
FREED: Final = "cancelled: the GPU is free"
"""The cause of a cancel whose end was seen in the server's own log."""
_RELEASED: Final = "Stopped cancelled diffusion request(s)"
_LOOK_EVERY: Final = 0.25
_ANSWERS_WITHIN: Final = 60.0
_LONGEST: Final = 600.0
"""Seconds after which a GPU whose release was not seen is believed to be free: nothing waits for ever."""


class Cancelling:
    """Ends one job that is in the state *cancelling*."""

    def __init__(self, record: Record, tools: Tools) -> None:
        self._record = record
        self._tools = tools

    async def ended(self) -> None:
        """Have the server let go of the job and wait until its GPU is free, where that can be seen."""
        async with self._tools.lanes.turn(self._record.job, there=True):
            cause = await self._cause()
            await self._record.move(JobState.CANCELLED, cause, "user")

    async def _cause(self) -> str:
        if await asyncio.to_thread(self._server_is_dead):
            return "cancelled: its server has ended"
        try:
            async with asyncio.timeout(_ANSWERS_WITHIN):
                connection = await self._tools.servers.connect(self._record.job)
            return await self._end(connection)
        except TimeoutError:
            return "cancelled here; its server does not answer"
        except StudioError as error:
            log.warning("job %s could not be ended on its server: %s", self._record.job.id, error)
            return f"cancelled here; its server: {error.code}"

    def _server_is_dead(self) -> bool:
        """Whether the server of ours that took the job runs no more."""
        server_id = self._record.job.target.server_id
        if server_id is None:
            return False
        record = records.load(server_id)
        return record is None or not record.process.alive()

    async def _end(self, connection: Connection) -> str:
        remote_id = self._record.job.remote_id
        if remote_id is None:  # its POST was under way: the server may have taken it all the same
            posted = await Sending(self._record, self._tools).find_posted(connection.client)
            if posted is None:
                return "cancelled: it never arrived"
            remote_id = posted.id
            await self._record.save(remote_id=remote_id)
        ran = await _runs(connection.client, remote_id)
        await connection.client.delete(remote_id)
        await self._until_gone(connection, remote_id)
        if not ran or connection.watch is None:
            return "cancelled" if not ran else "cancelled: the server let go of it"
        return await self._until_released(connection, remote_id)

    async def _until_gone(self, connection: Connection, remote_id: str) -> None:
        """Wait while the server still lists it as running."""
        began = time.monotonic()
        while await _runs(connection.client, remote_id) and time.monotonic() - began < _LONGEST:
            await self._tools.clock.sleep(_LOOK_EVERY)

    async def _until_released(self, connection: Connection, remote_id: str) -> str:
        """Wait for the server's own word that the GPU is free, in the log of a server of ours."""
        assert connection.watch is not None
        began = time.monotonic()
        while time.monotonic() - began < _LONGEST:
            await connection.watch.look()
            if any(_RELEASED in line and remote_id in line for line in connection.watch.recent):
                return FREED
            if await asyncio.to_thread(lambda: connection.server_died):
                return "cancelled: its server has ended"
            await self._tools.clock.sleep(_LOOK_EVERY)
        return "cancelled: the server let go of it"


async def _runs(client: Client, remote_id: str) -> bool:
    try:
        return (await client.get(remote_id)).standing == "running"
    except ClientError as error:
        if error.code == "server.job_unknown":
            return False
        raise
