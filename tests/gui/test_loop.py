"""The loop holds where Qt spins inside a task."""

from __future__ import annotations

import asyncio
import threading

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions

from ui.loop import EventLoop


async def test_no_wakeup_is_lost_when_qt_spins_inside_a_task() -> None:
    steps: list[int] = []

    async def other() -> None:
        for n in range(20):
            await asyncio.sleep(0.002)
            steps.append(n)

    task = asyncio.create_task(other())
    await asyncio.sleep(0)
    spinning = QEventLoop()
    QTimer.singleShot(60, spinning.quit)
    spinning.exec()  # what a native dialog or a drag does
    async with asyncio.timeout(10):
        await task
    assert steps == list(range(20))


def test_nothing_steps_between_two_runs_of_the_loop(qapp: QApplication) -> None:
    loop = EventLoop(qapp)
    started: list[asyncio.Task[None]] = []

    async def starts_another() -> None:
        started.append(asyncio.get_running_loop().create_task(asyncio.sleep(0)))

    try:
        task = loop.create_task(starts_another())
        for _ in range(20):
            qapp.processEvents()  # as pytest-qt does after each phase of a test
        assert not task.done()
        loop.run_until_complete(task)
        loop.run_until_complete(started[0])
    finally:
        loop.close()


def test_what_a_thread_asks_for_while_the_loop_is_closed_is_nobodys(qapp: QApplication) -> None:
    loop = EventLoop(qapp)
    called: list[str] = []
    asking = threading.Thread(target=loop.call_soon_threadsafe, args=(called.append, "by a thread"))
    asking.start()
    asking.join()
    loop.close()
    with capture_exceptions() as raised:
        qapp.processEvents()
    assert (called, raised) == ([], [])
