"""What users of such programs meet: stalls, long queues, odd words, late cancels, names that no file system likes."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from PIL import Image

from studio.contract import Canvas, Reference
from studio.jobs import JobState, Target
from studio.jobs.plain import as_plain
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.waiting import until

S = JobState


class HastyClock:
    """A clock on which a wait takes next to nothing and counts thirty times."""

    def __init__(self) -> None:
        self.skipped = 0.0

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic() + self.skipped

    async def sleep(self, seconds: float) -> None:
        self.skipped += 30 * seconds
        await asyncio.sleep(min(seconds, 0.02))


async def order(b: Bench, *faults: str) -> None:
    """Put other faults in force on the server."""
    async with httpx.AsyncClient(base_url=b.servers.started[0].url or "") as http:
        (await http.put("/_rehearsal/faults", json={"faults": list(faults)})).raise_for_status()


async def test_a_render_without_a_sign_is_marked_and_can_be_cancelled_while_the_next_waits() -> None:
    async with bench("hang@2", step_seconds=0.05, stalled_after_minutes=0.01) as b:
        job = await b.service.submit(small_shot(), Target())
        await until(lambda: b.live(job.id).stalled, "the mark")
        behind = await b.service.submit(small_shot(seed=8), Target())
        await until(lambda: b.live(behind.id).state is S.WAITING, "the next job")
        told = b.notices.recent[-1]
        assert told.message.code == "job.stalled" and told.mend is not None and "log" in told.mend.text()
        assert b.live(job.id).state is S.RUNNING, "a mark ends nothing"
        await order(b)
        assert (await b.service.cancel(job.id)).state is S.CANCELLED
        assert (await b.service.wait(behind.id)).state is S.DONE


async def test_time_in_the_servers_queue_is_no_failure_and_letting_go_deletes_nothing() -> None:
    clock = HastyClock()
    async with bench("stuck_queued", clock=clock) as b:
        job = await b.service.submit(small_shot(), Target())
        await until(lambda: clock.skipped > 25 * 60, "25 minutes")
        assert b.live(job.id).state is S.QUEUED and b.live(job.id).stalled is None
        await b.service.detach(job.id)
        async with httpx.AsyncClient(base_url=b.servers.started[0].url or "") as http:
            assert len((await http.get("/v1/videos")).json()["data"]) == 1
        await b.service.resume(job.id)
        await order(b)
        assert (await b.service.wait(job.id)).state is S.DONE


@pytest.mark.parametrize("fault", ["capitals", "status=preprocessing", "broken_json@2", "chunked", "expired"])
async def test_odd_words_and_passing_trouble_do_not_end_a_render(fault: str) -> None:
    async with bench(fault) as b:
        job = await b.service.submit(small_shot(), Target())
        done = await b.service.wait(job.id)
        assert done.state is S.DONE, done.fault


async def test_a_video_that_the_server_has_no_longer_is_said_once() -> None:
    async with bench("content_404") as b:
        job = await b.service.submit(small_shot(), Target())
        lost = await b.service.wait(job.id)
        assert (lost.state, lost.fault and lost.fault.code) == (S.LOST, "server.file_gone")
        assert lost.fault is not None and "no longer has its file" in lost.fault.text()
        assert b.states(job.id).count(S.DOWNLOADING) == 1


async def test_a_cancelled_render_holds_its_server_until_the_gpu_is_free() -> None:
    async with bench("slow_cancel=1.5", step_seconds=0.2) as b:
        job = await b.service.submit(small_shot(steps=100), Target())
        await until(lambda: b.live(job.id).progress.step, "the first step")
        behind = await b.service.submit(small_shot(seed=8), Target())
        await until(lambda: b.live(behind.id).state is S.WAITING, "the next job")
        assert (await b.service.cancel(job.id, patience=0)).state is S.CANCELLING
        await until(lambda: b.live(job.id).state is S.CANCELLED, "its end")
        await until(lambda: S.UPLOADING in b.states(behind.id), "the next to go")
        end = b.store.changes(job.id)[-1]
        went = next(change["at"] for change in b.store.changes(behind.id) if change["to"] == S.UPLOADING)
        assert went > end["at"], "the GPU was not free before"
        assert end["cause"] == "cancelled: the GPU is free"
        assert end["at"] - b.store.changes(job.id)[-2]["at"] > 1.0
        await b.service.cancel(behind.id)


async def test_the_same_failure_twice_pauses_the_queue_and_the_rest_stays() -> None:
    async with bench("oom", take_over=True) as b:
        jobs = [await b.service.submit(small_shot(seed=seed), Target()) for seed in (1, 2, 3)]
        ended = [await b.service.wait(job.id) for job in jobs[:2]]
        assert [job.fault.code for job in ended if job.fault] == ["job.out_of_memory"] * 2
        assert "CUDA out of memory" in ended[0].fault.text()  # type: ignore[union-attr]
        await until(lambda: b.live(jobs[2].id).state is S.WAITING, "the third")
        assert b.service.tools.lanes.why_paused(Target().lane) == "job.out_of_memory"
        assert "Restart the server" in (b.notices.recent[-1].mend or b.notices.recent[-1].message).text()
        await until(lambda: b.store.pauses() == {Target().lane: "job.out_of_memory"}, "the store to know")
        assert (await b.service.cancel(jobs[2].id)).state is S.CANCELLED


# -- names ---------------------------------------------------------------------------------------------------------


def picture(path: Path, colour: str = "red") -> Reference:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (320, 320), colour).save(path, "JPEG")
    return Reference(id=f"r{abs(hash(str(path))) % 10**6}", path=path, kind="image")


@asynccontextmanager
async def rendered(tmp_path: Path, *references: Reference, prompt: str = "x") -> AsyncIterator[dict[str, object]]:
    """The recipe of a finished render of these pictures."""
    canvas = Canvas(width=256, height=256)
    async with bench() as b:
        shot = small_shot(task="ref2va", references=references, prompt=prompt, canvas=canvas, steps=2)
        job = await b.service.submit(shot, Target(), out_dir=tmp_path / "out", name="a name")
        done = await b.service.wait(job.id)
        assert done.state is S.DONE, done.fault
        assert done.sidecar is not None and done.video is not None
        assert json.dumps(as_plain(done), ensure_ascii=False).encode()
        yield json.loads(done.sidecar.read_bytes())


@pytest.mark.parametrize(
    "name", ["\N{GRINNING FACE} 猫.jpg", 'it\'s "quoted" $HOME `x` %s.jpg', "-rf.jpg", "many.dots.in.it.jpg"]
)
async def test_a_file_goes_under_a_plain_name_and_keeps_its_own_here(tmp_path: Path, name: str) -> None:
    reference = picture(tmp_path / name)
    async with rendered(tmp_path, reference) as recipe:
        (upload,) = recipe["uploads"]  # type: ignore[misc]
        assert upload["filename"].startswith("image1.") and upload["source"] == str(reference.path)


async def test_a_name_that_is_not_utf8_is_rendered_and_kept(tmp_path: Path) -> None:
    reference = picture(tmp_path / os.fsdecode(b"caf\xff\xfe.jpg"))
    async with rendered(tmp_path, reference) as recipe:
        (upload,) = recipe["uploads"]  # type: ignore[misc]
        assert Path(upload["source"]).read_bytes() == reference.path.read_bytes()


async def test_a_long_prompt_gives_a_name_that_fits(tmp_path: Path) -> None:
    prompt = "\N{GRINNING FACE}\N{FAMILY}日本" * 250
    async with rendered(tmp_path, picture(tmp_path / "a.jpg"), prompt=prompt) as recipe:
        assert len(os.fsencode(str(recipe["video"]))) <= 255
        assert all(len(os.fsencode(path.name)) <= 255 for path in (tmp_path / "out").iterdir())


async def test_two_files_of_one_name_are_two(tmp_path: Path) -> None:
    first, second = picture(tmp_path / "a" / "frame.jpg"), picture(tmp_path / "b" / "frame.jpg", "blue")
    async with rendered(tmp_path, second, first) as recipe:
        uploads: list[dict[str, str]] = recipe["uploads"]  # type: ignore[assignment]
        assert [u["source"] for u in uploads] == [str(second.path), str(first.path)]
        assert len({u["sha256"] for u in uploads}) == len({u["filename"] for u in uploads}) == 2
