"""From a wish in Compose to jobs in the queue, and from what the queue learned to the next estimate."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from studio.contract import Shot, edits
from studio.core.notices import Notices
from studio.core.tasks import TaskScope
from studio.jobs import Job, JobService, JobState, JobStore, ManagedServers, Tools
from studio.media.workers import Workers
from studio.server import RehearsalLauncher, ServerManager
from studio.settings import SettingsStore
from tests.helpers.waiting import until
from ui.around import surroundings
from ui.compose import ComposeModel
from ui.compose.wishes import Wish
from ui.orders import Orders


class Office:
    """Compose and a queue whose server is not there, and the orders between them."""

    def __init__(self, workers: Workers) -> None:
        settings, notices = SettingsStore(), Notices()
        self.manager = ServerManager(RehearsalLauncher("test", step_seconds=0.0))
        self.store = JobStore()
        self.jobs = JobService(Tools(self.store, workers, ManagedServers(self.manager), settings, notices=notices))
        self.compose = ComposeModel(
            workers, notices, around=surroundings(settings, lambda: self.jobs, lambda: self.manager)
        )
        self.scope = TaskScope("test")
        self.orders = Orders(self.compose, self.jobs, self.manager, settings, self.scope)
        self.placed: list[tuple[Job, ...]] = []
        self.pairs: list[tuple[Path, Path]] = []
        self.compose.wishes.wished.connect(self.orders.place)
        self.orders.submitted.connect(self.placed.append)
        self.orders.pair_done.connect(lambda a, b: self.pairs.append((a, b)))

    async def place(self, wish: Wish) -> tuple[Job, ...]:
        """Place a wish and wait until it is in the queue."""
        self.compose.wishes.wished.emit(wish)
        await until(lambda: self.placed, "the jobs")
        return self.placed.pop()

    async def ends(self, job: Job, state: JobState, video: Path | None = None) -> None:
        """End a job as the queue does: it is written, then told."""
        ended = job.model_copy(update={"state": state, "video": video})
        await self.jobs.tools.write(self._put, ended)
        self.jobs.changed.emit(ended)
        await until(lambda: not len(self.scope), "what follows from it")

    def _put(self, job: Job) -> None:
        with self.store.transaction() as db:
            db.execute("DELETE FROM job WHERE id = ?", (job.id,))
        self.store.add(job)

    async def aclose(self) -> None:
        """Close all."""
        self.orders.close()
        await self.scope.aclose()
        await self.compose.aclose()
        await self.jobs.aclose()
        await self.manager.aclose()


@pytest_asyncio.fixture
async def office(workers: Workers) -> AsyncIterator[Office]:
    made = Office(workers)
    yield made
    await made.aclose()


def _pair() -> Wish:
    shot = Shot(task="t2va", prompt="rain", seed=5, steps=8)
    return Wish((shot, edits.set_steps(shot, 9)), "draft")


async def test_several_seeds_are_one_batch_in_order(office: Office) -> None:
    office.compose.set_task("t2va")
    office.compose.type_prompt("rain")
    office.compose.wishes.set_seeds(3)
    office.compose.request_render()
    await until(lambda: office.placed, "the jobs")
    (jobs,) = office.placed
    assert len({job.batch for job in jobs}) == 1 and jobs[0].batch
    assert [job.purpose for job in jobs] == ["render"] * 3
    assert jobs[0].shot.seed == office.compose.shot.seed and len({job.shot.seed for job in jobs}) == 3
    assert {job.id for job in await office.jobs.all()} == {job.id for job in jobs}


async def test_a_pair_is_opened_once_both_are_done(office: Office) -> None:
    a, b = await office.place(_pair())
    await office.ends(b, JobState.DONE, Path("b.mp4"))
    assert not office.pairs
    await office.ends(a, JobState.DONE, Path("a.mp4"))
    await office.ends(a, JobState.DONE, Path("a.mp4"))
    assert office.pairs == [(Path("a.mp4"), Path("b.mp4"))]


@pytest.mark.parametrize("state", [JobState.FAILED, JobState.CANCELLED])
async def test_half_a_pair_is_not_opened(office: Office, state: JobState) -> None:
    a, b = await office.place(_pair())
    await office.ends(a, JobState.DONE, Path("a.mp4"))
    await office.ends(b, state)
    assert not office.pairs


async def test_a_pair_that_an_earlier_studio_asked_for_is_opened_too(office: Office, workers: Workers) -> None:
    a, b = await office.place(_pair())
    await office.ends(a, JobState.DONE, Path("a.mp4"))
    later = Office(workers)  # on the same data folder
    try:
        await later.ends(b, JobState.DONE, Path("b.mp4"))
        assert later.pairs == [(Path("a.mp4"), Path("b.mp4"))]
    finally:
        await later.aclose()


async def test_what_a_server_did_before_is_known_to_the_estimate(office: Office) -> None:
    (job,) = await office.place(Wish((Shot(task="t2va", prompt="rain"),)))
    learned = {"server": job.target.lane, "rows": 40_000, "seconds_per_step": 2.0, "peak_bytes": 60 << 30}
    done = Job(id="earlier", created=1.0, shot=job.shot, state=JobState.DONE, learned=learned)
    await office.jobs.tools.write(office.store.add, done)
    office.orders.learn()
    await until(lambda: office.compose.estimate.history, "the history")
    (run,) = office.compose.estimate.history
    assert (run.rows, run.seconds_per_step, run.peak_bytes) == (40_000, 2.0, 60 << 30)
    past = await office.compose.around.past()
    assert sorted(shot.prompt for _, shot in past) == ["rain", "rain"]
