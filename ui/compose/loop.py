"""Whether coroutines run now: Qt handles its events also before the loop starts and after it has stopped."""

from __future__ import annotations

import asyncio


def loop_runs() -> bool:
    """Whether a task can be started from here."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
