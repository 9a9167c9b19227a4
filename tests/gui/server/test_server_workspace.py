"""The Server workspace on a real manager, real rehearsal servers and a real queue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from studio.client import Client, ClientError
from studio.core.words import Message
from studio.jobs import JobState, ManagedServers, Target
from studio.server import RehearsalLauncher, ServerManager, ServerState
from studio.settings import SettingsStore
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.waiting import until
from ui.server import ServerModel, ServerWorkspace
from ui.widgets.act_button import Act

S, Server = JobState, ServerState


@dataclass(slots=True)
class Desk:
    """The workspace and what stands behind it."""

    bench: Bench
    manager: ServerManager
    model: ServerModel
    view: ServerWorkspace

    async def state(self, wanted: ServerState) -> None:
        await until(lambda: self.manager.status.state is wanted, f"the server to be {wanted}")


@asynccontextmanager
async def desk(qtbot: QtBot, step_seconds: float = 0.05) -> AsyncIterator[Desk]:
    manager = ServerManager(RehearsalLauncher("window"))
    async with bench(servers=ManagedServers(manager), stop=False) as b:
        settings: SettingsStore = b.service.tools.settings
        server = settings.present.server.model_copy(update={"rehearsal_step_seconds": step_seconds})
        settings.update(server=server)
        model = ServerModel(manager, settings, b.notices, b.service)
        view = ServerWorkspace(model)
        qtbot.addWidget(view)
        view.resize(1200, 680)
        view.show()
        try:
            yield Desk(b, manager, model, view)
        finally:
            view.hide()
            await model.aclose()
            await manager.stop()
            await manager.aclose()


async def has_loaded(url: str) -> None:
    """Wait until the server answers: it tells its address before."""
    async with Client(url) as client:
        while not await _answers(client):
            await asyncio.sleep(0.05)


async def _answers(client: Client) -> bool:
    try:
        return await client.healthy()
    except ClientError:
        return False


def press(qtbot: QtBot, desk: Desk) -> None:
    qtbot.mouseClick(desk.view.state.act.button, Qt.MouseButton.LeftButton)


async def test_start_shows_state_log_and_facts_and_stop_ends_it(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        assert (d.model.act, d.model.text(), d.model.dot) == (Act.START, "No server", "faint")
        press(qtbot, d)
        await d.state(Server.STARTING)
        assert d.model.act is Act.CANCEL_START
        assert d.view.state.busy.isVisible()
        await d.state(Server.READY)
        assert (d.model.act, d.model.text(), d.model.dot) == (Act.STOP, "Rehearsal server ready", "good")
        assert d.view.state.facts["model"].text() == "MiniMaxAI/MiniMax-H3"
        assert d.manager.status.record is not None
        assert d.view.state.facts["logs"].text() == str(d.manager.status.record.folder)
        await until(lambda: any("INFO" in line for line in d.view.log.lines.lines), "its log")
        process = d.manager.status.record.process
        press(qtbot, d)
        await d.state(Server.STOPPED)
        assert not process.alive()
        assert d.view.log.lines.rowCount() > 0, "what it said can still be read"


async def test_a_start_can_be_given_up(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        press(qtbot, d)
        await d.state(Server.STARTING)
        press(qtbot, d)
        await d.state(Server.STOPPED)
        assert d.model.act is Act.START


async def test_a_waiting_job_is_counted_and_rendered_once_there_is_a_server(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        job = await d.bench.service.submit(small_shot(), Target())
        await until(lambda: d.model.waiting == 1, "the job to wait")
        assert d.view.state.act.button.text() == "Start server, 1 job waits"
        press(qtbot, d)
        job = await d.bench.service.wait(job.id)
        assert job.state is S.DONE
        assert (d.model.waiting, d.model.act) == (0, Act.STOP)


async def test_stop_after_this_render_lets_it_end_and_holds_the_next(qtbot: QtBot) -> None:
    async with desk(qtbot, step_seconds=0.1) as d:
        d.model.start()
        first = await d.bench.service.submit(small_shot(steps=15), Target())
        await until(lambda: d.bench.live(first.id).state is S.RUNNING, "the first render")
        second = await d.bench.service.submit(small_shot(seed=8), Target())
        await until(lambda: d.bench.live(second.id).state is S.WAITING, "the second one's turn")
        press(qtbot, d)
        assert (d.model.act, d.model.text()) == (Act.KEEP, "Rehearsal server, stops after this render")
        await d.state(Server.STOPPED)
        assert (await d.bench.service.get(first.id)).state is S.DONE
        assert (await d.bench.service.get(second.id)).state is S.WAITING
        press(qtbot, d)
        await until(lambda: d.bench.live(second.id).state is S.DONE, "the second render, after another start")


async def test_stopping_after_can_be_taken_back(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        d.model.start()
        job = await d.bench.service.submit(small_shot(steps=30), Target())
        await until(lambda: d.bench.live(job.id).state is S.RUNNING, "the render")
        press(qtbot, d)
        press(qtbot, d)
        assert d.model.act is Act.STOP_AFTER
        await d.bench.service.wait(job.id)
        assert d.manager.status.state is Server.READY


async def test_stop_now_asks_when_work_would_be_lost_and_cancels_it(qtbot: QtBot) -> None:
    async with desk(qtbot, step_seconds=0.2) as d:
        d.model.start()
        job = await d.bench.service.submit(small_shot(steps=100), Target())
        await until(lambda: d.bench.live(job.id).progress.step, "the first step")
        running = d.bench.live(job.id)
        d.bench.service.changed.emit(running.model_copy(update={"posted_at": (running.posted_at or 0.0) - 7800}))
        d.model.perform(Act.STOP_NOW)
        box = d.view.findChild(QMessageBox)
        assert box is not None and "2 h 10 min of work" in box.informativeText()
        assert d.manager.status.state is Server.READY
        stop = next(button for button in box.buttons() if button.text() == "Stop now")
        qtbot.mouseClick(stop, Qt.MouseButton.LeftButton)
        await d.state(Server.STOPPED)
        assert (await d.bench.service.get(job.id)).state is S.CANCELLED


async def test_attach_uses_a_server_and_never_stops_it(qtbot: QtBot) -> None:
    launcher = RehearsalLauncher("cli")
    record = await launcher.start()
    try:
        await has_loaded(record.url or "")
        async with desk(qtbot) as d:
            d.view.by_address.button.click()
            assert d.view.state.address.isVisible() and not d.view.state.pace.isVisible()
            d.view.state.address.setText((record.url or "").removeprefix("http://") + "/")
            qtbot.keyClick(d.view.state.address, Qt.Key.Key_Return)
            await d.state(Server.READY)
            assert d.model.text().startswith("Connected to 127.0.0.1:")
            assert (d.model.act, d.model.url) == (Act.DISCONNECT, record.url)
            press(qtbot, d)
            await d.state(Server.STOPPED)
            assert record.process.alive()
    finally:
        await launcher.stop(record)


async def test_an_address_that_is_none_is_refused_beside_the_field(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        told: list[Message] = []
        d.model.address_refused.connect(told.append)
        d.view.by_address.button.click()
        for text in ("", "  ", "not an address", "ftp://box", "http://box:99999"):
            d.view.state.address.setText(text)
            press(qtbot, d)
            assert told.pop().code == ("server.bad_address" if text.strip() else "server.no_address")
            assert d.view.state.trouble.isVisible()
        assert d.manager.status.state is Server.STOPPED


async def test_a_server_that_does_not_answer_is_said_where_it_belongs(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        d.model.attach("http://127.0.0.1:9", None)
        await d.state(Server.FAILED)
        assert (d.model.text(), d.model.dot) == ("Not connected", "bad")
        assert "127.0.0.1:9" in d.view.state.sentence.text()
        assert not d.bench.notices.recent


async def test_a_key_is_remembered_apart_from_the_settings(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        d.view.by_address.button.click()
        d.view.state.address.setText("http://127.0.0.1:9")
        d.view.state.key.setText("sk-secret-key")
        press(qtbot, d)
        assert d.view.state.key.text() == ""
        await d.state(Server.FAILED)
        assert "sk-secret-key" not in d.bench.service.tools.settings.path.read_text()
        assert d.bench.notices.recent[0].message.code == "server.key_for_session"


async def test_every_control_has_a_name(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        for choice in (d.view.rehearsal, d.view.by_address):
            choice.button.click()
            for widget in d.view.findChildren(QWidget):
                if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisibleTo(d.view):
                    assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name), widget
