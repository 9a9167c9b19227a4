"""Thousands of jobs in the store: the list has the newest, and reads on as it is scrolled, to the very first."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from pytestqt.qtbot import QtBot

from studio.core import paths
from studio.jobs import Job, JobState
from studio.jobs.body import dump
from tests.helpers.jobs import bench, small_shot
from tests.helpers.waiting import until
from ui.queue import QueueModel, QueueWorkspace

S = JobState
_COUNT = 1100


def put_many(count: int) -> None:
    """So many jobs that have ended, the oldest of all waiting; written as one."""
    shot, rows = small_shot(), []
    for number in range(count):
        state = S.WAITING if number == 0 else S.DONE
        job = Job(id=f"j{number:05d}", created=1000.0 + number // 2, shot=shot, state=state, name=f"take {number}")
        rows.append((job.id, job.created, job.created, job.state, dump(job), number))
    with closing(sqlite3.connect(paths.data_dir() / "jobs.sqlite")) as db, db:
        db.executemany("INSERT INTO job(id,created,updated,state,body,position) VALUES (?,?,?,?,?,?)", rows)


async def test_nothing_is_cut_off(qtbot: QtBot) -> None:
    async with bench() as b:
        put_many(_COUNT)
        model = QueueModel(b.service, b.notices)
        view = QueueWorkspace(model)
        qtbot.addWidget(view)
        view.resize(1200, 680)
        view.show()
        model.load()
        await until(lambda: model.jobs.rowCount() > 1, "the first page")
        assert model.jobs.jobs[0].name == "take 0", "what waits is on top, however old it is"
        assert model.jobs.jobs[1].id == f"j{_COUNT - 2:05d}" and model.jobs.more_to_come
        assert [job.name for job in model.jobs.unfinished] == ["take 0"]
        first = model.jobs.rowCount()

        def scrolled_to_the_end() -> bool:
            view.list.scrollToBottom()
            return model.jobs.rowCount() == _COUNT

        assert first < _COUNT
        await until(scrolled_to_the_end, "the whole list")
        assert [job.id for job in model.jobs.jobs[1:]] == [job.id for job in b.store.all() if job.state is S.DONE]
        assert not model.jobs.more_to_come and model.jobs.row_of("j00001") == _COUNT - 1
        view.hide()
        await model.aclose()
