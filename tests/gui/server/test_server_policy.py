"""What is sensible to do about the server, in every state."""

from __future__ import annotations

import time

import pytest

from studio.jobs import Job, JobState, Progress
from studio.server import ServerState, ServerStatus
from tests.helpers.jobs import small_shot
from ui.server import policy
from ui.widgets.act_button import Act

S, Server = JobState, ServerState
URL = "http://127.0.0.1:8000"
OURS = ServerStatus(Server.READY, url=URL, ours=True, rehearsal=True)


def a_job(job_id: str, state: JobState, url: str = URL, **fields: object) -> Job:
    plain = {"id": job_id, "created": float(job_id), "shot": small_shot(), "state": state, "server": {"url": url}}
    return Job.model_validate(plain | fields)


@pytest.mark.parametrize(
    ("status", "kind", "jobs", "after", "act"),
    [
        (ServerStatus(), "rehearsal", [], False, Act.START),
        (ServerStatus(Server.FAILED), "rehearsal", [], False, Act.START),
        (ServerStatus(), "url", [], False, Act.CONNECT),
        (ServerStatus(Server.STARTING), "rehearsal", [], False, Act.CANCEL_START),
        (OURS, "rehearsal", [], False, Act.STOP),
        (OURS, "rehearsal", [a_job("1", S.RUNNING)], False, Act.STOP_AFTER),
        (OURS, "rehearsal", [a_job("1", S.WAITING)], False, Act.STOP_AFTER),
        (OURS, "rehearsal", [a_job("1", S.DONE)], False, Act.STOP),
        (OURS, "rehearsal", [a_job("1", S.RUNNING, url="http://other:1")], False, Act.STOP),
        (OURS, "rehearsal", [a_job("1", S.RUNNING)], True, Act.KEEP),
        (ServerStatus(Server.READY, url=URL), "url", [a_job("1", S.RUNNING)], False, Act.DISCONNECT),
        (ServerStatus(Server.STOPPING), "rehearsal", [], False, Act.STOPPING),
    ],
)
def test_next_act(status: ServerStatus, kind: policy.Kind, jobs: list[Job], after: bool, act: Act) -> None:
    assert policy.next_act(status, jobs, kind, stopping_after=after) is act


def test_this_render_is_the_running_one_before_those_that_wait() -> None:
    jobs = [a_job("1", S.PREPARING), a_job("2", S.QUEUED), a_job("3", S.RUNNING)]
    assert policy.present(jobs, OURS) == jobs[2]
    assert policy.present(jobs[:2], OURS) == jobs[1]
    assert policy.present(jobs[:1], OURS) == jobs[0]
    assert policy.present([], OURS) is None


def test_only_what_this_server_works_on_is_lost() -> None:
    began = time.time() - 7800
    progress = Progress(phase="denoise", step=27, steps=50)
    here = a_job("1", S.RUNNING, posted_at=began, progress=progress)
    elsewhere = a_job("2", S.RUNNING, url="http://other:1", posted_at=began, progress=progress)
    assert policy.lost_by_stopping([here, elsewhere], OURS) == "step 27 of 50, 2 h 10 min of work"
    assert policy.lost_by_stopping([elsewhere, a_job("3", S.WAITING)], OURS) is None
