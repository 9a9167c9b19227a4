"""What every launcher can do."""

from __future__ import annotations

from typing import Protocol

from studio.core.children import ProcessId
from studio.server.ending import Ending
from studio.server.records import ServerRecord


class Launcher(Protocol):
    """Starts and stops one kind of server. Blocking parts stay short; waiting is async."""

    name_code: str
    """Code of the kind's name ("rehearsal server")."""

    async def start(self) -> ServerRecord:
        """Start the program and wait until its address is known, not until it is ready. Raises StudioError."""

    async def stop(self, record: ServerRecord, ending: Ending | None = None) -> list[ProcessId]:
        """End the server and everything of it; gives the processes that could not be ended."""

    async def follow_log(self, record: ServerRecord) -> None:
        """Bring the log into the record's files until cancelled; returns at once when the server writes them itself."""

    def takes(self, record: ServerRecord) -> bool:
        """Whether a running server is the one that `start` would start."""

    def how_it_ended(self, record: ServerRecord) -> str:
        """Words for an end that nobody asked for."""
