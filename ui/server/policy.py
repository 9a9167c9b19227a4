"""What is sensible to do about the server: pure decisions from its status and the jobs that are on their way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal
from urllib.parse import urlsplit

from studio import __version__
from studio.core.words import say
from studio.jobs import Job, JobState, telling
from studio.server import ServerState, ServerStatus
from studio.server.doctor import Check, check_foreign_timeouts, check_running_timeouts
from ui.widgets.act_button import Act

S = JobState
Kind = Literal["rehearsal", "url", "profile", "unit"]
_NEEDS_SERVER: Final = frozenset({S.UPLOADING, S.QUEUED, S.RUNNING, S.DOWNLOADING})


_DOTS: Final = {ServerState.READY: "good", ServerState.FAILED: "bad", ServerState.STOPPED: "faint"}


def dot(status: ServerStatus) -> str:
    """Token role of a server's dot."""
    return _DOTS.get(status.state, "warn")


def limits(status: ServerStatus, longest: float | None) -> list[Check]:
    """What the time limits of a server that runs would do to the longest queued job (s)."""
    if status.state is not ServerState.READY or status.rehearsal:
        return []
    if status.record is None or status.record.time_limit is None:
        return list(check_foreign_timeouts(longest))
    return list(check_running_timeouts(status.record.time_limit, longest))


def facts(status: ServerStatus, machine: str) -> str:
    """What a copied log begins with: program, machine, server. Nothing secret."""
    record = status.record
    server = record.profile or record.kind if record is not None else "–"
    return f"# H3 Studio {__version__} · {machine}\n# {server} · {status.url or '–'} · {status.model or '–'}\n"


def on_server(jobs: Iterable[Job], status: ServerStatus) -> list[Job]:
    """The jobs that this server holds and that are not fetched yet, oldest first."""
    url = (status.url or "").rstrip("/")
    held = [job for job in jobs if job.state in _NEEDS_SERVER and url and job.server.get("url") == url]
    return sorted(held, key=lambda job: job.created)


def waiting(jobs: Iterable[Job]) -> int:
    """How many jobs are ready and wait for a server."""
    return sum(job.state is S.WAITING for job in jobs)


def present(jobs: Iterable[Job], status: ServerStatus) -> Job | None:
    """ "This render": the one that the server works on, else the next that will go there."""
    jobs = list(jobs)
    held = on_server(jobs, status)
    running = [job for job in held if job.state is S.RUNNING]
    coming = sorted(
        (job for job in jobs if not job.state.finished and not job.state.on_server), key=lambda j: j.created
    )
    return next(iter([*running, *held, *coming]), None)


def next_act(status: ServerStatus, jobs: Iterable[Job], kind: Kind, *, stopping_after: bool) -> Act:
    """The one act that the button offers."""
    match status.state:
        case ServerState.STARTING:
            return Act.CANCEL_START
        case ServerState.STOPPING:
            return Act.STOPPING
        case ServerState.READY if not status.ours:
            return Act.DISCONNECT
        case ServerState.READY if stopping_after:
            return Act.KEEP
        case ServerState.READY:
            return Act.STOP_AFTER if present(jobs, status) is not None else Act.STOP
        case _:
            return Act.CONNECT if kind == "url" else Act.START


def chip(status: ServerStatus, *, stopping_after: bool) -> str:
    """The server's state in a few words."""
    kind = "rehearsal" if status.rehearsal else "own" if status.ours or not status.url else "url"
    match status.state:
        case ServerState.STOPPED:
            return say("server.chip.none")
        case ServerState.READY if status.ours and stopping_after:
            return say(f"server.chip.{kind}.after")
    return say(f"server.chip.{kind}.{status.state}", {"where": urlsplit(status.url or "").netloc})


def lost_by_stopping(jobs: Iterable[Job], status: ServerStatus) -> str | None:
    """What ending the server now would throw away, one line a job; None when that is next to nothing."""
    lines = [lost for job in on_server(jobs, status) if (lost := telling.loss(job)) is not None]
    return "\n".join(lines) or None
