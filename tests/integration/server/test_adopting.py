"""What happens between two managers and a server that is still loading."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from studio.server import ProcessLauncher, RehearsalLauncher, ServerManager, ServerState
from studio.server.launch import Launch
from tests.helpers.waiting import until


async def test_an_adopted_server_that_loads_can_be_stopped(launch: Callable[..., Launch]) -> None:
    record = await ProcessLauncher("window", launch("loading")).start()
    record.model_copy(update={"starter": {**record.starter, "started": 1.0}}).save()
    manager = ServerManager(RehearsalLauncher("window"))
    seen: list[ServerState] = []
    assert await manager.adopt()
    manager.changed.subscribe(lambda status: seen.append(status.state))
    await until(lambda: manager.status.readings.api is not None, "a look at it")
    await manager.stop()
    assert manager.status.state is ServerState.STOPPED and not record.process.alive()
    await asyncio.sleep(0)
    assert ServerState.FAILED not in seen
    await manager.aclose()
    assert manager.status.state is ServerState.STOPPED


async def test_attaching_elsewhere_leaves_an_adopted_server_alone(launch: Callable[..., Launch]) -> None:
    launcher = ProcessLauncher("window", launch("loading"))
    record = await launcher.start()
    record.model_copy(update={"starter": {**record.starter, "started": 1.0}}).save()
    manager = ServerManager(RehearsalLauncher("window"))
    assert await manager.adopt()
    await manager.aclose()
    assert record.process.alive()
    assert await launcher.stop(record) == []
