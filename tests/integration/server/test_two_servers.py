"""Two servers at once: jobs go to the one that has their task, and one's death leaves the other alone."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PIL import Image

from studio.contract import Reference, Shot
from studio.jobs import JobState, ManagedServers, Target
from studio.jobs.routing import route
from studio.server import Fleet, RehearsalLauncher, ServerManager, ServerState
from studio.settings.model import ServerSettings
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.waiting import until

pytestmark = pytest.mark.timeout(300)  # programs of their own start slowly on a busy machine

S = JobState
A = ServerSettings(rehearsal_task="fl2va", title="First")
B = ServerSettings(rehearsal_task="ref2va", place="2", title="Second")


@asynccontextmanager
async def two(step_seconds: float = 0.01) -> AsyncIterator[tuple[Fleet, Bench]]:
    """An FL2VA and a Ref2VA rehearsal server, ready, and a queue on both."""
    fleet = Fleet(ServerManager(RehearsalLauncher("window", step_seconds=step_seconds, task_type="fl2va")))
    fleet.at("2").launcher = RehearsalLauncher("window", step_seconds=step_seconds, task_type="ref2va")
    async with bench(servers=ManagedServers(fleet), stop=False) as b:
        for manager in fleet:
            await manager.start()
        try:
            yield fleet, b
        finally:
            for manager in fleet:
                await manager.stop()
            await fleet.aclose()


def chosen(shot: Shot, fleet: Fleet) -> Target:
    return route(shot.task, A, (B,), runs=fleet.runs, load={})


def mixed(picture: Path, count: int) -> list[Shot]:
    """Shots of all three tasks in turn; each has a seed of its own."""
    Image.new("RGB", (320, 320), "teal").save(picture)
    still = Reference(id="r1", path=picture, kind="image")
    first = still.model_copy(update={"role": "first"})
    kinds = (
        {"task": "t2va"},
        {"task": "ref2va", "references": (still,)},
        {"task": "fl2va", "references": (first,)},
        {"task": "ref2va", "references": (still,)},
    )
    return [small_shot(seed=n, steps=2, **kinds[n % 4]) for n in range(count)]


async def test_twenty_mixed_jobs_go_where_they_belong_and_one_death_leaves_the_rest(tmp_path: Path) -> None:
    async with two() as (fleet, b):
        shots = mixed(tmp_path / "still.png", 20)
        jobs = [await b.service.submit(shot, chosen(shot, fleet)) for shot in shots]
        there = {job.id for job in jobs if job.shot.task == "ref2va"}
        assert {job.target.lane for job in jobs} == {"rehearsal", "rehearsal 2"}
        await until(lambda: sum(b.live(i).state is S.DONE for i in there) >= 2, "two of the second server's")
        record = fleet.at("2").status.record
        assert record is not None
        record.process.send(signal.SIGKILL)
        ends = [await b.service.wait(job.id) for job in jobs if job.id not in there]
        assert {job.state for job in ends} == {S.DONE}
        assert {job.server["url"] for job in ends} == {fleet.first.status.url}
        await until(lambda: fleet.at("2").state is ServerState.FAILED, "the death to be seen")
        # What had not been sent waits for that server, whatever else is idle.
        waiting = [i for i in there if b.live(i).state in (S.DRAFT, S.CHECKING, S.PREPARING, S.WAITING)]
        assert waiting
        await fleet.at("2").start()
        rest = [await b.service.wait(i) for i in waiting]
        assert {job.state for job in rest} == {S.DONE}
        assert {job.server["url"] for job in rest} == {fleet.at("2").status.url}
        ended = [b.live(i).state for i in there]
        assert ended.count(S.DONE) >= 9
        assert set(ended) <= {S.DONE, S.LOST, S.FAILED}


async def test_each_window_takes_up_its_servers_at_their_own_places() -> None:
    async with two() as (fleet, _):
        here = [manager.status.record for manager in fleet]
        assert [(r.place, r.tasks) for r in here if r] == [("", ("t2va", "fl2va")), ("2", ("ref2va",))]
        assert not await ServerManager(RehearsalLauncher("window")).adopt()  # their studio lives
