"""What runs on a thread is waited for, whoever loses interest in it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from studio.core.tasks import on_thread


async def test_what_a_thread_gives_or_raises_comes_back() -> None:
    assert await on_thread(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await on_thread(divmod, 1, 0)


@pytest.mark.parametrize("fails", [False, True])
async def test_cancelled_it_waits_and_hands_over_what_nobody_takes(fails: bool) -> None:
    began, go_on, dropped = threading.Event(), threading.Event(), list[int]()

    def work() -> int:
        began.set()
        go_on.wait()
        return 1 // (0 if fails else 1)

    task = asyncio.create_task(on_thread(work, dropped=dropped.append))
    await asyncio.to_thread(began.wait)
    task.cancel()
    await asyncio.wait({task}, timeout=0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert dropped == ([] if fails else [1])
