"""What was recorded of a render is shown while it runs, after it, and behind the next one of the same shape."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from studio.jobs import JobState, Target
from tests.helpers.jobs import bench, small_shot
from tests.helpers.waiting import until
from ui.queue import QueueModel, QueueWorkspace

S = JobState


async def test_a_render_is_seen_live_and_again_with_the_last_one_behind_it(qtbot: QtBot, tmp_path: Path) -> None:
    async with bench(step_seconds=0.15) as b:
        model = QueueModel(b.service, b.notices)
        view = QueueWorkspace(model)
        qtbot.addWidget(view)
        view.resize(1200, 680)
        view.show()
        model.load()
        first = await b.service.submit(small_shot(steps=8), Target(), out_dir=tmp_path)
        axis = view.details.monitor.axis
        await until(lambda: axis.timeline.recording and axis.timeline.recording.tracks, "the cards of the running job")
        live = axis.timeline.recording
        assert axis.timeline.ghost is None
        first = await b.service.wait(first.id)
        assert first.state is S.DONE, first.fault
        await until(lambda: axis.timeline.recording not in (None, live), "its recording, from the file")
        shown = axis.timeline.recording
        assert shown is not None and shown.peak is not None and [mark.step for mark in shown.steps] == list(range(9))
        assert "GPU 0: peak" in axis.accessibleDescription()
        second = await b.service.submit(small_shot(steps=8, seed=8), Target(), out_dir=tmp_path)
        model.select(second.id)
        await until(lambda: axis.timeline.ghost is not None, "the last run of the same shape")
        assert axis.timeline.ghost is not None and len(axis.timeline.ghost.steps) == 9
        await b.service.wait(second.id)
        picture = tmp_path / "render.png"
        view.details.monitor.export_requested.emit(picture)
        await until(picture.exists, "the picture")
        await until(lambda: b.notices.recent and b.notices.recent[-1].message.code == "queue.picture_saved", "the news")
        view.hide()
        await model.aclose()
