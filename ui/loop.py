"""The one event loop: Qt's, through qasync, with the two edges that qasync leaves."""

from __future__ import annotations

import asyncio
from typing import Any

import qasync
import shiboken6

_AGAIN_S = 0.005


class EventLoop(qasync.QEventLoop):  # type: ignore[misc]
    """qasync's loop, safe where Qt spins a loop of its own inside a task (a drag, a native dialog, a test's wait).

    asyncio refuses to step one task inside another, and a refused step is a wakeup that is lost for good: its task
    would never end. Here it waits until the running task has given way. Where Qt's events are looked at while the loop
    does not run (between two runs of it), a task that takes a step could start no other; it waits, too.
    """

    def _add_callback(self, handle: asyncio.Handle, delay: float = 0) -> asyncio.Handle:
        # What a thread asked for just before the loop was closed comes here afterwards; nobody waits for it any more.
        if not self.is_closed():
            self._timer.add_callback(_Patient(handle, self), delay)
        return handle

    def close(self) -> None:
        """Close, and let go of the timer here: collected later on another thread, it would complain."""
        if self.is_closed():
            return
        super().close()
        shiboken6.delete(self._timer)


class _Patient:
    """A handle that runs while its loop does, and not inside a running task."""

    def __init__(self, handle: asyncio.Handle, loop: EventLoop) -> None:
        self._handle = handle
        self._loop = loop

    @property
    def _cancelled(self) -> bool:
        return self._handle.cancelled()

    def _run(self) -> Any:
        if asyncio._get_running_loop() is not self._loop or asyncio.current_task(self._loop) is not None:
            self._loop._timer.add_callback(self, _AGAIN_S)
        else:
            self._handle._run()
