"""Several servers in the Server workspace: each has its state, jobs go to the one that has their task."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio.contract import Reference
from studio.jobs import JobState, ManagedServers
from studio.jobs.routing import route
from studio.server import Fleet, RehearsalLauncher, ServerManager, ServerState
from studio.settings import SettingsStore
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.standins import install
from tests.helpers.waiting import until
from tests.helpers.window import a_window
from tests.unit.server.test_topology import eight
from ui.compose.wishes import Wish
from ui.queue.model import JobListModel, LineRole
from ui.server import ServerModel, ServerWorkspace
from ui.server.servers_list import ServersList
from ui.server.servers_model import ServersModel

READY, STOPPED = ServerState.READY, ServerState.STOPPED
A, B = "rtxpro6000x8-two-servers-fl2va", "rtxpro6000x8-two-servers-ref2va"


@dataclass(slots=True)
class Desk:
    """The workspace with its list and what stands behind it."""

    bench: Bench
    fleet: Fleet
    model: ServerModel
    servers: ServersModel
    view: ServerWorkspace

    @property
    def list(self) -> ServersList:
        assert self.view.servers is not None
        return self.view.servers

    def rows(self) -> list[str]:
        """What a screen reader is told of each server."""
        items = [self.list.list.item(row) for row in range(self.list.list.count())]
        return [str(item.data(Qt.ItemDataRole.AccessibleTextRole)) for item in items]

    def click(self, qtbot: QtBot, row: int) -> None:
        rect = self.list.list.visualItemRect(self.list.list.item(row))
        qtbot.mouseClick(self.list.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())


@asynccontextmanager
async def desk(qtbot: QtBot) -> AsyncIterator[Desk]:
    fleet = Fleet(ServerManager(RehearsalLauncher("window")))
    async with bench(servers=ManagedServers(fleet), stop=False) as b:
        settings: SettingsStore = b.service.tools.settings
        settings.update(server=settings.present.server.model_copy(update={"rehearsal_step_seconds": 0.02}))
        model = ServerModel(fleet.first, settings, b.notices, b.service)
        servers = ServersModel(fleet, model, settings, b.notices)
        view = ServerWorkspace(model, servers=servers)
        qtbot.addWidget(view)
        view.resize(1280, 720)
        view.show()
        try:
            yield Desk(b, fleet, model, servers, view)
        finally:
            view.hide()
            await servers.aclose()
            await model.aclose()
            for manager in fleet:
                await manager.stop()
            await fleet.aclose()


async def test_two_servers_render_side_by_side_each_its_own_task(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        assert not d.list.list.isVisible()  # one server needs no list
        d.view.state.partition.chosen.emit("fl2va")
        d.model.start()
        d.servers.add("rehearsal")
        assert d.view.state.partition.isVisible()
        qtbot.mouseClick(d.view.state.partition.buttons["ref2va"], Qt.MouseButton.LeftButton)
        d.model.start()  # without waiting for the first
        await until(lambda: all(manager.state is READY for manager in d.fleet), "both")
        assert d.rows() == ["Server 1. ready · rehearsal · T2VA/FL2VA", "Server 2. ready · rehearsal · REF2VA"]
        present = d.bench.service.tools.settings.present
        target = route("t2va", present.server, present.others, runs=d.fleet.runs, load={})
        assert (target.place, target.label.text()) == ("", "“Server 1”")
        job = await d.bench.service.submit(small_shot(steps=2), target)
        listed = JobListModel(lambda _: "waiting", lambda _: None)
        listed.put(job)
        assert listed.index(0).data(LineRole) == "Server 1 · waiting"
        done = await d.bench.service.wait(job.id)
        assert (done.state, done.server["url"]) == (JobState.DONE, d.fleet.first.status.url)
        # The log, the state and the act are those of the one in view.
        second = d.fleet.at("2").status.record
        assert second is not None and d.view.state.facts["pid"].toolTip() in ("", str(second.pid))
        assert d.model.status.record == second
        d.click(qtbot, 0)
        assert d.model.status.record == d.fleet.first.status.record
        d.model.stop()
        await until(lambda: d.fleet.first.state is STOPPED, "the first to stop")
        assert d.fleet.at("2").state is READY
        assert d.rows()[0].startswith("Server 1. stopped")


async def test_a_server_is_renamed_and_taken_off_the_list_only_when_it_is_stopped(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        d.servers.add("rehearsal")
        d.servers.rename("2", "  Night shift ")
        assert d.rows()[1].startswith("Night shift.")
        d.model.start()
        await until(lambda: d.fleet.at("2").state is READY, "it")
        d.servers.remove("2")
        assert len(d.servers.entries) == 2
        d.model.stop()
        await until(lambda: d.fleet.at("2").state is STOPPED, "its end")
        menu = QMenu()
        d.list._fill_more(menu)
        menu.actions()[-1].trigger()
        assert [entry.place for entry in d.servers.entries] == [""]
        assert d.servers.chosen == "" and not d.servers.can_remove("")
        assert d.bench.service.tools.settings.present.others == ()


@pytest.mark.parametrize(
    ("sort", "shown", "hidden"),
    [
        ("machine", {"folder", "port", "way", "cards"}, {"host"}),
        ("container", {"folder", "port", "way"}, {"host"}),
        ("ssh", {"folder", "port", "way", "host"}, {"browse", "get"}),
    ],
)
async def test_each_kind_of_server_has_its_own_form(qtbot: QtBot, sort: str, shown: set[str], hidden: set[str]) -> None:
    async with desk(qtbot) as d:
        menu = QMenu()
        d.list._fill_add(menu)
        index = ("machine", "container", "ssh", "url", "rehearsal").index(sort)
        menu.actions()[index].trigger()
        form = d.view.state.form
        assert all(getattr(form, name).isVisible() for name in shown)
        assert not any(getattr(form, name).isVisible() for name in hidden)
        for name in shown:
            assert getattr(form, name).accessibleName() or name == "cards"


async def test_cards_are_suggested_with_the_reason_and_those_of_the_server_before_are_left(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = install(tmp_path, monkeypatch)
    (state / "topology").write_text(eight({(0, 2): "PXB", (1, 3): "PXB", (4, 6): "PXB", (5, 7): "PXB"}))
    async with desk(qtbot) as d:
        d.model.choose_profile(A)
        d.servers.add("machine")
        d.model.choose_profile(B)
        cards = d.view.state.form.cards
        qtbot.mouseClick(cards.suggest, Qt.MouseButton.LeftButton)
        await until(lambda: d.model.launches.server.gpus, "the suggestion")
        assert (cards.devices.text(), cards.numa.value()) == ("4,6,5,7", 1)
        assert "PXB" in cards.why.text() and cards.why.isVisible()
        launch = d.model.launches.text("shell")
        assert "--cpunodebind=1" in launch and "CUDA_VISIBLE_DEVICES=4,6,5,7" in launch
        (state / "topology").write_text("GPU0\n")
        qtbot.mouseClick(cards.suggest, Qt.MouseButton.LeftButton)
        await until(lambda: "0 cards were seen" in cards.why.text(), "why not")


async def test_what_was_chosen_is_there_again_in_the_next_window(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        d.servers.add("ssh")
        d.model.launches.change(host="render-box")
        d.servers.choose("")
    async with desk(qtbot) as d:
        assert [row.partition(".")[0] for row in d.rows()] == ["Server 1", "Server 2"]
        assert "render-box" in d.rows()[1]
        assert d.model.kind == "rehearsal"


async def test_a_machine_without_a_name_is_asked_for_before_anything_starts(qtbot: QtBot) -> None:
    async with desk(qtbot) as d:
        told: list[str] = []
        d.bench.notices.posted.subscribe(lambda notice: told.append(notice.message.code))
        d.servers.add("ssh")
        d.model.choose_profile(A)
        d.model.launches.change(model_root="/srv/H3")
        d.model.start()
        assert told == ["ssh.no_host"]
        assert d.fleet.at("2").state is STOPPED


async def test_what_compose_asks_for_goes_to_the_server_that_has_its_task(qtbot: QtBot, tmp_path: Path) -> None:
    Image.new("RGB", (320, 320), "teal").save(tmp_path / "still.png")
    still = Reference(id="r1", path=tmp_path / "still.png", kind="image")
    async with a_window() as studio:
        studio.server.set_rehearsal_task("fl2va")
        studio.servers.add("rehearsal")
        studio.server.set_rehearsal_task("ref2va")
        shots = (small_shot(), small_shot(task="ref2va", references=(still,)))
        studio.compose.wishes.wished.emit(Wish(shots=shots))
        jobs = studio.queue.jobs
        await until(lambda: [job.state for job in jobs.jobs] == [JobState.WAITING] * 2, "both jobs to wait")
        by_task = {job.shot.task: job.target for job in studio.queue.jobs.jobs}
        assert {task: target.place for task, target in by_task.items()} == {"t2va": "", "ref2va": "2"}
        assert [target.label.text() for target in by_task.values()] == ["“Server 1”", "“Server 2”"]
