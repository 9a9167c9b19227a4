"""The Queue workspace on a real service, store and rehearsal server."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QTextDocument
from PySide6.QtWidgets import QLabel, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.core import words
from studio.jobs import Fault, Job, JobState, Progress, Target
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.waiting import until
from ui.queue import QueueModel, QueueWorkspace

S = JobState


@asynccontextmanager
async def queue(qtbot: QtBot, **options: float) -> AsyncIterator[tuple[Bench, QueueModel, QueueWorkspace]]:
    async with bench(**options) as b:  # type: ignore[arg-type]
        model = QueueModel(b.service, b.notices)
        view = QueueWorkspace(model)
        qtbot.addWidget(view)
        view.resize(1200, 680)
        view.show()
        model.load()
        try:
            yield b, model, view
        finally:
            view.hide()
            await model.aclose()


def a_job(state: JobState, **fields: object) -> Job:
    now = time.time()
    plain = {"id": "j1", "created": now - 400, "shot": small_shot(steps=50), "state": state, **fields}
    return Job.model_validate(plain)


def running(step: int, seconds: float) -> Job:
    since = time.time() - seconds
    progress = Progress(phase="denoise", fraction=step / 50, step=step, steps=50, seconds_per_step=1.9, since=since)
    return a_job(S.RUNNING, progress=progress, posted_at=since, remote_id="video_gen_x")


def shown_buttons(view: QWidget) -> set[str]:
    return {button.text() for button in view.findChildren(QPushButton) if button.isVisible()}


async def test_an_empty_queue_leads_to_compose(qtbot: QtBot) -> None:
    async with queue(qtbot) as (_, _model, view):
        assert view.empty.isVisible() and not view.list.isVisible()
        with qtbot.waitSignal(view.compose_requested):
            qtbot.mouseClick(view.empty.button, Qt.MouseButton.LeftButton)


async def test_a_render_is_followed_to_its_video(qtbot: QtBot, tmp_path: Path) -> None:
    async with queue(qtbot, step_seconds=0.1) as (b, model, view):
        job = await b.service.submit(small_shot(), Target(), out_dir=tmp_path / "out")
        await until(lambda: model.selected and model.selected.state is S.DONE, "the render")
        selected = model.selected
        assert selected is not None and selected.id == job.id
        await until(lambda: model.end(selected), "its changes")
        names = [stage.name for stage in model.stages(selected)]
        assert names[:3] == ["checking", "preparing", "waiting"] and names[-2:] == ["downloading", "verifying"]
        assert {"denoise", "decode"} <= set(names)
        samples = view.details.monitor.axis.timeline.samples
        assert [sample.step for sample in samples] == sorted({sample.step for sample in samples})
        assert samples[-1].step == 6
        assert "denoising" in view.details.monitor.axis.accessibleDescription()
        said = view.details.outcome.text()
        assert "107 frames · 4.45 s · 256×256 · 24 fps" in said and "Rehearsal" in said
        assert shown_buttons(view) == {"Show file", "Copy details"}
        qtbot.mouseClick(view.details.copy_button, Qt.MouseButton.LeftButton)
        copied = json.loads(QGuiApplication.clipboard().text())
        assert copied["id"] == job.id and copied["changes"][-1]["to"] == "done"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
async def test_the_legend_is_broken_between_stages_only(qtbot: QtBot, language: str) -> None:
    async with queue(qtbot) as (b, model, view):
        words.set_language(language)
        try:
            job = await b.service.submit(small_shot(), Target())
            await b.service.wait(job.id)
            await until(lambda: len(model.stages(b.live(job.id))) > 5, "its stages")
            (legend,) = [label for label in view.findChildren(QLabel) if "■" in label.text()]
            starts = {start for width in range(300, 700, 20) for start in line_starts(legend.text(), width)}
            assert starts == {"■", "i" if language == "en" else "共"}
        finally:
            words.set_language("en")


def line_starts(text: str, width: int) -> list[str]:
    """The first letter of each line of a rich text of that width."""
    document = QTextDocument()
    document.setHtml(text)
    document.setTextWidth(width)
    document.size()
    block, layout = document.firstBlock(), document.firstBlock().layout()
    return [block.text()[layout.lineAt(n).textStart()] for n in range(layout.lineCount())]


async def test_cancel_and_retry_call_through(qtbot: QtBot) -> None:
    async with queue(qtbot, step_seconds=0.2) as (b, model, view):
        job = await b.service.submit(small_shot(steps=100), Target())
        await until(lambda: model.selected and model.selected.progress.step, "the first step")
        assert shown_buttons(view) == {"Cancel", "Copy details"}
        qtbot.mouseClick(view.details.cancel_button, Qt.MouseButton.LeftButton)
        assert model.is_ending(job.id)
        assert view.details.line.text().startswith("Cancelling")
        await until(lambda: model.selected and model.selected.state is S.CANCELLED, "its end")
        await until(lambda: "as you asked; the GPU is free" in view.details.headline.text(), "its cause")
        assert shown_buttons(view) == {"Retry (same seed)", "Copy details"}
        qtbot.mouseClick(view.details.retry_button, Qt.MouseButton.LeftButton)
        await until(lambda: model.selected and model.selected.state is S.RUNNING, "the second attempt")
        assert model.selected is not None and model.selected.shot.seed == 7
        await b.service.cancel(job.id)


async def test_cancelling_long_work_asks_and_names_what_is_lost(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, view):
        b.service.changed.emit(running(27, 7800))
        await until(lambda: model.selected, "the job")
        qtbot.mouseClick(view.details.cancel_button, Qt.MouseButton.LeftButton)
        box = view.findChild(QMessageBox)
        assert box is not None and "step 27 of 50, 2 h 10 min of work" in box.informativeText()
        qtbot.keyClick(box, Qt.Key.Key_Escape)
        assert not model.is_ending("j1")


async def test_a_running_job_says_how_far_and_until_when(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, view):
        heard: list[Job | None] = []
        model.running_changed.connect(heard.append)
        for step in (25, 26, 27):
            b.service.changed.emit(running(step, 60))
        await until(lambda: heard, "news")
        job = model.selected
        assert job is not None and heard[-1] == job
        assert model.progress_line(job).startswith("step 27/50 · 1.9 s/step · done ")
        assert len(heard) == 1, "three values in one moment are shown once"
        await until(lambda: view.details.monitor.axis.timeline.left, "the plot")
        left = view.details.monitor.axis.timeline.left
        assert left is not None and left[0] < left[1]
        assert view.details.monitor.axis.shown[1] >= view.details.monitor.axis.timeline.now


async def test_a_failure_says_what_to_do(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, view):
        fault = Fault(code="job.out_of_memory", mend="job.out_of_memory.mend", params={"said": "tried 12 GiB"})
        b.service.changed.emit(a_job(S.FAILED, fault=fault))
        await until(lambda: model.selected, "the job")
        said = view.details.outcome.text()
        assert "tried 12 GiB" in said and "choose a smaller canvas" in said
        assert "Retry (same seed)" in shown_buttons(view)


async def test_findings_are_shown_in_the_present_language(qtbot: QtBot) -> None:
    async with queue(qtbot) as (b, model, view):
        plain = {"code": "crash", "severity": "error", "subject": "r1", "message": "old words", "params": {}}
        b.service.changed.emit(a_job(S.FAILED, findings=(plain,), fault=Fault(code="job.findings")))
        await until(lambda: model.selected, "the job")
        assert "Something went wrong" in view.details.outcome.text()
        assert "old words" not in view.details.outcome.text()


async def test_a_result_opens_beside_its_source_unless_it_is_gone(qtbot: QtBot, tmp_path: Path) -> None:
    clip = {"id": "r1", "path": str(tmp_path / "clip.mp4"), "kind": "video"}
    video = tmp_path / "done.mp4"
    async with queue(qtbot) as (b, model, view):
        shot = small_shot(task="ref2va").but(references=(clip,))
        b.service.changed.emit(a_job(S.DONE, video=video).model_copy(update={"shot": shot}))
        await until(lambda: model.selected, "the job")
        asked: list[Job] = []
        model.compare_requested.connect(asked.append)
        qtbot.mouseClick(view.details.compare_button, Qt.MouseButton.LeftButton)
        assert not asked
        assert b.notices.recent[-1].message.code == "queue.file_gone"
        video.touch()
        view.list.setFocus()
        qtbot.keyClick(view.list, Qt.Key.Key_Return)
        assert [job.id for job in asked] == ["j1"]


async def test_jobs_of_earlier_starts_are_there_and_can_be_walked_by_keys(qtbot: QtBot) -> None:
    async with bench() as b:
        for n in range(3):
            b.store.add(Job(id=f"j{n}", created=float(n), shot=small_shot()))
        model = QueueModel(b.service, b.notices)
        view = QueueWorkspace(model)
        qtbot.addWidget(view)
        view.show()
        model.load()
        await until(lambda: model.jobs.rowCount() == 3, "the stored jobs")
        assert model.selected is not None and model.selected.id == "j0"
        view.list.setFocus()
        qtbot.keyClick(view.list, Qt.Key.Key_Down)
        assert model.selected.id == "j1"
        view.hide()
        await model.aclose()


@pytest.fixture(params=[S.RUNNING, S.FAILED, S.DONE])
def some_job(request: pytest.FixtureRequest) -> Iterator[Job]:
    yield a_job(request.param, video=Path("/gone.mp4") if request.param is S.DONE else None)


async def test_every_control_has_a_name(qtbot: QtBot, some_job: Job) -> None:
    async with queue(qtbot) as (b, model, view):
        b.service.changed.emit(some_job)
        await until(lambda: model.selected, "the job")
        for widget in view.findChildren(QWidget):
            if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisibleTo(view):
                interface = QAccessible.queryAccessibleInterface(widget)
                assert interface.text(QAccessible.Text.Name), widget
