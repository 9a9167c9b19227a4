"""The whole window as a person uses it: from a dropped clip to a compared render, and every way out."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton

from studio.contract import Canvas
from studio.core import words
from studio.core.notices import Notices
from studio.jobs import Job, JobState
from studio.server import ServerState, records
from studio.settings import SettingsStore
from tests.helpers.jobs import small_shot
from tests.helpers.media_factory import clicks, write_clip
from tests.helpers.waiting import until, until_now
from ui.hand import Hand
from ui.studio import Studio
from ui.theme import palette
from ui.theme.language import follow_language


def test_bindings_do_not_eat_none(qapp: QApplication) -> None:
    """PySide6 6.12.0 on Python 3.11 drops a reference to None at every call, and the interpreter dies of it."""
    before = sys.getrefcount(None)
    for _ in range(5000):
        qapp.processEvents()
    assert sys.getrefcount(None) > before - 2500  # garbage takes some hundreds along


@pytest.fixture(autouse=True)
def no_servers_left(own_home: Path) -> Iterator[None]:
    yield
    for record in records.living():
        record.process.kill_group()
        until_now(lambda record=record: not record.process.alive(), "the server to end")


@asynccontextmanager
async def a_studio(*, server: bool = True, step_seconds: float = 0.02) -> AsyncIterator[tuple[Studio, Hand]]:
    settings = SettingsStore()
    settings.update(server=settings.present.server.model_copy(update={"rehearsal_step_seconds": step_seconds}))
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    palette.apply(app, "dark")
    forget = follow_language(app)
    studio = Studio(settings, Notices())
    hand = Hand(studio.window, studio.notices)
    try:
        await studio.start(None, with_server=server)
        if server:
            await hand.until(lambda: studio.manager.status.state is ServerState.READY, "the server")
        yield studio, hand
    finally:
        forget()
        await studio.aclose()


def the_job(studio: Studio) -> Job:
    return studio.queue.jobs.jobs[0]


async def render_small(studio: Studio, hand: Hand, steps: int = 6) -> None:
    """Put a quick shot on the table and press Render."""
    studio.compose.edit(small_shot(steps=steps, canvas=Canvas(width=256, height=256)), "edit.open")
    hand.click("Render")
    await hand.until(lambda: bool(studio.queue.jobs.jobs), "the job")


async def test_from_a_dropped_clip_to_a_compared_render(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", frames=150, fps=30, size=(256, 256), sound=clicks(5.0))
    async with a_studio() as (studio, hand):
        hand.drop("Add files…", [clip])
        await hand.until(lambda: bool(studio.compose.facts), "the clip to be read")
        hand.write("Prompt", "Make <Video 1> a rainy night")
        hand.write("Steps", "4", replace=True)
        await hand.until(lambda: studio.compose.shot.steps == 4, "the steps")
        ref_id = studio.compose.shot.references[0].id
        assert studio.compose.shot.prompt == f"Make @{{{ref_id}}} a rainy night"
        hand.click("Render")
        await hand.until(lambda: studio.window.workspace == "go.compare", "the result", within=90)
        await hand.until(lambda: the_job(studio).state is JobState.DONE, "the queue to show it")
        verified = the_job(studio).verified
        assert verified is not None and verified["frames"] == 124
        await hand.until(lambda: studio.compare.comparison is not None, "the measures", within=60)
        assert studio.compare.comparison is not None
        assert studio.compare.comparison.verdict not in ("identical", "re-encode")
        hand.key("Picture A*", Qt.Key.Key_3)
        assert studio.compare.mode == "difference"


async def test_render_without_a_server_waits_for_one() -> None:
    async with a_studio(server=False) as (studio, hand):
        await render_small(studio, hand)
        await hand.until(lambda: the_job(studio).state is JobState.WAITING, "the job to wait")
        assert hand.there("Start server*")
        hand.click("Start server*")
        await hand.until(lambda: the_job(studio).state is JobState.DONE, "the video", within=60)


async def test_closing_with_nothing_running_stops_the_rehearsal_server() -> None:
    async with a_studio() as (studio, _hand):
        ended: list[bool] = []
        studio.ended.connect(lambda: ended.append(True))
        studio.window.close()
        await until(lambda: ended, "the way out")
    assert not records.living()


async def test_closing_keeps_a_running_render_and_the_next_window_has_it() -> None:
    async with a_studio(step_seconds=0.2) as (studio, hand):
        await render_small(studio, hand, steps=15)
        await hand.until(lambda: bool(the_job(studio).progress.step), "the first step")
        ended: list[bool] = []
        studio.ended.connect(lambda: ended.append(True))
        studio.window.close()
        question = studio.window.findChild(QMessageBox)
        assert question is not None and question.defaultButton().text() == "Keep rendering"
        question.defaultButton().click()
        await until(lambda: ended, "the way out")
        server = studio.manager.status.record
    assert server is not None and server.process.alive()
    # The next window of a dead studio; in one process the starter must be made to look dead.
    records.load(server.id).model_copy(update={"starter": {**server.starter, "pid": 2**22 + 1}}).save()  # type: ignore[union-attr]
    async with a_studio(server=False) as (studio, hand):
        assert studio.manager.status.state is ServerState.READY
        await hand.until(lambda: bool(studio.queue.jobs.jobs), "the queue to be read")
        await hand.until(lambda: the_job(studio).state is JobState.DONE, "the video", within=60)
        assert len(studio.queue.jobs.jobs) == 1


async def test_stop_now_asks_nothing_more_and_ends_both() -> None:
    async with a_studio(step_seconds=0.3) as (studio, hand):
        await render_small(studio, hand, steps=60)
        await hand.until(lambda: bool(the_job(studio).progress.step), "the first step")
        ended: list[bool] = []
        studio.ended.connect(lambda: ended.append(True))
        studio.window.close()
        question = studio.window.findChild(QMessageBox)
        assert question is not None
        next(b for b in question.findChildren(QPushButton) if b.text() == "Stop now").click()
        await until(lambda: ended, "the way out")
        assert (await studio.jobs.get(the_job(studio).id)).state is JobState.CANCELLED
    assert not records.living()


async def test_the_language_changes_under_the_window() -> None:
    async with a_studio(server=False) as (_studio, hand):
        words.set_language("zh_CN")
        await hand.until(
            lambda: hand.there("创作") and hand.there("服务器") and hand.there("服务器：无服务器"), "Chinese"
        )
        assert not hand.there("Compose")
        words.set_language("en")
        await hand.until(lambda: hand.there("Compose"), "English")
        assert not hand.there("创作")


async def test_keys_go_to_workspaces_and_letters_stay_letters() -> None:
    async with a_studio(server=False) as (studio, hand):
        hand.write("Prompt", "w123[]\\ jkl,./ zt io")
        assert studio.compose.shot.prompt == "w123[]\\ jkl,./ zt io"
        hand.key("Prompt", Qt.Key.Key_QuoteDbl)
        for action in studio.window.actions_shown:
            studio.window.go(action)
            assert studio.window.workspace == action
