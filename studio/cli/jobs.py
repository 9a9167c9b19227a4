"""`jobs list|show|cancel|resume|candidates|take|watch`: the durable queue."""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import Any

from studio.cli.output import Out
from studio.cli.render import exit_code, follow, report
from studio.cli.studio_tools import CommandLine, command_line
from studio.core.errors import StudioError
from studio.core.words import say
from studio.jobs import Job, JobState
from studio.jobs.plain import as_plain
from studio.jobs.telling import clock, progress_line
from studio.server import records

_OWNER_ANSWERS = 15.0
"""Seconds in which another studio that owns a job has heard the wish: it looks every second."""


def add(verbs: Any) -> None:
    """Add this group's verbs."""
    verb = verbs.add_parser("jobs", help="the queue: list, show, cancel, resume, candidates, take, watch")
    what = verb.add_subparsers(dest="what", required=True, metavar="list|show|cancel|resume|candidates|take|watch")
    for name, words, run in (
        ("list", "all jobs, newest first", _list),
        ("show", "everything about one job", _show),
        ("cancel", "end a job, here and on its server", _cancel),
        ("resume", "go on with a job (all unfinished ones without an id)", _resume),
        ("candidates", "what on the server a job may be, after the answer to its upload was lost", _candidates),
        ("take", "go on with a job as one of its candidates", _take),
        ("watch", "follow the queue until nothing is left to do", _watch),
    ):
        one = what.add_parser(name, help=words)
        if name not in ("list", "watch"):
            how_many = "?" if name == "resume" else None
            one.add_argument("id", metavar="ID", nargs=how_many, help="as `jobs list` shows it")
        if name == "take":
            one.add_argument(
                "candidate", metavar="CANDIDATE", help="the server's id of it, as `jobs candidates` shows it"
            )
        one.add_argument("--json", action="store_true")
        one.set_defaults(run=run)


async def _list(args: argparse.Namespace, out: Out) -> int:
    async with command_line(out) as line:
        jobs = await line.service.all()
    out.result({"jobs": [as_plain(job) for job in jobs]}, "\n".join(map(_line, jobs)) or "No jobs yet.")
    return 0


async def _show(args: argparse.Namespace, out: Out) -> int:
    async with command_line(out) as line:
        job = await line.service.get(args.id)
        changes = await line.service.tools.write(line.service.tools.store.changes, job.id)
    lines = [_line(job), *(f"  {time.ctime(c['at'])}: {c['from']} → {c['to']} ({c['cause']})" for c in changes)]
    if job.fault:
        lines.append(job.fault.text())
    out.result(as_plain(job, changes), "\n".join(lines))
    return 0


async def _cancel(args: argparse.Namespace, out: Out) -> int:
    async with command_line(out) as line:
        job = await line.service.cancel(args.id)
        asked = time.monotonic()
        while not job.state.finished:
            if job.state is JobState.CANCELLING:
                out.live(progress_line(job))
            elif time.monotonic() - asked > _OWNER_ANSWERS:
                break
            await asyncio.sleep(0.1)
            job = await line.service.get(args.id)
        await _end_orphan(line, job)
    out.result({"job": job.id, "state": job.state}, f"{job.id}: {say(f'state.{job.state}')}")
    return 0 if job.state is JobState.CANCELLED else 1


async def _resume(args: argparse.Namespace, out: Out) -> int:
    async with command_line(out) as line:
        if args.id:
            job = await _followed(line, await line.service.resume(args.id), out)
            report(job, out)
            return exit_code(job)
        ended = []
        for job in await line.service.tools.write(line.service.tools.store.unfinished):
            try:
                ended.append(await _followed(line, await line.service.resume(job.id), out))
            except StudioError as error:
                out.note(str(error))
        out.result({"jobs": [as_plain(job) for job in ended]}, "\n".join(map(_line, ended)) or "Nothing to resume.")
        return max(map(exit_code, ended), default=0)


async def _candidates(args: argparse.Namespace, out: Out) -> int:
    async with command_line(out) as line:
        found = await line.service.candidates(args.id)
    lines = [
        f"{one.id}  {clock(one.created_at)}  {one.status} {one.progress:.0f} %  {one.prompt[:60]}" for one in found
    ]
    advice = f"Take one: h3studio jobs take {args.id} CANDIDATE. Render it again: h3studio jobs resume {args.id}."
    data = [one.model_dump(include={"id", "created_at", "status", "progress", "prompt"}) for one in found]
    out.result({"job": args.id, "candidates": data}, "\n".join([*lines, advice]))
    return 0 if found else 1


async def _take(args: argparse.Namespace, out: Out) -> int:
    async with command_line(out) as line:
        job = await _followed(line, await line.service.take(args.id, args.candidate), out)
    report(job, out)
    return exit_code(job)


async def _followed(line: CommandLine, job: Job, out: Out) -> Job:
    job_id = job.id
    try:
        job = await follow(line, job, out)
    except asyncio.CancelledError:
        await line.service.detach(job_id)
        out.note(f"The job goes on. Fetch it: h3studio jobs resume {job_id}. End it: h3studio jobs cancel {job_id}.")
        raise
    await _end_orphan(line, job)
    return job


async def _end_orphan(line: CommandLine, job: Job) -> None:
    """End the rehearsal server that a killed command line left for this job, once no other job needs it."""
    server_id = job.target.server_id
    if job.target.kind != "rehearsal" or server_id is None or not job.state.finished:
        return
    record = await asyncio.to_thread(records.load, server_id)
    if record is None or record.started_by != "cli" or not record.process.alive():
        return
    others = await line.service.tools.write(line.service.tools.store.unfinished)
    ours = record in line.servers.started
    if (ours or not record.starter_alive) and not any(other.target.server_id == server_id for other in others):
        await line.servers.launcher.stop(record)


async def _watch(args: argparse.Namespace, out: Out) -> int:
    async with command_line(out) as line:
        store, seen = line.service.tools.store, dict[str, str]()
        while True:
            jobs = await line.service.tools.write(store.unfinished)
            for job in jobs:
                if seen.get(job.id) != job.state:
                    seen[job.id] = job.state
                    out.note(_line(job))
            if not jobs:
                break
            out.live(" | ".join(filter(None, map(progress_line, jobs))))
            await asyncio.sleep(0.5)
        ended = [await line.service.get(job_id) for job_id in seen]
    out.result({"jobs": [as_plain(job) for job in ended]}, "\n".join(map(_line, ended)) or "Nothing is under way.")
    return 0


def _line(job: Job) -> str:
    head = f"{job.id}  {say(f'state.{job.state}'):<20}"
    if job.state is JobState.DONE:
        return f"{head}{job.video}"
    if job.fault is not None and job.state.finished:
        return f"{head}{job.fault.text()}"
    return f"{head}{progress_line(job)} · {job.title[:60]}"
