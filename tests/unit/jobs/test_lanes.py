"""One job a server, in the order of the queue, none while it is paused."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from studio.core.errors import StudioError
from studio.jobs import Job, Target
from studio.jobs.lanes import EVERYWHERE, Lanes
from tests.helpers.jobs import small_shot
from tests.helpers.waiting import until

HERE, THERE = Target(), Target(kind="url", url="http://gpu:8000")


def a_job(job_id: str, target: Target = HERE) -> Job:
    return Job(id=job_id, created=1.0, shot=small_shot(), target=target)


class Walk:
    """Jobs that ask for their turn; `began` tells in which order they got it."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes
        self.began: list[str] = []
        self._may_end: dict[str, asyncio.Event] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def ask(self, job: Job, *, there: bool = False) -> None:
        self._may_end[job.id] = asyncio.Event()
        self._tasks[job.id] = asyncio.create_task(self._go(job, there))

    async def _go(self, job: Job, there: bool) -> None:
        async with self.lanes.turn(job, there=there):
            self.began.append(job.id)
            await self._may_end[job.id].wait()

    async def end(self, job_id: str) -> None:
        self._may_end[job_id].set()
        await self._tasks[job_id]

    async def give_up(self, job_id: str) -> None:
        self._tasks[job_id].cancel()
        await asyncio.gather(self._tasks[job_id], return_exceptions=True)


async def test_one_at_a_time_in_the_order_of_the_queue_whoever_asked_first() -> None:
    lanes = Lanes()
    walk = Walk(lanes)
    lanes.learn({"a": 1, "b": 2, "c": 3}, {})
    walk.ask(a_job("first"))
    await until(lambda: walk.began)
    for name in "cba":
        walk.ask(a_job(name))
    await walk.end("first")
    await until(lambda: walk.began == ["first", "a"])
    lanes.learn({"a": 1, "b": 3, "c": 2}, {})
    await walk.end("a")
    await until(lambda: walk.began == ["first", "a", "c"])
    await walk.end("c")
    await until(lambda: walk.began == ["first", "a", "c", "b"])
    await walk.end("b")


async def test_servers_do_not_wait_for_one_another() -> None:
    walk = Walk(Lanes())
    walk.ask(a_job("a"))
    walk.ask(a_job("b", THERE))
    await until(lambda: len(walk.began) == 2)
    for name in "ab":
        await walk.end(name)


async def test_a_job_that_is_there_already_does_not_wait_but_is_waited_for() -> None:
    lanes = Lanes()
    walk = Walk(lanes)
    walk.ask(a_job("a"))
    await until(lambda: walk.began)
    walk.ask(a_job("b"), there=True)
    await until(lambda: walk.began == ["a", "b"])
    walk.ask(a_job("c"))
    await walk.end("a")
    assert lanes.inside(HERE.lane) and walk.began == ["a", "b"]
    await walk.end("b")
    await until(lambda: walk.began == ["a", "b", "c"])
    await walk.end("c")


@pytest.mark.parametrize("paused", [EVERYWHERE, HERE.lane])
async def test_nothing_new_begins_while_paused(paused: str) -> None:
    lanes = Lanes()
    walk = Walk(lanes)
    walk.ask(a_job("a"))
    await until(lambda: walk.began)
    lanes.learn({}, {paused: "user"})
    walk.ask(a_job("b"))
    await walk.end("a")
    await asyncio.sleep(0)
    assert walk.began == ["a"] and lanes.why_paused(HERE.lane) == "user"
    lanes.learn({}, {})
    await until(lambda: walk.began == ["a", "b"])
    await walk.end("b")


async def test_who_gives_up_waiting_is_not_waited_for() -> None:
    walk = Walk(Lanes())
    for name in "abc":
        walk.ask(a_job(name))
    await until(lambda: walk.began)
    await walk.give_up("b")
    await walk.end("a")
    await until(lambda: walk.began == ["a", "c"])
    await walk.end("c")


async def fail(lanes: Lanes, code: str, target: Target = HERE) -> None:
    with pytest.raises(StudioError):
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(lanes.turn(a_job("x", target), there=True))
            raise StudioError(code)


async def test_the_same_fault_of_the_server_twice_pauses_its_lane_alone() -> None:
    lanes = Lanes()
    heard: list[tuple[str, str]] = []
    lanes.paused_itself.subscribe(heard.append)
    await fail(lanes, "job.out_of_memory")
    await fail(lanes, "job.failed_there")
    await fail(lanes, "job.out_of_memory")
    assert not heard, "another end in between"
    await fail(lanes, "job.out_of_memory")
    assert heard == [(HERE.lane, "job.out_of_memory")]
    assert lanes.why_paused(HERE.lane) == "job.out_of_memory"
    assert lanes.why_paused(THERE.lane) is None


async def test_a_good_render_in_between_counts() -> None:
    lanes = Lanes()
    await fail(lanes, "job.out_of_memory")
    async with lanes.turn(a_job("good")):
        pass
    await fail(lanes, "job.out_of_memory")
    assert lanes.why_paused(HERE.lane) is None


async def test_a_dead_engine_pauses_at_once() -> None:
    lanes = Lanes()
    await fail(lanes, "job.engine_dead")
    assert lanes.why_paused(HERE.lane) == "job.engine_dead"
