"""The loop holds where Qt spins inside a task."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QEventLoop, QTimer


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
