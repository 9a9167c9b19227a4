"""The list of jobs as a model, and the stages of a job on its axis."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from studio.jobs import Job, JobState, JobStore, Progress
from studio.jobs.telling import progress_line
from tests.helpers.jobs import small_shot
from ui.queue.axis import TimeAxis, elapsed
from ui.queue.model import JobListModel, LineRole, readable_prompt
from ui.queue.stages import ended, stages
from ui.queue.trace import Trace

S = JobState


def a_job(job_id: str, created: float, **fields: object) -> Job:
    return Job.model_validate({"id": job_id, "created": created, "shot": small_shot(), **fields})


def test_the_model_is_sound_and_newest_first(qtbot: object) -> None:
    model = JobListModel(progress_line)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for job_id, created in (("b", 2.0), ("a", 1.0), ("d", 4.0), ("c", 3.0)):
        model.put(a_job(job_id, created))
    assert [job.id for job in model.jobs] == ["d", "c", "b", "a"]
    model.put(a_job("b", 2.0, state=S.WAITING))
    assert model.rowCount() == 4
    index = model.index(2)
    assert index.data(LineRole) == "waiting for server"
    assert index.data(Qt.ItemDataRole.UserRole).state is S.WAITING
    assert index.data() == "a red kite over the sea, waiting for server"
    model.refresh()
    tester.deleteLater()


def test_only_a_row_that_changed_is_painted_again(qtbot: object) -> None:
    model = JobListModel(progress_line)
    rows: list[int] = []
    model.dataChanged.connect(lambda first, last, _roles: rows.append(first.row()))
    model.put(a_job("a", 1.0))
    model.put(a_job("b", 2.0))
    model.put(a_job("a", 1.0))
    assert rows == []
    model.put(a_job("a", 1.0, state=S.DONE))
    assert rows == [1]


def test_a_prompt_is_shown_without_ids() -> None:
    shot = small_shot(task="ref2va", prompt="keep @{r1}, drop @{gone}").but(
        references=({"id": "r1", "path": "/clips/boat.mp4", "kind": "video"},)
    )
    assert readable_prompt(a_job("a", 1.0).model_copy(update={"shot": shot})) == "keep <boat.mp4>, drop "
    assert readable_prompt(a_job("a", 1.0, wire=(("prompt", "keep <Video 1>"),))) == "keep <Video 1>"


def whole_way(store: JobStore, *states: JobState) -> Job:
    job = store.add(a_job("j", time.time()))
    for state in states:
        job = store.move(job, state, "x", "user")
    return job


def test_stages_follow_one_another_without_gaps_and_a_retry_begins_anew() -> None:
    store = JobStore()
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


def test_a_render_whose_phases_nobody_saw_is_one_band() -> None:
    store = JobStore()
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
    assert left is not None and 96.0 <= left[0] < left[1]
    trace.feed(a_job("a", 1.0, state=S.CHECKING), 0.0, 0.0)
    assert not trace.samples and not trace.phases


def test_the_axis_maps_times_to_pixels_and_keeps_its_labels_apart() -> None:
    axis = TimeAxis(1000.0, 1120.0, 10, 610)
    assert (axis.x(1000.0), axis.x(1060.0), axis.x(1120.0)) == (10, 310, 610)
    assert axis.x(0.0) == 10 and axis.x(9999.0) == 610
    ticks = axis.ticks(80)
    assert ticks[0] == 0 and ticks[-1] <= 120
    assert all((b - a) * axis.scale >= 80 for a, b in pairwise(ticks))
    assert TimeAxis(5.0, 5.0, 0, 100).x(5.0) == 0


@pytest.mark.parametrize(
    ("seconds", "label"), [(0, "0:00"), (0.5, "0:00.5"), (75, "1:15"), (3600, "1:00:00"), (7325, "2:02:05")]
)
def test_tick_labels(seconds: float, label: str) -> None:
    assert elapsed(seconds) == label
