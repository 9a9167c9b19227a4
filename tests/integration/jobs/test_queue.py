"""The queue on real servers: order, pauses, several servers, what follows an end, what is left by dead programs."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from studio.core import paths
from studio.jobs import Awake, JobState, ManagedServers, Target
from studio.jobs.seeds import with_seeds
from studio.server import RehearsalLauncher, ServerManager, records
from tests.helpers.jobs import bench, small_shot
from tests.helpers.waiting import until

S = JobState


@asynccontextmanager
async def listener() -> AsyncIterator[tuple[str, list[bytes]]]:
    """An address that takes whatever is posted to it."""
    heard: list[bytes] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-l"))
        heard.append(await reader.readexactly(length))
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/done", heard
    finally:
        server.close()
        await server.wait_closed()


async def test_a_paused_queue_ends_what_runs_and_then_goes_on_in_the_new_order() -> None:
    async with bench(step_seconds=0.2, take_over=True) as b:
        first = await b.service.submit(small_shot(), Target())
        await until(lambda: b.live(first.id).state is S.RUNNING, "the first")
        await b.service.pause()
        shots = with_seeds(small_shot(seed=10), 3)
        later = [await b.service.submit(shot, Target(), batch="seeds") for shot in shots]
        assert (await b.service.wait(first.id)).state is S.DONE
        await until(lambda: all(b.live(job.id).state is S.WAITING for job in later), "the others")
        await b.service.reorder([job.id for job in reversed(later)])
        assert [job.id for job in b.store.unfinished()] == [job.id for job in reversed(later)]
        await b.service.go_on()
        await until(lambda: all(b.live(job.id).state.finished for job in later), "their ends")
        began = [seen.id for seen in b.seen if seen.state is S.UPLOADING and seen.id != first.id]
        assert list(dict.fromkeys(began)) == [job.id for job in reversed(later)]
        assert len(b.servers.started) == 1


async def test_servers_render_side_by_side_one_job_each() -> None:
    async with bench(step_seconds=0.3) as here, bench(step_seconds=0.3) as there:
        warm = [await b.service.submit(small_shot(), Target()) for b in (here, there)]
        for b, job in zip((here, there), warm, strict=True):
            await b.service.wait(job.id)
        targets = [Target(kind="url", url=b.servers.started[0].url) for b in (here, there)]
        jobs = [await here.service.submit(small_shot(seed=9, steps=8), target) for target in targets]
        await until(lambda: all(here.live(job.id).state is S.RUNNING for job in jobs), "both at once")
        ended = [await here.service.wait(job.id) for job in jobs]
        assert [job.state for job in ended] == [S.DONE, S.DONE]


async def test_the_end_is_told_to_who_asked_and_the_machine_may_sleep_again() -> None:
    async with listener() as (url, heard), bench(post_url=url, awake=(awake := Awake(Naps().hold))) as b:
        emptied: list[str] = []
        b.service.emptied.subscribe(emptied.append)
        shot = small_shot(prompt="one two three four five six, and then a secret idea")
        job = await b.service.submit(shot, Target(), batch="b1")
        done = await b.service.wait(job.id)
        await until(lambda: heard, "the news")
        said = json.loads(heard[0])
        assert (said["job"], said["state"], said["batch"], said["video"]) == (job.id, "done", "b1", str(done.video))
        assert b"secret" not in heard[0]
        assert emptied == ["rehearsal"]
        assert awake is b.service.tools.awake
    assert Naps.taken[0] == "awake" and Naps.taken[-1] == "may sleep"


class Naps:
    """Stands for the desktop that is asked to keep the machine awake."""

    taken: list[str] = []  # noqa: RUF012

    def hold(self) -> Naps:
        return self

    def __enter__(self) -> None:
        self.taken.append("awake")

    def __exit__(self, *_: object) -> None:
        self.taken.append("may sleep")


async def test_an_address_that_nobody_listens_at_costs_nothing() -> None:
    async with bench(post_url="http://127.0.0.1:9/nobody") as b:
        job = await b.service.submit(small_shot(), Target())
        assert (await b.service.wait(job.id)).state is S.DONE


async def test_a_smoke_teaches_what_works() -> None:
    async with bench() as b:
        assert await b.service.smoke_verdict(small_shot(), "rehearsal") is None
        job = await b.service.submit(small_shot(), Target(), purpose="smoke")
        await b.service.wait(job.id)
        verdict = await b.service.smoke_verdict(small_shot(), "rehearsal")
        assert verdict is not None and verdict.outcome == "works"
        longer = await b.service.smoke_verdict(small_shot(frames=243), "rehearsal")
        assert longer is not None and longer.exceeds
        job = await b.service.submit(small_shot(frames=124), Target())
        await b.service.wait(job.id)
        assert "smoke.unknown" in [notice.message.code for notice in b.notices.recent]


async def test_a_job_waits_for_its_own_server_and_can_go_to_another() -> None:
    manager = ServerManager(RehearsalLauncher("window", step_seconds=0.01))
    async with bench(servers=ManagedServers(manager), stop=False) as b:
        await manager.start()
        job = await b.service.submit(small_shot(), Target(kind="profile", name="gb10"))
        await until(lambda: b.live(job.id).state is S.WAITING, "it to wait")
        await b.service.retarget(job.id, Target())
        done = await b.service.wait(job.id)
        assert (done.state, done.target.kind) == (S.DONE, "rehearsal")
        await manager.stop()
    await manager.aclose()


async def test_a_command_line_starts_no_rehearsal_in_the_place_of_a_real_server() -> None:
    async with bench() as b:
        job = await b.service.submit(small_shot(), Target(kind="profile", name="gb10"))
        failed = await b.service.wait(job.id)
        assert failed.fault is not None and failed.fault.code == "job.needs_server"
        assert not b.servers.started


async def test_a_finished_video_is_taken_from_the_folder_of_a_dead_server(tmp_path: Path) -> None:
    async with bench("slow=20000") as b:
        job = await b.service.submit(small_shot(), Target(), out_dir=tmp_path / "out")
        await until(lambda: b.live(job.id).state is S.DOWNLOADING, "the download")
        (server,) = b.servers.started
        server.process.send(signal.SIGKILL)
        done = await b.service.wait(job.id)
        assert done.state is S.DONE, done.fault
        assert done.video is not None and done.video.parent == tmp_path / "out"
        assert [notice.message.code for notice in b.notices.recent] == ["job.salvaged"]
        kept = paths.data_dir() / "storage" / "rehearsal" / (done.remote_id or "")
        assert kept.read_bytes() == done.video.read_bytes(), "the server's own file stays"


STUDIO = """
import asyncio
from studio.jobs import Target
from tests.helpers.jobs import bench, small_shot
async def main():
    async with bench(step_seconds=0.1, stop=False) as b:
        job = await b.service.submit(small_shot(steps=100), Target())
        await b.service.wait(job.id)
asyncio.run(main())
"""


@pytest.mark.parametrize("wish", ["followed", "cancelled"])
async def test_what_a_killed_studio_left_is_brought_to_its_end(wish: str) -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", STUDIO, cwd=Path(__file__).parents[3])
    async with bench(take_over=wish == "followed") as b:
        await until(lambda: [j.state for j in b.store.all()] == [S.RUNNING], "it to run")
        (job,) = b.store.all()
        child.kill()
        await child.wait()
        (left,) = b.store.all()
        b.servers.started += records.living()
        if wish == "cancelled":
            moved = b.store.move(left, S.CANCELLING, "stops at the next step", "user")  # and killed at that moment
            assert moved.state is S.CANCELLING
        else:  # a window that is open takes it up by itself
            step = (left.progress.step or 0) + 2
            await until(lambda: (b.live(job.id).progress.step or 0) > step, "it to be followed")
        ended = await b.service.cancel(job.id)
        assert ended.state is S.CANCELLED
        assert b.store.changes(job.id)[-1]["cause"] == "cancelled: the GPU is free"
