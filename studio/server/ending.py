"""How a server that we started is ended: asked, waited for, forced, and everything of it seen to be gone.

SIGTERM goes to the main process alone at first: a signal to the whole group interrupts workers inside NCCL, which can
hang for minutes (vllm-omni 0.30.0 stops its workers itself and needs up to 60 s for it).
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import Final

from studio.core.children import ProcessId
from studio.core.events import Event
from studio.server import family
from studio.server.records import ServerRecord

_GROUP_GRACE: Final = 10.0
_KILL_GRACE: Final = 3.0


class Ending:
    """A stop under way: how long patience lasts, and the way to cut it short."""

    def __init__(self, grace: float | None = None) -> None:
        self.grace = grace
        """Seconds instead of the record's own, when given."""
        self.changed: Event[Ending] = Event()
        self.until: float | None = None
        """Loop time at which patience ends; None before and after."""
        self._now = asyncio.Event()

    @property
    def left(self) -> float | None:
        """Seconds until force is used; None when none is about to be."""
        return None if self.until is None else max(0.0, self.until - asyncio.get_running_loop().time())

    def hurry(self) -> None:
        """End now: no more waiting for a clean end."""
        self._now.set()

    async def wait(self, gone: Callable[[], bool], seconds: float) -> bool:
        """Wait until `gone()`, the time is up, or somebody is in a hurry; whether it is gone."""
        loop = asyncio.get_running_loop()
        self.until = loop.time() + seconds
        self.changed.emit(self)
        pause = 0.02
        try:
            while not await asyncio.to_thread(gone):
                if self._now.is_set() or loop.time() >= self.until:
                    return False
                await asyncio.sleep(pause)
                pause = min(0.25, pause * 1.5)
            return True
        finally:
            self.until = None
            self.changed.emit(self)


async def end(record: ServerRecord, running: Callable[[], bool], ending: Ending) -> list[ProcessId]:
    """End a server's process and everything of it; gives what could not be ended (not ours, or stuck in the driver)."""
    grace = record.grace if ending.grace is None else ending.grace
    known = await asyncio.to_thread(family.members, record)
    if running():
        record.process.send(signal.SIGTERM)
        if not await ending.wait(lambda: not running(), grace):
            await _all_gone(known, signal.SIGTERM, ending, min(grace, _GROUP_GRACE))
    return await end_all(record, known)


async def end_all(record: ServerRecord, known: list[ProcessId] | None = None) -> list[ProcessId]:
    """End what is left of a server: SIGTERM, three seconds, SIGKILL. Gives what still lives."""
    left = await _living(record, known or [])
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not left:
            return []
        await _all_gone(left, number, Ending(), _KILL_GRACE)
        left = await _living(record, left)
    return left


async def _all_gone(processes: list[ProcessId], number: int, ending: Ending, seconds: float) -> bool:
    for process in processes:
        process.send(number)
    return await ending.wait(lambda: not any(process.alive() for process in processes), seconds)


async def _living(record: ServerRecord, known: list[ProcessId]) -> list[ProcessId]:
    found = await asyncio.to_thread(family.members, record)
    return list({process.pid: process for process in (*known, *found) if process.alive()}.values())
