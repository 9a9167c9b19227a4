"""The list of jobs as a model, and the stages of a job on its axis."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from studio.jobs import Job, JobState, JobStore, Progress
from studio.jobs.telling import progress_line
from tests.helpers.jobs import small_shot
from ui.queue.axis import elapsed, ticks
from ui.queue.model import JobListModel, LineRole
from ui.queue.stages import ended, stages
from ui.queue.trace import Trace

S = JobState


def a_job(job_id: str, created: float, **fields: object) -> Job:
    return Job.model_validate({"id": job_id, "created": created, "shot": small_shot(), **fields})


def test_what_is_on_its_way_stands_in_the_order_of_the_queue_and_above_what_has_ended(qtbot: object) -> None:
    model = JobListModel(progress_line, lambda _: None)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for job_id, place in (("b", 2), ("a", 1), ("d", 4), ("c", 3)):
        model.put(a_job(job_id, float(place), position=place))
    assert [job.id for job in model.jobs] == ["a", "b", "c", "d"]
    model.put(a_job("a", 1.0, position=1, state=S.DONE))
    model.put(a_job("d", 4.0, position=4, state=S.FAILED))
    assert [job.id for job in model.jobs] == ["b", "c", "d", "a"], "the newest end first"
    model.put(a_job("c", 3.0, position=3, state=S.RUNNING))
    assert [job.id for job in model.jobs] == ["c", "b", "d", "a"], "what runs stands on top"
    model.put(a_job("b", 2.0, position=2, state=S.WAITING))
    assert model.rowCount() == 4
    index = model.index(1)
    assert index.data(LineRole) == "waiting for server"
    assert index.data(Qt.ItemDataRole.UserRole).state is S.WAITING
    assert index.data() == "a red kite over the sea, waiting for server"
    model.refresh()
    tester.deleteLater()


def test_only_a_row_that_changed_is_painted_again(qtbot: object) -> None:
    model = JobListModel(progress_line, lambda _: None)
    rows: list[int] = []
    model.dataChanged.connect(lambda first, last, _roles: rows.append(first.row()))
    model.put(a_job("a", 1.0))
    model.put(a_job("b", 2.0))
    model.put(a_job("a", 1.0))
    assert rows == []
    model.put(a_job("a", 1.0, state=S.DONE))
    assert rows == [1]


def test_older_jobs_come_behind_the_others_and_none_twice(qtbot: QtBot) -> None:
    model = JobListModel(progress_line, lambda _: None)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.fill([a_job("b", 3.0, state=S.DONE), a_job("a", 1.0)], more_to_come=True)
    assert [job.id for job in model.unfinished] == ["a"]
    with qtbot.waitSignal(model.more_wanted):
        model.fetchMore(QModelIndex())
    model.append([a_job("b", 3.0, state=S.DONE), a_job("c", 2.0, state=S.FAILED)], more_to_come=True)
    model.put(a_job("e", 0.5, state=S.DONE))
    model.append([a_job("d", 0.7, state=S.DONE), a_job("e", 0.5, state=S.DONE)], more_to_come=False)
    assert [job.id for job in model.jobs] == ["a", "b", "c", "d", "e"]
    assert [model.row_of(job.id) for job in model.jobs] == [0, 1, 2, 3, 4]
    assert not model.canFetchMore(QModelIndex()) and model.row_of("nobody") is None
    tester.deleteLater()


def test_a_prompt_is_shown_without_ids() -> None:
    files = (("r1", "boat.mp4", "video"), ("r2", "coat.png", "image"), ("r3", "hat.png", "image"))
    shot = small_shot(task="ref2va", prompt="keep @{r1}, drop @{gone}, wear @{r3}, hear @{r1:sound} and @{r4}").but(
        references=(
            *({"id": ref_id, "path": f"/clips/{name}", "kind": kind} for ref_id, name, kind in files),
            {"id": "r4", "path": "/clips/rain.wav", "kind": "audio"},
        )
    )
    waiting = a_job("a", 1.0).model_copy(update={"shot": shot})
    assert waiting.prompt == "keep <Video 1>, drop , wear <Picture 2>, hear <boat.mp4> and <rain.wav>"
    assert a_job("a", 1.0, wire=(("prompt", "keep <Video 1>"),)).prompt == "keep <Video 1>"


@pytest.fixture
def store() -> Iterator[JobStore]:
    with closing(JobStore()) as made:
        yield made


def whole_way(store: JobStore, *states: JobState) -> Job:
    job = store.add(a_job("j", time.time()))
    for state in states:
        job = store.move(job, state, "x", "user")
    return job


def test_stages_follow_one_another_without_gaps_and_a_retry_begins_anew(store: JobStore) -> None:
    job = whole_way(store, S.CHECKING, S.PREPARING, S.CANCELLED, S.CHECKING, S.PREPARING, S.WAITING, S.UPLOADING)
    job = store.move(store.move(job, S.QUEUED, "x"), S.RUNNING, "x")
    changes = store.changes("j")
    running = next(c["at"] for c in changes if c["to"] == "running")
    phases = [("prepare", running), ("denoise", running + 5), ("decode", running + 30)]
    found = stages(job, changes, phases, running + 40)
    assert [stage.name for stage in found] == [
        *("checking", "preparing", "waiting", "uploading", "queued"),
        *("prepare", "denoise", "decode"),
    ]
    assert all(a.end == pytest.approx(b.start) for a, b in pairwise(found))
    assert [round(stage.seconds) for stage in found[-3:]] == [5, 25, 10]
    assert [stage.text() for stage in found[-3:]] == ["reading references", "denoising", "decoding"]
    assert ended(changes) is None
    store.move(job, S.FAILED, "broke", "server")
    end = ended(store.changes("j"))
    assert end is not None and (end["cause"], end["who"]) == ("broke", "server")


def test_a_render_whose_phases_nobody_saw_is_one_band(store: JobStore) -> None:
    job = whole_way(store, S.CHECKING, S.PREPARING, S.WAITING, S.UPLOADING, S.QUEUED, S.RUNNING, S.DOWNLOADING)
    assert [s.name for s in stages(job, store.changes("j"), (), time.time())][-2:] == ["running", "downloading"]


def test_a_trace_keeps_each_step_once_and_forgets_an_earlier_attempt() -> None:
    trace = Trace()
    for n in (0, 1, 1, 2):
        progress = Progress(phase="denoise", step=n, steps=50, seconds_per_step=2.0, since=10.0)
        job = a_job("a", 1.0, state=S.RUNNING, progress=progress)
        trace.feed(job, 100.0 + 2 * n, 1000.0 + 2 * n)
    assert [sample.step for sample in trace.samples] == [0, 1, 2]
    assert trace.phases == [("denoise", 10.0)]
    left = trace.left(job, 104.0)
    assert left is not None and left[0] <= 96.0 < left[1]
    trace.feed(a_job("a", 1.0, state=S.CHECKING), 0.0, 0.0)
    assert not trace.samples and not trace.phases


@pytest.mark.parametrize("seconds", [0.0, 3.0, 120.0, 3600.0, 14 * 86400.0])
def test_ticks_are_at_round_times_and_keep_their_labels_apart(seconds: float) -> None:
    step, places = ticks(0.0, seconds, 600)
    assert places[0] == 0 and places[-1] <= max(seconds, 1e-3)
    assert all(place % step == 0 for place in places)
    assert step * 600 / max(seconds, 1e-3) >= 80


def test_ticks_of_a_part_are_those_of_the_whole() -> None:
    step, places = ticks(61.0, 119.0, 600)
    assert step == 10 and places == [70, 80, 90, 100, 110]


@pytest.mark.parametrize(
    ("seconds", "label"), [(0, "0:00"), (0.5, "0:00.5"), (75, "1:15"), (3600, "1:00:00"), (7325, "2:02:05")]
)
def test_tick_labels(seconds: float, label: str) -> None:
    assert elapsed(seconds) == label
