"""One act at a time for each server: starting, connecting and stopping take turns there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from studio.core.tasks import TaskScope

Work = Callable[[], Coroutine[Any, Any, None]]


class Turns:
    """Keyed by the server's place."""

    def __init__(self, scope: TaskScope) -> None:
        self._scope = scope
        self._last: dict[str, asyncio.Task[None]] = {}

    def begin(self, place: str, work: Work, name: str) -> None:
        """Do something once what was begun before it for that server has ended."""
        self._last[place] = self._scope.start(self._after(self._last.get(place), work), name=name)

    def cancel(self, place: str) -> None:
        """Give up what is under way."""
        if (task := self._last.get(place)) is not None:
            self._scope.cancel(task)

    async def _after(self, before: asyncio.Task[None] | None, work: Work) -> None:
        if before is not None:
            await asyncio.gather(before, return_exceptions=True)
        await work()
