"""`render`: one shot, from check to verified video.

Ctrl+C before the POST cancels. After it the job stays in the queue (`jobs resume` fetches it, `jobs cancel` ends it);
with `--rehearsal` it is cancelled and its server ended. A second Ctrl+C does not wait for the server's word.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any, Final

from studio.cli.output import Out
from studio.cli.studio_tools import CommandLine, command_line
from studio.core.words import say
from studio.jobs import Job, JobState, Target
from studio.jobs.telling import progress_line
from studio.presets.shot_file import load_shot

_ENDS_WITHIN: Final = 30.0
"""Seconds in which a server is seen to have let go of a job; a lost upload is looked for twice, 10 s apart."""


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser("render", help="render a shot and fetch the video")
    verb.add_argument("shot", type=Path, metavar="SHOT", help="a .h3shot file")
    where = verb.add_mutually_exclusive_group()
    where.add_argument("--server", metavar="URL", help="a running server (its key in H3_API_KEY)")
    where.add_argument("--rehearsal", action="store_true", help="the built-in rehearsal server")
    verb.add_argument("-o", "--output", type=Path, metavar="DIR", help="where the video goes")
    verb.add_argument("--detach", action="store_true", help="return once the server has the job")
    verb.add_argument("--step-seconds", type=float, metavar="S", help="pace of the rehearsal server")
    verb.add_argument("--json", action="store_true")
    verb.set_defaults(run=_render)


async def _render(args: argparse.Namespace, out: Out) -> int:
    shot = load_shot(args.shot)
    async with command_line(out, step_seconds=args.step_seconds) as line:
        target = _target(args, line)
        folder = args.output.absolute() if args.output else None
        job = await line.service.submit(shot, target, name=args.shot.stem, out_dir=folder)
        try:
            job = await follow(line, job, out, until_posted=args.detach)
        except asyncio.CancelledError:
            await _interrupted(line, job.id, out)
            raise
        if job.state.finished:
            await line.servers.stop_started()
        report(job, out)
        return exit_code(job)


def _target(args: argparse.Namespace, line: CommandLine) -> Target:
    settings = line.settings.present.server
    url = args.server or (settings.url if settings.kind == "url" and not args.rehearsal else None)
    return Target(kind="url", url=url.rstrip("/")) if url else Target()


async def _interrupted(line: CommandLine, job_id: str, out: Out) -> None:
    job = await line.service.get(job_id)
    if job.state.finished:
        return
    if job.target.kind == "rehearsal" or not job.state.on_server:
        await _cancelled(line, job, out)
        return
    await line.service.detach(job_id)
    out.note(
        f"The server goes on with it. Fetch it: h3studio jobs resume {job_id}. End it: h3studio jobs cancel {job_id}."
    )


async def _cancelled(line: CommandLine, job: Job, out: Out) -> None:
    later = f"h3studio jobs cancel {job.id}"
    if job.state is JobState.UPLOADING:
        out.note("Cancelling: if all of it has gone up, the server is asked whether it has the job (up to 20 s).")
    elif job.state.on_server:
        out.note("Cancelling: the server stops at its next step.")
    if job.state is JobState.UPLOADING or job.state.on_server:
        out.note(f"Ctrl+C again ends this program at once; then {later} ends the job.")
    try:
        job = await line.service.cancel(job.id, patience=_ENDS_WITHIN)
    except asyncio.CancelledError:
        line.servers.kill_started()
        out.note(f"Left as it is. End it: {later}.")
        raise
    await line.servers.stop_started()
    if job.state is JobState.CANCELLED:
        out.note("Cancelled.")
    else:
        out.note(f"The server has not let go of it yet. Look again: {later}.")


async def follow(line: CommandLine, job: Job, out: Out, *, until_posted: bool = False) -> Job:
    """Tell how a job gets on until it ends; with `until_posted`, until the server has it."""
    last: JobState | None = None
    posted = asyncio.Event()

    def hear(changed: Job) -> None:
        nonlocal last
        if changed.id != job.id:
            return
        if changed.state is not last:
            last = changed.state
            out.note(say(f"state.{changed.state}"))
            if changed.state.on_server or changed.state.finished:
                posted.set()
        elif changed.progress.fraction is not None:
            out.live(progress_line(changed, left(changed)))

    unsubscribe = line.service.changed.subscribe(hear)
    try:
        hear(await line.service.get(job.id))
        if until_posted:
            await posted.wait()
            return await line.service.get(job.id)
        return await line.service.wait(job.id)
    finally:
        unsubscribe()


def left(job: Job) -> tuple[float, float] | None:
    """Least and most seconds still to go, by the present step's pace; None for quick or unknown ones."""
    progress = job.progress
    if not (progress.steps and progress.step is not None and progress.seconds_per_step):
        return None
    least = (progress.steps - progress.step) * progress.seconds_per_step
    return (least, 1.1 * least + 5) if least > 60 else None


def report(job: Job, out: Out) -> None:
    """Print what came of a job."""
    data: dict[str, Any] = {
        "job": job.id,
        "state": job.state,
        "video": str(job.video) if job.video and job.state is JobState.DONE else None,
        "sidecar": str(job.sidecar) if job.sidecar else None,
        "verified": job.verified,
        "timings": job.timings,
        "findings": list(job.findings),
        "error": None,
    }
    if job.fault is not None:
        data["error"] = {"code": job.fault.code, "message": job.fault.text(), "params": job.fault.params}
    out.result(data, _prose(job))


def exit_code(job: Job) -> int:
    """0 for a verified video or a job that goes on, 1 for any other end."""
    return 0 if job.state is JobState.DONE or not job.state.finished else 1


def _prose(job: Job) -> str:
    if job.state is JobState.DONE:
        return str(job.video)
    if job.fault is not None:
        lines = [job.fault.text(), *(f"  {finding['message']}" for finding in job.findings)]
        return "\n".join(lines)
    return f"{job.id}: {say(f'state.{job.state}')}"
