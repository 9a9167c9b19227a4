"""What goes wrong around servers, case by case: SRV-1 … SRV-5, and what a stopped one leaves behind."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from studio.client import Client
from studio.core.children import ProcessId
from studio.core.errors import StudioError
from studio.server import ProcessLauncher, RehearsalLauncher, ServerManager, ServerState, records
from studio.server.gpu_release import still_holding
from studio.server.launch import Launch
from studio.server.machine import GIB
from tests.helpers.standins import Nvml
from tests.helpers.waiting import until

S = ServerState
Make = Callable[..., Launch]


async def test_srv_1_an_own_server_on_the_port_is_used_again(launch: Make) -> None:
    made = launch()
    record = await ProcessLauncher("window", made).start()
    record.model_copy(update={"starter": {**record.starter, "started": 1.0}}).save()
    manager = ServerManager(ProcessLauncher("window", made))
    await manager.start()
    assert manager.status.record is not None and manager.status.record.pid == record.pid
    assert manager.status.model == "standin/H3"
    await manager.stop()
    assert not record.process.alive()
    await manager.aclose()


async def test_srv_1_a_stranger_who_answers_there_never_gets_a_job(launch: Make) -> None:
    """Our server still loads, and somebody else opens its port and is healthy there."""
    made = launch("hang")
    manager = ServerManager(ProcessLauncher("window", made))
    starting = asyncio.create_task(manager.start())
    await until(lambda: manager.status.progress is not None, "our server to load")
    other = ProcessLauncher("cli", launch(port=made.port))
    there = await other.start()
    try:
        async with Client(made.url) as client:
            await until(lambda: manager.status.readings.api, "the stranger to be heard")
            assert await client.healthy()
        assert manager.status.state is S.STARTING and manager.client is None
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert there.process.alive()
    finally:
        await manager.aclose()
        await other.stop(there)


@pytest.mark.parametrize("ways", ["workers,deaf_workers", "deaf,daemon,deaf_workers"])
async def test_srv_2_stopped_means_that_nothing_of_it_is_left(launch: Make, ways: str) -> None:
    manager = ServerManager(ProcessLauncher("window", launch(ways, grace=0.3)), nvml=lambda: None)
    await manager.start()
    stopping = asyncio.create_task(manager.stop())
    seen: list[S] = []
    manager.changed.subscribe(lambda status: seen.append(status.state))
    await stopping
    assert [state for state in dict.fromkeys(seen) if state is not S.READY] == [S.STOPPING, S.STOPPED]
    assert seen[-1] is S.STOPPED
    await manager.aclose()


_STARTER = """
import asyncio, sys
from studio.server import Place, ProcessLauncher, Profile, ServerManager
from studio.server.launch import plan

async def main():
    profile = Profile(id="standin", title="Stand-in", grace_s=5, args=("--port", "{port}"))
    manager = ServerManager(ProcessLauncher("window", plan(profile, Place("/m", port=int(sys.argv[1])))))
    await manager.start()
    print(manager.status.record.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


async def test_srv_3_a_server_is_found_again_after_a_sigkill_of_the_studio(launch: Make) -> None:
    made = launch()
    argv = [sys.executable, "-c", _STARTER, str(made.port)]
    root = Path(__file__).parents[3]
    studio = await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.PIPE, cwd=root)
    assert studio.stdout is not None
    pid = int(await studio.stdout.readline())
    studio.send_signal(signal.SIGKILL)
    await studio.wait()
    manager = ServerManager(RehearsalLauncher("window"))
    assert await manager.adopt()
    status = manager.status
    assert status.state is S.READY and status.record is not None and status.record.pid == pid
    assert (status.model, status.ours) == ("standin/H3", True)
    await manager.stop()
    assert not status.record.process.alive()
    await manager.aclose()


async def test_srv_4_slow_loading_is_no_failure_and_can_be_given_up(launch: Make) -> None:
    manager = ServerManager(ProcessLauncher("window", launch("loading")))
    starting = asyncio.create_task(manager.start())
    await until(lambda: manager.status.readings.api and manager.watch and manager.watch.recent, "it to answer 503")
    assert manager.status.state is S.STARTING and manager.status.readings.engine is False
    assert manager.status.progress is not None and manager.watch is not None
    record = manager.status.record
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert manager.status.state is S.STOPPED and record is not None and not record.process.alive()
    await manager.aclose()


async def test_srv_5_a_program_that_cannot_be_run(
    launch: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, folder = launch(), tmp_path / "none"
    folder.mkdir()
    (folder / "vllm").write_text("no program")
    monkeypatch.setenv("PATH", str(folder))
    manager = ServerManager(ProcessLauncher("window", made))
    with pytest.raises(StudioError) as failed:
        await manager.start()
    assert failed.value.code == "server.not_executable" and "vllm" in failed.value.text()
    assert manager.status.state is S.FAILED and not records.living()
    await manager.aclose()


async def test_a_worker_that_was_left_behind_is_named_and_ended(
    launch: Make, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.server.lifecycle.still_holding", partial(still_holding, within=0.3))
    nvml = Nvml()
    manager = ServerManager(ProcessLauncher("window", launch("stray")), nvml=lambda: nvml)
    await manager.start()
    await until(lambda: (state / "stray").exists() and (state / "stray").read_text(), "the stray")
    stray = ProcessId.of(int((state / "stray").read_text()))
    nvml.held = {stray.pid: 38 * GIB, os.getpid(): 5 * GIB}
    await manager.stop()
    assert manager.status.state is S.FAILED and manager.status.leftovers == (stray,)
    assert manager.status.trouble is not None
    assert f"38 GB of a card are still held: pid {stray.pid} vLLM-Omni" in manager.status.trouble.text()
    ending = asyncio.create_task(manager.end_leftovers())
    await until(lambda: not stray.alive(), "the stray's end")
    nvml.held = {os.getpid(): 5 * GIB}
    await ending
    assert manager.status.state is S.STOPPED and not manager.status.leftovers
    await manager.aclose()


async def test_a_foreign_holder_of_a_card_is_never_touched(launch: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.server.lifecycle.still_holding", partial(still_holding, within=0.3))
    nvml = Nvml()
    nvml.held = {os.getpid(): 80 * GIB}
    manager = ServerManager(ProcessLauncher("window", launch()), nvml=lambda: nvml)
    await manager.start()
    await manager.stop()
    assert manager.status.state is S.STOPPED
    await manager.aclose()


async def test_a_server_that_takes_the_port_from_us_is_said(launch: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        manager = ServerManager(ProcessLauncher("window", launch(port=taken.getsockname()[1])))
        with pytest.raises(StudioError):
            await manager.start()
        trouble = manager.status.trouble
        assert trouble is not None and trouble.params["port"] == taken.getsockname()[1]
        manager.forget_failure()
        assert manager.status.state is S.STOPPED
        await manager.aclose()


async def test_a_start_that_is_given_up_at_once_leaves_nothing(launch: Make) -> None:
    starting = asyncio.create_task(ProcessLauncher("window", launch("hang")).start())
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await until(lambda: not records.living(), "it to be gone")
    assert any(records.servers_dir().iterdir()), "it had been started"
