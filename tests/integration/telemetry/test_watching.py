"""A render on the rehearsal server is watched: cards, steps and stages on one clock, in a file beside the video."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.contract import fit
from studio.core.clock import SystemClock
from studio.jobs import Job, JobState, Target
from studio.jobs.calibration import past_runs
from studio.jobs.watching import Watching
from studio.telemetry import Recording, Step, replay
from tests.helpers.jobs import Bench, bench, small_shot
from tests.helpers.waiting import until

S = JobState


async def rendered(b: Bench, out: Path, *, steps: int = 8, seed: int = 7) -> Job:
    job = await b.service.submit(small_shot(steps=steps, seed=seed), Target(), out_dir=out)
    job = await b.service.wait(job.id)
    assert (job.state, job.fault) == (S.DONE, None)
    return job


async def test_a_render_is_recorded_beside_its_video(tmp_path: Path) -> None:
    async with bench(step_seconds=0.15) as b:
        job = await rendered(b, tmp_path)
        assert not b.service.tools.watchings and not b.service.tools.monitor.threads
    assert job.video is not None and job.telemetry == job.video.with_suffix(".telemetry.csv")
    seen = replay(job.telemetry)
    assert [mark.step for mark in seen.steps] == list(range(9)) and seen.steps[-1].steps == 8
    assert [name for _, name in seen.stages] == ["prepare", "denoise", "decode", "mux"]
    assert set(seen.tracks) == {"0", "1"}
    peak = seen.peak
    assert peak is not None and 56_000 < peak[2] < (peak[0].total or 0)
    recipe = json.loads(job.video.with_suffix(".json").read_bytes())
    assert recipe["telemetry"] == job.telemetry.name
    assert recipe["stage_durations"]["stage_0_gen_ms"] > 0
    assert recipe["peak_memory"]["server_mb"] > 56_000
    assert [card["gpu"] for card in recipe["peak_memory"]["gpus"]] == ["0", "1"]
    assert recipe["peak_memory"]["gpus"][0]["peak_mib"] == round(seen.tracks["0"].used.peak[1])


async def test_it_can_be_seen_while_it_grows(tmp_path: Path) -> None:
    async with bench(step_seconds=0.1) as b:
        job = await b.service.submit(small_shot(steps=60), Target(), out_dir=tmp_path)
        await until(lambda: job.id in b.service.tools.watchings, "the watching")
        recording = b.service.tools.watchings[job.id].recording
        await until(lambda: len(recording.steps) > 3 and "1" in recording.tracks, "steps and cards")
        assert recording.tracks["1"].used.last and recording.tracks["1"].total
        assert recording.tracks["0"].serving is True
        await b.service.cancel(job.id)
        cancelled = await b.service.get(job.id)
    assert cancelled.telemetry is not None and replay(cancelled.telemetry).steps, "kept without a video"


async def test_a_step_is_known_to_be_heard_late(tmp_path: Path) -> None:
    """The log is looked at every 0.2 s: of the steps heard at once, the first is late by what the others took."""
    late: list[float] = []
    async with bench(step_seconds=0.04) as b:

        def on_changed(job: Job) -> None:
            watching = b.service.tools.watchings.get(job.id)
            if job.state is S.RUNNING and job.progress.step and watching is not None:
                assert watching.recording.steps[-1].step == job.progress.step
                late.append(watching.late)

        b.service.changed.subscribe(on_changed)
        await rendered(b, tmp_path, steps=40)
    assert min(late) >= 0 and max(late) > 0.09


async def test_what_was_learned_feeds_the_estimate(tmp_path: Path) -> None:
    async with bench(step_seconds=0.05) as b:
        first = await rendered(b, tmp_path, steps=12)
        second = await rendered(b, tmp_path, steps=12, seed=8)
        known = past_runs(b.store, "rehearsal")
        assert past_runs(b.store, "http://elsewhere:8091") == []
    assert [run.cold for run in known] == [False, True], "newest first; the first after the server's start compiles"
    assert known[0].rows == second.resolved["rows"] and known[0].peak_bytes
    pace = fit(known)
    assert pace is not None and known[0].seconds_per_step > 0
    assert first.learned["tail_seconds"] > 0


async def test_a_studio_that_takes_over_goes_on_with_the_recording(tmp_path: Path) -> None:
    async with bench(step_seconds=0.1, stop=False) as b:
        job = await b.service.submit(small_shot(steps=40), Target(), out_dir=tmp_path)
        await until(lambda: (b.live(job.id).progress.step or 0) > 3, "the first steps")
    async with bench() as again:
        again.servers.started += b.servers.started
        await again.service.resume(job.id)
        done = await again.service.wait(job.id)
        assert done.state is S.DONE, done.fault
    assert done.telemetry is not None
    steps = [mark.step for mark in replay(done.telemetry).steps]
    assert steps == sorted(set(steps)), "each step once"
    assert steps[0] == 0 and steps[-1] == 40


async def test_steps_that_the_log_told_before_anybody_listened_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter = Watching.__aenter__

    async def late(self: Watching) -> Watching:
        watch = self._connection.watch
        assert watch is not None
        await until(lambda: any(isinstance(one, Step) and one.n >= 3 for one in watch.present), "the third step")
        return await enter(self)

    monkeypatch.setattr(Watching, "__aenter__", late)
    async with bench(step_seconds=0.1) as b:
        job = await rendered(b, tmp_path, steps=12)
    assert job.telemetry is not None
    seen = replay(job.telemetry).steps
    assert [mark.step for mark in seen] == list(range(13))
    assert len({mark.t for mark in seen}) == 13, "each at its own time, by the bar's clock"


async def test_a_server_without_a_step_signal_is_still_watched(tmp_path: Path) -> None:
    async with bench("no_bar", step_seconds=0.05) as b:
        job = await rendered(b, tmp_path)
        assert past_runs(b.store, "rehearsal") == []
    seen = replay(job.telemetry) if job.telemetry else Recording(SystemClock().now())
    assert seen.steps == [] and seen.tracks["0"].used.peak


async def test_a_log_that_tells_no_step_for_long_is_said_to_tell_none(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench("no_bar", step_seconds=0.3) as b:
        job = await b.service.submit(small_shot(steps=40), Target())
        watchings = b.service.tools.watchings
        await until(lambda: b.live(job.id).state is S.RUNNING and job.id in watchings, "the render")
        assert watchings[job.id].steps_seen
        monkeypatch.setattr("studio.jobs.watching._FIRST_STEP_WITHIN", 0.5)
        await until(lambda: not watchings[job.id].steps_seen, "that there are no steps to be seen")
        await b.service.cancel(job.id)


async def test_a_folder_that_refuses_the_recording_costs_no_render(tmp_path: Path, own_home: Path) -> None:
    blocked = own_home / ".local/share/h3studio"
    blocked.mkdir(parents=True)
    (blocked / "telemetry").write_text("a file where a folder should be")
    async with bench(step_seconds=0.02) as b:
        job = await rendered(b, tmp_path)
    assert job.telemetry is None and job.video is not None and job.video.exists()
