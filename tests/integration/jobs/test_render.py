"""Renders through the real rehearsal server: done exactly once, or ended for the reason that was planted."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from studio.client import Client
from studio.contract import Reference
from studio.core.errors import StudioError
from studio.jobs import JobState, Target
from tests.helpers.jobs import bench, small_shot
from tests.helpers.waiting import until

S = JobState
WHOLE_WAY = [S.CHECKING, S.PREPARING, S.WAITING, S.UPLOADING, S.QUEUED, S.RUNNING, S.DOWNLOADING, S.VERIFYING, S.DONE]


async def test_a_render_comes_back_verified_with_its_recipe(tmp_path: Path) -> None:
    async with bench(step_seconds=0.5) as b:
        job = await b.service.submit(small_shot(), Target(), name="kite", out_dir=tmp_path / "out")
        job = await b.service.wait(job.id)
        assert (job.state, job.fault) == (S.DONE, None)
        assert b.states(job.id) == WHOLE_WAY
    assert job.video is not None and job.sidecar is not None
    assert sorted(p.suffix for p in (tmp_path / "out").iterdir()) == [".csv", ".json", ".mp4"]
    recipe = json.loads(job.sidecar.read_bytes())
    assert recipe["rehearsal"] is True
    assert recipe["shot"]["seed"] == 7
    assert recipe["verified"]["frames"] == recipe["resolved"]["frames"] == 107
    assert (recipe["verified"]["width"], recipe["verified"]["height"]) == (256, 256)
    assert dict(map(tuple, recipe["wire"]))["prompt"] == "a red kite over the sea"
    steps = [seen.progress.step for seen in b.seen if seen.progress.step is not None]
    assert steps == sorted(steps) and steps[-1] == 6
    assert {seen.progress.phase for seen in b.seen} >= {"prepare", "denoise", "decode", "mux"}


async def test_what_the_rules_refuse_is_never_sent(tmp_path: Path) -> None:
    missing = Reference(id="r1", path=tmp_path / "gone.mp4", kind="video")
    async with bench() as b:
        job = await b.service.submit(small_shot(task="ref2va", references=(missing,)), Target())
        job = await b.service.wait(job.id)
        assert job.state is S.FAILED
        assert job.findings and job.findings[0]["subject"] == "r1"
        assert not b.servers.started


async def test_two_jobs_take_turns() -> None:
    async with bench() as b:
        jobs = [await b.service.submit(small_shot(seed=seed), Target()) for seed in (1, 2)]
        ended = [await b.service.wait(job.id) for job in jobs]
        assert [job.state for job in ended] == [S.DONE, S.DONE]
        running = [seen.id for seen in b.seen if seen.state is S.RUNNING]
        assert running == sorted(running, key=[job.id for job in jobs].index)
        assert ended[0].video != ended[1].video


async def test_cancel_ends_it_on_the_server_too() -> None:
    async with bench(step_seconds=0.3) as b:
        job = await b.service.submit(small_shot(steps=100), Target())
        await until(lambda: b.live(job.id).progress.step, "the first step")
        job = await b.service.cancel(job.id)
        assert job.state is S.CANCELLED
        assert b.store.changes(job.id)[-1]["who"] == "user"
        async with Client(b.servers.started[0].url or "") as client:
            assert await client.list() == []


async def test_a_job_let_go_of_is_taken_up_where_it_is() -> None:
    async with bench(step_seconds=0.05, stop=False) as b:
        job = await b.service.submit(small_shot(steps=30), Target())
        await until(lambda: b.live(job.id).progress.step, "the first step")
    async with bench() as again:
        assert (await again.service.get(job.id)).state is S.RUNNING
        await again.service.resume(job.id)
        done = await again.service.wait(job.id)
        assert done.state is S.DONE, done.fault
        assert again.states(job.id) == WHOLE_WAY
        again.servers.started += b.servers.started


async def test_a_server_that_dies_loses_the_job_and_it_can_be_rendered_again() -> None:
    async with bench("server_death@3") as b:
        job = await b.service.submit(small_shot(), Target())
        lost = await b.service.wait(job.id)
        assert (lost.state, lost.fault and lost.fault.code) == (S.LOST, "job.lost.died")
        b.servers.launcher.faults = ()
        await b.service.resume(job.id)
        done = await b.service.wait(job.id)
        assert done.state is S.DONE
        assert done.shot.seed == lost.shot.seed


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("oom@3", "job.out_of_memory"),
        ("error=boom@2", "job.failed_there"),
        ("forget@2", "job.lost.forgot"),
        ("wrong_frames", "job.wrong_frames"),
        ("wrong_canvas", "job.wrong_size"),
        ("no_sound", "job.no_sound"),
        ("unauthorized", "server.unauthorized"),
    ],
)
async def test_a_planted_failure_is_named(fault: str, code: str) -> None:
    async with bench(fault) as b:
        job = await b.service.submit(small_shot(), Target())
        job = await b.service.wait(job.id)
        assert job.state in (S.FAILED, S.LOST)
        assert job.fault is not None and job.fault.code == code
        assert job.fault.text() and "{" not in job.fault.text()
        assert job.video is None or not job.video.exists()


@pytest.mark.parametrize("fault", ["reset@1", "truncated@1", "wrong_length@1", "http=502@2", "slow_answer=1@3"])
async def test_what_passes_is_survived(fault: str, tmp_path: Path) -> None:
    async with bench(fault) as b:
        job = await b.service.submit(small_shot(), Target(), out_dir=tmp_path)
        job = await b.service.wait(job.id)
        assert job.state is S.DONE, job.fault
    # A render that is over before anybody has seen it run leaves no recording.
    assert {".json", ".mp4"} <= {p.suffix for p in tmp_path.glob("*_s7*")} <= {".csv", ".json", ".mp4"}


async def test_a_damaged_download_is_no_result(tmp_path: Path) -> None:
    async with bench("corrupt") as b:
        job = await b.service.submit(small_shot(), Target(), out_dir=tmp_path / "out")
        job = await b.service.wait(job.id)
        assert job.state is S.FAILED
        assert job.video is not None and not job.video.exists()


async def test_a_folder_that_refuses_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder should be")
    async with bench() as b:
        job = await b.service.submit(small_shot(), Target(), out_dir=blocked / "out")
        job = await b.service.wait(job.id)
        assert job.state is S.DONE
        assert job.video is not None and job.video.exists()
        # Said twice: before the render, and where the video went.
        assert [notice.message.code for notice in b.notices.recent] == ["place.no_folder", "job.results_elsewhere"]


async def test_a_key_that_stops_working_half_way_costs_no_render() -> None:
    async with bench(step_seconds=0.1) as b:
        job = await b.service.submit(small_shot(steps=30), Target())
        await until(lambda: b.live(job.id).progress.step, "the first step")
        url = b.servers.started[0].url
        async with httpx.AsyncClient(base_url=url or "") as http:
            (await http.put("/_rehearsal/faults", json={"faults": ["unauthorized"]})).raise_for_status()
            failed = await b.service.wait(job.id)
            assert failed.fault is not None and failed.fault.code == "server.unauthorized"
            (await http.put("/_rehearsal/faults", json={"faults": []})).raise_for_status()
            await b.service.resume(job.id)
            done = await b.service.wait(job.id)
            assert (done.state, done.remote_id) == (S.DONE, failed.remote_id)
            assert len((await http.get("/v1/videos")).json()["data"]) == 1


async def test_an_unknown_job_is_said() -> None:
    async with bench() as b:
        with pytest.raises(StudioError, match="There is no job nope"):
            await b.service.resume("nope")
