"""The answer to a POST is lost: the job is found, not sent twice; where several could be it, the user says which."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from studio.core.errors import StudioError
from studio.jobs import Job, JobState, Target
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.lost_answer import LosesTheAnswer, LossyServers

S = JobState


@asynccontextmanager
async def two_on_the_server() -> AsyncIterator[tuple[Bench, Job, LosesTheAnswer]]:
    """A job that failed since two renders on its server could be it."""
    transport = LosesTheAnswer(copies=2)
    async with bench(servers=LossyServers(transport)) as b:
        job = await b.service.wait((await b.service.submit(small_shot(), Target())).id)
        assert job.fault is not None and (job.fault.code, job.fault.params["count"]) == ("job.ambiguous", 2)
        yield b, job, transport
    await transport.aclose()


async def on_the_server(b: Bench) -> set[str]:
    async with httpx.AsyncClient(base_url=b.servers.started[0].url or "") as http:
        return {entry["id"] for entry in (await http.get("/v1/videos")).json()["data"]}


async def test_one_render_is_found_and_not_sent_twice() -> None:
    transport = LosesTheAnswer()
    async with bench(servers=LossyServers(transport)) as b:
        job = await b.service.submit(small_shot(), Target())
        job = await b.service.wait(job.id)
        assert job.state is S.DONE, job.fault
        assert transport.posts == 1
    await transport.aclose()


async def test_of_two_renders_the_chosen_one_is_fetched_and_the_other_stays() -> None:
    async with two_on_the_server() as (b, job, transport):
        found = await b.service.candidates(job.id)
        assert {remote.id for remote in found} == await on_the_server(b)
        assert {remote.prompt for remote in found} == {"a red kite over the sea"}
        with pytest.raises(StudioError, match="no unclaimed job video_gen_other"):
            await b.service.take(job.id, "video_gen_other")
        await b.service.take(job.id, found[1].id)
        done = await b.service.wait(job.id)
        assert (done.state, done.remote_id, done.fault) == (S.DONE, found[1].id, None)
        assert [change["who"] for change in b.store.changes(job.id) if change["to"] == "running"] == ["user"]
        assert transport.posts == 1 and len(await on_the_server(b)) == 2
        with pytest.raises(StudioError, match="is done"):
            await b.service.candidates(job.id)


async def test_what_another_job_holds_is_no_candidate() -> None:
    async with two_on_the_server() as (b, job, _):
        first, second = await b.service.candidates(job.id)
        other = job.model_copy(update={"id": "other", "remote_id": first.id})
        await b.service.tools.write(b.store.add, other)
        assert [remote.id for remote in await b.service.candidates(job.id)] == [second.id]


async def test_it_can_be_rendered_again_instead() -> None:
    async with two_on_the_server() as (b, job, transport):
        known = await on_the_server(b)
        await b.service.resume(job.id)
        done = await b.service.wait(job.id)
        assert done.state is S.DONE, done.fault
        assert transport.posts == 2 and done.remote_id not in known
        assert done.shot.seed == job.shot.seed


async def test_a_server_that_has_ended_has_no_candidates() -> None:
    async with two_on_the_server() as (b, job, _):
        (server,) = b.servers.started
        await b.servers.stop_started()
        assert await b.service.candidates(job.id) == []
        assert not server.process.alive() and not b.servers.started, "none is started to be asked"
