"""What stands around the one act: time limits, a taken port, what a unit lacks, the log's empty page and levels."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.contract import Shot
from studio.jobs import Job, JobState
from studio.server import Profile, RehearsalLauncher, ServerState, profiles
from studio.server.doctor import Level
from tests.helpers.file_dialog import answer, asked
from tests.helpers.server_desk import ServerDesk, server_desk
from tests.helpers.standins import install, programs
from tests.helpers.waiting import until
from ui.server.log_levels import Gravity, GravityReader
from ui.server.log_view import LogView


def queued(rows: int, steps: int = 50) -> Job:
    resolved: dict[str, Any] = {"rows": rows, "steps": steps, "windows": [(0, 1)]}
    return Job(id="long", created=0, shot=Shot(prompt="x"), state=JobState.WAITING, resolved=resolved)


async def chosen(d: ServerDesk, profile: str) -> None:
    await until(lambda: d.view.profiles.list.count(), "the profiles")
    d.view.profiles.pick(profile)


async def test_the_longest_queued_job_sets_the_time_limits(qtbot: QtBot) -> None:
    async with server_desk(qtbot) as d:
        await chosen(d, "rtxpro6000x2-combined-fp8-quadlet")
        text = d.view.texts["shell"].text
        assert "VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT=3600" in text.toPlainText()
        d.service.changed.emit(queued(223_808))
        longest = d.model.launches.longest_job
        assert longest is not None and 6000 < longest < 9000, "120 s a step, 50 steps"
        wanted = f"VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT={-(-4 * longest // 1):.0f}"
        assert wanted in text.toPlainText()
        d.service.changed.emit(queued(223_808).model_copy(update={"state": JobState.CANCELLED}))
        assert "VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT=3600" in text.toPlainText()


async def test_the_limits_of_a_server_elsewhere_are_shown(qtbot: QtBot) -> None:
    launcher = RehearsalLauncher("cli")
    record = await launcher.start()
    try:
        async with server_desk(qtbot) as d:
            assert d.view.log.empty.isVisibleTo(d.view) and "studio starts" in d.view.log.empty.text()
            d.view.by_address.button.click()
            d.model.attach(record.url or "", None)
            await d.state(ServerState.READY)
            limits = d.view.state.limits
            assert limits.isVisible()
            assert [check.level for check in limits.checks or ()] == [Level.UNKNOWN, Level.UNKNOWN, Level.PASS]
            assert "cannot be read from here" in d.view.log.empty.text()
    finally:
        await launcher.stop(record)


async def test_a_taken_port_offers_another(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        program = (sys.executable, programs.__file__, "vllm", "--port", "{port}")
        profiles.save(Profile(id="mine", title="Mine", program=program, port_default=port, grace_s=5))
        async with server_desk(qtbot) as d:
            await chosen(d, "mine")
            d.model.confirm_and_start()
            await d.state(ServerState.FAILED)
            assert f"Port {port} is taken" in d.view.state.sentence.text()
            assert d.offers("Connect to what is there")
            d.remedy("Use another port").click()
            assert d.model.launches.server.port not in (None, port)
            d.press(qtbot)
            await d.state(ServerState.READY)
            record = d.manager.status.record
            assert record is not None and record.url == d.model.launches.url
            (limit,) = d.model.limits()
            assert limit.level is Level.PASS and record.time_limit == 3600
            d.view.rehearsal.button.click()
            assert "Stop the server that runs first" in d.view.state._hint.text()


async def test_choosing_another_server_forgets_what_went_wrong(qtbot: QtBot) -> None:
    async with server_desk(qtbot) as d:
        d.model.attach("http://127.0.0.1:9", None)
        await d.state(ServerState.FAILED)
        d.view.rehearsal.button.click()
        assert d.manager.status.state is ServerState.STOPPED


async def test_what_a_unit_lacks_is_written_out(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state, source = install(tmp_path, monkeypatch), tmp_path / "h3.container"
    source.write_text("[Container]\nImage=x\n")
    (state / "h3.service.json").write_text(json.dumps({"argv": ["true"], "source": str(source)}))
    async with server_desk(qtbot) as d:
        d.view.by_unit.button.click()
        assert d.view.tabs.isTabVisible(d.view.tabs.indexOf(d.view.lacking))
        d.view.state.form.unit.setText("h3.service")
        d.view.state.form.unit.editingFinished.emit()
        await until(lambda: d.view.lacking.text.toPlainText(), "what it lacks")
        assert "VLLM_OMNI_DLO_DP_WAVE_TIMEOUT=86400" in d.view.lacking.text.toPlainText()
        assert f"{source}.d/h3studio.conf" in d.view.lacking.note.text()
        (state / "h3.json").write_text(json.dumps({"argv": ["true"], "env": {"TQDM_MININTERVAL": "0"}}))
        d.view.state.form.unit_in.buttons["podman"].click()
        d.model.launches.change(unit="h3")
        await until(lambda: "--env" in d.view.lacking.text.toPlainText(), "what the container lacks")
        assert "TQDM_MININTERVAL" not in d.view.lacking.text.toPlainText()
        assert "create it anew" in d.view.lacking.note.text()


@pytest.mark.parametrize(
    ("line", "gravity"),
    [
        ("(APIServer pid=7) INFO 11-29 13:09:44 [x.py:1] an ERROR in words", Gravity.ALL),
        ("(APIServer pid=7) WARNING 11-29 13:09:44 [x.py:1] mind", Gravity.WARNING),
        ("(DiffusionWorker_TP0 pid=4242) ERROR 11-29 13:09:44 [x.py:1] no", Gravity.ERROR),
        ("ERROR:    [Errno 98] address already in use", Gravity.ERROR),
        ("INFO:     Application startup complete.", Gravity.ALL),
        ("torch.OutOfMemoryError: CUDA out of memory.", Gravity.ERROR),
        ("vllm: error: unrecognized arguments: --x", Gravity.ERROR),
        ("[rank0]: Traceback (most recent call last):", Gravity.ERROR),
    ],
)
def test_how_grave_a_line_is(line: str, gravity: Gravity) -> None:
    assert GravityReader().read(line) is gravity


async def test_a_log_is_saved_or_it_is_said_why_not(qtbot: QtBot, tmp_path: Path) -> None:
    async with server_desk(qtbot) as d:
        d.view.log.extend(["one", "two"])
        d.view.log.save_button.click()
        answer(asked(d.view), tmp_path / "mine")
        assert (tmp_path / "mine.log").read_text("utf-8").endswith("one\ntwo\n") and not d.notices.recent
        d.view.log.save_button.click()
        dialog = asked(d.view)
        dialog.fileSelected.emit("/proc/mine.log")
        dialog.close()
        assert [notice.message.code for notice in d.notices.recent] == ["disk.write"]


def test_only_the_grave_lines_can_be_shown(qtbot: QtBot) -> None:
    log = LogView(most=40, segment=10)
    qtbot.addWidget(log)
    log.resize(500, 300)
    log.show()
    story = [
        "(A pid=1) INFO 1 begin",
        "(A pid=1) WARNING 1 mind",
        "(A pid=1) ERROR 1 broken",
        "(A pid=1) Traceback (most recent call last):",
        '(A pid=1)   File "x.py", line 1',
        "(A pid=1) ValueError: no",
        "(A pid=1) INFO 1 go on",
    ]
    log.extend(story)
    log.levels.setCurrentIndex(Gravity.ERROR)
    assert [log.lines.line(row) for row in range(log.lines.rowCount())] == story[2:6]
    assert log.lines.find("valueerror", -1) == 3 and log.lines.find("begin", -1) is None
    assert log.lines.find("ERROR", 3, backward=True) == 3 - 3
    log.levels.setCurrentIndex(Gravity.WARNING)
    assert log.lines.rowCount() == 5
    log.extend([f"(A pid=1) INFO 1 {n}" for n in range(45)])
    assert log.lines.rowCount() == 0, "they went with the oldest lines"
    log.extend(["(A pid=1) WARNING 1 again"])
    assert [log.lines.line(row) for row in range(log.lines.rowCount())] == ["(A pid=1) WARNING 1 again"]
    log.levels.setCurrentIndex(Gravity.ALL)
    assert log.lines.rowCount() == len(log.lines.lines) > 30
