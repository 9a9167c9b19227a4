"""After a stop, the cards' memory is seen to be free: the driver gives it back a moment after the process is gone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from studio.core.children import ProcessId
from studio.core.words import Message
from studio.server import family, machine
from studio.server.machine import GIB, Holder
from studio.server.records import ServerRecord

WORKER: Final = "vLLM-Omni::DiffusionWorker"
_WITHIN: Final = 10.0


@dataclass(frozen=True, slots=True)
class Held:
    """Memory that a stopped server's processes still hold."""

    holders: tuple[Holder, ...]
    processes: tuple[ProcessId, ...]

    @property
    def message(self) -> Message:
        """How much, and by whom."""
        first = max(self.holders, key=lambda holder: holder.used)
        gib = round(sum(holder.used for holder in self.holders) / GIB)
        return Message("server.still_holding", {"gib": gib, "pid": first.pid, "name": first.name})


async def still_holding(library: Any, record: ServerRecord, *, within: float = _WITHIN) -> Held | None:
    """Wait until nothing of the server holds a card's memory; what still does after `within` s, else None."""
    loop = asyncio.get_running_loop()
    end = loop.time() + within
    while (held := await asyncio.to_thread(_held, library, record)) is not None:
        if loop.time() >= end:
            return held
        await asyncio.sleep(0.25)
    return None


def _held(library: Any, record: ServerRecord) -> Held | None:
    ours = {process.pid: process for process in family.members(record)}
    # A worker whose server is gone has no sign of ours left but its title and its age.
    for holder in machine.holders(library):
        if holder.name.startswith(WORKER) and holder.pid not in ours and (orphan := _orphan(holder.pid, record)):
            ours[holder.pid] = orphan
    holders = tuple(holder for holder in machine.holders(library) if holder.pid in ours)
    return Held(holders, tuple(ours[holder.pid] for holder in holders)) if holders else None


def _orphan(pid: int, record: ServerRecord) -> ProcessId | None:
    try:
        process = ProcessId.of(pid)
    except ProcessLookupError:
        return None
    return process if process.started >= record.started and family.is_orphan(pid) else None
