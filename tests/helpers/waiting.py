"""Waiting for conditions, never for time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


async def until(condition: Callable[[], object], what: str = "", *, within: float = 90.0) -> None:
    """Let the loop run until the condition holds. Fails the test when it does not in time."""
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, f"waited {within:.0f} s in vain: {what or condition}"
        await asyncio.sleep(0.01)


def until_now(condition: Callable[[], object], what: str = "", *, within: float = 90.0) -> None:
    """The same without a loop, for tests of other processes."""
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, f"waited {within:.0f} s in vain: {what or condition}"
        time.sleep(0.02)
