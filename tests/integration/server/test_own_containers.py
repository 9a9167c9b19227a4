"""A container of ours without systemd, on stand-ins of docker and podman."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any, Literal

import pytest

from studio.core.errors import StudioError
from studio.server import Place, ServerManager, ServerState
from studio.server.launch import Launch, plan
from studio.server.launchers import OwnContainerLauncher, launcher_of
from studio.server.launchers.container import run_argv
from studio.server.profiles import Profile, find
from studio.settings import secrets
from tests.helpers.standins import programs
from tests.helpers.waiting import until

Engine = Literal["podman", "docker"]
S = ServerState


def made(state: Path, name: str = "h3") -> dict[str, Any]:
    return dict(json.loads((state / f"{name}.json").read_text()))


def launch(port: int, name: str = "h3") -> Launch:
    profile = Profile(id="standin", title="Stand-in", args=("--port", "{port}"), env={"CUDA_VISIBLE_DEVICES": "0,2"})
    return plan(profile, Place("/my model", port=port, name=name), how="container")


@pytest.mark.parametrize(("engine", "cards"), [("docker", "--gpus"), ("podman", "--device")])
async def test_a_session_from_make_to_stop(state: Path, engine: Engine, cards: str) -> None:
    port = programs.free_port()
    secrets.remember(f"http://127.0.0.1:{port}", "geheim")
    manager = ServerManager(OwnContainerLauncher("window", launch(port), engine=engine))
    try:
        await manager.start()
        record, about = manager.status.record, made(state)
        assert record is not None and (record.kind, record.profile) == ("container", "standin")
        assert record.time_limit and record.time_limit >= 3600
        options = about["options"]
        assert options["--publish"] == [f"127.0.0.1:{port}:{port}"]
        assert options["--volume"][0] == "/my model:/models/MiniMax-H3:ro,Z"
        assert options["--volume"][1].endswith("storage/h3:/var/lib/h3-results:Z")
        assert options[cards] == ["all" if engine == "docker" else "nvidia.com/gpu=all"]
        assert about["env"]["VLLM_OMNI_SERVER_STORAGE__PATH"] == "/var/lib/h3-results"
        assert about["env"]["VLLM_API_KEY"] == "geheim"
        assert "geheim" not in json.dumps(options)
        assert "geheim" not in " ".join(run_argv(launch(port), engine, with_key=True))
        await until(lambda: manager.watch and any("Loading weights" in x for x in manager.watch.recent), "its log")
        assert launcher_of(record).takes(record)
    finally:
        await manager.stop()
        await manager.aclose()
    assert manager.state is S.STOPPED


async def test_an_ended_one_is_made_anew_and_its_end_is_told(state: Path) -> None:
    port = programs.free_port()
    manager = ServerManager(OwnContainerLauncher("window", launch(port), engine="docker"))
    await manager.start()
    os.kill(made(state)["pid"], signal.SIGKILL)
    await until(lambda: manager.state is S.FAILED, "its death")
    assert manager.status.trouble is not None and "memory" in manager.status.trouble.text()
    await manager.start()
    assert manager.state is S.READY
    await manager.stop()
    await manager.aclose()


async def test_one_of_somebody_else_is_left_alone(state: Path) -> None:
    (state / "h3.json").write_text(json.dumps({"argv": ["sleep", "9"]}))
    with pytest.raises(StudioError) as told:
        await OwnContainerLauncher("window", launch(1), engine="podman").start()
    assert told.value.code == "container.not_ours"
    assert (state / "h3.json").exists()


def test_every_profile_with_cards_can_be_written_for_both_engines() -> None:
    amd = plan(find("rocm-gfx950x1-cpu-offload"), Place("/m"), how="container")
    for engine in ("docker", "podman"):
        words = run_argv(amd, engine)
        assert words[words.index("--device") + 1] == "/dev/kfd"
        assert "--gpus" not in words
    with pytest.raises(StudioError, match="plain process"):
        run_argv(plan(find("rocm-gfx950x1-cpu-offload"), Place("/m")), "docker")
