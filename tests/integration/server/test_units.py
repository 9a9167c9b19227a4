"""User units, our own quadlet, and containers, on stand-ins of systemctl, journalctl and podman."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from studio.core.errors import StudioError
from studio.server import ServerManager, ServerState
from studio.server.launch import Launch, Place, plan
from studio.server.launchers import ContainerLauncher, Launcher, QuadletLauncher, UnitLauncher, launcher_of
from studio.server.profiles import Profile
from tests.helpers.readers import unit_sections, unit_words
from tests.helpers.standins import programs
from tests.helpers.waiting import until

S = ServerState


def standin_vllm(port: int) -> list[str]:
    return [sys.executable, programs.__file__, "vllm", "--port", str(port)]


def put(state: Path, name: str, **about: Any) -> None:
    (state / f"{name}.json").write_text(json.dumps(about))


@asynccontextmanager
async def managed(launcher: Launcher) -> AsyncIterator[ServerManager]:
    manager = ServerManager(launcher)
    try:
        yield manager
    finally:
        await manager.stop()
        await manager.aclose()


async def test_an_existing_unit(state: Path) -> None:
    port = programs.free_port()
    put(state, "h3.service", argv=standin_vllm(port), conflicts=["llm.service"])
    put(state, "llm.service", argv=["sleep", "60"])
    assert programs.__file__
    launcher = UnitLauncher("window", "h3.service", f"http://127.0.0.1:{port}")
    other = UnitLauncher("window", "llm.service", "http://127.0.0.1:1")
    displaced = await other.start()
    assert await launcher.displaced() == ["llm.service"]
    async with managed(launcher) as manager:
        await manager.start()
        assert not displaced.process.alive()
        record = manager.status.record
        assert record is not None and (record.kind, record.name) == ("unit", "h3.service")
        await until(
            lambda: manager.watch and any("Loading weights" in line for line in manager.watch.recent), "its log"
        )
        again = launcher_of(record)
        assert again.takes(record)
        await manager.stop()
        assert manager.status.state is S.STOPPED and not record.process.alive()
    assert json.loads((state / "h3.service.json").read_text())["argv"] == standin_vllm(port)


async def test_a_unit_that_is_not_there(state: Path) -> None:
    async with managed(UnitLauncher("window", "nothing.service", "http://127.0.0.1:1")) as manager:
        with pytest.raises(StudioError) as failed:
            await manager.start()
        assert failed.value.code == "unit.unknown" and manager.status.state is S.FAILED


async def test_a_unit_that_fails(state: Path) -> None:
    put(state, "h3.service", argv=["false"], fails="oom-kill")
    async with managed(UnitLauncher("window", "h3.service", "http://127.0.0.1:1")) as manager:
        with pytest.raises(StudioError) as failed:
            await manager.start()
        assert failed.value.code in ("unit.oom", "server.start_died")


def quadlet(port: int) -> QuadletLauncher:
    args = ("--port", "{port}", '--json={"a": "100% $HOME"}')
    profile = Profile(id="standin", title="Stand-in", args=args, grace_s=5)
    return QuadletLauncher("window", plan(profile, Place("/my models", port=port, name="h3"), how="container"))


async def test_our_own_quadlet(state: Path, own_home: Path) -> None:
    launcher = quadlet(port := programs.free_port())
    put(state, "h3.service", argv=standin_vllm(port))
    async with managed(launcher) as manager:
        await manager.start()
        assert launcher.path == own_home / ".config/containers/systemd/h3.container"
        unit = unit_sections(launcher.path.read_text())
        assert unit_words(dict(unit["Container"])["Exec"], dollars=True) == list(launcher.launch.argv)
        assert (state / "reloaded").exists()
        await manager.stop()
    await launcher.remove()
    assert not launcher.path.exists()


async def test_a_unit_file_of_somebody_else_is_left_as_it_is(state: Path) -> None:
    launcher = quadlet(1)
    launcher.path.parent.mkdir(parents=True)
    launcher.path.write_text("[Container]\nImage=mine\n")
    for attempt in (launcher.start, launcher.remove):
        with pytest.raises(StudioError) as failed:
            await attempt()
        assert failed.value.code == "unit.not_ours"
    assert launcher.path.read_text() == "[Container]\nImage=mine\n"


async def test_a_container(state: Path) -> None:
    port = programs.free_port()
    put(state, "h3", argv=standin_vllm(port))
    launcher = ContainerLauncher("window", "h3", f"http://127.0.0.1:{port}")
    async with managed(launcher) as manager:
        await manager.start()
        record = manager.status.record
        assert record is not None and record.name == "podman:h3"
        await until(lambda: manager.watch and manager.watch.recent, "its log")
        assert launcher_of(record).takes(record)
        await manager.stop()
        assert manager.status.state is S.STOPPED and not record.process.alive()


@pytest.mark.parametrize(
    ("about", "code"), [(None, "tool.failed"), ({"argv": ["sleep", "60"], "fails": True}, "container.oom")]
)
async def test_a_container_that_does_not_start(state: Path, about: dict[str, Any] | None, code: str) -> None:
    if about:
        put(state, "h3", **about)
    with pytest.raises(StudioError) as failed:
        await ContainerLauncher("window", "h3", "http://127.0.0.1:1").start()
    assert failed.value.code == code and "{" not in failed.value.text()


async def test_without_systemd_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(StudioError) as failed:
        await UnitLauncher("window", "h3.service", "http://127.0.0.1:1").start()
    assert failed.value.code == "tool.missing"


async def test_a_failure_line_reaches_the_status(launch: Callable[..., Launch]) -> None:
    """The dictionary's lines are all in tests/unit/server; here one comes through a real log."""
    from studio.server import ProcessLauncher

    made = launch("crash", line="RuntimeError: Ref2VA partition not found at /models/MiniMax-H3/Ref2VA")
    async with managed(ProcessLauncher("window", made)) as manager:
        with pytest.raises(StudioError):
            await manager.start()
        cause = manager.status.cause
        assert cause is not None and cause.failure.name == "no_ref2va"
        assert "/models/MiniMax-H3/Ref2VA" in cause.message.text()
