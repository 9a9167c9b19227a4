"""The disk of the jobs database is full while a render runs: it waits, says so, and goes on when there is room."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from studio.core.errors import StudioError
from studio.jobs import Job, JobState, JobStore, Target
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.waiting import until

S = JobState


@contextmanager
def no_room_once_it_runs(b: Bench, state: JobState) -> Iterator[list[int]]:
    """From the moment at which a job is in a state, no file may become longer than the database's log is.

    SQLite appends every change to that log. Gives the limit once it is in force.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    wal, limit = b.store.path.with_name(b.store.path.name + "-wal"), list[int]()

    def fill(job: Job) -> None:
        if job.state is state and not limit:
            limit.append(wal.stat().st_size)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit[0], hard))

    unsubscribe = b.service.changed.subscribe(fill)
    try:
        yield limit
    finally:
        unsubscribe()
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def told(b: Bench) -> list[str]:
    return [notice.message.code for notice in b.notices.recent]


@pytest.mark.parametrize("state", [S.PREPARING, S.RUNNING])
async def test_a_render_waits_for_room_and_goes_on_by_itself(state: JobState) -> None:
    async with bench(step_seconds=0.1) as b:  # long enough for the queue to see it run
        with no_room_once_it_runs(b, state):
            job = await b.service.submit(small_shot(steps=20), Target())
            await until(lambda: "store.refuses" in told(b), "the database to refuse")
            assert b.store.changes(job.id)[-1]["to"] == state, "nothing is done that is not on record"
        done = await b.service.wait(job.id)
        assert done.state is S.DONE, done.fault
        assert told(b).count("store.refuses") == 1 and told(b)[-1] == "store.writes_again"
        (notice,) = (one for one in b.notices.recent if one.message.code == "store.refuses")
        assert notice.mend is not None and str(b.store.path) in notice.mend.text()


async def test_what_cannot_be_written_is_refused_and_can_be_done_later() -> None:
    async with bench(step_seconds=0.1) as b:
        with no_room_once_it_runs(b, S.RUNNING) as limit:
            job = await b.service.submit(small_shot(steps=60), Target())
            await until(lambda: limit, "the render")
            with pytest.raises(StudioError, match="disk"):
                await b.service.cancel(job.id)
            with pytest.raises(StudioError, match="disk"):
                await b.service.submit(small_shot(seed=8), Target())
            assert b.store.get(job.id).state is S.RUNNING  # type: ignore[union-attr]
        await until(lambda: (b.live(job.id).progress.step or 0) > 2, "it to be followed all the same")
        assert (await b.service.cancel(job.id)).state is S.CANCELLED
        assert len(await b.service.all()) == 1


async def test_a_studio_can_be_left_meanwhile() -> None:
    async with bench(step_seconds=0.1) as b:
        with no_room_once_it_runs(b, S.RUNNING) as limit:
            job = await b.service.submit(small_shot(steps=60), Target())
            await until(lambda: limit, "the render")
            await b.service.aclose()
        with closing(JobStore()) as store:
            left = store.get(job.id)
            assert left is not None and left.state is S.RUNNING
            assert store.claim(job.id) is None, "the next studio may take it"
