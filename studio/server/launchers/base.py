"""What every launcher can do."""

from __future__ import annotations

from typing import Protocol

from studio.server.records import ServerRecord


class Launcher(Protocol):
    """Starts and stops one kind of server. Blocking parts stay short; waiting is async."""

    name_code: str
    """Code of the kind's name ("rehearsal server")."""
    grace: float
    """Seconds between SIGTERM and the end of our patience."""

    async def start(self) -> ServerRecord:
        """Start the program and wait until it told its address. Raises StudioError when it does not."""

    async def stop(self, record: ServerRecord) -> None:
        """SIGTERM, grace, then the whole group; returns when nothing of it runs."""

    def how_it_ended(self, record: ServerRecord) -> str:
        """Words for an end that nobody asked for."""
