"""One owner for every task: a scope that cancels its tasks once and waits for them; and for what runs on a thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
log = logging.getLogger(__name__)


async def on_thread(fn: Callable[..., T], *args: Any, dropped: Callable[[T], object] | None = None) -> T:
    """`asyncio.to_thread` that leaves nothing behind: cancelled meanwhile, it waits until `fn` is through.

    What it gave then, and nobody takes any more, goes to `dropped`.
    """
    running = asyncio.ensure_future(asyncio.to_thread(fn, *args))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        if running.exception() is None and dropped is not None:
            dropped(running.result())
        raise


class TaskScope:
    """Owns tasks. `aclose` cancels each of them once (twice leaks httpx connections) and awaits them all."""

    def __init__(self, name: str, on_error: Callable[[BaseException, str], None] | None = None) -> None:
        self.name = name
        self._tasks: set[asyncio.Task[Any]] = set()
        self._cancelled: set[asyncio.Task[Any]] = set()
        self._on_error = on_error
        self._closed = False

    def start(self, coro: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Run `coro` as a task of this scope. A failure that nobody awaits goes to `on_error`, else to the log."""
        if self._closed:
            coro.close()
            raise RuntimeError(f"task scope {self.name} is closed")
        task = asyncio.get_running_loop().create_task(coro, name=f"{self.name}/{name}")
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def cancel(self, task: asyncio.Task[Any]) -> None:
        """Cancel one task of this scope, once."""
        if task in self._tasks and task not in self._cancelled and not task.done():
            self._cancelled.add(task)
            task.cancel()

    async def aclose(self) -> None:
        """Cancel what still runs and wait for all of it. The scope takes no more tasks."""
        self._closed = True
        tasks = tuple(self._tasks)
        for task in tasks:
            self.cancel(task)
        await asyncio.gather(*tasks, return_exceptions=True)

    def __len__(self) -> int:
        return len(self._tasks)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._cancelled.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if self._on_error is not None:
            self._on_error(error, task.get_name())
        else:
            log.error("task %s failed", task.get_name(), exc_info=error)
