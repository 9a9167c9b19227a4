"""Where a result goes: every job has a path of its own, whoever asks in the same second."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from studio.jobs import Job
from studio.jobs.results import give_back, part_of, plan_output
from tests.helpers.jobs import small_shot


def test_jobs_that_end_in_the_same_second_get_different_paths(tmp_path: Path) -> None:
    job = Job(id="j", created=1.0, shot=small_shot(), out_dir=tmp_path)
    with ThreadPoolExecutor(8) as pool:
        planned = [path for path, _ in pool.map(lambda _: plan_output(job, tmp_path, 1), range(40))]
    assert len(set(planned)) == 40
    assert {path.parent for path in planned} == {tmp_path}


def test_what_was_planned_and_not_come_leaves_nothing(tmp_path: Path) -> None:
    job = Job(id="j", created=1.0, shot=small_shot(), out_dir=tmp_path / "out")
    nothing, half = (plan_output(job, tmp_path, 1)[0] for _ in range(2))
    part_of(half).write_bytes(b"some")
    give_back(nothing)
    give_back(half)
    assert list((tmp_path / "out").iterdir()) == [part_of(half)], "what has come can be gone on with"
