"""A server on another machine: a whole session through a real sshd on loopback where there is one, and a stand-in."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from studio.core.errors import StudioError
from studio.jobs.sources import source_of
from studio.server import Place, ServerManager, ServerState, records
from studio.server.doctor import examine_remote, remote
from studio.server.launch import Launch, plan
from studio.server.launchers import SshLauncher
from studio.server.launchers.commands import run
from studio.server.profiles import Profile
from studio.server.ssh import SshHost
from studio.settings.model import ServerSettings
from tests.helpers import sshd
from tests.helpers.standins import programs
from tests.helpers.standins import ssh as standin
from tests.helpers.waiting import until

pytestmark = pytest.mark.timeout(300)  # programs of their own start slowly on a busy machine

S = ServerState
REAL = pytest.param("sshd", marks=pytest.mark.skipif(bool(sshd.why_not()), reason=sshd.why_not() or "–"))


@pytest.fixture
def by_standin(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ssh` is the stand-in."""
    script = tmp_path / "bin" / "ssh"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{standin.__file__}" "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture(params=["standin", REAL])
def box(request: pytest.FixtureRequest, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of the other machine."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with contextlib.ExitStack() as stack:
        if request.param == "sshd":
            stack.enter_context(sshd.sshd(tmp_path / "sshd", monkeypatch))
        else:
            request.getfixturevalue("by_standin")
        yield "box"
        # What a failed test left behind there.
        for group in tmp_path.rglob("h3-studio-server/*/group"):
            with contextlib.suppress(ProcessLookupError, ValueError):
                os.killpg(int(group.read_text()), signal.SIGKILL)


def launch(ways: str = "", grace: float = 5, **env: str) -> Launch:
    program = (sys.executable, programs.__file__, "vllm", "serve")
    env = {"STANDIN_VLLM": ways, "QUOTED": 'it\'s "$HOME" & more', **env}
    profile = Profile(id="far", title="Far", grace_s=grace, program=program, args=("--port", "{port}"), env=env)
    return plan(profile, Place("/m", port=programs.free_port(), name="far"))


async def test_a_whole_session(box: str, state: Path) -> None:
    (state / "topology").write_text("GPU0\n")
    manager = ServerManager(SshLauncher("window", box, launch()))
    await manager.start()
    record = manager.status.record
    assert record is not None and (record.kind, record.name, record.profile) == ("ssh", "box", "far")
    assert manager.client is not None and await manager.client.model() == "standin/H3"
    await until(lambda: manager.watch and any("Loading weights" in x for x in manager.watch.recent), "its log")
    assert manager.status.readings.process
    there = psutil.Process(int((Path(record.there) / "pid").read_text()))
    assert there.environ()["QUOTED"] == 'it\'s "$HOME" & more'
    assert there.environ()["VLLM_OMNI_SERVER_STORAGE__PATH"].endswith("h3-studio-server/results/far")
    # The cards are read over the same connection.
    source = source_of(record, record.url, ServerSettings())
    assert record.url is not None
    assert f"ControlPath={SshHost(box, record.url.rpartition(':')[2]).socket}" in source.remote
    assert await run(*source.remote, "nvidia-smi", "topo", "-m") == "GPU0\n\n"
    await manager.stop()
    assert manager.state is S.STOPPED
    assert not there.is_running()
    assert not record.process.alive()
    assert (Path(record.there) / "exit").read_text().strip() == "0"
    await manager.aclose()


async def test_a_broken_connection_is_made_again_and_nothing_of_the_log_is_lost_or_doubled(box: str) -> None:
    manager = ServerManager(SshLauncher("window", box, launch()))
    await manager.start()
    record, watch = manager.status.record, manager.watch
    assert record is not None and watch is not None
    master = next(child for child in psutil.Process(record.pid).children(recursive=True) if "-N" in child.cmdline())
    with (Path(record.there) / "log").open("a") as log:
        log.write("before\n")
    await until(lambda: "before" in watch.recent, "a line")
    master.send_signal(signal.SIGKILL)
    await until(lambda: any("Next try in" in line for line in watch.recent), "the break to be told")
    with (Path(record.there) / "log").open("a") as log:
        log.write("after\n")
    await until(lambda: "after" in watch.recent, "a line after the break")
    assert list(watch.recent).count("before") == 1
    assert manager.state is S.READY and await manager.client.model() == "standin/H3"  # type: ignore[union-attr]
    # The studio's death leaves it running; the next one takes it up.
    await manager.aclose()
    record.model_copy(update={"starter": {**record.starter, "started": 1.0}}).save()
    again = ServerManager(SshLauncher("window", box))
    assert await again.adopt()
    assert again.state is S.READY
    await again.stop()
    await again.aclose()
    assert not records.living()


@pytest.mark.parametrize("ways", ["crash", "dies"])
async def test_an_end_by_itself_is_told_with_its_code(box: str, ways: str) -> None:
    manager = ServerManager(SshLauncher("window", box, launch(ways)))
    with contextlib.suppress(StudioError):  # the one that dies later may have been ready
        await manager.start()
    await until(lambda: manager.state is S.FAILED, "its end")
    assert manager.status.trouble is not None and "exit code 1" in manager.status.trouble.text()
    if ways == "crash":
        assert manager.status.cause is not None
    await manager.aclose()


async def test_one_that_does_not_listen_is_ended_by_force(box: str) -> None:
    manager = ServerManager(SshLauncher("window", box, launch("deaf,workers", grace=0.2)))
    await manager.start()
    record = manager.status.record
    assert record is not None
    there = psutil.Process(int((Path(record.there) / "pid").read_text()))
    workers = there.children()
    await manager.stop()
    assert not any(process.is_running() and process.status() != "zombie" for process in (there, *workers))
    await manager.aclose()


async def test_what_is_missing_there_is_said(box: str) -> None:
    gone = launch()
    no_program = Launch(gone.profile, gone.place, ("/no/vllm", "serve"), gone.env, gone.storage)
    with pytest.raises(StudioError, match="/no/vllm was not found on box"):
        await SshLauncher("window", box, no_program).start()
    taken = launch()
    with programs.closing_server(taken.port), pytest.raises(StudioError) as told:
        await SshLauncher("window", box, taken).start()
    assert told.value.code == "ssh.port_taken"


def test_a_long_runtime_folder_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (long := tmp_path / ("x" * 80)).mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    while_it_is_made = f"{SshHost('box', '8091').socket}.{'x' * 16}"
    assert len(os.fsencode(while_it_is_made)) <= 107


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        ("key_changed", "ssh.key_changed"),
        ("key_unknown", "ssh.key_unknown"),
        ("denied", "ssh.denied"),
        ("resolve", "ssh.no_such_host"),
    ],
)
async def test_refusals_are_explained(
    by_standin: None, monkeypatch: pytest.MonkeyPatch, refusal: str, code: str
) -> None:
    monkeypatch.setenv("STANDIN_SSH", refusal)
    with pytest.raises(StudioError) as told:
        await SshHost("box").run("true")
    assert told.value.code == code
    if refusal == "key_changed":
        assert told.value.params["key"] == "SHA256:2Zr8nXdpVnKfQx"
        assert "known_hosts:7" in told.value.text()


