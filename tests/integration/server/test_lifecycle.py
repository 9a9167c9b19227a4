"""Starting and stopping real processes that crash, hang, do not listen, leave workers, or take the port."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from studio.core.errors import StudioError
from studio.server import ProcessLauncher, RehearsalLauncher, ServerManager, ServerState, family, ports, records
from studio.server.gpu_release import still_holding
from studio.server.launch import Launch
from studio.server.machine import GIB
from studio.server.phases import StartPhase, last_times
from tests.helpers.standins import Nvml
from tests.helpers.waiting import until

S = ServerState
Make = Callable[..., Launch]


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """No process of any start of this test lives on, whatever it did to hide."""
    yield
    mark = f"STANDIN_STATE={tmp_path}".encode()
    left = [pid for pid in psutil.pids() if pid != os.getpid() and mark in _environment(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


@asynccontextmanager
async def managed(launch: Launch, nvml: Nvml | None = None) -> AsyncIterator[ServerManager]:
    manager = ServerManager(ProcessLauncher("window", launch), nvml=lambda: nvml)
    try:
        yield manager
    finally:
        await manager.stop()
        await manager.aclose()


async def test_start_tells_its_phases_and_stop_ends_it(launch: Make) -> None:
    async with managed(launch()) as manager:
        seen = []
        manager.changed.subscribe(lambda status: seen.append(status))
        began = manager.status.since
        await manager.start()
        status = manager.status
        assert (status.state, status.model, status.readings.engine) == (S.READY, "standin/H3", True)
        assert status.since > began
        assert manager._start is not None
        await until(lambda: StartPhase.HTTP in manager._start.times, "its log")  # type: ignore[union-attr]
        record = status.record
        assert record is not None and record.process.alive()
        await manager.stop()
        assert manager.status.state is S.STOPPED and not record.process.alive()
        assert S.STOPPING in [status.state for status in seen]
    assert last_times("standin")["ready"] > 0


@pytest.mark.parametrize(
    "ways", ["", "deaf", "workers", "workers,deaf_workers", "daemon", "daemon,deaf_workers", "deaf,daemon,deaf_workers"]
)
async def test_no_orphan_however_it_behaves(launch: Make, ways: str) -> None:
    async with managed(launch(ways, grace=0.3)) as manager:
        await manager.start()
        record = manager.status.record
        assert record is not None
        if "workers" in ways or "daemon" in ways:
            await until(lambda: len(family.members(record)) >= 3, "its workers")
        await manager.stop()
        assert manager.status.state is S.STOPPED
        assert not family.members(record)


@pytest.mark.parametrize(
    ("ways", "code", "cause"),
    [
        ("usage", "server.start_died", "unknown_flag"),
        ("crash", "server.start_died", "gpu_memory"),
        ("killed", "server.start_died", None),
    ],
)
async def test_a_start_that_fails_says_why(launch: Make, ways: str, code: str, cause: str | None) -> None:
    async with managed(launch(ways)) as manager:
        with pytest.raises(StudioError) as failed:
            await manager.start()
        assert failed.value.code == code and "{" not in failed.value.text()
        assert manager.status.state is S.FAILED
        found = manager.status.cause
        assert (found.failure.name if found else None) == cause
        if ways == "usage":
            assert "exit code 2" in failed.value.text() and "--stage-configs-path" in failed.value.text()


async def test_a_start_that_hangs_can_be_given_up(launch: Make) -> None:
    async with managed(launch("hang")) as manager:
        starting = asyncio.create_task(manager.start())
        await until(lambda: manager.status.progress and manager.status.progress.phase is StartPhase.LOADED, "the log")
        record = manager.status.record
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert record is not None and not record.process.alive()
        assert manager.status.state is S.STOPPED and manager.client is None


async def test_stop_while_it_starts(launch: Make) -> None:
    async with managed(launch("hang")) as manager:
        starting = asyncio.create_task(manager.start())
        await until(lambda: manager.status.progress, "its log")
        await manager.stop()
        with pytest.raises(StudioError):
            await starting
        assert manager.status.state is S.STOPPED


async def test_end_now_cuts_the_countdown_short(launch: Make) -> None:
    async with managed(launch("deaf", grace=3600)) as manager:
        await manager.start()
        stopping = asyncio.create_task(manager.stop())
        await until(lambda: manager.ending is not None and manager.ending.left is not None, "the countdown")
        assert manager.ending is not None and 0 < (manager.ending.left or 0) <= 3600
        manager.end_now()
        await stopping
        assert manager.status.state is S.STOPPED


async def test_a_taken_port_is_said_and_its_holder_left_alone(launch: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        async with managed(launch(port=other.getsockname()[1])) as manager:
            with pytest.raises(StudioError) as failed:
                await manager.start()
            assert failed.value.code == "server.port_taken" and failed.value.params["pid"] == os.getpid()


async def test_a_missing_program_is_said(launch: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    made = launch()
    monkeypatch.setenv("PATH", "/nowhere")
    async with managed(made) as manager:
        with pytest.raises(StudioError) as failed:
            await manager.start()
        assert failed.value.code == "server.no_program"


async def test_a_death_while_ready_is_noticed_and_explained(launch: Make) -> None:
    async with managed(launch("dies")) as manager:
        await manager.start()
        await until(lambda: manager.status.state is S.FAILED, "its death to be noticed")
        assert manager.status.trouble is not None and manager.status.trouble.code == "server.died"
        assert manager.status.cause is not None and manager.status.cause.failure.name == "worker_serving"


async def test_it_outlives_the_studio_and_is_taken_up_again(launch: Make) -> None:
    made = launch("loading")
    first = ServerManager(ProcessLauncher("window", made))
    starting = asyncio.create_task(first.start())
    await until(lambda: first.status.record and first.status.record.process.alive(), "the server")
    record = first.status.record
    assert record is not None
    # As after a SIGKILL of the studio: nothing was told, and whoever started it is gone.
    record.model_copy(update={"starter": {**record.starter, "started": 1.0}}).save()
    second = ServerManager(RehearsalLauncher("window"))
    assert await second.adopt()
    assert second.status.state is S.STARTING
    (Path(os.environ["STANDIN_STATE"]) / "go").touch()
    await until(lambda: second.status.state is S.READY, "the adopted server")
    assert not second.status.rehearsal and second.status.ours
    await starting
    await first.aclose()
    assert record.process.alive()
    await second.stop()
    await second.aclose()
    assert not record.process.alive()


async def test_a_stranger_with_a_used_pid_is_not_taken_for_ours(launch: Make) -> None:
    async with managed(launch()) as manager:
        await manager.start()
        record = manager.status.record
        assert record is not None
        other = record.model_copy(update={"pid": os.getpid(), "id": "20260101-000000-other"}).save()
        assert other not in records.living()
        assert not family.members(other)


async def test_attach_waits_for_a_server_that_loads(launch: Make) -> None:
    made = launch("loading")
    launcher = ProcessLauncher("cli", made)
    record = await launcher.start()
    manager = ServerManager(RehearsalLauncher("window"))
    try:
        await until(lambda: ports.held_here(made.url), "its port")
        attaching = asyncio.create_task(manager.attach(made.url))
        await until(lambda: manager.status.loading, "it to be seen loading")
        attaching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await attaching
        assert manager.status.state is S.STOPPED and manager.client is None
        attaching = asyncio.create_task(manager.attach(made.url))
        (Path(os.environ["STANDIN_STATE"]) / "go").touch()
        await attaching
        assert manager.status.state is S.READY and not manager.status.ours
        await manager.stop()
        assert record.process.alive()
    finally:
        await manager.aclose()
        await launcher.stop(record)


async def test_stopped_is_said_only_when_the_cards_are_free(launch: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = Nvml()
    async with managed(launch("daemon"), nvml) as manager:
        await manager.start()
        record = manager.status.record
        assert record is not None
        await until(lambda: len(family.members(record)) >= 3, "its workers")
        worker = next(process for process in family.members(record) if process.pid != record.pid)
        nvml.held[worker.pid] = 38 * GIB
        stopping = asyncio.create_task(manager.stop())
        await until(lambda: not worker.alive(), "the worker's end")
        nvml.held.clear()
        await stopping
        assert manager.status.state is S.STOPPED


async def test_who_still_holds_a_card_is_named(launch: Make) -> None:
    nvml = Nvml()
    async with managed(launch("workers")) as manager:
        await manager.start()
        record = manager.status.record
        assert record is not None
        nvml.held = {record.pid: 38 * GIB, os.getpid(): 5 * GIB}
        held = await still_holding(nvml, record, within=0.2)
        assert held is not None and [process.pid for process in held.processes] == [record.pid]
        assert f"38 GB of a card are still held: pid {record.pid}" in held.message.text()
        nvml.held = {os.getpid(): 5 * GIB}
        assert await still_holding(nvml, record, within=0.2) is None


async def test_one_start_after_another_leaves_nothing(launch: Make) -> None:
    ways = ("", "workers", "crash", "daemon", "usage")
    for turn in range(10):
        async with managed(launch(ways[turn % len(ways)], grace=1)) as manager:
            try:
                await manager.start()
            except StudioError as error:
                assert error.code == "server.start_died"
            await manager.stop()
            assert manager.status.state is S.STOPPED
