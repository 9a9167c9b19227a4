"""What the queue asks of the rest of the window: its server's restart and end, another shot in Compose."""

from __future__ import annotations

from pathlib import Path

import httpx
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from studio.jobs import Job, JobState
from studio.server import ServerState
from tests.helpers.jobs import small_shot
from tests.helpers.waiting import until
from tests.helpers.window import a_window
from ui.compose.wishes import Wish
from ui.hand import Hand
from ui.queue import QueueWorkspace
from ui.queue.menu import fill
from ui.studio import Studio
from ui.widgets.act_button import Act

S, Server = JobState, ServerState


async def start_server(studio: Studio, step_seconds: float = 0.02) -> None:
    studio.server.set_step_seconds(step_seconds)
    studio.server.start()
    await until(lambda: studio.manager.status.state is Server.READY, "the server")


async def order(studio: Studio, *faults: str) -> None:
    async with httpx.AsyncClient(base_url=studio.manager.status.url or "") as http:
        (await http.put("/_rehearsal/faults", json={"faults": list(faults)})).raise_for_status()


async def wish(studio: Studio, **changes: object) -> str:
    """Order a small render as Compose does; its id, once the queue shows it."""
    known = {job.id for job in studio.queue.jobs.jobs}
    studio.compose.wishes.wished.emit(Wish(shots=(small_shot(**changes),)))
    await until(lambda: {job.id for job in studio.queue.jobs.jobs} - known, "the job")
    return next(job.id for job in studio.queue.jobs.jobs if job.id not in known)


def page(studio: Studio) -> QueueWorkspace:
    made = studio.window.page("go.queue")
    assert isinstance(made, QueueWorkspace)
    return made


def trigger(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if action.text() == text).trigger()


def job_of(studio: Studio, job_id: str) -> Job:
    found = studio.queue.jobs.get(job_id)
    assert found is not None
    return found


async def ends(studio: Studio, job_id: str, state: JobState) -> None:
    await until(lambda: job_of(studio, job_id).state.finished, f"{job_id} to end")
    assert job_of(studio, job_id).state is state, job_of(studio, job_id).fault


async def test_a_dead_engine_is_restarted_from_the_queue(qtbot: QtBot) -> None:
    async with a_window() as studio:
        await start_server(studio)
        await order(studio, "engine_death=engine is dead@1")
        dead = studio.manager.status.record
        failed = await wish(studio)
        await ends(studio, failed, S.FAILED)
        await until(lambda: page(studio).bar.restart_button.isVisible(), "the offer")
        held = await wish(studio, seed=8)
        await until(lambda: job_of(studio, held).state is S.WAITING, "the next to be held")
        Hand(studio.window).click("Restart server")
        await ends(studio, held, S.DONE)
        present = studio.manager.status.record
        assert dead is not None and present is not None and present.id != dead.id
        assert not dead.process.alive() and not studio.queue.control.paused


async def test_the_server_ends_with_the_queue_if_that_is_wanted(qtbot: QtBot) -> None:
    async with a_window() as studio:
        await start_server(studio)
        studio.window.go("go.queue")
        first = await wish(studio)
        await ends(studio, first, S.DONE)
        menu = QMenu()
        page(studio).bar._fill(menu)
        trigger(menu, "Stop the server when the queue is empty")
        jobs = [await wish(studio, seed=seed) for seed in (8, 9)]
        await until(lambda: studio.manager.status.state is Server.STOPPED, "the server to end")
        assert [job_of(studio, job).state for job in jobs] == [S.DONE, S.DONE]


async def test_a_job_is_duplicated_into_compose(qtbot: QtBot) -> None:
    async with a_window() as studio:
        job = job_of(studio, await wish(studio, prompt="two lanterns", seed=41, steps=9))
        menu = QMenu()
        fill(menu, studio.queue, job)
        trigger(menu, "Duplicate and change…")
        assert studio.window.workspace == "go.compose"
        shot = studio.compose.shot
        assert (shot.prompt, shot.seed, shot.steps) == ("two lanterns", 41, 9)
        assert len(studio.queue.jobs.jobs) == 1, "nothing is rendered before it was changed"


async def test_stopping_after_a_render_holds_while_another_server_is_in_view(qtbot: QtBot, tmp_path: Path) -> None:
    async with a_window() as studio:
        await start_server(studio, step_seconds=0.1)
        job = await wish(studio, steps=20)
        await until(lambda: job_of(studio, job).state is S.RUNNING, "the render")
        assert studio.server.act is Act.STOP_AFTER
        studio.server.perform(Act.STOP_AFTER)
        studio.servers.add("rehearsal")
        assert studio.server.act is Act.START, "the second server is another matter"
        studio.servers.choose("")
        assert studio.server.act is Act.KEEP
        studio.servers.choose("2")
        await ends(studio, job, S.DONE)
        await until(lambda: studio.manager.status.state is Server.STOPPED, "the first server to stop")
        assert studio.server.status.state is Server.STOPPED and studio.servers.chosen == "2"
