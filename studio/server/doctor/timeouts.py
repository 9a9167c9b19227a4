"""Every time limit that could end a start or a render: its value, where it comes from, and whether it would bite.

Defaults of vllm-omni 0.30.0: 600 s for handing a result over (diffusion_engine.py), for a synchronous request
(helpers.py), and for a render on two or more cards (multiproc_executor.py, `execute_request`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from studio.server.doctor.check import Check, Level, passed, trouble
from studio.server.doctor.flags import Flags
from studio.server.launch import START_LIMITS, WATCHDOGS, WAVE, Launch, timeout_for

_DEFAULT: Final = 600
_OUTPUT, _SYNC = WATCHDOGS


def check_timeouts(launch: Launch, longest_job: float | None) -> Iterator[Check]:
    """The limits of a launch of ours, against the longest queued job's estimate (s; None: not known)."""
    needed = timeout_for(longest_job)
    flags = Flags(launch.argv)
    values = {name: int(launch.env[name]) for name in (*WATCHDOGS, WAVE) if name in launch.env}
    values |= {flag: flags.number(flag, default=_DEFAULT) for flag in START_LIMITS if flag in flags}
    theirs = {**launch.profile.env, **{flag: Flags(launch.profile.args).text(flag) for flag in START_LIMITS}}
    for name, value in values.items():
        by_profile = theirs.get(name, "") == str(value)
        yield passed("timeout_profile" if by_profile else "timeout", name=name, value=value, needed=needed)


def check_running_timeouts(limit: int | None, longest_job: float | None) -> Iterator[Check]:
    """A running server that we started with that limit (s): set at its start, so a job queued since may be too long."""
    if limit is None:
        return
    if longest_job is not None and longest_job > limit:
        yield trouble(Level.WARN, "limit_short", limit=limit, job=round(longest_job))
    else:
        yield passed("limit", limit=limit)


def check_foreign_timeouts(longest_job: float | None) -> Iterator[Check]:
    """A server that somebody else runs: its limits cannot be read, so what their defaults would do is said."""
    yield Check(Level.UNKNOWN, trouble(Level.UNKNOWN, "foreign_output", name=_OUTPUT, default=_DEFAULT).message)
    if longest_job is not None and longest_job > _DEFAULT:
        job = round(longest_job)
        yield trouble(Level.WARN, "foreign_bites", f"{WAVE}=86400", name=WAVE, default=_DEFAULT, job=job)
    else:
        yield Check(Level.UNKNOWN, trouble(Level.UNKNOWN, "foreign_unknown", name=WAVE, default=_DEFAULT).message)
    yield passed("foreign_sync", name=_SYNC)
