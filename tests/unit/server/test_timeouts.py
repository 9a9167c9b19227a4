"""Every time limit: its value, where it comes from, whether it would bite."""

from __future__ import annotations

import pytest

from studio.server import Place, Profile
from studio.server.doctor import Level, check_foreign_timeouts, check_running_timeouts
from studio.server.doctor.timeouts import check_timeouts
from studio.server.launch import START_LIMITS, WATCHDOGS, WAVE, plan


def test_a_launch_sets_each_from_the_longest_job() -> None:
    env = {"VLLM_OMNI_VIDEO_SYNC_TIMEOUT": "90000", "VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT": "1800"}
    profile = Profile(id="x", title="x", gpus=2, env=env, args=("--init-timeout", "50000"))
    checks = list(check_timeouts(plan(profile, Place("/m"), longest_job=10_000), 10_000))
    found = {check.message.params["name"]: check.message for check in checks}
    assert found.keys() == {*WATCHDOGS, WAVE, *START_LIMITS}
    assert {name: message.params["value"] for name, message in found.items()} == {
        "VLLM_OMNI_ASYNC_OUTPUT_TIMEOUT": 40_000,
        "VLLM_OMNI_VIDEO_SYNC_TIMEOUT": 90_000,
        WAVE: 86_400,
        "--init-timeout": 50_000,
        "--stage-init-timeout": 40_000,
    }
    by_profile = {name for name, message in found.items() if message.code == "doctor.timeout_profile"}
    assert by_profile == {"VLLM_OMNI_VIDEO_SYNC_TIMEOUT", "--init-timeout"}


@pytest.mark.parametrize(("limit", "job", "level"), [(3600, 3000.0, 0), (3600, None, 0), (3600, 5000.0, Level.WARN)])
def test_a_running_server_may_be_too_impatient_for_what_was_queued_since(
    limit: int, job: float | None, level: int
) -> None:
    (check,) = check_running_timeouts(limit, job)
    assert check.level == level
    assert str(limit) in check.message.text().replace(",", "")


def test_a_server_of_somebody_else_is_judged_by_its_defaults() -> None:
    unknown, short, long = (list(check_foreign_timeouts(job)) for job in (None, 300, 4000))
    assert [check.level for check in unknown] == [Level.UNKNOWN, Level.UNKNOWN, Level.PASS] == [c.level for c in short]
    assert [check.level for check in long] == [Level.UNKNOWN, Level.WARN, Level.PASS]
    assert "4000" in long[1].message.text() and long[1].mend is not None
    assert not any("{" in check.message.text() for check in (*unknown, *short, *long))


def test_a_program_without_flags_is_looked_at_all_the_same() -> None:
    profile = Profile(id="x", title="x", program=("/bin/server", "{port}"))
    checks = list(check_timeouts(plan(profile, Place("/m")), None))
    assert {check.message.params["name"] for check in checks} == set(WATCHDOGS)
