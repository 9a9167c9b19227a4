"""Smokes and what past renders say of a row count; seeds; forecasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from studio.contract import PastRun, Reference, load_limits
from studio.jobs import Fault, Job, JobState, JobStore, Target
from studio.jobs.evidence import Evidence
from studio.jobs.forecast import queue_seconds
from studio.jobs.seeds import with_seeds
from studio.jobs.smoke import STEPS, smoke_shape
from tests.helpers.jobs import small_shot

S = JobState
LANE = Target().lane


def ended(job_id: str, rows: int, state: JobState = S.DONE, code: str | None = None, **fields: object) -> Job:
    fault = Fault(code=code) if code else None
    plain = {"id": job_id, "created": 1.0, "shot": small_shot(steps=10), "state": state, "resolved": {"rows": rows}}
    return Job.model_validate({**plain, "fault": fault, **fields})


@pytest.fixture
def evidence() -> Iterator[Evidence]:
    with closing(JobStore()) as store:
        yield Evidence(store)


def outcome(evidence: Evidence, rows: int) -> str | None:
    verdict = evidence.verdict(LANE, rows)
    return verdict.outcome if verdict else None


def test_nothing_is_known_before_the_first_render(evidence: Evidence) -> None:
    assert evidence.verdict(LANE, 40_000) is None
    evidence.add(ended("a", 40_000, S.FAILED, "job.failed_there"), 1.0)
    assert evidence.verdict(LANE, 40_000) is None, "a fault that says nothing of the shape"


def test_what_went_through_holds_for_fewer_rows_and_not_for_more(evidence: Evidence) -> None:
    evidence.add(ended("a", 40_000), 1.0)
    assert outcome(evidence, 30_000) == outcome(evidence, 40_064) == "works"
    more = evidence.verdict(LANE, 60_000)
    assert more is not None and more.outcome == "unknown" and more.exceeds
    assert "60,000 rows" in more.message.text() and "40,000" in more.message.text()
    assert evidence.verdict("http://gpu:8000", 30_000) is None, "another server is another server"


def test_what_ran_out_of_memory_fails_for_more_rows_too(evidence: Evidence) -> None:
    evidence.add(ended("a", 60_000, S.FAILED, "job.out_of_memory"), 1.0)
    assert outcome(evidence, 80_000) == outcome(evidence, 60_000) == "fails"
    less = evidence.verdict(LANE, 50_000)
    assert less is not None and less.outcome == "unknown" and not less.exceeds


def test_the_latest_end_is_believed(evidence: Evidence) -> None:
    evidence.add(ended("a", 60_000, S.FAILED, "job.out_of_memory"), 1.0)
    evidence.add(ended("b", 60_000), 2.0)
    assert outcome(evidence, 60_000) == "works"
    evidence.add(ended("c", 50_000, S.FAILED, "job.out_of_memory"), 3.0)
    assert outcome(evidence, 60_000) == "fails"


def test_past_renders_give_a_pace(evidence: Evidence) -> None:
    evidence.add(ended("a", 40_000, timings={"render": 50.0}), 1.0)
    assert evidence.history(LANE) == [PastRun(40_000, 5.0)]


def test_a_smoke_keeps_references_and_canvas_and_is_short(tmp_path: Path) -> None:
    clip = Reference(id="r1", path=tmp_path / "a.mp4", kind="video", start=1.0, end=12.0)
    shot = small_shot(task="ref2va", references=(clip,), frames=362, steps=50, seed=9)
    smoke = smoke_shape(shot, load_limits())
    assert (smoke.references, smoke.canvas, smoke.seed) == (shot.references, shot.canvas, 9)
    assert (smoke.frames, smoke.steps) == (107, STEPS)


def test_seeds_differ_and_the_first_is_kept() -> None:
    shots = with_seeds(small_shot(seed=7), 5)
    assert shots[0].seed == 7 and len({shot.seed for shot in shots}) == 5
    assert all(shot.but(seed=7) == shots[0] for shot in shots)


def test_the_queue_is_done_when_its_slowest_server_is() -> None:
    there = Target(kind="url", url="http://gpu:8000")
    history = {LANE: [PastRun(40_000, 2.0)], there.lane: [PastRun(40_000, 10.0)]}
    jobs = [ended("a", 40_000, S.WAITING), ended("b", 40_000, S.WAITING), ended("c", 40_000, S.WAITING, target=there)]
    span = queue_seconds(jobs, history, lambda _job: None, 0.0)
    assert span is not None and span.least <= 100 <= span.most
    seen = queue_seconds(jobs[:2], history, lambda job: (3.0, 4.0) if job.id == "a" else None, 0.0)
    assert seen is not None and 20 < seen.least < seen.most < 30
    unknown = ended("d", 40_000, S.WAITING, resolved={})
    assert queue_seconds([*jobs, unknown], history, lambda _job: None, 0.0) is None
    assert queue_seconds([ended("e", 40_000)], history, lambda _job: None, 0.0) is None
