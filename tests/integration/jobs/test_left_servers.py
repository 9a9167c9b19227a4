"""A rehearsal server whose studio died before it knew the address: a window takes it up, a command line ends it."""

from __future__ import annotations

from studio.jobs import JobState, Target
from studio.server import RehearsalLauncher, ServerManager, ServerRecord, ServerState
from studio.server.records import StartedBy
from tests.helpers.jobs import bench, small_shot

_NOBODY = 2**22 + 1
"""A pid that no process has."""


async def left_nameless(by: StartedBy) -> ServerRecord:
    """A server that runs, and the record of one whose starter died right after it was spawned."""
    record = await RehearsalLauncher(by).start()
    starter = {**record.starter, "pid": _NOBODY}
    record.model_copy(update={"url": None, "starter": starter}).save()
    return record


async def test_a_window_takes_it_up() -> None:
    left = await left_nameless("window")
    manager = ServerManager(RehearsalLauncher("window"))
    try:
        assert await manager.adopt()
        assert manager.status.record is not None
        assert (manager.status.record.id, manager.status.url) == (left.id, left.url)
        assert manager.status.state in (ServerState.STARTING, ServerState.READY)
    finally:
        await manager.stop()
        await manager.aclose()
    assert not left.process.alive()


async def test_a_command_line_ends_it_when_it_starts_its_own() -> None:
    left = await left_nameless("cli")
    async with bench() as b:
        job = await b.service.wait((await b.service.submit(small_shot(), Target())).id)
        assert job.state is JobState.DONE, job.fault
        assert [record.id for record in b.servers.started] != [left.id]
        assert not left.process.alive()
