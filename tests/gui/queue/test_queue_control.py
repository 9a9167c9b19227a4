"""The queue as a whole: its order by drag and keys, its pauses, seeds and smokes, what it does beside."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QInputDialog, QMenu
from pytestqt.qtbot import QtBot

from studio.jobs import Job, JobState, Target
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.waiting import until
from ui.queue import QueueModel, QueueWorkspace
from ui.queue.menu import fill

S = JobState


@asynccontextmanager
async def queue(qtbot: QtBot) -> AsyncIterator[tuple[Bench, QueueModel, QueueWorkspace]]:
    """A paused queue of three jobs that are ready: a, b and c by their names."""
    async with bench(take_over=True) as b:
        await b.service.pause()
        for name in "abc":
            await b.service.submit(small_shot(), Target(), name=name)
        model = QueueModel(b.service, b.notices)
        view = QueueWorkspace(model)
        qtbot.addWidget(view)
        view.resize(1200, 680)
        with qtbot.waitActive(view):
            view.show()
        model.load()
        await until(lambda: [job.state for job in model.jobs.jobs] == [S.WAITING] * 3, "the jobs")
        try:
            yield b, model, view
        finally:
            view.hide()
            await model.aclose()


def names(model: QueueModel) -> str:
    return "".join(job.name for job in model.jobs.jobs if not job.state.finished)


async def test_keys_change_the_order(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, view):
        model.select(model.jobs.jobs[2].id)
        view.list.setFocus()
        moved = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        qtbot.keyClick(view.list, Qt.Key.Key_Up, moved)
        await until(lambda: names(model) == "acb", "c before b")
        qtbot.keyClick(view.list, Qt.Key.Key_Up, moved)
        await until(lambda: names(model) == "cab", "c first")
        qtbot.keyClick(view.list, Qt.Key.Key_Up, moved)
        qtbot.keyClick(view.list, Qt.Key.Key_Down, moved)
        await until(lambda: names(model) == "acb", "c second")
        assert "".join(job.name for job in b.store.unfinished()) == "acb"
        assert model.selected is not None and model.selected.name == "c", "the same job stays selected"


async def test_a_dragged_row_goes_where_it_is_dropped(qtbot: QtBot) -> None:
    async with queue(qtbot) as (_b, model, _view):
        mime = model.jobs.mimeData([model.jobs.index(0)])
        model.jobs.dropMimeData(mime, Qt.DropAction.MoveAction, 3, 0, QModelIndex())
        await until(lambda: names(model) == "bca", "a last")
        mime = model.jobs.mimeData([model.jobs.index(2)])
        model.jobs.dropMimeData(mime, Qt.DropAction.MoveAction, 1, 0, QModelIndex())
        await until(lambda: names(model) == "bac", "a second")


async def test_what_was_sent_is_not_dragged(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, _view):
        running = Job(id="r", created=time.time(), shot=small_shot(), state=S.RUNNING)
        b.service.changed.emit(running)
        await until(lambda: model.jobs.get("r"), "the running job")
        assert model.jobs.row_of("r") == 0
        assert not model.jobs.flags(model.jobs.index(0)) & Qt.ItemFlag.ItemIsDragEnabled
        assert model.jobs.flags(model.jobs.index(1)) & Qt.ItemFlag.ItemIsDragEnabled


async def test_a_pause_says_so_and_is_taken_back(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, view):
        assert view.bar.banner.isVisible() and "what runs goes on" in model.control.why_paused()
        assert view.bar.summary.text() == "3 to render"
        assert model.progress_line(model.jobs.jobs[0]) == "waiting: the queue is paused"
        assert not view.bar.restart_button.isVisible()
        qtbot.mouseClick(view.bar.go_on_button, Qt.MouseButton.LeftButton)
        await until(lambda: not view.bar.banner.isVisible(), "the banner to go")
        await until(lambda: all(job.state is S.DONE for job in model.jobs.jobs), "all three", within=120)
        assert view.bar.summary.text() == "Nothing to render"
        await until(lambda: b.store.pauses() == {}, "the store to know")


async def test_a_server_that_fails_twice_is_offered_a_restart(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, view):
        b.service.tools.lanes.learn({}, {"rehearsal": "job.out_of_memory"})
        assert view.bar.restart_button.isVisible()
        assert "out of GPU memory" in model.control.why_paused()
        asked: list[str] = []
        model.control.restart_requested.connect(asked.append)
        qtbot.mouseClick(view.bar.restart_button, Qt.MouseButton.LeftButton)
        assert asked == ["rehearsal"]
        await until(lambda: "rehearsal" not in b.service.tools.lanes.paused, "it to go on")


def entries(model: QueueModel, job: Job) -> list[str]:
    menu = QMenu()
    fill(menu, model, job)
    return [action.text() for action in menu.actions() if not action.isSeparator()]


async def test_the_menu_offers_what_makes_sense(qtbot: QtBot) -> None:
    async with queue(qtbot) as (_b, model, _view):
        waiting = model.jobs.jobs[0]
        always = ["Duplicate and change…", "Render more seeds", "Smoke this shape"]
        assert entries(model, waiting) == ["Earlier", "Later", *always, "Cancel"]
        failed = waiting.model_copy(update={"id": "f", "state": S.FAILED})
        assert entries(model, failed) == ["Retry (same seed)", *always]
        elsewhere = Job(
            id="e", created=0.0, shot=small_shot(), state=S.WAITING, target=Target(kind="profile", name="x")
        )
        model.jobs.put(elsewhere)
        assert "Render on the rehearsal server instead" in entries(model, elsewhere)


async def test_seeds_and_smokes_come_as_one_batch(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, _view):
        first = model.jobs.jobs[0]
        model.control.more_seeds(first, 2)
        model.control.smoke(first)
        await until(lambda: len(b.store.unfinished()) == 6, "three more")
        new = [job for job in b.store.unfinished() if job.batch == first.id]
        assert sorted(job.purpose for job in new) == ["render", "render", "smoke"]
        assert len({job.shot.seed for job in new if job.purpose == "render"} | {first.shot.seed}) == 3


async def test_options_are_kept(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, view):
        menu = QMenu()
        view.bar._fill(menu)
        by_text = {action.text(): action for action in menu.actions()}
        by_text["Stop the server when the queue is empty"].trigger()
        assert b.service.tools.settings.present.queue.stop_server_when_empty
        by_text["Tell an address when a render has ended…"].trigger()
        dialog = view.findChild(QInputDialog)
        assert dialog is not None
        dialog.setTextValue(" http://127.0.0.1:9/x ")
        dialog.accept()
        assert model.control.options.post_url == "http://127.0.0.1:9/x"
        model.control.set_post_address("ftp://elsewhere")
        assert b.notices.recent[-1].message.code == "settings.bad_address"
        assert model.control.options.post_url == "http://127.0.0.1:9/x"
        model.control.set_post_address("")
        assert model.control.options.post_url is None