@pytest.mark.skipif(bool(sshd.why_not()), reason=sshd.why_not() or "–")
async def test_a_real_changed_key_is_shown_and_not_accepted(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with sshd.sshd(tmp_path / "sshd", monkeypatch) as known:
        good = known.read_text()
        known.write_text("")
        with pytest.raises(StudioError) as told:
            await SshHost("box").run("true")
        assert (told.value.code, known.read_text()) == ("ssh.key_unknown", "")
        host, kind, _ = good.split()[:3]
        other = (tmp_path / "sshd" / "user.pub").read_text().split()[1]
        known.write_text(f"{host} {kind} {other}\n")
        with pytest.raises(StudioError) as told:
            await SshHost("box").run("true")
        assert told.value.code == "ssh.key_changed"
        assert str(told.value.params["key"]).startswith("SHA256:")
        known.write_text(good)
        assert await SshHost("box").run("echo $1", "a 'b'") == "a 'b'\n"


@pytest.mark.parametrize("host", ["-oProxyCommand=x", "a b", "", "x;y"])
def test_a_host_cannot_be_an_option(host: str) -> None:
    with pytest.raises(StudioError):
        SshHost(host)


async def test_the_doctor_looks_there(box: str, state: Path, tmp_path: Path) -> None:
    (tmp_path / "H3").mkdir()
    profile = Profile(id="far", title="Far", gpus=2, vram_gib_per_gpu=96)
    there = plan(profile, Place(str(tmp_path / "H3"), port=programs.free_port()))
    codes = {check.message.code: check for check in await examine_remote(box, there)}
    assert {"doctor.host", "doctor.clock", "doctor.program", "doctor.cards_there", "doctor.no_model_there"} <= set(
        codes
    )
    assert [check.level for check in codes.values()] == sorted((c.level for c in codes.values()), reverse=True)
    (tmp_path / "H3" / "model_index.json").touch()
    card = "{}, NVIDIA RTX PRO 6000 Blackwell, 97887, 97250, 580.105.08"
    (state / "cards").write_text("\n".join(card.format(index) for index in range(2)))
    codes = {check.message.code: check for check in await examine_remote(box, there)}
    assert "doctor.gpus" in codes and "doctor.no_model_there" not in codes


async def test_a_clock_that_is_off_is_told(box: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote.time, "time", lambda: 1_000_000.0)
    there = plan(Profile(id="far", title="Far"), Place("/m", port=programs.free_port()))
    off = next(c for c in await examine_remote(box, there) if c.message.code == "doctor.clock_off")
    assert "timedatectl" in off.command


async def test_a_host_that_cannot_be_reached_is_one_line_of_the_doctor(
    by_standin: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_SSH", "denied")
    (check,) = await examine_remote("box", plan(Profile(id="far", title="Far"), Place("/m")))
    assert check.message.code == "ssh.denied" and check.mend is not None and "BatchMode" in check.mend.text()


async def test_a_machine_that_cannot_be_reached_keeps_its_server(
    by_standin: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = ServerManager(SshLauncher("window", "box", launch()))
    await manager.start()
    record = manager.status.record
    assert record is not None
    there = psutil.Process(int((Path(record.there) / "pid").read_text()))
    monkeypatch.setenv("STANDIN_SSH", "denied")
    await manager.stop()
    assert manager.state is S.FAILED and manager.status.leftovers == (record.process,)
    assert there.is_running() and record.process.alive()
    assert manager.status.trouble is not None and "box could not be reached" in manager.status.trouble.text()
    assert str(record.pid) not in manager.status.trouble.text(), "that is a process here"
    await manager.end_leftovers()
    assert manager.state is S.FAILED and there.is_running() and record.process.alive()
    monkeypatch.delenv("STANDIN_SSH")
    await manager.end_leftovers()
    assert manager.state is S.STOPPED and not there.is_running() and not record.process.alive()
    await manager.aclose()
