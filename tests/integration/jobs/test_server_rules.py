"""What a server says of its rules, and what it refuses although ours let it pass, counts for the next request."""

from __future__ import annotations

from studio.contract import Severity, check
from studio.jobs import JobState, Target
from studio.jobs.refusals import Refusals
from tests.helpers.jobs import bench, small_shot

SAID = "MiniMax H3 output duration must be in [5, 15] seconds, got 4.458"


async def test_a_refusal_that_no_rule_foresaw_is_kept_and_can_be_made_a_rule() -> None:
    async with bench(f"error={SAID}") as made:
        job = await made.service.wait((await made.service.submit(small_shot(), Target())).id)
        assert job.state is JobState.FAILED and job.fault is not None and SAID in job.fault.text()

        rules, lane = made.service.tools.rules, job.target.lane
        (refusal,) = Refusals().of(lane)
        assert refusal.said == SAID
        warned = [f for f in check(rules.request(lane, small_shot(), {})) if f.code == "server.refused_before"]
        assert [f.severity for f in warned] == [Severity.WARNING]

        rules.refusals.treat_as_rule(lane, refusal)
        assert rules.limits(lane).output_seconds_min == 5
        again = await made.service.wait((await made.service.submit(small_shot(), Target())).id)
        assert again.state is JobState.FAILED
        assert JobState.UPLOADING not in made.states(again.id)


async def test_a_failure_of_the_engine_is_no_rule() -> None:
    async with bench("error=CUDA error: an illegal memory access was encountered") as made:
        job = await made.service.wait((await made.service.submit(small_shot(), Target())).id)
        assert job.state is JobState.FAILED
        assert Refusals().of(job.target.lane) == ()


async def test_the_limits_are_those_that_the_server_tells() -> None:
    async with bench() as made:
        job = await made.service.wait((await made.service.submit(small_shot(), Target())).id)
        assert job.state is JobState.DONE
        limits = made.service.tools.rules.limits(job.target.lane)
        assert limits.assumed and not limits.guessed
        assert "extra_params" in limits.form_fields
        assert not made.service.tools.rules.limits("http://elsewhere:8000").assumed


async def test_limits_that_the_user_picks_count_for_that_server_alone() -> None:
    async with bench() as made:
        settings, rules = made.service.tools.settings, made.service.tools.rules
        lane = Target.of(settings.present.server).lane
        settings.update(server=settings.present.server.model_copy(update={"limits": "0.26.0"}))
        assert rules.limits(lane).id == "0.26.0"
        assert rules.limits("http://elsewhere:8000").id != "0.26.0"
        settings.update(server=settings.present.server.model_copy(update={"limits": "9.9"}))
        assert rules.limits(lane).id != "0.26.0"
